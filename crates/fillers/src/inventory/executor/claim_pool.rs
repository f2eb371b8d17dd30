use std::collections::{BTreeMap, HashMap};

use alloy_primitives::{B256, U256};
use causeway_domain::{IntentTerms, UsdAmount};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::inventory::config::ClaimBatching;

/// How long an order stays although nobody asks for its claim any more: it was claimed elsewhere.
const STAY: SignedDuration = SignedDuration::from_mins(2);

/// What the orders of one batch share. Those within one chain take no signatures, and the others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Group {
    origin_chain_id: u64,
    escrow: B256,
    input_token: B256,
    payee: B256,
    epoch: u64,
    is_same_chain: bool,
}

impl Group {
    const fn of(terms: &IntentTerms) -> Self {
        Self {
            origin_chain_id: terms.origin_chain_id,
            escrow: terms.escrow,
            input_token: terms.input_token,
            payee: terms.payee,
            epoch: terms.epoch,
            is_same_chain: terms.is_same_chain(),
        }
    }
}

/// An order that waits for its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) terms: IntentTerms,
    /// Its deposit; `None` without a price, and then nothing waits.
    pub(super) value: Option<UsdAmount>,
    /// When it could be claimed first.
    pub(super) since: Timestamp,
    /// When it was asked for last.
    pub(super) seen_at: Timestamp,
    /// Half of the time between its fill and its permissionless refund.
    pub(super) claim_by: Timestamp,
}

/// Orders that wait for others to be claimed with. Nothing is lost with it: whoever works on an order asks again.
#[derive(Debug, Default)]
pub(super) struct ClaimPool(Mutex<HashMap<Group, BTreeMap<B256, Waiting>>>);

impl ClaimPool {
    pub(super) fn contains(&self, terms: &IntentTerms) -> bool {
        self.0.lock().get(&Group::of(terms)).is_some_and(|orders| orders.contains_key(&terms.id()))
    }

    /// Adds an order, or notes that it is asked for still. Returns the orders of its group, oldest first, as soon as they have
    /// to be claimed, and forgets them.
    pub(super) fn add(
        &self,
        waiting: &Waiting,
        limits: &ClaimBatching,
        now: Timestamp,
    ) -> Option<Vec<Waiting>> {
        let group = Group::of(&waiting.terms);
        let mut pool = self.0.lock();
        let orders = pool.entry(group).or_default();
        orders.entry(waiting.terms.id()).or_insert(*waiting).seen_at = waiting.seen_at;
        orders.retain(|_, waiting| now.duration_since(waiting.seen_at) < STAY);
        if !is_due(orders, limits, now) {
            return None;
        }
        let mut due: Vec<Waiting> = pool.remove(&group).unwrap_or_default().into_values().collect();
        due.sort_by_key(|waiting| waiting.since);
        Some(due)
    }

    /// Puts orders back that were not claimed with the others.
    pub(super) fn put_back(&self, orders: impl IntoIterator<Item = Waiting>) {
        let mut pool = self.0.lock();
        for waiting in orders {
            pool.entry(Group::of(&waiting.terms)).or_default().entry(waiting.terms.id()).or_insert(waiting);
        }
    }
}

