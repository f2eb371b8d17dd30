//! Fillers' track records: how many of their orders they filled, how fast, and how their prices compare.

mod score;
mod update;

use std::collections::HashMap;

use jiff::Timestamp;

pub(crate) use score::compare_prices;
pub use update::UpdateReputation;

/// How many fills every filler is credited with, so that one miss does not ruin a newcomer.
const PRIOR_FILLS: u64 = 5;

/// One filler's reputation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reputation {
    /// Its orders that had a deposit and ended, filled or refunded, without those that it declined in time.
    pub orders: u32,
    pub filled: u32,
    /// Between the blocks of the deposit and of the fill.
    pub median_seconds: Option<u32>,
    /// By how much its best offers beat the median offer for the same ask, on average, in basis points.
    pub price_bps: Option<i32>,
    /// How many of its latest consecutive orders were refunded because it never filled them.
    pub consecutive_unfilled: u32,
    /// Until when it is not asked because of that.
    pub suspended_until: Option<Timestamp>,
}

impl Reputation {
    /// The share of its orders that were filled, in percent.
    pub fn fill_percent(&self) -> Option<u32> {
        self.filled.saturating_mul(100).checked_div(self.orders)
    }

    /// The share of unfilled orders in percent, with the prior fills.
    fn miss_percent(&self) -> u64 {
        let (orders, filled) = (u64::from(self.orders), u64::from(self.filled));
        orders.saturating_sub(filled) * 100 / (orders + PRIOR_FILLS)
    }
}

/// All fillers' reputations, for ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reputations {
    fillers: HashMap<String, Reputation>,
    /// The median of the medians, assumed for fillers without a record.
    typical_seconds: u32,
}

impl Reputations {
    pub(crate) fn new<N: Into<String>>(fillers: impl IntoIterator<Item = (N, Reputation)>) -> Self {
        let fillers: HashMap<String, Reputation> =
            fillers.into_iter().map(|(name, reputation)| (name.into(), reputation)).collect();
        let medians = fillers.values().filter_map(|reputation| reputation.median_seconds).collect();
        Self { typical_seconds: score::median(medians).unwrap_or_default(), fillers }
    }

    pub fn get(&self, filler: &str) -> Option<&Reputation> {
        self.fillers.get(filler)
    }

    /// The sort key between equally good offers, best first: the share of misses, then the fill time, then the prices.
    pub(crate) fn rank_key(&self, filler: &str) -> (u64, u32, i32) {
        let Some(reputation) = self.fillers.get(filler) else { return (0, self.typical_seconds, 0) };
        let seconds = reputation.median_seconds.unwrap_or(self.typical_seconds);
        (reputation.miss_percent(), seconds, reputation.price_bps.unwrap_or_default().saturating_neg())
    }
}
