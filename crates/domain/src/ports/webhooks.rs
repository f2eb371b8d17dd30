use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::StoreError;
use crate::{FiatOrderId, OrderId, RowKey};

/// An invalid endpoint parameter.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EndpointError {
    #[error(
        "an endpoint's name is 1 to 64 lower-case letters, digits, `-`, `_` or `.`, beginning with a letter or digit"
    )]
    Name,
    #[error("a secret is 16 to 256 letters, digits and signs without spaces")]
    Secret,
    #[error("an endpoint gets events about `orders`, `purchases` or `all`")]
    Subscription,
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
        // A leading dot could address a directory in a path.
        let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let is_valid = begins && text.len() <= 64 && text.bytes().all(fits);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(EndpointError::Name) }
    }
}

impl fmt::Display for EndpointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The shared secret of a receiver; its raw characters are the HMAC key.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// A new random secret.
    pub fn random() -> Result<Self, EndpointError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| EndpointError::NoRandomness)?;
        Ok(Self(format!("whsec_{}", alloy_primitives::hex::encode(bytes))))
    }

    /// The secret text, for signing, storing or showing it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebhookSecret {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_valid = (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(text.to_owned())) } else { Err(EndpointError::Secret) }
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// The origin of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointSource {
    /// From the configuration; removed with its entry.
    Config,
    /// Added by an operator at run time.
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

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    Order(OrderId),
    Purchase(FiatOrderId),
}

impl Subject {
    /// The id, as the API shows it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Order(id) => id.as_str(),
            Self::Purchase(id) => id.as_str(),
        }
    }

    pub const fn kind(&self) -> SubjectKind {
        match self {
            Self::Order(_) => SubjectKind::Order,
            Self::Purchase(_) => SubjectKind::Purchase,
        }
    }
}

/// Swaps and purchases have events of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubjectKind {
    Order,
    Purchase,
}

impl SubjectKind {
    pub const ALL: [Self; 2] = [Self::Order, Self::Purchase];
}

/// What an endpoint receives events about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subscription {
    #[default]
    Orders,
    Purchases,
    All,
}

impl Subscription {
    pub const ALL: [Self; 3] = [Self::Orders, Self::Purchases, Self::All];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Purchases => "purchases",
            Self::All => "all",
        }
    }

    pub fn includes(self, kind: SubjectKind) -> bool {
        match kind {
            SubjectKind::Order => self != Self::Purchases,
            SubjectKind::Purchase => self != Self::Orders,
        }
    }
}

impl FromStr for Subscription {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|subscription| subscription.as_str() == text);
        known.ok_or(EndpointError::Subscription)
    }
}

/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// All of them sign, newest first, so that receivers can rotate at their own pace.
    pub secrets: Vec<WebhookSecret>,
    /// Only orders and purchases of this integrator; all when absent.
    pub integrator: Option<String>,
    pub about: Subscription,
    pub source: EndpointSource,
    /// A disabled endpoint gets no deliveries.
    pub enabled: bool,
    /// Only events after this key are delivered, unless replayed.
    pub since: RowKey,
    pub created_at: Timestamp,
}

/// A leased delivery of one event to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub endpoint: EndpointName,
    pub event: RowKey,
    pub subject: Subject,
    /// The number of previous attempts.
    pub attempts: u32,
    pub waits_since: Timestamp,
    /// End of the lease.
    pub lease_until: Timestamp,
}

/// The result of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryEnd {
    /// The receiver acknowledged it.
    Delivered,
    /// Retried at that time.
    Later(Timestamp),
    /// Failed for too long.
    GivenUp,
}

/// The outcome of an attempt in the delivery log.
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

/// One entry of an endpoint's delivery log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    pub key: RowKey,
    pub endpoint: EndpointName,
    pub event: RowKey,
    pub subject: Subject,
    /// 1 for the first.
    pub number: u32,
    pub at: Timestamp,
    /// The HTTP status of the receiver, if it answered.
    pub status: Option<u16>,
    pub outcome: AttemptOutcome,
    /// The result, for people.
    pub message: String,
}

/// Delivery counts of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryCount {
    pub endpoint: EndpointName,
    pub waiting: u64,
    pub given_up: u64,
}

