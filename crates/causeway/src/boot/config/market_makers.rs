use std::collections::BTreeSet;
use std::path::PathBuf;

use alloy_primitives::Address as EvmAddress;
use anyhow::Context as _;
use causeway_domain::{Address, ChainId, Family, UsdAmount};
use causeway_fillers::inventory::{InventoryConfig, Spread, Spreads};
use serde::{Deserialize, Serialize};

use super::checked_address;
use super::faults::{Faults, demand};

/// The whole order, in millionths.
const WHOLE: u32 = 1_000_000;

/// A market maker of our own, which quotes from its balances. The sandbox has two with play money.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarketMakerConfig {
    pub(crate) name: String,
    /// The hot key on EVM chains, which holds the inventory; from the environment if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key_file: Option<PathBuf>,
    /// The same on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) solana_key_file: Option<PathBuf>,
    /// The entry of `[[signers]]` with the hot key on EVM chains, instead of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signer: Option<String>,
    /// The same on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) solana_signer: Option<String>,
    /// The account that receives the deposits of filled orders: a cold one, unless `payee_is_hot_key` says otherwise.
    #[serde(
        default,
        deserialize_with = "checked_address::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) payee: Option<EvmAddress>,
    /// The same on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) solana_payee: Option<String>,
    /// Deposits go to the hot keys, where the payees are not set or are these keys: what they have earned is at the same risk.
    #[serde(default)]
    pub(crate) payee_is_hot_key: bool,
    /// The chains it serves; all with our contracts unless set.
    #[serde(default)]
    pub(crate) chains: Vec<u64>,
    /// The coins it trades, named as for prices; all well-known ones unless set.
    #[serde(default)]
    pub(crate) coins: Vec<String>,
    /// The minimum order value, in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) min_order_usd: Option<String>,
    /// The maximum order value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_order_usd: Option<String>,
    /// The maximum value of unclaimed fills for each origin chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_unclaimed_usd: Option<String>,
    /// The maximum daily loss from price moves between quote and deposit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_daily_loss_usd: Option<String>,
    /// What is added to the expected cost of gas, in millionths, because orders are filled and claimed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gas_margin: Option<u32>,
    #[serde(default)]
    pub(crate) spreads: SpreadsConfig,
}

/// Spreads in millionths: of the part up to $1,000, of the part up to $10,000, and of the rest.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SpreadsConfig {
    /// One asset in two places or forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) same_asset: Option<[u32; 3]>,
    /// Two different dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stable: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) volatile: Option<[u32; 3]>,
}

impl MarketMakerConfig {
    /// The environment variable of the hot key on EVM chains.
    pub(crate) fn key_variable(&self) -> String {
        format!("CAUSEWAY_MARKET_MAKER_{}_KEY", self.env_name())
    }

    pub(crate) fn solana_key_variable(&self) -> String {
        format!("CAUSEWAY_MARKET_MAKER_{}_SOLANA_KEY", self.env_name())
    }

    fn env_name(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        self.name.chars().map(letter).collect()
    }

    /// Pricing and risk limits.
    pub(crate) fn inventory(&self) -> anyhow::Result<InventoryConfig> {
        let defaults = InventoryConfig::default();
        let dollars = |key: &str, text: &Option<String>, defaults: UsdAmount| match text {
            None => Ok(defaults),
            Some(text) => text.parse().with_context(|| {
                format!("{}.{key} is not an amount of dollars in quotes, such as \"2500\"", self.key())
            }),
        };
        Ok(InventoryConfig {
            name: self.name.clone(),
            min_order: dollars("min_order_usd", &self.min_order_usd, defaults.min_order)?,
            max_order: dollars("max_order_usd", &self.max_order_usd, defaults.max_order)?,
            max_unclaimed: dollars("max_unclaimed_usd", &self.max_unclaimed_usd, defaults.max_unclaimed)?,
            max_daily_loss: dollars("max_daily_loss_usd", &self.max_daily_loss_usd, defaults.max_daily_loss)?,
            gas_margin: self.gas_margin.unwrap_or(defaults.gas_margin),
            spreads: self.spreads.over(defaults.spreads.clone()),
            ..defaults
        })
    }

    pub(crate) fn chains(&self) -> anyhow::Result<Vec<ChainId>> {
        let chain = |id: &u64| {
            ChainId::new(*id).with_context(|| format!("{}.chains: {id} is not a chain id", self.key()))
        };
        self.chains.iter().map(chain).collect()
    }

    pub(crate) fn solana_payee(&self) -> anyhow::Result<Option<Address>> {
        let parse = |text: &String| {
            let words = || format!("{}.solana_payee is not an address on Solana", self.key());
            Address::parse(Family::Solana, text).with_context(words)
        };
        self.solana_payee.as_ref().map(parse).transpose()
    }

    fn key(&self) -> String {
        format!("market_makers.{}", self.name)
    }

    fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let key = self.key();
        if let Some(inventory) = faults.check(self.inventory()) {
            demand!(
                faults,
                inventory.min_order <= inventory.max_order,
                "{key}: min_order_usd is above max_order_usd, so that no order fits"
            );
        }
        let rates = [self.spreads.same_asset, self.spreads.stable, self.spreads.volatile];
        demand!(
            faults,
            rates.iter().flatten().flatten().all(|rate| *rate < WHOLE),
            "{key}.spreads are millionths, each below {WHOLE}, which is the whole order"
        );
        demand!(faults, self.payee != Some(EvmAddress::ZERO), "{key}.payee must not be the zero address");
        faults.check(self.chains());
        faults.check(self.solana_payee());
        faults.end()
    }
}

impl SpreadsConfig {
    fn over(&self, defaults: Spreads) -> Spreads {
        let one = |rates: Option<[u32; 3]>, defaults: Spread| match rates {
            Some([small, medium, large]) => Spread::by_size(small, medium, large),
            None => defaults,
        };
        Spreads {
            same_asset: one(self.same_asset, defaults.same_asset),
            stable: one(self.stable, defaults.stable),
            volatile: one(self.volatile, defaults.volatile),
        }
    }
}

/// Rejects invalid settings at the start. `fillers` are the names of the remote fillers.
pub(super) fn check<'a>(
    makers: &'a [MarketMakerConfig],
    fillers: impl Iterator<Item = &'a str>,
) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    let mut names: BTreeSet<&str> = fillers.collect();
    for maker in makers {
        let name = maker.name.as_str();
        let letters = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        demand!(
            faults,
            (1..=62).contains(&name.len()) && name.chars().all(letters),
            "market_makers: a name is 1 to 62 letters, digits, `-`, `_` or `.`, unlike {name:?}"
        );
        demand!(
            faults,
            names.insert(name),
            "market_makers: the name {name} belongs to another filler already"
        );
        faults.check(maker.check());
    }
    faults.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::{Config, read};

    fn makers(text: &str) -> anyhow::Result<Vec<MarketMakerConfig>> {
        let config: Config = read::parse(text)?;
        check(&config.market_makers, config.fillers.iter().map(|filler| filler.name.as_str()))?;
        Ok(config.market_makers)
    }

    #[test]
    fn only_the_name_is_required() {
        let defaults = makers("[[market_makers]]\nname = \"house\"\n").unwrap().remove(0);
        let expected = InventoryConfig { name: "house".to_owned(), ..InventoryConfig::default() };
        assert_eq!(defaults.inventory().unwrap(), expected);
        assert_eq!(defaults.key_variable(), "CAUSEWAY_MARKET_MAKER_HOUSE_KEY");
        let own = makers(
            "[[market_makers]]\nname = \"east-1\"\nmin_order_usd = \"5\"\nmax_order_usd = \"1000.50\"\n\
             max_unclaimed_usd = \"20000\"\nmax_daily_loss_usd = \"100\"\nspreads = { stable = [1, 2, 3] }\n",
        );
        let own = own.unwrap().remove(0);
        let settings = own.inventory().unwrap();
        assert_eq!(settings.max_order.to_string(), "1000.50");
        assert_eq!(settings.spreads.stable, Spread::by_size(1, 2, 3));
        assert_eq!(settings.spreads.volatile, Spreads::default().volatile);
        assert_eq!(own.solana_key_variable(), "CAUSEWAY_MARKET_MAKER_EAST_1_SOLANA_KEY");
    }

    #[test]
    fn invalid_setting_is_rejected_with_its_key() {
        for (text, words) in [
            ("name = \"a b\"", "market_makers: a name"),
            ("name = \"a\"\nmax_order_usd = \"many\"", "market_makers.a.max_order_usd"),
            ("name = \"a\"\nmin_order_usd = \"10\"\nmax_order_usd = \"9\"", "min_order_usd is above"),
            ("name = \"a\"\nspreads = { volatile = [1, 2, 1000000] }", "market_makers.a.spreads"),
            ("name = \"a\"\nchains = [0]", "market_makers.a.chains"),
            ("name = \"a\"\nsolana_payee = \"0x12\"", "market_makers.a.solana_payee"),
            (
                "name = \"a\"\npayee = \"0x0000000000000000000000000000000000000000\"",
                "payee must not be the zero address",
            ),
            ("name = \"a\"\n[[market_makers]]\nname = \"a\"", "belongs to another filler"),
            ("name = \"a\"\nkey = \"hush\"", "unknown field `key`"),
        ] {
            let error = makers(&format!("[[market_makers]]\n{text}\n")).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{text}: {error:#}");
        }
        let elsewhere = "[[fillers]]\nname = \"a\"\nkind = \"oif\"\nurl = \"https://far.example\"\n";
        assert!(makers(&format!("{elsewhere}[[market_makers]]\nname = \"a\"\n")).is_err());
    }
}
