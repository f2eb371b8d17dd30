use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::{ActionError, StoreError};
use crate::{ChainId, Order, OrderId, TokenId};

/// Something that an operator can pause. A pause stops new orders; existing orders and refunds continue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pausable {
    Chain(ChainId),
    Token(TokenId),
    /// By its name.
    Filler(String),
    /// By its id.
    OnRamp(String),
}

impl Pausable {
    /// The kind, as text.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Chain(_) => "chain",
            Self::Token(_) => "token",
            Self::Filler(_) => "filler",
            Self::OnRamp(_) => "onramp",
        }
    }

    /// The identifier within its kind.
    pub fn name(&self) -> String {
        match self {
            Self::Chain(chain) => chain.to_string(),
            Self::Token(token) => token.to_string(),
            Self::Filler(name) | Self::OnRamp(name) => name.clone(),
        }
    }

    /// Parses kind and identifier.
    pub fn parse(kind: &str, name: &str) -> Result<Self, PausableError> {
        let named = |name: &str| Some(name.to_owned()).filter(|name| is_name(name));
        match kind {
            "chain" => name
                .parse()
                .ok()
                .and_then(ChainId::new)
                .map(Self::Chain)
                .ok_or_else(|| PausableError::Chain(name.to_owned())),
            "token" => name.parse().map(Self::Token).map_err(|_| PausableError::Token(name.to_owned())),
            "filler" => named(name).map(Self::Filler).ok_or(PausableError::Name),
            "onramp" => named(name).map(Self::OnRamp).ok_or(PausableError::Name),
            _ => Err(PausableError::Kind(kind.to_owned())),
        }
    }
}

impl fmt::Display for Pausable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(chain) => write!(f, "chain {chain}"),
            Self::Token(token) => write!(f, "token {token}"),
            Self::Filler(name) => write!(f, "filler {name}"),
            Self::OnRamp(name) => write!(f, "on-ramp {name}"),
        }
    }
}

/// Text that identifies nothing that can be paused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PausableError {
    #[error("`{0}` is none of chain, token, filler and onramp")]
    Kind(String),
    #[error("`{0}` is not a chain's number, such as 8453")]
    Chain(String),
    #[error(
        "`{0}` is not a token's identifier, such as eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    )]
    Token(String),
    #[error("a name is 1 to 62 letters, digits, `-`, `_` or `.`")]
    Name,
}

/// Whether the text is a valid name of a filler or on-ramp.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 62 && name.chars().all(fits)
}

/// An active pause and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub what: Pausable,
    /// The operator's text, visible to clients.
    pub reason: String,
    pub since: Timestamp,
}

/// Stores pauses for all replicas. Writes are durable when a call returns.
#[async_trait]
pub trait PauseStore: Send + Sync {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError>;
    /// Writes a pause; the newest reason replaces the old one, the start time stays.
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError>;
    /// Ends a pause; `false` where there was none.
    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError>;
}

/// The protocol of a filler that was added at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FillerProtocol {
    /// Our own protocol.
    Remote,
    /// The Open Intents Framework API.
    Oif,
}

impl FillerProtocol {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Remote => "remote",
            Self::Oif => "oif",
        }
    }
}

/// Text that names no filler protocol.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is neither remote nor oif")]
pub struct UnknownProtocol(String);

impl FromStr for FillerProtocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = [Self::Remote, Self::Oif].into_iter().find(|protocol| protocol.as_str() == text);
        known.ok_or_else(|| UnknownProtocol(text.to_owned()))
    }
}

/// A stored remote filler.
#[derive(Clone, PartialEq, Eq)]
pub struct FillerRecord {
    pub name: String,
    pub protocol: FillerProtocol,
    pub url: String,
    /// The key that signs requests, if required.
    pub secret: Option<String>,
    /// A custom response deadline.
    pub deadline: Option<Duration>,
    pub added_at: Timestamp,
    /// Set when it was removed; its open orders are still processed.
    pub removed_at: Option<Timestamp>,
}