/// Stores endpoints and pending deliveries. Writes are durable when a call returns.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds an endpoint; `false` when its name is taken.
    async fn add_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError>;
    /// Updates an endpoint except its name and creation; `false` when it does not exist.
    async fn change_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError>;
    /// Removes an endpoint with its pending deliveries and log; `false` when it does not exist.
    async fn remove_endpoint(&self, name: &EndpointName) -> Result<bool, StoreError>;
    /// All endpoints, by name.
    async fn endpoints(&self) -> Result<Vec<WebhookEndpoint>, StoreError>;
    /// Up to where events of this kind were enqueued for all enabled endpoints that receive them; `None` when there is none.
    async fn webhook_cursor(&self, kind: SubjectKind) -> Result<Option<RowKey>, StoreError>;
    /// The events of purchases after that key, oldest first.
    async fn purchase_events_after(
        &self,
        after: RowKey,
        limit: u32,
    ) -> Result<Vec<(RowKey, FiatOrderId)>, StoreError>;
    /// Enqueues every event of these orders for every matching endpoint, once each, and stores the range of events read.
    /// Orders that are not visible yet are skipped; their next event enqueues the earlier ones too.
    async fn enqueue_deliveries(
        &self,
        orders: &[OrderId],
        read: (RowKey, RowKey),
        now: Timestamp,
    ) -> Result<u64, StoreError>;
    /// The same for purchases, which are all visible.
    async fn enqueue_purchase_deliveries(
        &self,
        purchases: &[FiatOrderId],
        read: (RowKey, RowKey),
        now: Timestamp,
    ) -> Result<u64, StoreError>;
    /// Leases up to `limit` due deliveries of an endpoint until `lease_until`, of each order or purchase only the oldest
    /// unacknowledged event.
    async fn claim_deliveries(
        &self,
        endpoint: &EndpointName,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError>;
    /// Records the result of an attempt. With `give_up_before`, deliveries of this endpoint pending since before then are
    /// given up too.
    async fn end_delivery(
        &self,
        delivery: &Delivery,
        attempt: &DeliveryAttempt,
        end: DeliveryEnd,
        give_up_before: Option<Timestamp>,
    ) -> Result<(), StoreError>;
    /// Enqueues up to `limit` events after that key again, oldest first; returns their count and the last key.
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
    /// The counts of all endpoints, by name.
    async fn delivery_counts(&self) -> Result<Vec<DeliveryCount>, StoreError>;
}

/// Sends webhook requests.
#[async_trait]
pub trait WebhookTransport: Send + Sync {
    /// Checks whether a URL is allowed; the error says what to change.
    fn check(&self, url: &str) -> Result<(), String>;
    /// Sends a body once without following redirects; returns the HTTP status, or why there is none.
    async fn post(&self, url: &str, headers: &[(&'static str, String)], body: Vec<u8>)
    -> Result<u16, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed_and_never_short() {
        let secret = WebhookSecret::random().unwrap();
        assert!(!format!("{secret:?}").contains(&secret.reveal()[6..]));
        assert_eq!(secret.reveal().parse(), Ok(secret));
        for text in ["", "fifteen-letters", "with a space inside it"] {
            assert_eq!(text.parse::<WebhookSecret>(), Err(EndpointError::Secret), "{text}");
        }
    }

    #[test]
    fn a_name_is_safe_in_a_path_and_on_a_command_line() {
        let name: EndpointName = "shop-1.test_2".parse().unwrap();
        assert_eq!((name.as_str(), name.to_string().as_str()), ("shop-1.test_2", "shop-1.test_2"));
        for text in ["", "Shop", "a/b", "a b", "..", &"a".repeat(65)] {
            assert_eq!(text.parse::<EndpointName>(), Err(EndpointError::Name), "{text}");
        }
    }

    #[test]
    fn outcomes_and_sources_round_trip_through_text() {
        for outcome in AttemptOutcome::ALL {
            assert_eq!(AttemptOutcome::parse(outcome.as_str()), Some(outcome));
        }
        for source in [EndpointSource::Config, EndpointSource::Operator] {
            assert_eq!(EndpointSource::parse(source.as_str()), Some(source));
        }
        for subscription in Subscription::ALL {
            assert_eq!(subscription.as_str().parse(), Ok(subscription));
        }
        assert_eq!("Orders".parse::<Subscription>(), Err(EndpointError::Subscription));
    }
}
