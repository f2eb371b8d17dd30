use std::collections::HashMap;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::Offer;
use causeway_domain::{Ask, IntentTerms};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

/// Maximum number of quote ids; beyond it the oldest are evicted, and their orders are submitted without one.
const MAX_ENTRIES: usize = 10_000;

/// Longer ids are not kept.
pub(super) const MAX_ID_LENGTH: usize = 128;

/// How long after its price expired an order may still be submitted: deposits take time to become final.
const RETENTION: SignedDuration = SignedDuration::from_hours(2);

/// The fields of a quote that its order has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    chains: (u64, u64),
    tokens: (B256, B256),
    amounts: (U256, U256),
    recipient: B256,
}

impl Key {
    fn from_offer(ask: &Ask, offer: &Offer) -> Self {
        Self {
            chains: (ask.from.chain().get(), ask.to.chain().get()),
            tokens: (ask.from.address().to_word(), ask.to.address().to_word()),
            amounts: (offer.amount_in.get(), offer.min_amount_out.get()),
            recipient: ask.recipient.to_word(),
        }
    }

    const fn from_terms(terms: &IntentTerms) -> Self {
        Self {
            chains: (terms.origin_chain_id, terms.destination_chain_id),
            tokens: (terms.input_token, terms.output_token),
            amounts: (terms.amount_in, terms.amount_out),
            recipient: terms.recipient,
        }
    }
}

/// The ids of a solver's quotes, which are sent with the order. They are optional: a restart loses them, and the
/// specification does not require them.
#[derive(Debug, Default)]
pub(super) struct QuoteIds(Mutex<HashMap<Key, (Timestamp, String)>>);

impl QuoteIds {
    pub(super) fn keep(&self, ask: &Ask, offer: &Offer, id: String, now: Timestamp) {
        let Ok(until) = offer.valid_before.checked_add(RETENTION) else { return };
        if id.len() > MAX_ID_LENGTH {
            return;
        }
        let mut ids = self.0.lock();
        if ids.len() >= MAX_ENTRIES {
            ids.retain(|_, (until, _)| *until > now);
        }
        if ids.len() >= MAX_ENTRIES
            && let Some(oldest) = ids.iter().min_by_key(|(_, (until, _))| *until).map(|(key, _)| *key)
        {
            ids.remove(&oldest);
        }
        ids.insert(Key::from_offer(ask, offer), (until, id));
    }

    /// The id of the newest quote that matches these terms.
    pub(super) fn find(&self, terms: &IntentTerms) -> Option<String> {
        let ids = self.0.lock();
        ids.get(&Key::from_terms(terms)).map(|(_, id)| id.clone())
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Address, ChainId, RawAmount, TokenId, TradeType};

    use super::*;

    fn offer(number: u64, until: Timestamp) -> (Ask, Offer) {
        let account = Address::Evm([1; 20].into());
        let native = |chain| TokenId::native(ChainId::new(chain).unwrap());
        let amount = RawAmount::new(U256::from(number));
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from: native(1),
            to: native(10),
            amount,
            from_address: account,
            recipient: account,
            refund_to: account,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
        };
        let offer = Offer {
            exact_out: None,
            deposit_methods: Vec::new(),
            amount_in: amount,
            amount_out: amount,
            min_amount_out: amount,
            expected_duration_seconds: 1,
            valid_before: until,
            price_holds_until: None,
            estimated_gas: None,
            fees: Vec::new(),
            parties: None,
        };
        (ask, offer)
    }

    #[test]
    fn overlong_quote_id_is_not_kept() {
        let (ids, now) = (QuoteIds::default(), Timestamp::from_second(1_800_000_000).unwrap());
        let (ask, offer) = offer(7, now);
        ids.keep(&ask, &offer, "x".repeat(MAX_ID_LENGTH + 1), now);
        assert!(ids.0.lock().is_empty());
        ids.keep(&ask, &offer, "x".repeat(MAX_ID_LENGTH), now);
        assert_eq!(ids.0.lock().len(), 1);
    }

    #[test]
    fn oldest_quote_ids_are_evicted_at_the_limit() {
        let ids = QuoteIds::default();
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let max = i64::try_from(MAX_ENTRIES).unwrap();
        for number in 0..=max {
            let until = start.checked_add(SignedDuration::from_secs(number)).unwrap();
            let (ask, offer) = offer(number.unsigned_abs(), until);
            ids.keep(&ask, &offer, number.to_string(), start);
        }
        let entries = ids.0.lock();
        assert_eq!(entries.len(), MAX_ENTRIES);
        let has = |id: &str| entries.values().any(|(_, known)| known == id);
        assert!(!has("0") && has("1") && has(&max.to_string()));
    }
}
