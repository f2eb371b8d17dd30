use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::UsdPrice;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;
use tokio::time::Instant;

/// How far a source's clock may be ahead of ours.
const AHEAD: SignedDuration = SignedDuration::from_secs(30);

/// What a source says of one coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub price: UsdPrice,
    /// When the source says that it saw that price.
    pub at: Timestamp,
    /// How long after that the source itself would stand by it.
    pub good_for: Duration,
}

impl Sighting {
    /// A price that can be one, seen at a time that can be one.
    pub fn new(price: UsdPrice, at: Timestamp, good_for: Duration, now: Timestamp) -> Word {
        if price.units().is_zero() {
            return Err("says that it is worth nothing".to_owned());
        }
        if at.duration_since(now) > AHEAD {
            return Err(format!("dates its price {} s into the future", at.duration_since(now).as_secs()));
        }
        Ok(Self { price, at, good_for })
    }

    /// How long ago it was seen.
    pub fn age(&self, now: Timestamp) -> Duration {
        Duration::try_from(now.duration_since(self.at)).unwrap_or_default()
    }
}

/// A price, or in a person's words why there is none.
pub type Word = Result<Sighting, String>;

/// What a source says of each coin.
pub type Words = HashMap<String, Word>;

/// The last that a source said of a coin, and when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    pub word: Word,
    /// `None` for what needs no asking.
    pub read: Option<Instant>,
}

/// Knows prices by coin, without waiting for anybody.
pub trait PriceSource: Send + Sync {
    fn name(&self) -> &str;
    /// `None` for a coin that the source is not asked for.
    fn heard(&self, coin: &str) -> Option<Heard>;
}

/// Asks one source for all its coins.
#[async_trait]
pub trait Reader: Send + Sync {
    fn name(&self) -> &str;
    /// The coins that it asks for.
    fn coins(&self) -> Vec<String>;
    async fn read(&self, now: Timestamp) -> Result<Words, ReadFault>;
}

/// Why a source told nothing at all; always its fault or the way's, never ours to mend.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadFault {
    #[error("does not answer: {0}")]
    Unreachable(String),
    /// With how long it wants to be left alone.
    #[error("is asked too often (HTTP 429)")]
    Busy(Option<Duration>),
    #[error("refuses the request with HTTP {0}; check the address and the API key")]
    Refused(u16),
    #[error("fails with HTTP {0}")]
    Failing(u16),
    #[error("answers nonsense: {0}")]
    Nonsense(String),
}

/// Prices that an operator stands for.
#[derive(Clone, Debug, Default)]
pub struct FixedSource(HashMap<String, UsdPrice>);

impl FixedSource {
    pub fn new(prices: impl IntoIterator<Item = (String, UsdPrice)>) -> Self {
        Self(prices.into_iter().collect())
    }
}

impl PriceSource for FixedSource {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn heard(&self, coin: &str) -> Option<Heard> {
        let now = Timestamp::now();
        let sighting = |price: &UsdPrice| Sighting::new(*price, now, Duration::MAX, now);
        self.0.get(coin).map(|price| Heard { word: sighting(price), read: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_price_is_none() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let later = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        let sighting =
            |price: &str, at| Sighting::new(price.parse().unwrap(), at, Duration::from_secs(9), now);
        assert!(sighting("0", now).unwrap_err().contains("worth nothing"));
        assert!(sighting("1", later(31)).unwrap_err().contains("31 s into the future"));
        assert!(sighting("1", later(30)).is_ok(), "clocks differ");
        assert_eq!(sighting("1", later(-7)).unwrap().age(now), Duration::from_secs(7));
        assert_eq!(sighting("1", later(7)).unwrap().age(now), Duration::ZERO);
    }
}
