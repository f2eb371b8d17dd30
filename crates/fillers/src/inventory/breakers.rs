//! Circuit breakers besides the caps (rule 30): while one is open there are no new quotes on its chain; what has begun goes on.

use std::collections::{HashMap, HashSet};
use std::fmt;

use alloy_primitives::U256;
use causeway_domain::ports::{Outflow, OutflowSum, Owed};
use causeway_domain::{ChainId, RawAmount, UsdAmount};
use parking_lot::RwLock;

use super::config::cents;
use super::filler::InventoryFiller;

/// What a breaker limits on one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Breaker {
    /// The value delivered against deposits there that are not final yet.
    UnfinalDeposits,
    /// The value delivered there in an hour.
    HourlyValue,
    /// The fees of transactions there in an hour.
    HourlyFees,
}

impl Breaker {
    pub const ALL: [Self; 3] = [Self::UnfinalDeposits, Self::HourlyValue, Self::HourlyFees];

    /// Its name in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnfinalDeposits => "unfinal_deposits",
            Self::HourlyValue => "hourly_value",
            Self::HourlyFees => "hourly_fees",
        }
    }
}

impl fmt::Display for Breaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnfinalDeposits => "deposits that are not final yet",
            Self::HourlyValue => "value delivered within an hour",
            Self::HourlyFees => "fees paid within an hour",
        })
    }
}

/// When each breaker opens, for every chain and filler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerLimits {
    pub unfinal_deposits: UsdAmount,
    pub hourly_value: UsdAmount,
    pub hourly_fees: UsdAmount,
}

impl Default for BreakerLimits {
    fn default() -> Self {
        Self {
            unfinal_deposits: UsdAmount::from_cents(cents(2_500_000)),
            hourly_value: UsdAmount::from_cents(cents(25_000_000)),
            hourly_fees: UsdAmount::from_cents(cents(50_000)),
        }
    }
}

impl BreakerLimits {
    const fn of(&self, breaker: Breaker) -> UsdAmount {
        match breaker {
            Breaker::UnfinalDeposits => self.unfinal_deposits,
            Breaker::HourlyValue => self.hourly_value,
            Breaker::HourlyFees => self.hourly_fees,
        }
    }
}

/// The sums of one filler, in cents.
#[derive(Debug, Default)]
pub struct Breakers {
    sums: RwLock<HashMap<(ChainId, Breaker), U256>>,
    /// Those that were open when the sums were last set.
    open: RwLock<HashSet<(ChainId, Breaker)>>,
}

impl Breakers {
    fn sum(&self, chain: ChainId, breaker: Breaker) -> U256 {
        self.sums.read().get(&(chain, breaker)).copied().unwrap_or_default()
    }

    /// Replaces the sums of these breakers.
    fn replace(&self, breakers: &[Breaker], by: HashMap<(ChainId, Breaker), U256>) {
        let mut sums = self.sums.write();
        sums.retain(|(_, breaker), _| !breakers.contains(breaker));
        sums.extend(by);
    }

    /// Counts what has just left, until the stored sums are read again.
    pub(super) fn add(&self, outflow: &Outflow) {
        let mut sums = self.sums.write();
        for (breaker, amount) in [(Breaker::HourlyValue, outflow.value), (Breaker::HourlyFees, outflow.fees)]
        {
            let sum = sums.entry((outflow.chain, breaker)).or_default();
            *sum = sum.saturating_add(amount.cents().get());
        }
    }
}

impl InventoryFiller {
    /// Whether a breaker of a chain is open.
    pub fn is_open(&self, chain: ChainId, breaker: Breaker) -> bool {
        self.deps.breakers.sum(chain, breaker) >= self.config.breakers.of(breaker).cents().get()
    }

    /// The breaker that keeps this pair of chains from being quoted.
    pub(super) fn open_breaker(&self, source: ChainId, destination: ChainId) -> Option<(ChainId, Breaker)> {
        [
            (source, Breaker::UnfinalDeposits),
            (source, Breaker::HourlyFees),
            (destination, Breaker::HourlyValue),
            (destination, Breaker::HourlyFees),
        ]
        .into_iter()
        .find(|(chain, breaker)| self.is_open(*chain, *breaker))
    }

    /// Every breaker of every chain, and whether it is open.
    pub fn breaker_states(&self) -> Vec<(ChainId, Breaker, bool)> {
        let mut chains: Vec<ChainId> = self.deps.chains.keys().copied().collect();
        chains.sort_unstable();
        let of = |chain| Breaker::ALL.map(|breaker| (chain, breaker, self.is_open(chain, breaker)));
        chains.into_iter().flat_map(of).collect()
    }

    /// Sets the sums of what is owed for deposits of which `is_final` does not hold anew.
    pub fn update_unfinal_deposits(&self, owed: &[Owed], is_final: impl Fn(ChainId, u64) -> bool) {
        // A deposit without evidence is not final.
        let is_unfinal =
            |debt: &&Owed| !debt.deposited_in.is_some_and(|block| is_final(debt.token.chain(), block));
        let unfinal: Vec<Owed> = owed.iter().filter(is_unfinal).cloned().collect();
        let sums = self.owed_by_origin(&unfinal).into_iter();
        let sums = sums.map(|(chain, sum)| ((chain, Breaker::UnfinalDeposits), sum.cents().get()));
        self.deps.breakers.replace(&[Breaker::UnfinalDeposits], sums.collect());
        self.log_changes();
    }

    /// Sets the sums of what left in the last hour anew.
    pub fn update_outflows(&self, outflows: &[OutflowSum]) {
        let mut sums: HashMap<(ChainId, Breaker), U256> = HashMap::new();
        for outflow in outflows.iter().filter(|outflow| outflow.filler == self.config.name) {
            for (breaker, amount) in
                [(Breaker::HourlyValue, outflow.value), (Breaker::HourlyFees, outflow.fees)]
            {
                let sum = sums.entry((outflow.chain, breaker)).or_default();
                *sum = sum.saturating_add(amount.cents().get());
            }
        }
        self.deps.breakers.replace(&[Breaker::HourlyValue, Breaker::HourlyFees], sums);
        self.log_changes();
    }

    fn log_changes(&self) {
        let states = self.breaker_states();
        let open: HashSet<_> = states
            .into_iter()
            .filter(|(_, _, open)| *open)
            .map(|(chain, breaker, _)| (chain, breaker))
            .collect();
        let mut before = self.deps.breakers.open.write();
        let filler = &self.config.name;
        for &(chain, breaker) in open.difference(&before) {
            let sum = UsdAmount::from_cents(RawAmount::new(self.deps.breakers.sum(chain, breaker)));
            let limit = self.config.breakers.of(breaker);
            tracing::error!(
                filler, %chain, breaker = breaker.as_str(), %sum, %limit,
                "circuit breaker open, so there are no new quotes on this chain"
            );
        }
        for (chain, breaker) in before.difference(&open) {
            tracing::info!(filler, %chain, breaker = breaker.as_str(), "circuit breaker closed");
        }
        *before = open;
    }
}
