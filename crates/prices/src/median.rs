use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{RawAmount, TokenId, UsdPrice};
use jiff::Timestamp;

use crate::kinship::asset_of;
use crate::source::{Heard, PriceSource, Sighting};

/// Millionths in a whole.
const WHOLE: u64 = 1_000_000;

/// When several sources make one price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MedianRules {
    /// How long what was read of a source counts, whatever the source itself says.
    pub max_age: Duration,
    /// How far the highest may be above the lowest, in millionths of the median.
    pub max_spread: u32,
    /// How many sources must have a fresh price.
    pub least: usize,
}

impl Default for MedianRules {
    fn default() -> Self {
        Self { max_age: Duration::from_mins(2), max_spread: 15_000, least: 2 }
    }
}

/// The median of several sources; where they are too few, too old or too far apart there is no price, and a reason.
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
    /// `tokens` says which coin each token is.
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
        judge(prices, &self.rules).map_err(|problem| self.tell(coin, problem, now))
    }

    /// What the sources say of a coin that counts now. A form of a coin that a source does not know costs what the coin does.
    fn fresh(&self, coin: &str, now: Timestamp) -> Vec<UsdPrice> {
        let heard = self.sources.iter().filter_map(|source| hear(source.as_ref(), coin));
        heard.filter_map(|heard| self.usable(&heard, now).ok().map(|sighting| sighting.price)).collect()
    }

    fn usable(&self, heard: &Heard, now: Timestamp) -> Result<Sighting, String> {
        let sighting = heard.word.as_ref().map_err(Clone::clone)?;
        let (price, age) = (sighting.price, sighting.age(now));
        if age > sighting.good_for {
            let (age, most) = (age.as_secs(), sighting.good_for.as_secs());
            return Err(format!("{price} is {age} s old, at most {most} s"));
        }
        let unread = heard.read.map(|read| read.elapsed()).unwrap_or_default();
        if unread > self.rules.max_age {
            let (unread, most) = (unread.as_secs(), self.rules.max_age.as_secs());
            return Err(format!("{price} was read {unread} s ago, at most {most} s"));
        }
        Ok(*sighting)
    }

    /// What each source said, and what is wrong with it all.
    fn tell(&self, coin: &str, problem: Problem, now: Timestamp) -> String {
        let said =
            self.sources.iter().filter_map(|source| Some((source.name(), hear(source.as_ref(), coin)?)));
        let said: Vec<String> = said
            .map(|(name, heard)| match self.usable(&heard, now) {
                Ok(sighting) => format!("{name}: {}, {} s old", sighting.price, sighting.age(now).as_secs()),
                Err(why) => format!("{name}: {why}"),
            })
            .collect();
        let said = if said.is_empty() { "no source is asked for it".to_owned() } else { said.join("; ") };
        format!("{coin} is not priced now: {problem} ({said})")
    }
}

impl PriceFeed for MedianPrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        let coin = self.coins.get(token)?;
        judge(self.fresh(coin, Timestamp::now()), &self.rules).ok()
    }

    fn unpriced(&self, token: &TokenId) -> Option<String> {
        let Some(coin) = self.coins.get(token) else {
            return Some(format!("{token} is not priced: it is none of the well-known assets"));
        };
        self.price_of(coin, Timestamp::now()).err()
    }
}

fn hear(source: &dyn PriceSource, coin: &str) -> Option<Heard> {
    source.heard(coin).or_else(|| {
        let asset = asset_of(coin);
        if asset == coin { None } else { source.heard(asset) }
    })
}

/// What is wrong with the prices of a coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    TooFew {
        fresh: usize,
        least: usize,
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
            Self::TooFew { fresh, least } => {
                write!(f, "{fresh} of at least {least} sources have a fresh price")
            }
            Self::TooFarApart { apart, most } => {
                write!(f, "the sources are {} apart, at most {}", percent(*apart), percent((*most).into()))
            }
        }
    }
}

/// Millionths as a person reads them.
fn percent(millionths: u64) -> String {
    format!("{} %", RawAmount::new(U256::from(millionths)).to_decimal(4))
}

/// The median, of an even number the mean of the two in the middle rounded down.
fn judge(mut prices: Vec<UsdPrice>, rules: &MedianRules) -> Result<UsdPrice, Problem> {
    prices.sort_unstable();
    let too_few = Problem::TooFew { fresh: prices.len(), least: rules.least.max(1) };
    if prices.len() < rules.least {
        return Err(too_few);
    }
    let units = |at: usize| prices.get(at).map(|price| price.units().get());
    let (Some(low), Some(high)) = (units(0), units(prices.len().wrapping_sub(1))) else {
        return Err(too_few);
    };
    let (Some(below), Some(above)) = (units((prices.len() - 1) / 2), units(prices.len() / 2)) else {
        return Err(too_few);
    };
    // The middle of two without their sum, which may not fit.
    let median = below.saturating_add(above.saturating_sub(below) / U256::from(2));
    let apart = apart(high.saturating_sub(low), median);
    if apart > u64::from(rules.max_spread) {
        return Err(Problem::TooFarApart { apart, most: rules.max_spread });
    }
    Ok(UsdPrice::from_units(RawAmount::new(median)))
}

/// Millionths of the median, rounded up, so that what is beyond the limit by anything is beyond it.
fn apart(difference: U256, median: U256) -> u64 {
    let scaled = difference.checked_mul(U256::from(WHOLE));
    match scaled {
        Some(scaled) if !median.is_zero() => scaled.div_ceil(median).saturating_to(),
        _ if difference.is_zero() => 0,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests;
