use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use causeway_domain::{ChainId, Family, RawAmount};
use causeway_signers::Spent;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};

/// What every key may spend within an hour on one chain, in the chain's coin.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpendingLimitConfig {
    pub(crate) chain: u64,
    /// Fees, each at the most that its transaction can cost.
    pub(crate) fees_per_hour: String,
    /// Coins that transactions carry.
    pub(crate) coins_per_hour: String,
}

impl SpendingLimitConfig {
    fn limit(&self) -> anyhow::Result<(ChainId, Spent)> {
        let id = self.chain;
        let chain = ChainId::new(id).with_context(|| format!("spending_limits: {id} is not a chain id"))?;
        let decimals = match chain.family() {
            Family::Evm => 18,
            Family::Solana => 9,
            Family::Bitcoin | Family::Tron => {
                bail!("spending_limits: the service spends nothing on chain {id}")
            }
        };
        let coins = |name: &str, text: &str| {
            let words = || {
                format!(
                    "spending_limits: {name} of chain {id} is not a number of coins in quotes, such as \"0.5\""
                )
            };
            RawAmount::from_decimal(text, decimals).map(RawAmount::get).with_context(words)
        };
        let fees = coins("fees_per_hour", &self.fees_per_hour)?;
        Ok((chain, Spent { fees, value: coins("coins_per_hour", &self.coins_per_hour)? }))
    }
}

/// The limits by chain.
pub(crate) fn limits(config: &[SpendingLimitConfig]) -> anyhow::Result<BTreeMap<ChainId, Spent>> {
    config.iter().map(SpendingLimitConfig::limit).collect()
}

pub(super) fn check(config: &[SpendingLimitConfig]) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    let mut named = BTreeSet::new();
    for limit in config {
        faults.check(limit.limit());
        demand!(faults, named.insert(limit.chain), "spending_limits names chain {} twice", limit.chain);
    }
    faults.end()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;
    use crate::boot::config::{Config, read};

    #[test]
    fn limits_are_coins_of_the_chain() {
        let text = "[[spending_limits]]\nchain = 8453\nfees_per_hour = \"0.5\"\ncoins_per_hour = \"10\"\n";
        let config: Config = read::parse(text).unwrap();
        let limits = limits(&config.spending_limits).unwrap();
        let spent = limits[&ChainId::new(8453).unwrap()];
        assert_eq!(spent.fees, U256::from(5).pow(U256::ONE) * U256::from(10).pow(U256::from(17)));
        assert_eq!(spent.value, U256::from(10).pow(U256::from(19)));
        for (bad, words) in [
            (text.replace("\"0.5\"", "\"much\""), "fees_per_hour of chain 8453"),
            (text.replace("\"10\"", "\"-1\""), "coins_per_hour of chain 8453"),
            (text.replace("8453", "0"), "not a chain id"),
            (format!("{text}{text}"), "twice"),
        ] {
            let config: Config = read::parse(&bad).unwrap();
            let error = check(&config.spending_limits).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
