//! What became of the orders that fillers won: how many they delivered, how fast, and how their prices compare.

mod judge;
mod keep;

use std::collections::HashMap;

use jiff::Timestamp;

pub use keep::KeepReputation;

/// So many deliveries are presumed of everybody, so that one that failed does not condemn a newcomer.
const PRESUMED: u64 = 5;

/// One filler's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Its orders that ended with a deposit: delivered, or given back.
    pub orders: u32,
    pub filled: u32,
    /// Between the blocks of the deposit and of the delivery.
    pub median_seconds: Option<u32>,
    /// By how much its offers beat the median of all offers for the same asks, in hundredths of a percent; the median of that.
    pub price_bps: Option<i32>,
    /// How many of its last orders in a row went back because it never delivered.
    pub left_in_a_row: u32,
    /// Until when it is not asked for that.
    pub rests_until: Option<Timestamp>,
}

impl Standing {
    /// Of its orders, how many in a hundred were delivered.
    pub fn fill_percent(&self) -> Option<u32> {
        self.filled.saturating_mul(100).checked_div(self.orders)
    }

    /// In a hundred, with what is presumed of everybody.
    fn missed(&self) -> u64 {
        let (orders, filled) = (u64::from(self.orders), u64::from(self.filled));
        orders.saturating_sub(filled) * 100 / (orders + PRESUMED)
    }
}

/// All fillers' names, for ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    fillers: HashMap<String, Standing>,
    /// The median of the medians, presumed of whom nothing is known.
    usual_seconds: u32,
}

impl Standings {
    pub(crate) fn of<N: Into<String>>(fillers: impl IntoIterator<Item = (N, Standing)>) -> Self {
        let fillers: HashMap<String, Standing> =
            fillers.into_iter().map(|(name, standing)| (name.into(), standing)).collect();
        let medians = fillers.values().filter_map(|standing| standing.median_seconds).collect();
        Self { usual_seconds: judge::median(medians).unwrap_or_default(), fillers }
    }

    pub fn get(&self, filler: &str) -> Option<&Standing> {
        self.fillers.get(filler)
    }

    /// How much speaks against a filler where its offer is as good as another's: what it failed to deliver first, then its time,
    /// then its prices.
    pub(crate) fn demerit(&self, filler: &str) -> (u64, u32, i32) {
        let Some(standing) = self.fillers.get(filler) else { return (0, self.usual_seconds, 0) };
        let seconds = standing.median_seconds.unwrap_or(self.usual_seconds);
        (standing.missed(), seconds, standing.price_bps.unwrap_or_default().saturating_neg())
    }
}