fn is_due(orders: &BTreeMap<B256, Waiting>, limits: &ClaimBatching, now: Timestamp) -> bool {
    let max_age = SignedDuration::try_from(limits.max_age).unwrap_or(SignedDuration::MAX);
    let is_late = |waiting: &Waiting| now >= waiting.claim_by || now.duration_since(waiting.since) >= max_age;
    let cents = |waiting: &Waiting| waiting.value.map_or(U256::MAX, |value| value.cents().get());
    let value = orders.values().map(cents).fold(U256::ZERO, U256::saturating_add);
    orders.len() >= limits.max_orders
        || value >= limits.max_value.cents().get()
        || orders.values().any(is_late)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use causeway_domain::RawAmount;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn usd(dollars: u64) -> UsdAmount {
        UsdAmount::from_cents(RawAmount::new(U256::from(dollars * 100)))
    }

    fn terms(nonce: u8) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        IntentTerms { nonce: B256::repeat_byte(nonce), destination_chain_id: 10, ..terms }
    }

    fn waiting(nonce: u8, since: i64) -> Waiting {
        Waiting {
            terms: terms(nonce),
            value: Some(usd(100)),
            since: at(since),
            seen_at: at(since),
            claim_by: at(3_600),
        }
    }

    fn limits() -> ClaimBatching {
        ClaimBatching { max_orders: 3, max_value: usd(1_000), max_age: Duration::from_mins(1) }
    }

    #[test]
    fn rule_31_a_batch_closes_by_size_with_its_oldest_order_first() {
        let pool = ClaimPool::default();
        assert_eq!(pool.add(&waiting(2, 5), &limits(), at(5)), None);
        assert_eq!(pool.add(&waiting(1, 4), &limits(), at(6)), None);
        assert_eq!(pool.add(&waiting(1, 4), &limits(), at(7)), None, "one order counts once");
        let due = pool.add(&waiting(3, 7), &limits(), at(7)).unwrap();
        assert_eq!(due, [waiting(1, 4), waiting(2, 5), waiting(3, 7)]);
        assert!(!pool.contains(&terms(1)));
        assert_eq!(pool.add(&waiting(4, 8), &limits(), at(8)), None, "they are gone");
        pool.put_back(due[1..].iter().copied());
        assert_eq!(pool.add(&waiting(4, 8), &limits(), at(9)).unwrap().len(), 3, "they are back");
    }

    #[test]
    fn rule_31_a_batch_closes_by_value_at_risk() {
        let pool = ClaimPool::default();
        assert_eq!(pool.add(&waiting(1, 0), &limits(), at(0)), None);
        let large = Waiting { value: Some(usd(900)), ..waiting(2, 0) };
        assert_eq!(pool.add(&large, &limits(), at(0)).unwrap().len(), 2);
        let unpriced = Waiting { value: None, ..waiting(3, 0) };
        assert_eq!(
            pool.add(&unpriced, &limits(), at(0)).unwrap().len(),
            1,
            "what has no price does not wait"
        );
    }

    #[test]
    fn rule_31_a_batch_closes_by_the_age_of_its_oldest_order() {
        let pool = ClaimPool::default();
        assert_eq!(pool.add(&waiting(1, 0), &limits(), at(0)), None);
        assert_eq!(pool.add(&waiting(2, 59), &limits(), at(59)), None);
        assert_eq!(pool.add(&waiting(2, 59), &limits(), at(60)).unwrap().len(), 2);
    }

    #[test]
    fn rule_31_no_order_waits_past_half_of_the_time_to_its_refund() {
        let pool = ClaimPool::default();
        let soon = Waiting { claim_by: at(10), ..waiting(1, 0) };
        assert_eq!(pool.add(&soon, &limits(), at(9)), None);
        assert_eq!(pool.add(&waiting(2, 10), &limits(), at(10)).unwrap().len(), 2);
    }

    #[test]
    fn rule_31_a_batch_has_one_chain_escrow_token_payee_and_epoch() {
        let one = terms(1);
        let other = B256::repeat_byte(9);
        for (nonce, terms) in [
            IntentTerms { origin_chain_id: 8_453, ..one },
            IntentTerms { escrow: other, ..one },
            IntentTerms { input_token: other, ..one },
            IntentTerms { payee: other, ..one },
            IntentTerms { epoch: 2, ..one },
            IntentTerms { destination_chain_id: 1, ..one },
        ]
        .into_iter()
        .enumerate()
        {
            let pool = ClaimPool::default();
            let limits = ClaimBatching { max_orders: 2, ..limits() };
            assert_eq!(pool.add(&waiting(1, 0), &limits, at(0)), None);
            let terms = IntentTerms { nonce: B256::repeat_byte(100), ..terms };
            assert_eq!(pool.add(&Waiting { terms, ..waiting(1, 0) }, &limits, at(0)), None, "case {nonce}");
        }
    }

    #[test]
    fn an_order_that_nobody_works_on_any_more_is_forgotten() {
        let pool = ClaimPool::default();
        let limits = ClaimBatching { max_age: Duration::from_secs(1_000), ..limits() };
        assert_eq!(pool.add(&waiting(1, 0), &limits, at(0)), None);
        assert_eq!(pool.add(&waiting(2, 0), &limits, at(0)), None);
        let again = Waiting { seen_at: at(200), ..waiting(1, 0) };
        assert_eq!(pool.add(&again, &limits, at(200)), None);
        assert_eq!(pool.add(&waiting(3, 200), &limits, at(200)), None, "the second one has gone");
    }
}
