use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::{RawAmount, UsdAmount, is_filler_name};
use thiserror::Error;

use super::breakers::BreakerLimits;
use super::spread::{Spread, Spreads};
use super::wide::PPM;

/// Why a filler's configuration is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("the filler name `{0}` must be 1 to 64 letters, digits, `-`, `_` or `.`")]
    Name(String),
    #[error("a spread must be below 1000000 millionths, which is the whole order")]
    Spread,
    #[error("the tiers of a spread must rise: each ends above the one before")]
    Tiers,
    #[error("{0} must be between 1 and 1000000 millionths")]
    Share(&'static str),
}

/// When the claims of filled orders are sent together: as soon as one of the limits is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimBatching {
    /// How many orders at most; one means that each is claimed alone.
    pub max_orders: usize,
    /// The value that may wait.
    pub max_value: UsdAmount,
    /// How long an order waits for others. It never waits past half of the time to its permissionless refund.
    pub max_age: Duration,
}

/// Pricing and risk limits of one market maker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryConfig {
    /// Also the key of its reservations.
    pub name: String,
    pub spreads: Spreads,
    pub min_order: UsdAmount,
    pub max_order: UsdAmount,
    /// Maximum value filled and not yet claimed, for each origin chain.
    pub max_unclaimed: UsdAmount,
    /// When there are no new quotes on a chain.
    pub breakers: BreakerLimits,
    /// Maximum loss per day from prices that moved between quote and deposit, and from fees that earned nothing.
    pub max_daily_loss: UsdAmount,
    /// Maximum share of an input that gas may cost, in millionths; smaller orders are refused.
    pub max_gas_share: u32,
    /// Margin on the current gas price, in millionths, because orders are filled and claimed later.
    pub gas_margin: u32,
    /// Maximum share of the balance that one order may take, in millionths.
    pub book_share: u32,
    /// Maximum deviation of a stablecoin from its peg, in millionths; beyond it the coin is not traded.
    pub peg_tolerance: u32,
    /// How long before the fill deadline a first fill may still be sent.
    pub fill_cutoff: Duration,
    /// Maximum excess of a promised output over the current one, in millionths; deposits beyond it are refunded.
    pub max_loss: u32,
    pub claims: ClaimBatching,
    pub validity: Duration,
    /// The validity where both tokens are stablecoins.
    pub stable_validity: Duration,
}

impl Default for InventoryConfig {
    fn default() -> Self {
        Self {
            name: "inventory".to_owned(),
            spreads: Spreads::default(),
            min_order: UsdAmount::from_cents(cents(100)),
            max_order: UsdAmount::from_cents(cents(2_500_000)),
            max_unclaimed: UsdAmount::from_cents(cents(25_000_000)),
            breakers: BreakerLimits::default(),
            max_daily_loss: UsdAmount::from_cents(cents(250_000)),
            max_gas_share: 500_000,
            gas_margin: 100_000,
            book_share: 200_000,
            peg_tolerance: 10_000,
            fill_cutoff: Duration::from_mins(1),
            max_loss: 20_000,
            claims: ClaimBatching {
                max_orders: 20,
                max_value: UsdAmount::from_cents(cents(2_500_000)),
                max_age: Duration::from_mins(10),
            },
            validity: Duration::from_secs(30),
            stable_validity: Duration::from_mins(1),
        }
    }
}

impl InventoryConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !is_filler_name(&self.name) {
            return Err(ConfigError::Name(self.name.clone()));
        }
        for (name, share) in [("max_gas_share", self.max_gas_share), ("book_share", self.book_share)] {
            if !(1..=PPM).contains(&share) {
                return Err(ConfigError::Share(name));
            }
        }
        self.spreads.all().into_iter().try_for_each(check_spread)
    }
}

fn check_spread(spread: &Spread) -> Result<(), ConfigError> {
    let mut rates = spread.tiers.iter().map(|tier| tier.millionths).chain([spread.beyond]);
    if rates.any(|rate| rate >= PPM) {
        return Err(ConfigError::Spread);
    }
    if spread.tiers.is_sorted_by(|one, next| one.up_to < next.up_to) {
        Ok(())
    } else {
        Err(ConfigError::Tiers)
    }
}

pub(super) fn cents(cents: u64) -> RawAmount {
    RawAmount::new(U256::from(cents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_config_is_rejected() {
        let good = InventoryConfig::default();
        assert_eq!(good.check(), Ok(()));
        let bad = InventoryConfig { name: "a b".to_owned(), ..good.clone() };
        assert_eq!(bad.check(), Err(ConfigError::Name("a b".to_owned())));
        let bad = InventoryConfig { max_gas_share: 0, ..good.clone() };
        assert_eq!(bad.check(), Err(ConfigError::Share("max_gas_share")));
        let bad = InventoryConfig { book_share: PPM + 1, ..good.clone() };
        assert_eq!(bad.check(), Err(ConfigError::Share("book_share")));
        let mut bad = good.clone();
        bad.spreads.volatile.beyond = PPM;
        assert_eq!(bad.check(), Err(ConfigError::Spread));
        let mut bad = good;
        bad.spreads.stable.tiers.reverse();
        assert_eq!(bad.check(), Err(ConfigError::Tiers));
    }
}
