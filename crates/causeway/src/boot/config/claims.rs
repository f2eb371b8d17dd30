use std::time::Duration;

use anyhow::Context as _;
use causeway_fillers::inventory::{ClaimBatching, InventoryConfig};
use serde::{Deserialize, Serialize};

use super::Mode;
use super::faults::{Faults, demand};

/// How many orders an attester signs for at once.
const MAX_ORDERS: usize = 50;

/// When our market makers claim filled orders together: as soon as one limit is reached.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ClaimsConfig {
    /// How many orders one transaction claims; 1 claims each alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orders: Option<usize>,
    /// The value that waits for others, in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_usd: Option<String>,
    /// How long an order waits for others; 2 in the sandbox and 600 in production unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) age_seconds: Option<u64>,
}

impl ClaimsConfig {
    pub(super) fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let max_orders = self.batching(mode)?.max_orders;
        demand!(
            faults,
            (1..=MAX_ORDERS).contains(&max_orders),
            "claims.orders must be between 1 and {MAX_ORDERS}: attesters sign for no more at once"
        );
        faults.end()
    }

    pub(crate) fn batching(&self, mode: Mode) -> anyhow::Result<ClaimBatching> {
        let defaults = InventoryConfig::default().claims;
        let max_value = self.value_usd.as_ref().map(|text| {
            text.parse().context("claims.value_usd is not an amount of dollars in quotes, such as \"25000\"")
        });
        let max_age = if mode == Mode::Sandbox { Duration::from_secs(2) } else { defaults.max_age };
        Ok(ClaimBatching {
            max_orders: self.orders.unwrap_or(defaults.max_orders),
            max_value: max_value.transpose()?.unwrap_or(defaults.max_value),
            max_age: self.age_seconds.map_or(max_age, Duration::from_secs),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_31_limits_of_batches_are_configurable_within_what_attesters_sign() {
        let of = |text: &str| toml::from_str::<ClaimsConfig>(text).unwrap();
        let own = of("orders = 7\nvalue_usd = \"1000\"\nage_seconds = 30");
        let batching = own.batching(Mode::Production).unwrap();
        assert_eq!((batching.max_orders, batching.max_age), (7, Duration::from_secs(30)));
        assert_eq!(batching.max_value, "1000".parse().unwrap());
        assert_eq!(of("").batching(Mode::Sandbox).unwrap().max_age, Duration::from_secs(2));
        assert_eq!(of("").batching(Mode::Production).unwrap(), InventoryConfig::default().claims);
        for bad in ["orders = 0", "orders = 51", "value_usd = \"much\""] {
            assert!(of(bad).check(Mode::Sandbox).is_err(), "{bad}");
        }
        of("orders = 50").check(Mode::Sandbox).unwrap();
    }
}
