use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use alloy_primitives::{B256, U256};
use causeway_domain::ports::Offer;
use causeway_domain::{Ask, Terms};
use jiff::{SignedDuration, Timestamp};

/// More than are open at one time; beyond it the oldest are forgotten, and their orders go without a quote's name.
const MOST: usize = 10_000;

/// A longer name is not worth its memory.
pub(super) const LONGEST_NAME: usize = 128;

/// An order may be submitted so long after its price ended: deposits take their time to stand.
const KEPT: SignedDuration = SignedDuration::from_hours(2);

/// What a solver's quote was about, as far as an order shows it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    chains: (u64, u64),
    tokens: (B256, B256),
    amounts: (U256, U256),
    recipient: B256,
}

impl Key {
    fn of_offer(ask: &Ask, offer: &Offer) -> Self {
        Self {
            chains: (ask.from.chain().get(), ask.to.chain().get()),
            tokens: (ask.from.address().to_word(), ask.to.address().to_word()),
            amounts: (offer.amount_in.get(), offer.min_amount_out.get()),
            recipient: ask.recipient.to_word(),
        }
    }

    const fn of_terms(terms: &Terms) -> Self {
        Self {
            chains: (terms.origin_chain_id, terms.destination_chain_id),
            tokens: (terms.input_token, terms.output_token),
            amounts: (terms.amount_in, terms.amount_out),
            recipient: terms.recipient,
        }
    }
}

/// The names of a solver's quotes, which it may want back with the order. They are a courtesy: a restart forgets them, and the
/// document does not demand them.
#[derive(Debug, Default)]
pub(super) struct QuoteNames(Mutex<HashMap<Key, (Timestamp, String)>>);

impl QuoteNames {
    pub(super) fn keep(&self, ask: &Ask, offer: &Offer, name: String, now: Timestamp) {
        let Ok(until) = offer.valid_before.checked_add(KEPT) else { return };
        if name.len() > LONGEST_NAME {
            return;
        }
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MOST {
            names.retain(|_, (until, _)| *until > now);
        }
        if names.len() >= MOST
            && let Some(oldest) = names.iter().min_by_key(|(_, (until, _))| *until).map(|(key, _)| *key)
        {
            names.remove(&oldest);
        }
        names.insert(Key::of_offer(ask, offer), (until, name));
    }

    /// The name of the newest quote that these terms could have come from.
    pub(super) fn find(&self, terms: &Terms) -> Option<String> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(&Key::of_terms(terms)).map(|(_, name)| name.clone())
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
    fn a_name_as_long_as_a_book_is_not_kept() {
        let (names, now) = (QuoteNames::default(), Timestamp::from_second(1_800_000_000).unwrap());
        let (ask, offer) = offer(7, now);
        names.keep(&ask, &offer, "x".repeat(LONGEST_NAME + 1), now);
        assert!(names.0.lock().unwrap().is_empty());
        names.keep(&ask, &offer, "x".repeat(LONGEST_NAME), now);
        assert_eq!(names.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn no_more_names_are_kept_than_may_be_and_the_oldest_go_first() {
        let names = QuoteNames::default();
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let most = i64::try_from(MOST).unwrap();
        for number in 0..=most {
            let until = start.checked_add(SignedDuration::from_secs(number)).unwrap();
            let (ask, offer) = offer(number.unsigned_abs(), until);
            names.keep(&ask, &offer, number.to_string(), start);
        }
        let kept = names.0.lock().unwrap();
        assert_eq!(kept.len(), MOST);
        let has = |name: &str| kept.values().any(|(_, known)| known == name);
        assert!(!has("0") && has("1") && has(&most.to_string()));
    }
}
