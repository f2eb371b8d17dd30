use std::collections::HashMap;
use std::time::{Duration, Instant};

use causeway_domain::FiatOrderId;
use parking_lot::Mutex;

/// How many checkouts are opened for one order within the window; further requests get the last one.
const MAX_SESSIONS: usize = 5;
const WINDOW: Duration = Duration::from_mins(10);

/// The checkouts that this process opened recently. Each may be a separate order at the provider, so they are limited.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<FiatOrderId, Opened>>);

#[derive(Debug)]
struct Opened {
    /// When each was opened, the newest last.
    times: Vec<Instant>,
    /// When the newest was first shown.
    shown: Option<Instant>,
}

impl Sessions {
    /// Records a checkout that was opened and not shown yet.
    pub(super) fn opened(&self, id: &FiatOrderId, now: Instant) {
        let mut all = self.0.lock();
        all.retain(|_, opened| opened.times.last().is_some_and(|last| now.duration_since(*last) < WINDOW));
        let opened = all.entry(id.clone()).or_insert_with(|| Opened { times: Vec::new(), shown: None });
        opened.times.retain(|time| now.duration_since(*time) < WINDOW);
        opened.times.push(now);
        opened.shown = None;
    }

    /// Whether the newest checkout can be shown: it was not shown and is still valid, it was shown a moment ago, or the limit is
    /// reached. Marks it as shown.
    pub(super) fn show(
        &self,
        id: &FiatOrderId,
        valid_for: Duration,
        reuse_for: Duration,
        now: Instant,
    ) -> bool {
        let mut all = self.0.lock();
        let Some(opened) = all.get_mut(id) else { return false };
        opened.times.retain(|time| now.duration_since(*time) < WINDOW);
        let Some(newest) = opened.times.last() else { return false };
        let is_usable = match opened.shown {
            None => now.duration_since(*newest) < valid_for,
            Some(shown) => now.duration_since(shown) < reuse_for,
        };
        if is_usable || opened.times.len() >= MAX_SESSIONS {
            opened.shown.get_or_insert(now);
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Duration = Duration::from_secs(50);
    const AGAIN: Duration = Duration::from_secs(5);

    #[test]
    fn checkout_is_reused_until_it_was_shown_or_has_expired() {
        let (sessions, id, start) = (Sessions::default(), FiatOrderId::random().unwrap(), Instant::now());
        let show = |after: u64| sessions.show(&id, GOOD, AGAIN, start + Duration::from_secs(after));
        assert!(!show(0), "none was opened here");
        sessions.opened(&id, start);
        assert!(show(40), "nobody has seen it");
        assert!(show(44), "a page that is loaded twice shows it twice");
        assert!(!show(45), "its address is good for one visit");
        sessions.opened(&id, start + Duration::from_secs(45));
        assert!(!show(95), "nobody came in time");
    }

    #[test]
    fn repeated_reloads_open_a_limited_number_of_checkouts() {
        let (sessions, id, start) = (Sessions::default(), FiatOrderId::random().unwrap(), Instant::now());
        let mut opened = 0;
        for second in (0..600).step_by(6) {
            let now = start + Duration::from_secs(second);
            if !sessions.show(&id, GOOD, AGAIN, now) {
                sessions.opened(&id, now);
                sessions.show(&id, GOOD, AGAIN, now);
                opened += 1;
            }
        }
        assert_eq!(opened, MAX_SESSIONS);
        assert!(
            !sessions.show(&id, GOOD, AGAIN, start + Duration::from_secs(601)),
            "later it may be opened again"
        );
    }
}
