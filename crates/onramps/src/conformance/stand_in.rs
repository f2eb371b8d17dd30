use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{RampSession, RampState};
use jiff::Timestamp;

/// A fault that a stand-in injects until it is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FaultInjection {
    #[default]
    None,
    /// Every response is an HTML page.
    Html,
    /// Quotes are in another currency than was asked for.
    OtherCurrency,
    /// A quote's fee is negative.
    NegativeFee,
    /// A quote's payment is written as `99.99999999999999` and the like.
    LongFloat,
    /// Every response is a redirect to another host, which counts requests.
    Redirect,
    /// Reported orders belong to another partner.
    OtherPartner,
    /// This many responses are server errors.
    Failing(u32),
    /// Every response is 429 with this `Retry-After` in seconds.
    TooMany(u32),
    /// Every response is a server error.
    Down,
    /// Every response takes this long.
    Slow(Duration),
}

/// A webhook request: headers with lower-case names, and the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedWebhook {
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A stand-in server for a provider.
#[async_trait]
pub trait StandIn: Send + Sync {
    fn inject_fault(&self, fault: FaultInjection);

    /// How many requests it has received.
    fn request_count(&self) -> u64;

    /// How many requests followed [`FaultInjection::Redirect`] to the other host.
    fn redirects_followed(&self) -> u64;

    /// Opens the checkout and sets the purchase to this status of the provider. Fails if the
    /// checkout URL is invalid.
    async fn set_status(&self, order: &FiatOrder, session: &RampSession, status: &str) -> Result<(), String>;

    /// The webhook for the order in this status, sent at that time; with `forged`, signed with another key. It reports
    /// the values of `order`, so that a changed order gives a webhook about another amount or wallet.
    fn webhook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> SignedWebhook;

    /// Whether the signature covers a timestamp, so that an old webhook is detected.
    fn webhooks_have_timestamps(&self) -> bool {
        true
    }

    /// Every documented status of the provider, and our state for it.
    fn statuses(&self) -> Vec<(&'static str, RampState)>;
}
