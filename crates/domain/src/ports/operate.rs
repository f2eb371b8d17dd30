use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::{DeedError, StoreError};
use crate::{ChainId, Order, OrderId, TokenId};

/// A part of the service that an operator can pause. Nothing new begins with it then; what was begun goes on, and deposits go
/// back as ever.
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
    /// The word for what kind of part it is.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Chain(_) => "chain",
            Self::Token(_) => "token",
            Self::Filler(_) => "filler",
            Self::OnRamp(_) => "onramp",
        }
    }

    /// Which one it is, among those of its kind.
    pub fn name(&self) -> String {
        match self {
            Self::Chain(chain) => chain.to_string(),
            Self::Token(token) => token.to_string(),
            Self::Filler(name) | Self::OnRamp(name) => name.clone(),
        }
    }

    /// Reads both words back.
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

/// Words that name nothing that can be paused.
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

/// Whether fillers and on-ramps may be called so.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 62 && name.chars().all(fits)
}

/// That something is paused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub what: Pausable,
    /// In the operator's words, which clients read.
    pub reason: String,
    pub since: Timestamp,
}

/// Keeps what is paused, for every replica. What a call has returned survives a power cut.
#[async_trait]
pub trait PauseStore: Send + Sync {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError>;
    /// Writes a pause; the newest reason counts, the first moment stays.
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError>;
    /// Ends a pause; `false` where there was none.
    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError>;
}

/// How a filler that joined at run time is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FillerProtocol {
    /// Our own two calls.
    Remote,
    /// The Open Intents Framework's interface.
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

/// A word that names no protocol of fillers.
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

/// A filler elsewhere, as it was told to us.
#[derive(Clone, PartialEq, Eq)]
pub struct FillerRecord {
    pub name: String,
    pub protocol: FillerProtocol,
    pub url: String,
    /// With which calls to it are signed, where it wants that.
    pub secret: Option<String>,
    /// How long it may take to answer, where that is not as usual.
    pub deadline: Option<Duration>,
    pub added_at: Timestamp,
    /// Set once it is to be asked no more; its orders are followed to their end all the same.
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
    /// Whether the name can be a filler's.
    pub fn is_named_well(&self) -> bool {
        is_name(&self.name)
    }
}

/// Keeps the fillers that joined at run time, for every replica. What a call has returned survives a power cut.
#[async_trait]
pub trait FillerRecords: Send + Sync {
    /// All of them, by name, with those that were removed and may have open orders.
    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError>;
    /// Writes a filler, or what changed of it.
    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError>;
    /// Forgets a filler that was removed, unless one of its orders is not over; `true` when it is gone.
    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError>;
}

/// Whose part it is that an order does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TroubleKind {
    /// A chain does not answer, or is not believed.
    Chain,
    Store,
    /// Too few attesters have signed.
    Attesters,
    /// The chain would refuse what is to be sent.
    Refused,
    /// Something that passes: gas is too dear, a part is away.
    Waits,
    /// It was tried, and trying again does not help.
    GivenUp,
}

impl TroubleKind {
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

impl From<&DeedError> for TroubleKind {
    fn from(error: &DeedError) -> Self {
        match error {
            DeedError::Chain(_) => Self::Chain,
            DeedError::Store(_) => Self::Store,
            DeedError::Attesters(_) => Self::Attesters,
            DeedError::WouldFail(_) | DeedError::Unpayable(_) => Self::Refused,
            DeedError::Later(_) => Self::Waits,
            DeedError::Never(_) => Self::GivenUp,
        }
    }
}

/// What last kept an order from moving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// What was being done, and why it did not work.
    pub words: String,
    /// Since when it has been these words.
    pub since: Timestamp,
}

/// Looks at orders as those do who run the service.
#[async_trait]
pub trait OrderReview: Send + Sync {
    /// Orders that are not over and have not changed since `unmoved_since`, longest first; of those that wait for a deposit,
    /// only those of which somebody has told.
    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Orders that were filled or refunded since then, newest first.
    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Writes what keeps an order from moving, in place of what was written of it before; `None` when nothing does any more.
    async fn note_trouble(&self, order: &OrderId, trouble: Option<&Trouble>) -> Result<(), StoreError>;
    async fn trouble(&self, order: &OrderId) -> Result<Option<Trouble>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_can_be_paused_prints_and_reads_back() {
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
    fn words_that_name_nothing_are_refused() {
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
    fn kinds_of_trouble_print_and_read_back() {
        for kind in TroubleKind::ALL {
            assert_eq!(TroubleKind::parse(kind.as_str()), Some(kind));
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
