use std::fmt;

use alloy_primitives::B256;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

use crate::{IntentTerms, OrderId};

/// Length of the random part of a nonce and of its tag.
const RANDOM_BYTES: usize = 16;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum QuoteKeyError {
    #[error("the system gave no random bytes")]
    NoRandomness,
}

/// Authenticates the terms that we quoted, even after the store is lost. Anybody may open an order that names our filler,
/// but we honor only terms with our tag.
#[derive(Clone)]
pub struct QuoteKey([u8; 32]);

impl QuoteKey {
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn random() -> Result<Self, QuoteKeyError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| QuoteKeyError::NoRandomness)?;
        Ok(Self(bytes))
    }

    /// The secret bytes, for storage.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The terms with a new nonce: 16 random bytes, then 16 bytes of HMAC-SHA256 over them and all other terms.
    pub fn seal(&self, terms: IntentTerms) -> Result<IntentTerms, QuoteKeyError> {
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random).map_err(|_| QuoteKeyError::NoRandomness)?;
        let mut nonce = B256::ZERO;
        let (front, back) = nonce.0.split_at_mut(RANDOM_BYTES);
        front.copy_from_slice(&random);
        if let Some(mac) = self.mac(&random, &terms) {
            back.copy_from_slice(&mac.finalize().into_bytes()[..RANDOM_BYTES]);
        }
        Ok(IntentTerms { nonce, ..terms })
    }

    /// Whether the nonce contains our tag over exactly these terms; compared in constant time.
    pub fn has_sealed(&self, terms: &IntentTerms) -> bool {
        let (random, tag) = terms.nonce.0.split_at(RANDOM_BYTES);
        self.mac(random, terms).is_some_and(|mac| mac.verify_truncated_left(tag).is_ok())
    }

    /// The public id of the order with that intent, derivable from the chain by the key holder only.
    pub fn order_id(&self, intent_id: B256) -> Option<OrderId> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(b"causeway order name");
        mac.update(intent_id.as_slice());
        let tag = mac.finalize().into_bytes();
        alloy_primitives::hex::encode(tag.get(..RANDOM_BYTES)?).parse().ok()
    }

    /// Proves that whoever shows it was given the checkout page of this purchase.
    pub fn checkout_token(&self, purchase: &str) -> Option<String> {
        let tag = self.checkout_mac(purchase)?.finalize().into_bytes();
        Some(alloy_primitives::hex::encode(tag.get(..RANDOM_BYTES)?))
    }

    /// Whether this is the token of that purchase; compared in constant time.
    fn is_checkout_token(&self, purchase: &str, token: &str) -> bool {
        let tag = alloy_primitives::hex::decode(token).ok().filter(|tag| tag.len() == RANDOM_BYTES);
        let mac = self.checkout_mac(purchase);
        mac.zip(tag).is_some_and(|(mac, tag)| mac.verify_truncated_left(&tag).is_ok())
    }

    fn checkout_mac(&self, purchase: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(b"causeway checkout page");
        mac.update(purchase.as_bytes());
        Some(mac)
    }

    fn mac(&self, random: &[u8], terms: &IntentTerms) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(random);
        mac.update(&IntentTerms { nonce: B256::ZERO, ..*terms }.to_bytes());
        Some(mac)
    }
}

impl fmt::Debug for QuoteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuoteKey(…)")
    }
}

/// The key that seals new quotes, and older keys that are still accepted.
#[derive(Clone, Debug)]
pub struct QuoteKeys {
    pub current: QuoteKey,
    pub older: Vec<QuoteKey>,
}

impl QuoteKeys {
    /// Whether one of the keys has sealed these terms.
    pub fn have_sealed(&self, terms: &IntentTerms) -> bool {
        self.sealed_by(terms).is_some()
    }

    /// The public id of the order with these terms, by the key that sealed them, else by the current key.
    pub fn order_id(&self, terms: &IntentTerms) -> Option<OrderId> {
        self.sealed_by(terms).unwrap_or(&self.current).order_id(terms.id())
    }

    /// Whether one of the keys made this token for the checkout page of that purchase.
    pub fn have_made_checkout_token(&self, purchase: &str, token: &str) -> bool {
        std::iter::once(&self.current).chain(&self.older).any(|key| key.is_checkout_token(purchase, token))
    }

