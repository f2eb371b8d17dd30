use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::{Address, ChainId, Family};
use causeway_prices::KnownFeeds;
use causeway_prices::chainlink::{ChainlinkConfig, Feed, Sequencer};
use causeway_prices::coingecko::CoinGeckoPlan;
use serde::{Deserialize, Serialize};

use crate::boot::config::Mode;
use crate::boot::config::secret::Secret;
use crate::boot::config::web_address::WebAddress;

/// Aggregator contracts of Chainlink.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ChainlinkPrices {
    /// Whether the bundled feeds are used; never in the sandbox, whose chains do not have them.
    pub(crate) bundled: bool,
    pub(crate) every_seconds: u64,
    /// Added to each feed's heartbeat.
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
    pub(crate) url: Option<WebAddress>,
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
    pub(crate) url: Option<WebAddress>,
    pub(crate) api_key: Option<Secret>,
    pub(crate) plan: Plan,
    pub(crate) every_seconds: u64,
    pub(crate) max_age_seconds: u64,
    /// CoinGecko's ids by coin, where they differ from ours.
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

/// The CoinGecko plan of the API key.
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

impl ChainlinkPrices {
    /// The feeds to read: the configured ones first, then the bundled ones.
    pub(crate) fn source(&self, mode: Mode) -> anyhow::Result<ChainlinkConfig> {
        let parse_location = |what: &str, chain: u64, address: &str| -> anyhow::Result<(ChainId, Address)> {
            let chain = ChainId::new(chain).filter(|chain| chain.family() == Family::Evm);
            let chain =
                chain.with_context(|| format!("prices.chainlink.{what}: the chain is no EVM chain"))?;
            let address = Address::parse(Family::Evm, address);
            Ok((chain, address.with_context(|| format!("prices.chainlink.{what}: the address is none"))?))
        };
        let feed = |feed: &FeedConfig| {
            let (chain, address) = parse_location("feeds", feed.chain, &feed.address)?;
            let heartbeat = Duration::from_secs(feed.heartbeat_seconds);
            Ok(Feed { coin: feed.coin.clone(), chain, address, heartbeat })
        };
        let sequencer = |sequencer: &SequencerConfig| {
            let (chain, address) = parse_location("sequencers", sequencer.chain, &sequencer.address)?;
            Ok(Sequencer { chain, address })
        };
        let mut feeds = self.feeds.iter().map(feed).collect::<anyhow::Result<Vec<_>>>()?;
        let mut sequencers = self.sequencers.iter().map(sequencer).collect::<anyhow::Result<Vec<_>>>()?;
        if mode == Mode::Production {
            let known = KnownFeeds::load()?;
            // The first of two for one chain counts, so own feeds never drop the sequencer check.
            sequencers.extend(known.sequencers);
            if self.bundled {
                feeds.extend(known.chainlink);
            }
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
