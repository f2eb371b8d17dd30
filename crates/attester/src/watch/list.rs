use std::collections::HashMap;
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::IntentTerms;
use causeway_domain::ports::AttestationRefusal;

const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_mins(1);

/// How many orders are watched: anybody can open orders of dust. Others are signed on request, as any order is.
const MAX_WATCHED: usize = 100_000;

/// Open orders, and when each is checked next.
#[derive(Debug, Default)]
pub(super) struct Watchlist(HashMap<B256, WatchedOrder>);

#[derive(Debug)]
struct WatchedOrder {
    terms: IntentTerms,
    /// Its fill was observed or its deadline has passed: an undecided check is repeated.
    decidable: bool,
    due: Option<Instant>,
    backoff: Duration,
}

impl Watchlist {
    /// Adds an opened order, if there is room. Its fill may be final already, so it is due at once. Returns whether it is watched.
    pub(super) fn opened(&mut self, terms: &IntentTerms, now: Instant) -> bool {
        self.open_within(MAX_WATCHED, terms, now)
    }

    fn open_within(&mut self, limit: usize, terms: &IntentTerms, now: Instant) -> bool {
        let id = terms.id();
        if self.0.len() >= limit && !self.0.contains_key(&id) {
            return false;
        }
        let order = WatchedOrder { terms: *terms, decidable: false, due: Some(now), backoff: MIN_BACKOFF };
        self.0.entry(id).or_insert(order);
        true
    }

    pub(super) fn filled(&mut self, order: &B256, now: Instant) {
        if let Some(order) = self.0.get_mut(order) {
            order.mark_decidable(now);
        }
    }

    /// Removes an order; returns whether it was watched.
    pub(super) fn ended(&mut self, order: &B256) -> bool {
        self.0.remove(order).is_some()
    }

    /// Handles a new final block time of a chain.
    pub(super) fn advance_time(&mut self, chain: u64, time: u64, now: Instant) {
        let late = |terms: &IntentTerms| terms.destination_chain_id == chain && terms.fill_deadline < time;
        for order in self.0.values_mut().filter(|order| !order.decidable && late(&order.terms)) {
            order.mark_decidable(now);
        }
    }

    /// Takes the orders to check now; each stays out until its result is recorded.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<IntentTerms> {
        let due = self.0.values_mut().filter(|order| order.due.is_some_and(|due| due <= now));
        due.map(|order| {
            order.due = None;
            order.terms
        })
        .collect()
    }

    /// Records the result of a check: signed and permanently refused orders are removed, others wait or back off.
    pub(super) fn record_result(&mut self, order: &B256, refusal: Option<&AttestationRefusal>, now: Instant) {
        let Some(why) = refusal.filter(|why| why.is_retryable()) else {
            self.0.remove(order);
            return;
        };
        let Some(order) = self.0.get_mut(order) else { return };
        let undecided = matches!(why, AttestationRefusal::Undecided { .. });
        if undecided && !order.decidable {
            return;
        }
        order.due = Some(now + order.backoff);
        order.backoff = (order.backoff * 2).min(MAX_BACKOFF);
    }
}

impl WatchedOrder {
    fn mark_decidable(&mut self, now: Instant) {
        self.decidable = true;
        self.due = Some(now);
        self.backoff = MIN_BACKOFF;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDECIDED: AttestationRefusal = AttestationRefusal::Undecided { chain: 10 };

    fn terms(nonce: u8) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        IntentTerms { nonce: B256::repeat_byte(nonce), destination_chain_id: 10, fill_deadline: 100, ..terms }
    }

    #[test]
    fn an_order_is_checked_when_opened_when_filled_and_when_late_and_not_in_between() {
        let (mut list, now) = (Watchlist::default(), Instant::now());
        let order = terms(1).id();
        list.opened(&terms(1), now);
        assert_eq!(list.take_due(now), [terms(1)]);
        list.opened(&terms(1), now);
        assert!(list.take_due(now).is_empty(), "it is out, and opened only once");
        list.record_result(&order, Some(&UNDECIDED), now);
        assert!(list.take_due(now + MAX_BACKOFF).is_empty());
        list.advance_time(10, 100, now);
        list.advance_time(11, 101, now);
        assert!(
            list.take_due(now).is_empty(),
            "the deadline itself is not past, and another chain's time is not its time"
        );
        list.advance_time(10, 101, now);
        assert_eq!(list.take_due(now), [terms(1)]);
        list.record_result(&order, None, now);
        list.filled(&order, now);
        assert!(list.take_due(now).is_empty(), "signed orders are forgotten");
    }

    #[test]
    fn no_more_orders_are_watched_than_there_is_room_for() {
        let (mut list, now) = (Watchlist::default(), Instant::now());
        let opened = [1, 2, 3, 2].map(|nonce| list.open_within(2, &terms(nonce), now));
        assert_eq!(opened, [true, true, false, true]);
        assert!(list.ended(&terms(1).id()) && !list.ended(&terms(3).id()));
        assert!(list.open_within(2, &terms(3), now));
    }

    #[test]
    fn a_fill_that_is_not_final_enough_is_checked_repeatedly() {
        let (mut list, mut now) = (Watchlist::default(), Instant::now());
        let order = terms(1).id();
        list.opened(&terms(1), now);
        list.filled(&order, now);
        for _ in 0..10 {
            assert_eq!(list.take_due(now), [terms(1)]);
            list.record_result(&order, Some(&UNDECIDED), now);
            assert!(list.take_due(now).is_empty());
            now += MAX_BACKOFF;
        }
    }

    #[test]
    fn an_unavailable_chain_is_retried_and_a_permanent_refusal_is_not() {
        let (mut list, now) = (Watchlist::default(), Instant::now());
        list.opened(&terms(1), now);
        list.opened(&terms(2), now);
        assert_eq!(list.take_due(now).len(), 2);
        list.record_result(&terms(1).id(), Some(&AttestationRefusal::Unavailable(10)), now);
        list.record_result(&terms(2).id(), Some(&AttestationRefusal::Ended), now);
        assert_eq!(list.take_due(now + MIN_BACKOFF), [terms(1)]);
        assert!(list.ended(&terms(1).id()) && !list.ended(&terms(2).id()));
    }
}
