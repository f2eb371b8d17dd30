use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::UsdPrice;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;
use tokio::time::Instant;

/// How far a source's clock may be ahead of ours.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(30);

/// A price of one coin from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceObservation {
    pub price: UsdPrice,
    /// The time of the price, according to the source.
    pub at: Timestamp,
    /// How long after that the price is valid, according to the source.
    pub valid_for: Duration,
}

impl PriceObservation {
    /// Checks price and time for plausibility.
    pub fn new(price: UsdPrice, at: Timestamp, valid_for: Duration, now: Timestamp) -> PriceResult {
        if price.units().is_zero() {
            return Err("reports a zero price".to_owned());
        }
        if at.duration_since(now) > MAX_CLOCK_SKEW {
            return Err(format!("dates its price {} s into the future", at.duration_since(now).as_secs()));
        }
        Ok(Self { price, at, valid_for })
    }

    /// The age of the price.
    pub fn age(&self, now: Timestamp) -> Duration {
        Duration::try_from(now.duration_since(self.at)).unwrap_or_default()
    }
}

/// A price, or the reason why there is none, for people.
pub type PriceResult = Result<PriceObservation, String>;

/// The results of a source by coin.
pub type PriceResults = HashMap<String, PriceResult>;

/// The latest result of a source for one coin, and when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePrice {
    pub result: PriceResult,
    /// `None` for prices that are not polled.
    pub read_at: Option<Instant>,
}

/// Prices by coin, available without blocking.
pub trait PriceSource: Send + Sync {
    fn name(&self) -> &str;
    /// `None` for a coin that the source does not cover.
    fn latest(&self, coin: &str) -> Option<SourcePrice>;
}

/// Reads all coins of one source.
#[async_trait]
pub trait Reader: Send + Sync {
    fn name(&self) -> &str;
    /// The coins that it reads.
    fn coins(&self) -> Vec<String>;
    async fn read(&self, now: Timestamp) -> Result<PriceResults, ReadError>;
}

/// Why reading a source failed entirely.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    #[error("does not answer: {0}")]
    Unreachable(String),
    /// With the requested wait.
    #[error("rate limit exceeded (HTTP 429)")]
    RateLimited(Option<Duration>),
    #[error("refuses the request with HTTP {0}; check the address and the API key")]
    Rejected(u16),
    #[error("fails with HTTP {0}")]
    ServerError(u16),
    #[error("invalid response: {0}")]
    InvalidResponse(String),
}

/// Prices that an operator configures.
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

    fn latest(&self, coin: &str) -> Option<SourcePrice> {
        let now = Timestamp::now();
        let observation = |price: &UsdPrice| PriceObservation::new(*price, now, Duration::MAX, now);
        self.0.get(coin).map(|price| SourcePrice { result: observation(price), read_at: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_prices_are_rejected() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let later = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        let observation =
            |price: &str, at| PriceObservation::new(price.parse().unwrap(), at, Duration::from_secs(9), now);
        assert!(observation("0", now).unwrap_err().contains("zero price"));
        assert!(observation("1", later(31)).unwrap_err().contains("31 s into the future"));
        assert!(observation("1", later(30)).is_ok(), "clocks differ");
        assert_eq!(observation("1", later(-7)).unwrap().age(now), Duration::from_secs(7));
        assert_eq!(observation("1", later(7)).unwrap().age(now), Duration::ZERO);
    }
}
