use anyhow::Context as _;
use causeway_domain::UsdAmount;
use causeway_fillers::inventory::BreakerLimits;
use serde::{Deserialize, Serialize};

/// When our market makers give no new quotes on a chain, each for itself, in dollars.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BreakersConfig {
    /// The value delivered against deposits that are not final yet, for each origin chain.
    pub(crate) unfinal_deposits_usd: String,
    /// The value delivered on a chain in an hour.
    pub(crate) hourly_value_usd: String,
    /// The fees of transactions on a chain in an hour.
    pub(crate) hourly_fees_usd: String,
}

impl Default for BreakersConfig {
    fn default() -> Self {
        Self {
            unfinal_deposits_usd: "25000".to_owned(),
            hourly_value_usd: "250000".to_owned(),
            hourly_fees_usd: "500".to_owned(),
        }
    }
}

impl BreakersConfig {
    pub(crate) fn limits(&self) -> anyhow::Result<BreakerLimits> {
        Ok(BreakerLimits {
            unfinal_deposits: dollars("unfinal_deposits_usd", &self.unfinal_deposits_usd)?,
            hourly_value: dollars("hourly_value_usd", &self.hourly_value_usd)?,
            hourly_fees: dollars("hourly_fees_usd", &self.hourly_fees_usd)?,
        })
    }
}

fn dollars(key: &str, text: &str) -> anyhow::Result<UsdAmount> {
    let words = || format!("breakers.{key} is not an amount of dollars in quotes, such as \"25000\"");
    text.parse().with_context(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_30_the_defaults_are_those_of_the_market_makers_and_nonsense_is_named() {
        assert_eq!(BreakersConfig::default().limits().unwrap(), BreakerLimits::default());
        let odd = BreakersConfig { hourly_fees_usd: "much".to_owned(), ..BreakersConfig::default() };
        assert!(odd.limits().unwrap_err().to_string().contains("breakers.hourly_fees_usd"));
    }
}
