use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_domain::{Address, ChainId, Family, UsdPrice};
use causeway_prices::chainlink::{ChainlinkConfig, Feed, Sequencer};
use causeway_prices::coingecko::CoinGeckoPlan;
use causeway_prices::{KnownFeeds, MedianRules};
use serde::{Deserialize, Serialize};

use super::Mode;
use super::secret::Secret;

/// More sources than there are.
const MOST_SOURCES: usize = 8;

/// Where prices come from.
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

/// When several sources make one price.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MedianConfig {
    /// How long what was read of a source counts.
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

/// Aggregator contracts of Chainlink.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ChainlinkPrices {
    /// Whether the bundled feeds are used too; never in the sandbox, whose chains do not have them.
    pub(crate) bundled: bool,
    pub(crate) every_seconds: u64,
    /// What is added to each feed's heartbeat.
    pub(crate) slack_seconds: u64,
    /// How long a rollup's sequencer must have been up again.
    pub(crate) grace_seconds: u64,
    /// Tried before the bundled ones.
    pub(crate) feeds: Vec<FeedConfig>,
    pub(crate) sequencers: Vec<SequencerConfig>,
}

impl Default for ChainlinkPrices {
    fn default() -> Self {
        Self {
            bundled: true,
            every_seconds: 15,
            slack_seconds: 300,
            grace_seconds: 3_600,
            feeds: Vec::new(),
            sequencers: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedConfig {
    coin: String,
    chain: u64,
    address: String,
    heartbeat_seconds: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SequencerConfig {
    chain: u64,
    address: String,
}

/// Pyth's Hermes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PythPrices {
    pub(crate) url: Option<String>,
    pub(crate) api_key: Option<Secret>,
    pub(crate) every_seconds: u64,
    pub(crate) max_age_seconds: u64,
    /// How unsure Pyth may be, in hundredths of a percent of the price.
    pub(crate) max_confidence_bps: u32,
    /// Price ids by coin, over the bundled ones.
    pub(crate) ids: BTreeMap<String, String>,
}

impl Default for PythPrices {
    fn default() -> Self {
        Self {
            url: None,
            api_key: None,
            every_seconds: 5,
            max_age_seconds: 30,
            max_confidence_bps: 50,
            ids: BTreeMap::new(),
        }
    }
}

/// CoinGecko.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CoinGeckoPrices {
    pub(crate) url: Option<String>,
    pub(crate) api_key: Option<Secret>,
    pub(crate) plan: Plan,
    pub(crate) every_seconds: u64,
    pub(crate) max_age_seconds: u64,
    /// CoinGecko's ids by coin, where they are other than ours.
    pub(crate) ids: BTreeMap<String, String>,
}

impl Default for CoinGeckoPrices {
    fn default() -> Self {
        Self {
            url: None,
            api_key: None,
            plan: Plan::Demo,
            every_seconds: 60,
            max_age_seconds: 300,
            ids: BTreeMap::new(),
        }
    }
}

/// Which of CoinGecko's plans the key is of.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Plan {
    Demo,
    Pro,
}

impl From<Plan> for CoinGeckoPlan {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Demo => Self::Demo,
            Plan::Pro => Self::Pro,
        }
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
        self.fixed()?;
        let median = &self.median;
        ensure!(median.max_age_seconds > 0, "prices.median.max_age_seconds must be at least 1");
        ensure!(median.max_spread_bps <= 10_000, "prices.median.max_spread_bps must be at most 10000");
        let least = median.least_sources.unwrap_or(1);
        ensure!(
            (1..=MOST_SOURCES).contains(&least),
            "prices.median.least_sources must be between 1 and {MOST_SOURCES}"
        );
        let turns = [
            ("chainlink", self.chainlink.as_ref().map(|source| source.every_seconds)),
            ("pyth", self.pyth.as_ref().map(|source| source.every_seconds)),
            ("coingecko", self.coingecko.as_ref().map(|source| source.every_seconds)),
        ];
        for (name, every) in turns.into_iter().filter_map(|(name, every)| Some((name, every?))) {
            ensure!(
                (1..median.max_age_seconds).contains(&every),
                "prices.{name}.every_seconds must be at least 1 and below prices.median.max_age_seconds, \
                 or its prices are too old before they are read again"
            );
        }
        if let Some(chainlink) = &self.chainlink {
            chainlink.source(mode)?;
        }
        Ok(())
    }

    pub(crate) fn fixed(&self) -> anyhow::Result<Vec<(&str, UsdPrice)>> {
        let parse = |(coin, price): (&'_ String, &String)| {
            let words = || format!("prices.fixed.{coin} is not a decimal number in quotes");
            price.parse().with_context(words)
        };
        let prices: Vec<UsdPrice> = self.fixed.iter().map(parse).collect::<anyhow::Result<_>>()?;
        Ok(self.fixed.keys().map(String::as_str).zip(prices).collect())
    }

    /// Whether any source but the table is configured.
    pub(crate) const fn has_sources(&self) -> bool {
        self.chainlink.is_some() || self.pyth.is_some() || self.coingecko.is_some()
    }

    pub(crate) fn rules(&self, mode: Mode) -> MedianRules {
        let usual = match mode {
            Mode::Sandbox => 1,
            Mode::Production => 2,
        };
        MedianRules {
            max_age: Duration::from_secs(self.median.max_age_seconds),
            max_spread: self.median.max_spread_bps.saturating_mul(100),
            least: self.median.least_sources.unwrap_or(usual),
        }
    }
}

