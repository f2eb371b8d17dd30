use anyhow::Context as _;
use causeway_domain::{RawAmount, UsdAmount};
use causeway_fillers::inventory::BreakerLimits;
use serde::{Deserialize, Serialize};

use super::Mode;

/// When our market makers give no new quotes on a chain, each for itself, in dollars. Where nothing is set, play money has no
/// limit.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "amounts of money are named so in every section")]
pub(crate) struct BreakersConfig {
    /// The value delivered against deposits that are not final yet, for each origin chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinal_deposits_usd: Option<String>,
    /// The value delivered on a chain in an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hourly_value_usd: Option<String>,
    /// The fees of transactions on a chain in an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hourly_fees_usd: Option<String>,
}

impl BreakersConfig {
    pub(crate) fn limits(&self, mode: Mode) -> anyhow::Result<BreakerLimits> {
        let defaults = match mode {
            Mode::Production => BreakerLimits::default(),
            Mode::Sandbox => UNLIMITED,
        };
        Ok(BreakerLimits {
            unfinal_deposits: dollars(
                "unfinal_deposits_usd",
                self.unfinal_deposits_usd.as_deref(),
                defaults.unfinal_deposits,
            )?,
            hourly_value: dollars(
                "hourly_value_usd",
                self.hourly_value_usd.as_deref(),
                defaults.hourly_value,
            )?,
            hourly_fees: dollars("hourly_fees_usd", self.hourly_fees_usd.as_deref(), defaults.hourly_fees)?,
        })
    }
}

const MOST: UsdAmount = UsdAmount::from_cents(RawAmount::new(alloy_primitives::U256::MAX));
const UNLIMITED: BreakerLimits =
    BreakerLimits { unfinal_deposits: MOST, hourly_value: MOST, hourly_fees: MOST };

fn dollars(key: &str, text: Option<&str>, default: UsdAmount) -> anyhow::Result<UsdAmount> {
    let Some(text) = text else { return Ok(default) };
    let words = || format!("breakers.{key} is not an amount of dollars in quotes, such as \"25000\"");
    text.parse().with_context(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_30_production_has_breakers_by_default_and_nonsense_is_named() {
        let defaults = BreakersConfig::default();
        assert_eq!(defaults.limits(Mode::Production).unwrap(), BreakerLimits::default());
        assert_eq!(defaults.limits(Mode::Sandbox).unwrap(), UNLIMITED);
        let own = BreakersConfig { hourly_value_usd: Some("15".to_owned()), ..BreakersConfig::default() };
        let limits = own.limits(Mode::Sandbox).unwrap();
        assert_eq!(limits, BreakerLimits { hourly_value: "15".parse().unwrap(), ..UNLIMITED });
        let odd = BreakersConfig { hourly_fees_usd: Some("much".to_owned()), ..BreakersConfig::default() };
        let error = odd.limits(Mode::Production).unwrap_err();
        assert!(error.to_string().contains("breakers.hourly_fees_usd"));
    }
}
