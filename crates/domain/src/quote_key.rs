use std::fmt;

use alloy_primitives::B256;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

use crate::{OrderId, Terms};

/// How many bytes of a nonce are random; the others are the tag.
const RANDOM: usize = 16;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum QuoteKeyError {
    #[error("the system gave no random bytes")]
    NoRandomness,
}

/// Marks the terms that we quoted, so that we know them again even when all else is lost: anybody may open an order that
/// names our filler, nobody can make us honour terms that we never quoted.
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

    /// The secret itself, to be written where only its owner reads.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The same terms with a fresh nonce: 16 random bytes, then 16 bytes of HMAC-SHA256 over them and all other terms.
    pub fn seal(&self, terms: Terms) -> Result<Terms, QuoteKeyError> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random).map_err(|_| QuoteKeyError::NoRandomness)?;
        let mut nonce = B256::ZERO;
        let (front, back) = nonce.0.split_at_mut(RANDOM);
        front.copy_from_slice(&random);
        if let Some(mac) = self.mac(&random, &terms) {
            back.copy_from_slice(&mac.finalize().into_bytes()[..RANDOM]);
        }
        Ok(Terms { nonce, ..terms })
    }

    /// Whether the nonce bears our tag over these very terms; compared in constant time.
    pub fn has_sealed(&self, terms: &Terms) -> bool {
        let (random, tag) = terms.nonce.0.split_at(RANDOM);
        self.mac(random, terms).is_some_and(|mac| mac.verify_truncated_left(tag).is_ok())
    }

    /// The public name of the order with that intent: whoever has the key finds it again from the chain alone, and nobody
    /// else can tell it.
    pub fn name(&self, intent: B256) -> Option<OrderId> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(b"causeway order name");
        mac.update(intent.as_slice());
        let tag = mac.finalize().into_bytes();
        alloy_primitives::hex::encode(tag.get(..RANDOM)?).parse().ok()
    }

    fn mac(&self, random: &[u8], terms: &Terms) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(random);
        mac.update(&Terms { nonce: B256::ZERO, ..*terms }.to_bytes());
        Some(mac)
    }
}

impl fmt::Debug for QuoteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QuoteKey(…)")
    }
}

/// The key that seals new quotes, and older ones that are still honoured.
#[derive(Clone, Debug)]
pub struct QuoteKeys {
    pub current: QuoteKey,
    pub older: Vec<QuoteKey>,
}

impl QuoteKeys {
    /// Whether one of the keys has sealed these terms.
    pub fn have_sealed(&self, terms: &Terms) -> bool {
        self.sealed_by(terms).is_some()
    }

    /// The public name of the order with these terms, by the key that sealed them; by the current one where none did.
    pub fn name(&self, terms: &Terms) -> Option<OrderId> {
        self.sealed_by(terms).unwrap_or(&self.current).name(terms.id())
    }

    fn sealed_by(&self, terms: &Terms) -> Option<&QuoteKey> {
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
        assert_eq!(Terms { nonce: terms().nonce, ..sealed }, terms());
    }

    #[test]
    fn rule_2_the_nonce_is_random_then_its_tag() {
        // As another implementation of HMAC-SHA256 computes it over the random bytes and the other terms.
        let nonce = b256!("000102030405060708090a0b0c0d0e0f66c504c733d372d6da6b919cd3b04ba8");
        assert!(key().has_sealed(&Terms { nonce, ..terms() }));
    }

    #[test]
    fn rule_2_two_seals_of_the_same_terms_differ() {
        let (one, other) = (key().seal(terms()).unwrap(), key().seal(terms()).unwrap());
        assert_ne!(one.nonce[..RANDOM], other.nonce[..RANDOM]);
        assert_ne!(one.nonce[RANDOM..], other.nonce[RANDOM..]);
    }

    #[test]
    fn rule_2_every_term_is_under_the_seal() {
        let sealed = key().seal(terms()).unwrap().to_bytes();
        // The first word is the version, of which there is one.
        for word in 1..Terms::WORDS {
            let mut changed = sealed.clone();
            changed[word * 32 + 31] ^= 1;
            let changed = Terms::from_bytes(&changed).unwrap();
            assert!(!key().has_sealed(&changed), "word {word}");
        }
    }

    #[test]
    fn rule_2_older_keys_verify_and_strangers_do_not() {
        let (new, old, stranger) =
            (QuoteKey::random().unwrap(), QuoteKey::random().unwrap(), QuoteKey::random().unwrap());
        let keys = QuoteKeys { current: new.clone(), older: vec![key(), old.clone()] };
        for ours in [new, old, key()] {
            assert!(keys.have_sealed(&ours.seal(terms()).unwrap()));
        }
        assert!(!keys.have_sealed(&stranger.seal(terms()).unwrap()));
    }

    #[test]
    fn an_orders_name_is_the_same_under_its_key_for_ever() {
        let old = key().seal(terms()).unwrap();
        let keys = QuoteKeys { current: QuoteKey::random().unwrap(), older: vec![key()] };
        assert_eq!(keys.name(&old), key().name(old.id()));
        assert_ne!(keys.name(&old), keys.current.name(old.id()), "another key, another name");
        assert_ne!(key().name(old.id()), key().name(terms().id()), "another intent, another name");
        assert_eq!(
            keys.name(&terms()),
            keys.current.name(terms().id()),
            "a stranger's terms have a name too"
        );
    }

    #[test]
    fn a_key_reads_back_and_never_prints_itself() {
        let keys = QuoteKeys { current: QuoteKey::new(*key().as_bytes()), older: vec![key()] };
        assert!(keys.current.has_sealed(&key().seal(terms()).unwrap()));
        let printed = format!("{keys:?}");
        assert_eq!(printed, "QuoteKeys { current: QuoteKey(…), older: [QuoteKey(…)] }");
    }

    proptest! {
        #[test]
        fn rule_2_any_changed_byte_breaks_the_seal(at in 32..Terms::WORDS * 32, flip in 1u8..) {
            let mut bytes = key().seal(terms()).unwrap().to_bytes();
            bytes[at] ^= flip;
            let changed = Terms::from_bytes(&bytes);
            prop_assert!(changed.is_none_or(|changed| !key().has_sealed(&changed)));
        }
    }
}
