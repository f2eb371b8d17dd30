use std::fmt;
use std::str::FromStr;

use alloy_primitives::{B256, hex};
use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::StoreError;
use super::pausable::is_name;
use crate::{Address, Family, Referral};

/// What an API key may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ApiScope {
    /// Ask for quotes of swaps.
    Quotes,
    /// Build the deposit of a route.
    Builds,
    /// Everything of the fiat API.
    Fiat,
}

impl ApiScope {
    pub const ALL: [Self; 3] = [Self::Quotes, Self::Builds, Self::Fiat];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quotes => "quotes",
            Self::Builds => "builds",
            Self::Fiat => "fiat",
        }
    }
}

impl fmt::Display for ApiScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text that names no scope.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is none of quotes, builds and fiat")]
pub struct UnknownScope(String);

impl FromStr for ApiScope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        known.ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// Somebody whose requests carry API keys, and what these requests may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integrator {
    pub name: String,
    /// Sorted, each once.
    pub scopes: Vec<ApiScope>,
    /// Who gets the referrer's fee of swaps that start on EVM chains.
    pub evm_referrer: Option<Address>,
    /// Who gets it of swaps that start on Solana.
    pub solana_referrer: Option<Address>,
    pub fee_bps: u16,
    /// How many quotes a day, from midnight to midnight in UTC.
    pub quotes_per_day: Option<u64>,
    pub added_at: Timestamp,
}

impl Integrator {
    /// Whether the name is valid.
    pub fn has_valid_name(&self) -> bool {
        is_name(&self.name)
    }

    /// Whether the requests' referrer is that of the key.
    pub const fn has_referrer(&self) -> bool {
        self.evm_referrer.is_some() || self.solana_referrer.is_some()
    }

    /// The referrer and fee of a swap that starts on a chain of this family.
    pub fn referral(&self, family: Family) -> Option<Referral> {
        let referrer = match family {
            Family::Evm => self.evm_referrer,
            Family::Solana => self.solana_referrer,
            // Nothing is paid out there.
            Family::Bitcoin | Family::Tron => None,
        };
        Referral::new(referrer?, self.fee_bps)
    }
}

/// What every key begins with, for people and for programs that look for leaked secrets.
const PREFIX: &str = "cwk_";

/// The text of a new key, which its integrator alone keeps.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeyText {
    id: String,
    text: String,
}

/// No key could be made.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the system gave no random bytes")]
pub struct NoRandomKey;

impl ApiKeyText {
    /// A new key of 256 random bits.
    pub fn random() -> Result<Self, NoRandomKey> {
        let (mut id, mut secret) = ([0; 4], [0; 32]);
        getrandom::fill(&mut id).map_err(|_| NoRandomKey)?;
        getrandom::fill(&mut secret).map_err(|_| NoRandomKey)?;
        let id = hex::encode(id);
        let text = format!("{PREFIX}{id}_{}", hex::encode(secret));
        Ok(Self { id, text })
    }

    /// Names the key without revealing it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The secret text, for hashing it or showing it once.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for ApiKeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKeyText").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A key of an integrator, by the hash of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Names the key without revealing it; it is a part of the key's text.
    pub id: String,
    pub integrator: String,
    /// The SHA-256 hash of the key's text.
    pub hash: B256,
    pub made_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    pub fn is_valid(&self, at: Timestamp) -> bool {
        self.revoked_at.is_none_or(|end| at < end) && self.expires_at.is_none_or(|end| at < end)
    }
}

/// How many quotes an integrator asked for on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteCount {
    pub integrator: String,
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    pub quotes: u64,
}

/// What became of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRotation {
    Done,
    /// Two keys are valid already.
    TwoValid,
    /// There is no such integrator.
    Unknown,
}

/// Stores integrators, their keys and their quotes a day, for all replicas. Writes are durable when a call returns.
#[async_trait]
pub trait IntegratorStore: Send + Sync {
    /// All integrators by name.
    async fn integrators(&self) -> Result<Vec<Integrator>, StoreError>;
    /// All keys, the oldest first.
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError>;
    /// Adds an integrator with its first key; `false` where the name is taken.
    async fn add_integrator(&self, integrator: &Integrator, key: &ApiKey) -> Result<bool, StoreError>;
    /// Adds a key, and lets the one that is valid at `key.made_at` expire at `old_ends` at the latest.
    async fn rotate_api_key(&self, key: &ApiKey, old_ends: Timestamp) -> Result<KeyRotation, StoreError>;
    /// Revokes the key with this id, or all of the integrator's; returns how many were not revoked before.
    async fn revoke_api_keys(
        &self,
        integrator: &str,
        id: Option<&str>,
        at: Timestamp,
    ) -> Result<u64, StoreError>;
    /// Adds to the quotes of these days.
    async fn add_quote_counts(&self, counts: &[QuoteCount]) -> Result<(), StoreError>;
    /// The quotes of all integrators on this day, of all replicas.
    async fn quote_counts(&self, day: i64) -> Result<Vec<QuoteCount>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_key_is_valid_until_it_expires_or_is_revoked() {
        let is_valid = |expires_at: Option<i64>, revoked_at: Option<i64>| {
            let key = ApiKey {
                id: "0a1b2c3d".to_owned(),
                integrator: "wallet".to_owned(),
                hash: B256::ZERO,
                made_at: at(0),
                expires_at: expires_at.map(at),
                revoked_at: revoked_at.map(at),
            };
            key.is_valid(at(100))
        };
        assert!(is_valid(None, None) && is_valid(Some(101), None) && is_valid(Some(101), Some(101)));
        assert!(!is_valid(Some(100), None) && !is_valid(None, Some(100)));
        assert!(!is_valid(Some(101), Some(100)) && !is_valid(Some(100), Some(101)));
    }

    #[test]
    fn the_referrer_of_a_key_is_that_of_the_source_chains_family() {
        let none = Integrator {
            name: "wallet".to_owned(),
            scopes: Vec::new(),
            evm_referrer: None,
            solana_referrer: None,
            fee_bps: 25,
            quotes_per_day: None,
            added_at: at(0),
        };
        let (evm, solana) = (Address::Evm([1; 20].into()), Address::Solana([2; 32]));
        let on_evm = Integrator { evm_referrer: Some(evm), ..none.clone() };
        let on_solana = Integrator { solana_referrer: Some(solana), ..none.clone() };
        assert!(!none.has_referrer() && on_evm.has_referrer() && on_solana.has_referrer());
        assert_eq!(on_evm.referral(Family::Evm), Referral::new(evm, 25));
        assert_eq!(on_solana.referral(Family::Solana), Referral::new(solana, 25));
        assert_eq!((on_evm.referral(Family::Solana), on_solana.referral(Family::Evm)), (None, None));
        let both = Integrator { solana_referrer: Some(solana), ..on_evm };
        assert_eq!((both.referral(Family::Bitcoin), both.referral(Family::Tron)), (None, None));
    }

    #[test]
    fn a_new_key_says_its_id_and_is_never_printed() {
        let (key, other) = (ApiKeyText::random().unwrap(), ApiKeyText::random().unwrap());
        let secret = key.reveal().strip_prefix(&format!("cwk_{}_", key.id())).unwrap();
        assert_eq!((key.id().len(), secret.len()), (8, 64));
        assert!(!format!("{key:?}").contains(secret));
        assert_ne!(key.reveal(), other.reveal());
    }

    #[test]
    fn scopes_round_trip_through_text() {
        for scope in ApiScope::ALL {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        assert!("Quotes".parse::<ApiScope>().is_err());
    }
}
