use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::StoreError;
use crate::{OrderId, RowKey};

/// Why something about an endpoint cannot be what was said.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EndpointError {
    #[error(
        "an endpoint's name is 1 to 64 lower-case letters, digits, `-`, `_` or `.`, beginning with a letter or digit"
    )]
    Name,
    #[error("a secret is 16 to 256 letters, digits and signs without spaces")]
    Secret,
    #[error("the system gave no random bytes")]
    NoRandomness,
}

/// The name by which an operator knows an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointName(String);

impl EndpointName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EndpointName {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
        // One that begins with a point could mean a folder in a path.
        let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let sound = begins && text.len() <= 64 && text.bytes().all(fits);
        if sound { Ok(Self(text.to_owned())) } else { Err(EndpointError::Name) }
    }
}

impl fmt::Display for EndpointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What we and a receiver sign with; its characters are the key, as they stand.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// A new one that nobody can guess.
    pub fn random() -> Result<Self, EndpointError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| EndpointError::NoRandomness)?;
        Ok(Self(format!("whsec_{}", alloy_primitives::hex::encode(bytes))))
    }

    /// The secret itself, for who signs, keeps or first shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebhookSecret {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sound = (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if sound { Ok(Self(text.to_owned())) } else { Err(EndpointError::Secret) }
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// Who wanted an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointSource {
    /// It stands in the configuration, and goes when it no longer does.
    Config,
    /// An operator added it while the service ran.
    Operator,
}

impl EndpointSource {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Operator => "operator",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Config, Self::Operator].into_iter().find(|source| source.as_str() == text)
    }
}

/// An address that is told what happens to orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// Every one of them signs, the newest first: so a receiver may change over in its own time.
    pub secrets: Vec<WebhookSecret>,
    /// Only orders whose quote this integrator asked for; all when absent.
    pub integrator: Option<String>,
    pub source: EndpointSource,
    /// One that is not gets nothing new, and nothing is sent to it.
    pub enabled: bool,
    /// Only lines after this key are told, unless they are replayed.
    pub since: RowKey,
    pub created_at: Timestamp,
}

/// One line of an order's story on its way to one endpoint, in the hands of who claimed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub endpoint: EndpointName,
    pub event: RowKey,
    pub order: OrderId,
    /// How often it was tried before.
    pub attempts: u32,
    pub waits_since: Timestamp,
    /// Until when nobody else has it.
    pub lease_until: Timestamp,
}

/// What became of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryEnd {
    /// The receiver acknowledged it.
    Delivered,
    /// It is tried again then.
    Later(Timestamp),
    /// It has failed for too long.
    GivenUp,
}

/// How one attempt is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    Failed,
    GivenUp,
}

impl AttemptOutcome {
    pub const ALL: [Self; 3] = [Self::Delivered, Self::Failed, Self::GivenUp];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::GivenUp => "given_up",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }
}

/// One line of an endpoint's delivery log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    pub key: RowKey,
    pub endpoint: EndpointName,
    pub event: RowKey,
    pub order: OrderId,
    /// 1 for the first.
    pub number: u32,
    pub at: Timestamp,
    /// What the receiver answered, if it did.
    pub status: Option<u16>,
    pub outcome: AttemptOutcome,
    /// A person's words for how it went.
    pub words: String,
}

/// How an endpoint's deliveries stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryCount {
    pub endpoint: EndpointName,
    pub waiting: u64,
    pub given_up: u64,
}

/// Keeps endpoints and what is on its way to them. What a call has returned survives a power cut.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds an endpoint; `false` when its name is taken.
    async fn add_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError>;
    /// Writes everything of an endpoint but its name and its beginnings; `false` when there is none of that name.
    async fn change_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError>;
    /// Removes an endpoint with all that was on its way and its log; `false` when there was none.
    async fn remove_endpoint(&self, name: &EndpointName) -> Result<bool, StoreError>;
    /// All endpoints, by name.
    async fn endpoints(&self) -> Result<Vec<WebhookEndpoint>, StoreError>;
    /// Up to where lines were read for every endpoint that is enabled; nothing when none is.
    async fn webhook_cursor(&self) -> Result<Option<RowKey>, StoreError>;
    /// Puts every line of these orders on its way to every endpoint that wants it, once each, and remembers from where and up
    /// to where lines were read. Orders that are not shown yet are left out: their next line brings the earlier ones along.
    async fn enqueue_deliveries(
        &self,
        orders: &[OrderId],
        read: (RowKey, RowKey),
        now: Timestamp,
    ) -> Result<u64, StoreError>;
    /// Takes up to `limit` lines that are due for an endpoint, and keeps others from taking them until `lease_until`. Of each
    /// order only its oldest line that was not acknowledged comes.
    async fn claim_deliveries(
        &self,
        endpoint: &EndpointName,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError>;
    /// Writes down how an attempt went. With `give_up_before` everything that has waited for this endpoint since before then
    /// is given up as well.
    async fn end_delivery(
        &self,
        delivery: &Delivery,
        attempt: &DeliveryAttempt,
        end: DeliveryEnd,
        give_up_before: Option<Timestamp>,
    ) -> Result<(), StoreError>;
    /// Puts up to `limit` lines after that key on their way to an endpoint again, oldest first; tells how many lines there were
    /// and the last of them.
    async fn replay_deliveries(
        &self,
        endpoint: &EndpointName,
        after: RowKey,
        limit: u32,
        now: Timestamp,
    ) -> Result<(u64, Option<RowKey>), StoreError>;
    /// The delivery log of an endpoint, newest first, from before that key.
    async fn delivery_log(
        &self,
        endpoint: &EndpointName,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<DeliveryAttempt>, StoreError>;
    /// Every endpoint's count, by name.
    async fn delivery_counts(&self) -> Result<Vec<DeliveryCount>, StoreError>;
}

/// Carries what is told to where it is told.
#[async_trait]
pub trait Post: Send + Sync {
    /// Whether an address may be used, or in words what to change about it.
    fn check(&self, url: &str) -> Result<(), String>;
    /// Sends a body once, without following anybody elsewhere; tells the receiver's status, or in words why there is none.
    async fn post(&self, url: &str, headers: &[(&'static str, String)], body: Vec<u8>)
    -> Result<u16, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_shows_and_is_never_short() {
        let secret = WebhookSecret::random().unwrap();
        assert!(!format!("{secret:?}").contains(&secret.reveal()[6..]));
        assert_eq!(secret.reveal().parse(), Ok(secret));
        for text in ["", "fifteen-letters", "with a space inside it"] {
            assert_eq!(text.parse::<WebhookSecret>(), Err(EndpointError::Secret), "{text}");
        }
    }

    #[test]
    fn a_name_is_safe_in_a_path_and_on_a_command_line() {
        assert!("shop-1.test_2".parse::<EndpointName>().is_ok());
        for text in ["", "Shop", "a/b", "a b", "..", &"a".repeat(65)] {
            assert_eq!(text.parse::<EndpointName>(), Err(EndpointError::Name), "{text}");
        }
    }

    #[test]
    fn words_print_and_read_back() {
        for outcome in AttemptOutcome::ALL {
            assert_eq!(AttemptOutcome::parse(outcome.as_str()), Some(outcome));
        }
        for source in [EndpointSource::Config, EndpointSource::Operator] {
            assert_eq!(EndpointSource::parse(source.as_str()), Some(source));
        }
    }
}