impl ChainlinkPrices {
    /// The feeds that are asked: the operator's own first, then those that are bundled.
    pub(crate) fn source(&self, mode: Mode) -> anyhow::Result<ChainlinkConfig> {
        let place = |what: &str, chain: u64, address: &str| -> anyhow::Result<(ChainId, Address)> {
            let chain = ChainId::new(chain).filter(|chain| chain.family() == Family::Evm);
            let chain = chain.with_context(|| format!("prices.chainlink.{what}: the chain is no EVM chain"))?;
            let address = Address::parse(Family::Evm, address);
            Ok((chain, address.with_context(|| format!("prices.chainlink.{what}: the address is none"))?))
        };
        let feed = |feed: &FeedConfig| {
            let (chain, address) = place("feeds", feed.chain, &feed.address)?;
            let heartbeat = Duration::from_secs(feed.heartbeat_seconds);
            Ok(Feed { coin: feed.coin.clone(), chain, address, heartbeat })
        };
        let sequencer = |sequencer: &SequencerConfig| {
            let (chain, address) = place("sequencers", sequencer.chain, &sequencer.address)?;
            Ok(Sequencer { chain, address })
        };
        let mut feeds = self.feeds.iter().map(feed).collect::<anyhow::Result<Vec<_>>>()?;
        let mut sequencers = self.sequencers.iter().map(sequencer).collect::<anyhow::Result<Vec<_>>>()?;
        if self.bundled && mode == Mode::Production {
            let known = KnownFeeds::load()?;
            feeds.extend(known.chainlink);
            sequencers.extend(known.sequencers);
        }
        let (slack, grace) = (self.slack_seconds, self.grace_seconds);
        Ok(ChainlinkConfig {
            feeds,
            sequencers,
            slack: Duration::from_secs(slack),
            grace: Duration::from_secs(grace),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, read};

    fn prices(text: &str) -> anyhow::Result<PricesConfig> {
        Ok(read::parse::<Config>(text)?.prices)
    }

    #[test]
    fn rule_14_two_sources_in_production_and_one_in_the_sandbox_unless_it_is_set() {
        let config = prices("").unwrap();
        assert_eq!((config.rules(Mode::Production).least, config.rules(Mode::Sandbox).least), (2, 1));
        let config = prices("[prices.median]\nleast_sources = 3\n").unwrap();
        assert_eq!((config.rules(Mode::Production).least, config.rules(Mode::Sandbox).least), (3, 3));
        assert_eq!(prices("").unwrap().rules(Mode::Production), MedianRules::default());
    }

    #[test]
    fn naming_a_source_is_enough_and_its_key_does_not_show() {
        let config = prices("[prices.pyth]\napi_key = \"hunter2\"\n[prices.chainlink]\n[prices.coingecko]\n").unwrap();
        assert!(config.has_sources() && !prices("").unwrap().has_sources());
        config.check(Mode::Production).unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
        let chainlink = config.chainlink.unwrap();
        assert!(!chainlink.source(Mode::Production).unwrap().feeds.is_empty());
        assert!(chainlink.source(Mode::Sandbox).unwrap().feeds.is_empty(), "play chains have no such contracts");
    }

    #[test]
    fn what_cannot_work_is_told_with_its_key() {
        let feed = "[[prices.chainlink.feeds]]\ncoin = \"ethereum\"\nheartbeat_seconds = 1\n";
        for (text, words) in [
            ("[prices.median]\nleast_sources = 0\n", "prices.median.least_sources"),
            ("[prices.median]\nmax_spread_bps = 10001\n", "prices.median.max_spread_bps"),
            ("[prices.pyth]\nevery_seconds = 120\n", "prices.pyth.every_seconds"),
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
