use std::collections::HashMap;
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::Terms;
use causeway_domain::ports::NoAttestation;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Open orders, and when each is worth a look.
#[derive(Debug, Default)]
pub(super) struct Watchlist(HashMap<B256, Waiting>);

#[derive(Debug)]
struct Waiting {
    terms: Terms,
    /// It was seen filled, or its deadline has passed: a look that decides nothing is repeated.
    ripe: bool,
    due: Option<Instant>,
    pause: Duration,
}

impl Watchlist {
    /// An order was opened; its fill may stand already, so it is looked at once.
    pub(super) fn opened(&mut self, terms: &Terms, now: Instant) {
        let waiting = Waiting { terms: *terms, ripe: false, due: Some(now), pause: FIRST_PAUSE };
        self.0.entry(terms.id()).or_insert(waiting);
    }

    pub(super) fn filled(&mut self, order: &B256, now: Instant) {
        if let Some(waiting) = self.0.get_mut(order) {
            waiting.ripen(now);
        }
    }

    /// Whether anybody waited for it.
    pub(super) fn ended(&mut self, order: &B256) -> bool {
        self.0.remove(order).is_some()
    }

    /// The final time of a chain has come to `time`.
    pub(super) fn time(&mut self, chain: u64, time: u64, now: Instant) {
        let late = |terms: &Terms| terms.destination_chain_id == chain && terms.fill_deadline < time;
        for waiting in self.0.values_mut().filter(|waiting| !waiting.ripe && late(&waiting.terms)) {
            waiting.ripen(now);
        }
    }

    /// The orders to look at now; each is out until it was answered.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Terms> {
        let due = self.0.values_mut().filter(|waiting| waiting.due.is_some_and(|due| due <= now));
        due.map(|waiting| {
            waiting.due = None;
            waiting.terms
        })
        .collect()
    }

    /// What a look came to: signed and hopeless orders go, the rest wait for news or for a while.
    pub(super) fn answered(&mut self, order: &B256, refusal: Option<&NoAttestation>, now: Instant) {
        let Some(why) = refusal.filter(|why| why.is_retryable()) else {
            self.0.remove(order);
            return;
        };
        let Some(waiting) = self.0.get_mut(order) else { return };
        let undecided = matches!(why, NoAttestation::Undecided { .. });
        if undecided && !waiting.ripe {
            return;
        }
        waiting.due = Some(now + waiting.pause);
        waiting.pause = (waiting.pause * 2).min(LONGEST_PAUSE);
    }
}

impl Waiting {
    fn ripen(&mut self, now: Instant) {
        self.ripe = true;
        self.due = Some(now);
        self.pause = FIRST_PAUSE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDECIDED: NoAttestation = NoAttestation::Undecided { chain: 10 };

    fn terms(nonce: u8) -> Terms {
        let words = [B256::with_last_byte(1); Terms::WORDS];
        let terms = Terms::from_bytes(&words.concat()).unwrap();
        Terms { nonce: B256::repeat_byte(nonce), destination_chain_id: 10, fill_deadline: 100, ..terms }
    }

    #[test]
    fn an_order_is_looked_at_when_opened_when_filled_and_when_late_and_not_in_between() {
        let (mut list, now) = (Watchlist::default(), Instant::now());
        let order = terms(1).id();
        list.opened(&terms(1), now);
        assert_eq!(list.take_due(now), [terms(1)]);
        list.opened(&terms(1), now);
        assert!(list.take_due(now).is_empty(), "it is out, and opened only once");
        list.answered(&order, Some(&UNDECIDED), now);
        assert!(list.take_due(now + LONGEST_PAUSE).is_empty());
        list.time(10, 100, now);
        list.time(11, 101, now);
        assert!(
            list.take_due(now).is_empty(),
            "the deadline itself is not past, and another chain's time is not its time"
        );
        list.time(10, 101, now);
        assert_eq!(list.take_due(now), [terms(1)]);
        list.answered(&order, None, now);
        list.filled(&order, now);
        assert!(list.take_due(now).is_empty(), "signed orders are forgotten");
    }

    #[test]
    fn a_fill_that_is_seen_but_not_final_enough_is_looked_at_again_and_again() {
        let (mut list, mut now) = (Watchlist::default(), Instant::now());
        let order = terms(1).id();
        list.opened(&terms(1), now);
        list.filled(&order, now);
        for _ in 0..10 {
            assert_eq!(list.take_due(now), [terms(1)]);
            list.answered(&order, Some(&UNDECIDED), now);
            assert!(list.take_due(now).is_empty());
            now += LONGEST_PAUSE;
        }
    }

    #[test]
    fn trouble_with_a_chain_is_waited_out_and_a_final_no_is_not() {
        let (mut list, now) = (Watchlist::default(), Instant::now());
        list.opened(&terms(1), now);
        list.opened(&terms(2), now);
        assert_eq!(list.take_due(now).len(), 2);
        list.answered(&terms(1).id(), Some(&NoAttestation::Unavailable(10)), now);
        list.answered(&terms(2).id(), Some(&NoAttestation::Ended), now);
        assert_eq!(list.take_due(now + FIRST_PAUSE), [terms(1)]);
        assert!(list.ended(&terms(1).id()) && !list.ended(&terms(2).id()));
    }
}
