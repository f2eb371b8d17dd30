use std::collections::BTreeMap;

use anyhow::Context as _;
use causeway_domain::UsdPrice;
use serde::{Deserialize, Serialize};

/// Where prices come from.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PricesConfig {
    /// Dollars per whole token by coin, for instance `ethereum = "3000"`; on top of the sandbox's own table.
    pub(crate) fixed: BTreeMap<String, String>,
}

impl PricesConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.fixed().map(drop)
    }

    pub(crate) fn fixed(&self) -> anyhow::Result<Vec<(&str, UsdPrice)>> {
        let parse = |(coin, price): (&'_ String, &String)| {
            let words = || format!("prices.fixed.{coin} is not a decimal number in quotes");
            price.parse().with_context(words)
        };
        let prices: Vec<UsdPrice> = self.fixed.iter().map(parse).collect::<anyhow::Result<_>>()?;
        Ok(self.fixed.keys().map(String::as_str).zip(prices).collect())
    }
}