    fn sealed_by(&self, terms: &IntentTerms) -> Option<&QuoteKey> {
        std::iter::once(&self.current).chain(&self.older).find(|key| key.has_sealed(terms))
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::b256;
    use proptest::prelude::*;

    use super::*;
    use crate::sample::terms;

    fn key() -> QuoteKey {
        QuoteKey::new([7; 32])
    }

    #[test]
    fn rule_2_sealed_terms_verify_and_only_their_nonce_is_new() {
        let sealed = key().seal(terms()).unwrap();
        assert!(key().has_sealed(&sealed));
        assert!(!key().has_sealed(&terms()));
        assert_eq!(IntentTerms { nonce: terms().nonce, ..sealed }, terms());
    }

    #[test]
    fn rule_2_the_nonce_is_random_then_its_tag() {
        // As another implementation of HMAC-SHA256 computes it over the random bytes and the other terms.
        let nonce = b256!("000102030405060708090a0b0c0d0e0f32ffa47d2eeb0b28e7330bbae74935fe");
        assert!(key().has_sealed(&IntentTerms { nonce, ..terms() }));
    }

    #[test]
    fn rule_2_two_seals_of_the_same_terms_differ() {
        let (one, other) = (key().seal(terms()).unwrap(), key().seal(terms()).unwrap());
        assert_ne!(one.nonce[..RANDOM_BYTES], other.nonce[..RANDOM_BYTES]);
        assert_ne!(one.nonce[RANDOM_BYTES..], other.nonce[RANDOM_BYTES..]);
    }

    #[test]
    fn a_checkout_token_is_good_for_one_purchase_and_for_older_keys() {
        let keys = QuoteKeys { current: QuoteKey::new([8; 32]), older: vec![key()] };
        let token = key().checkout_token("one").unwrap();
        assert_eq!(token.len(), 2 * RANDOM_BYTES);
        assert!(keys.have_made_checkout_token("one", &token));
        assert!(keys.have_made_checkout_token("one", &keys.current.checkout_token("one").unwrap()));
        let short = &token[..8];
        for (purchase, token) in [("two", token.as_str()), ("one", short), ("one", ""), ("one", "zz")] {
            assert!(!keys.have_made_checkout_token(purchase, token), "{purchase} {token}");
        }
        let others = QuoteKey::new([9; 32]).checkout_token("one").unwrap();
        assert!(!keys.have_made_checkout_token("one", &others));
    }

    #[test]
    fn rule_2_every_term_is_under_the_seal() {
        let sealed = key().seal(terms()).unwrap().to_bytes();
        // The first word is the version, of which there is one.
        for word in 1..IntentTerms::WORDS {
            let mut changed = sealed.clone();
            changed[word * 32 + 31] ^= 1;
            let changed = IntentTerms::from_bytes(&changed).unwrap();
            assert!(!key().has_sealed(&changed), "word {word}");
        }
    }

    #[test]
    fn rule_2_older_keys_verify_and_foreign_keys_do_not() {
        let (new, old, foreign) =
            (QuoteKey::random().unwrap(), QuoteKey::random().unwrap(), QuoteKey::random().unwrap());
        let keys = QuoteKeys { current: new.clone(), older: vec![key(), old.clone()] };
        for ours in [new, old, key()] {
            assert!(keys.have_sealed(&ours.seal(terms()).unwrap()));
        }
        assert!(!keys.have_sealed(&foreign.seal(terms()).unwrap()));
    }

    #[test]
    fn an_order_id_depends_only_on_key_and_intent() {
        let old = key().seal(terms()).unwrap();
        let keys = QuoteKeys { current: QuoteKey::random().unwrap(), older: vec![key()] };
        assert_eq!(keys.order_id(&old), key().order_id(old.id()));
        assert_ne!(keys.order_id(&old), keys.current.order_id(old.id()), "another key, another id");
        assert_ne!(key().order_id(old.id()), key().order_id(terms().id()), "another intent, another id");
        assert_eq!(
            keys.order_id(&terms()),
            keys.current.order_id(terms().id()),
            "unsealed terms have an id too"
        );
    }

    #[test]
    fn a_key_round_trips_and_is_never_printed() {
        let keys = QuoteKeys { current: QuoteKey::new(*key().as_bytes()), older: vec![key()] };
        assert!(keys.current.has_sealed(&key().seal(terms()).unwrap()));
        let printed = format!("{keys:?}");
        assert_eq!(printed, "QuoteKeys { current: QuoteKey(…), older: [QuoteKey(…)] }");
    }

    proptest! {
        #[test]
        fn rule_2_any_changed_byte_breaks_the_seal(at in 32..IntentTerms::WORDS * 32, flip in 1u8..) {
            let mut bytes = key().seal(terms()).unwrap().to_bytes();
            bytes[at] ^= flip;
            let changed = IntentTerms::from_bytes(&bytes);
            prop_assert!(changed.is_none_or(|changed| !key().has_sealed(&changed)));
        }
    }
}
