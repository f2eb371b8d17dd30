use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{RampSession, RampState};
use jiff::Timestamp;

/// What a stand-in does wrong, until it is told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mischief {
    #[default]
    None,
    /// Every answer is a web page.
    Html,
    /// Quotes are in another currency than was asked for.
    OtherCurrency,
    /// A quote's fee is below zero.
    NegativeFee,
    /// What a quote takes is written as `99.99999999999999` and the like.
    LongFloat,
    /// Every answer is a redirect to another host, which counts who comes.
    Redirect,
    /// What is told of an order is another partner's.
    OtherPartner,
    /// So many answers are errors of the server, then all is well.
    Failing(u32),
    /// Every answer is 429, and how many seconds to stay away.
    TooMany(u32),
    /// Every answer is an error of the server.
    Down,
    /// Every answer takes so long.
    Slow(Duration),
}

/// A webhook as it comes: headers with lower-case names, and the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A server in a provider's place, that does as it is told.
#[async_trait]
pub trait StandIn: Send + Sync {
    fn behave(&self, mischief: Mischief);

    /// How many requests it has answered, in whatever way.
    fn heard(&self) -> u64;

    /// How many came to the host that [`Mischief::Redirect`] leads to.
    fn led_away(&self) -> u64;

    /// The payer opens the checkout and takes the purchase to this status, in the provider's own word. What is wrong with the
    /// checkout's address is told.
    async fn walk(&self, order: &FiatOrder, session: &RampSession, status: &str) -> Result<(), String>;

    /// The webhook that tells of the order in this status, sent at that time; with `forged`, signed by somebody else. It tells
    /// what stands in the order, so that one about another amount or wallet is told by changing that.
    fn hook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> Hook;

    /// Whether the signature covers a time, so that an old webhook is known.
    fn hooks_have_times(&self) -> bool {
        true
    }

    /// Every status that the provider documents, and what it means to us.
    fn statuses(&self) -> Vec<(&'static str, RampState)>;
}
