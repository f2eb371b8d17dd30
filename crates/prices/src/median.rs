use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{PriceBasis, PriceFeed};
use causeway_domain::{RawAmount, TokenId, UsdPrice};
use jiff::Timestamp;

use crate::asset_groups::underlying_asset;
use crate::source::{PriceObservation, PriceSource, SourcePrice};

/// Millionths in a whole.
const PPM: u64 = 1_000_000;

/// When the prices of several sources are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MedianRules {
    /// How long a read price counts, regardless of the source's own validity.
    pub max_age: Duration,
    /// Maximum difference between highest and lowest price, in millionths of the median.
    pub max_spread: u32,
    /// How many sources must have a fresh price.
    pub min_sources: usize,
}

impl Default for MedianRules {
    fn default() -> Self {
        Self { max_age: Duration::from_mins(2), max_spread: 15_000, min_sources: 2 }
    }
}

/// The median of several sources. There is no price, but a reason, when they are too few, too old or too far apart.
pub struct MedianPrices {
    sources: Vec<Arc<dyn PriceSource>>,
    coins: HashMap<TokenId, Arc<str>>,
    rules: MedianRules,
}

impl fmt::Debug for MedianPrices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.sources.iter().map(|source| source.name()).collect();
        f.debug_struct("MedianPrices")
            .field("sources", &names)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

impl MedianPrices {
    /// `tokens` maps each token to its coin.
    pub fn new(
        sources: Vec<Arc<dyn PriceSource>>,
        tokens: impl IntoIterator<Item = (TokenId, Arc<str>)>,
        rules: MedianRules,
    ) -> Self {
        Self { sources, coins: tokens.into_iter().collect(), rules }
    }

    /// The price of a coin, or why it has none.
    pub fn price_of(&self, coin: &str, now: Timestamp) -> Result<UsdPrice, String> {
        let prices = self.fresh(coin, now);
        median_price(prices, &self.rules).map_err(|problem| self.explain(coin, problem, now))
    }

    fn fresh(&self, coin: &str, now: Timestamp) -> Vec<UsdPrice> {
        self.observations(coin, now).map(|observation| observation.price).collect()
    }

    /// The usable prices of a coin. Where a source does not know a wrapped coin, the price of its underlying asset counts.
    fn observations(&self, coin: &str, now: Timestamp) -> impl Iterator<Item = PriceObservation> {
        let latest = self.sources.iter().filter_map(move |source| latest_of(source.as_ref(), coin));
        latest.filter_map(move |latest| self.usable(&latest, now).ok())
    }

    fn usable(&self, latest: &SourcePrice, now: Timestamp) -> Result<PriceObservation, String> {
        let observation = latest.result.as_ref().map_err(Clone::clone)?;
        let (price, age) = (observation.price, observation.age(now));
        if age > observation.valid_for {
            let (age, most) = (age.as_secs(), observation.valid_for.as_secs());
            return Err(format!("{price} is {age} s old, at most {most} s"));
        }
        let unread = latest.read_at.map(|read_at| read_at.elapsed()).unwrap_or_default();
        if unread > self.rules.max_age {
            let (unread, most) = (unread.as_secs(), self.rules.max_age.as_secs());
            return Err(format!("{price} was read {unread} s ago, at most {most} s"));
        }
        Ok(*observation)
    }

    /// The problem with the result of each source.
    fn explain(&self, coin: &str, problem: Problem, now: Timestamp) -> String {
        let results =
            self.sources.iter().filter_map(|source| Some((source.name(), latest_of(source.as_ref(), coin)?)));
        let results: Vec<String> = results
            .map(|(name, latest)| match self.usable(&latest, now) {
                Ok(observation) => {
                    format!("{name}: {}, {} s old", observation.price, observation.age(now).as_secs())
                }
                Err(why) => format!("{name}: {why}"),
            })
            .collect();
        let results = if results.is_empty() { "no source covers it".to_owned() } else { results.join("; ") };
        format!("{coin} is not priced now: {problem} ({results})")
    }
}

impl PriceFeed for MedianPrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        let coin = self.coins.get(token)?;
        median_price(self.fresh(coin, Timestamp::now()), &self.rules).ok()
    }

    fn price_basis(&self, token: &TokenId) -> Option<PriceBasis> {
        let (coin, now) = (self.coins.get(token)?, Timestamp::now());
        let observations: Vec<PriceObservation> = self.observations(coin, now).collect();
        let prices = observations.iter().map(|observation| observation.price);
        let median = median_price(prices.clone().collect(), &self.rules).ok()?;
        let units = |price: Option<UsdPrice>| price.map(|price| price.units().get());
        let difference = units(prices.clone().max())?.saturating_sub(units(prices.min())?);
        Some(PriceBasis {
            sources: observations.len(),
            age_seconds: observations.iter().map(|observation| observation.age(now).as_secs()).max()?,
            spread_millionths: spread(difference, median.units().get()),
        })
    }

    fn unpriced(&self, token: &TokenId) -> Option<String> {
        let Some(coin) = self.coins.get(token) else {
            return Some(format!("{token} is not priced: it is not a well-known asset"));
        };
        self.price_of(coin, Timestamp::now()).err()
    }
}

fn latest_of(source: &dyn PriceSource, coin: &str) -> Option<SourcePrice> {
    source.latest(coin).or_else(|| {
        let asset = underlying_asset(coin);
        if asset == coin { None } else { source.latest(asset) }
    })
}

/// Why the prices of a coin cannot be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    TooFew {
        fresh: usize,
        required: usize,
    },
    /// In millionths.
    TooFarApart {
        apart: u64,
        most: u32,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { fresh, required } => {
                write!(f, "{fresh} of at least {required} sources have a fresh price")
            }
            Self::TooFarApart { apart, most } => {
                write!(f, "the sources are {} apart, at most {}", percent(*apart), percent((*most).into()))
            }
        }
    }
}

/// Millionths as a percentage.
fn percent(millionths: u64) -> String {
    format!("{} %", RawAmount::new(U256::from(millionths)).to_decimal(4))
}

/// The median; for an even number the mean of the middle two, rounded down.
fn median_price(mut prices: Vec<UsdPrice>, rules: &MedianRules) -> Result<UsdPrice, Problem> {
    prices.sort_unstable();
    let too_few = Problem::TooFew { fresh: prices.len(), required: rules.min_sources.max(1) };
    if prices.len() < rules.min_sources {
        return Err(too_few);
    }
    let units = |at: usize| prices.get(at).map(|price| price.units().get());
    let (Some(low), Some(high)) = (units(0), units(prices.len().wrapping_sub(1))) else {
        return Err(too_few);
    };
    let (Some(below), Some(above)) = (units((prices.len() - 1) / 2), units(prices.len() / 2)) else {
        return Err(too_few);
    };
    // The mean without the sum, which may overflow.
    let median = below.saturating_add(above.saturating_sub(below) / U256::from(2));
    let apart = spread(high.saturating_sub(low), median);
    if apart > u64::from(rules.max_spread) {
        return Err(Problem::TooFarApart { apart, most: rules.max_spread });
    }
    Ok(UsdPrice::from_units(RawAmount::new(median)))
}

/// The difference in millionths of the median, rounded up, so that any excess counts.
fn spread(difference: U256, median: U256) -> u64 {
    let scaled = difference.checked_mul(U256::from(PPM));
    match scaled {
        Some(scaled) if !median.is_zero() => scaled.div_ceil(median).saturating_to(),
        _ if difference.is_zero() => 0,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests;