impl fmt::Debug for FillerRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillerRecord")
            .field("name", &self.name)
            .field("protocol", &self.protocol)
            .field("url", &"***")
            .field("secret", &self.secret.as_ref().map(|_| "***"))
            .field("deadline", &self.deadline)
            .field("removed_at", &self.removed_at)
            .finish_non_exhaustive()
    }
}

impl FillerRecord {
    /// Whether the name is valid for a filler.
    pub fn has_valid_name(&self) -> bool {
        is_name(&self.name)
    }
}

/// Stores the fillers that were added at run time, for all replicas. Writes are durable when a call returns.
#[async_trait]
pub trait FillerRecords: Send + Sync {
    /// All fillers by name, including removed ones that may have open orders.
    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError>;
    /// Inserts or updates a filler.
    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError>;
    /// Deletes a removed filler unless it has open orders; `true` when deleted.
    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError>;
}

/// What blocks an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StuckKind {
    /// A chain is unavailable or halted.
    Chain,
    Store,
    /// Too few attesters have signed.
    Attesters,
    /// The simulated transaction fails.
    Refused,
    /// A temporary condition: gas is too expensive, a dependency is unavailable.
    Waits,
    /// A permanent failure; a retry does not help.
    GivenUp,
}

impl StuckKind {
    const ALL: [Self; 6] =
        [Self::Chain, Self::Store, Self::Attesters, Self::Refused, Self::Waits, Self::GivenUp];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Store => "store",
            Self::Attesters => "attesters",
            Self::Refused => "refused",
            Self::Waits => "waits",
            Self::GivenUp => "given-up",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl From<&ActionError> for StuckKind {
    fn from(error: &ActionError) -> Self {
        match error {
            ActionError::Chain(_) => Self::Chain,
            ActionError::Store(_) => Self::Store,
            ActionError::Attesters(_) => Self::Attesters,
            ActionError::WouldFail(_) | ActionError::Unpayable(_) => Self::Refused,
            ActionError::Temporary(_) => Self::Waits,
            ActionError::Permanent(_) => Self::GivenUp,
        }
    }
}

/// Why an order does not progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckReason {
    pub kind: StuckKind,
    /// The attempted action and its error.
    pub message: String,
    /// Since when the reason is the same.
    pub since: Timestamp,
}

/// Order queries for operators.
#[async_trait]
pub trait OrderReview: Send + Sync {
    /// Open orders that have not changed since `unmoved_since`, longest first; of those waiting for a deposit only announced
    /// ones.
    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Orders that were filled or refunded since then, newest first.
    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Replaces the stuck reason of an order; `None` when it progresses again.
    async fn record_stuck_reason(
        &self,
        order: &OrderId,
        trouble: Option<&StuckReason>,
    ) -> Result<(), StoreError>;
    async fn stuck_reason(&self, order: &OrderId) -> Result<Option<StuckReason>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pausables_round_trip_through_text() {
        for (kind, name) in [
            ("chain", "8453"),
            ("token", "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            ("filler", "north"),
            ("onramp", "sandbox-card"),
        ] {
            let what = Pausable::parse(kind, name).unwrap();
            assert_eq!((what.kind(), what.name().as_str()), (kind, name));
        }
    }

    #[test]
    fn unknown_pausables_are_rejected() {
        for (kind, name) in [
            ("chains", "1"),
            ("chain", "base"),
            ("chain", "0"),
            ("token", "USDC"),
            ("filler", ""),
            ("onramp", "a b"),
        ] {
            assert!(Pausable::parse(kind, name).is_err(), "{kind} {name}");
        }
    }

    #[test]
    fn stuck_kinds_round_trip_through_text() {
        for kind in StuckKind::ALL {
            assert_eq!(StuckKind::parse(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn the_secret_of_a_filler_is_never_printed() {
        let record = FillerRecord {
            name: "far".to_owned(),
            protocol: FillerProtocol::Remote,
            url: "https://far.example".to_owned(),
            secret: Some("hush".to_owned()),
            deadline: None,
            added_at: Timestamp::UNIX_EPOCH,
            removed_at: None,
        };
        assert!(!format!("{record:?}").contains("hush"));
    }
}
