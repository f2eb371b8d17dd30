mod sources;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::UsdPrice;
use causeway_prices::MedianRules;
use serde::{Deserialize, Serialize};

pub(crate) use sources::{ChainlinkPrices, CoinGeckoPrices, PythPrices};

use super::Mode;
use super::faults::{Faults, demand};
use super::secret::Secret;

/// The maximum of `least_sources`.
const MAX_SOURCES: usize = 8;

/// The price sources.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PricesConfig {
    /// Dollars per whole token by coin, for instance `ethereum = "3000"`: on top of the sandbox's own table, and in
    /// production one source among the others.
    pub(crate) fixed: BTreeMap<String, String>,
    pub(crate) median: MedianConfig,
    pub(crate) chainlink: Option<ChainlinkPrices>,
    pub(crate) pyth: Option<PythPrices>,
    pub(crate) coingecko: Option<CoinGeckoPrices>,
}

/// How several sources are combined.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MedianConfig {
    /// How long a reading is valid.
    pub(crate) max_age_seconds: u64,
    /// How far apart sources may be, in hundredths of a percent of their median.
    pub(crate) max_spread_bps: u32,
    /// How many sources must have a fresh price: two in production and one in the sandbox unless it is set.
    pub(crate) least_sources: Option<usize>,
}

impl Default for MedianConfig {
    fn default() -> Self {
        Self { max_age_seconds: 120, max_spread_bps: 150, least_sources: None }
    }
}

impl PricesConfig {
    /// Keys from the environment, for the sources that are configured.
    pub(super) fn read_environment(&mut self) {
        let key = |name: &str| std::env::var(name).ok().map(Secret::new);
        if let Some(pyth) = &mut self.pyth {
            pyth.api_key = key("CAUSEWAY_PYTH_API_KEY").or(pyth.api_key.take());
        }
        if let Some(coingecko) = &mut self.coingecko {
            coingecko.api_key = key("CAUSEWAY_COINGECKO_API_KEY").or(coingecko.api_key.take());
        }
    }

    pub(super) fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        faults.check(self.fixed());
        let median = &self.median;
        demand!(faults, median.max_age_seconds > 0, "prices.median.max_age_seconds must be at least 1");
        demand!(
            faults,
            median.max_spread_bps <= 10_000,
            "prices.median.max_spread_bps must be at most 10000"
        );
        let least = median.least_sources.unwrap_or(1);
        demand!(
            faults,
            (1..=MAX_SOURCES).contains(&least),
            "prices.median.least_sources must be between 1 and {MAX_SOURCES}"
        );
        let intervals = [
            ("chainlink", self.chainlink.as_ref().map(|source| source.every_seconds)),
            ("pyth", self.pyth.as_ref().map(|source| source.every_seconds)),
            ("coingecko", self.coingecko.as_ref().map(|source| source.every_seconds)),
        ];
        for (name, every) in intervals.into_iter().filter_map(|(name, every)| Some((name, every?))) {
            demand!(
                faults,
                (1..median.max_age_seconds).contains(&every),
                "prices.{name}.every_seconds must be at least 1 and below prices.median.max_age_seconds, \
                 or its prices are too old before they are read again"
            );
        }
        if let Some(chainlink) = &self.chainlink {
            faults.check(chainlink.source(mode));
        }
        if let Some(pyth) = &self.pyth {
            demand!(
                faults,
                pyth.api_key.is_some() || pyth.url.is_some(),
                "prices.pyth.api_key is required: Hermes takes no request without a key since August 2026. Set it, or \
                 CAUSEWAY_PYTH_API_KEY, or name another server in prices.pyth.url"
            );
        }
        faults.end()
    }

    pub(crate) fn fixed(&self) -> anyhow::Result<Vec<(&str, UsdPrice)>> {
        let parse = |(coin, price): (&'_ String, &String)| {
            let words = || format!("prices.fixed.{coin} is not a decimal number in quotes");
            price.parse().with_context(words)
        };
        let prices: Vec<UsdPrice> = self.fixed.iter().map(parse).collect::<anyhow::Result<_>>()?;
        Ok(self.fixed.keys().map(String::as_str).zip(prices).collect())
    }

    /// Whether any source other than the fixed table is configured.
    pub(crate) const fn has_sources(&self) -> bool {
        self.chainlink.is_some() || self.pyth.is_some() || self.coingecko.is_some()
    }

    pub(crate) fn rules(&self, mode: Mode) -> MedianRules {
        let defaults = match mode {
            Mode::Sandbox => 1,
            Mode::Production => 2,
        };
        MedianRules {
            max_age: Duration::from_secs(self.median.max_age_seconds),
            max_spread: self.median.max_spread_bps.saturating_mul(100),
            min_sources: self.median.least_sources.unwrap_or(defaults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::{Config, read};

    fn prices(text: &str) -> anyhow::Result<PricesConfig> {
        Ok(read::parse::<Config>(text)?.prices)
    }

    #[test]
    fn rule_14_two_sources_in_production_and_one_in_the_sandbox_unless_it_is_set() {
        let config = prices("").unwrap();
        assert_eq!(
            (config.rules(Mode::Production).min_sources, config.rules(Mode::Sandbox).min_sources),
            (2, 1)
        );
        let config = prices("[prices.median]\nleast_sources = 3\n").unwrap();
        assert_eq!(
            (config.rules(Mode::Production).min_sources, config.rules(Mode::Sandbox).min_sources),
            (3, 3)
        );
        assert_eq!(prices("").unwrap().rules(Mode::Production), MedianRules::default());
    }

    #[test]
    fn source_needs_only_its_section_and_its_key_is_redacted() {
        let config =
            prices("[prices.pyth]\napi_key = \"hunter2\"\n[prices.chainlink]\n[prices.coingecko]\n").unwrap();
        assert!(config.has_sources() && !prices("").unwrap().has_sources());
        config.check(Mode::Production).unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
        let chainlink = config.chainlink.unwrap();
        assert!(!chainlink.source(Mode::Production).unwrap().feeds.is_empty());
        let own = ChainlinkPrices { bundled: false, ..chainlink.clone() }.source(Mode::Production).unwrap();
        assert!(own.feeds.is_empty() && !own.sequencers.is_empty(), "the sequencer is still checked");
        assert!(
            chainlink.source(Mode::Sandbox).unwrap().feeds.is_empty(),
            "sandbox chains have no such contracts"
        );
    }

    #[test]
    fn invalid_price_setting_is_rejected_with_its_key() {
        let feed = "[[prices.chainlink.feeds]]\ncoin = \"ethereum\"\nheartbeat_seconds = 1\n";
        for (text, words) in [
            ("[prices.median]\nleast_sources = 0\n", "prices.median.least_sources"),
            ("[prices.median]\nmax_spread_bps = 10001\n", "prices.median.max_spread_bps"),
            ("[prices.pyth]\nevery_seconds = 120\n", "prices.pyth.every_seconds"),
            ("[prices.pyth]\n", "prices.pyth.api_key is required"),
            ("[prices.coingecko]\nevery_seconds = 0\n", "prices.coingecko.every_seconds"),
            (&format!("{feed}chain = 20011000000\naddress = \"0x\"\n"), "prices.chainlink.feeds"),
            (&format!("{feed}chain = 1\naddress = \"0x12\"\n"), "the address is none"),
        ] {
            let error = prices(text).unwrap().check(Mode::Production).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{text}: {error:#}");
        }
        assert!(prices("[prices.pyth]\nkey = 1\n").is_err());
    }
}
