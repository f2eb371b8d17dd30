use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use causeway_domain::FiatOrderId;

/// So many checkouts are opened anew for one order within the window, and the last is shown to who asks for more.
const MOST: usize = 5;
const WINDOW: Duration = Duration::from_mins(10);

/// The checkouts that this process has opened of late. Each may be an order of its own with the provider, so they are few.
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
    /// A checkout was opened, and nobody has seen it yet.
    pub(super) fn opened(&self, id: &FiatOrderId, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, opened| opened.times.last().is_some_and(|last| now.duration_since(*last) < WINDOW));
        let opened = all.entry(id.clone()).or_insert_with(|| Opened { times: Vec::new(), shown: None });
        opened.times.retain(|time| now.duration_since(*time) < WINDOW);
        opened.times.push(now);
        opened.shown = None;
    }

    /// Whether the newest checkout is to be shown instead of another: nobody has seen it and its address is still good, it was shown
    /// a moment ago, or there were too many already. It counts as shown then.
    pub(super) fn show(&self, id: &FiatOrderId, good_for: Duration, again: Duration, now: Instant) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(opened) = all.get_mut(id) else { return false };
        opened.times.retain(|time| now.duration_since(*time) < WINDOW);
        let Some(newest) = opened.times.last() else { return false };
        let stays = match opened.shown {
            None => now.duration_since(*newest) < good_for,
            Some(shown) => now.duration_since(shown) < again,
        };
        if stays || opened.times.len() >= MOST {
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
    fn one_checkout_is_shown_until_it_was_visited_or_is_over() {
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
    fn reloading_without_end_opens_few_checkouts() {
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
        assert_eq!(opened, MOST);
        assert!(
            !sessions.show(&id, GOOD, AGAIN, start + Duration::from_secs(601)),
            "later it may be opened again"
        );
    }
}
