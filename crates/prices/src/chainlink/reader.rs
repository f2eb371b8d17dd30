use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{ContractCall, ContractReader};
use causeway_domain::{Address, ChainId};
use futures::future::join_all;
use jiff::Timestamp;

use super::round::Round;
use crate::source::{PriceResult, PriceResults, ReadError, Reader};

/// `latestRoundData()` and `decimals()`.
const LATEST_ROUND_DATA: [u8; 4] = [0xfe, 0xaf, 0x96, 0x8c];
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];

/// An aggregator contract with the dollar price of a coin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    pub coin: String,
    pub chain: ChainId,
    pub address: Address,
    /// Maximum time between updates.
    pub heartbeat: Duration,
}

/// The uptime feed of a rollup's sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequencer {
    pub chain: ChainId,
    pub address: Address,
}

/// Chainlink settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainlinkConfig {
    /// In order of preference: the first fresh price of a coin is used.
    pub feeds: Vec<Feed>,
    pub sequencers: Vec<Sequencer>,
    /// Added to each heartbeat, because transactions take time.
    pub slack: Duration,
    /// How long a sequencer must be up before the feeds of its chain count.
    pub grace: Duration,
}

impl Default for ChainlinkConfig {
    fn default() -> Self {
        Self {
            feeds: Vec::new(),
            sequencers: Vec::new(),
            slack: Duration::from_mins(5),
            grace: Duration::from_hours(1),
        }
    }
}

/// The feeds on one chain.
struct ChainFeeds {
    reader: Arc<dyn ContractReader>,
    sequencer: Option<Address>,
    /// With their index in the configured order.
    feeds: Vec<(usize, Feed)>,
}

/// Reads aggregators on all available chains.
pub struct ChainlinkReader {
    chains: Vec<ChainFeeds>,
    slack: Duration,
    grace: Duration,
}

impl fmt::Debug for ChainlinkReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chains: Vec<ChainId> = self.chains.iter().map(|chain_feeds| chain_feeds.reader.chain()).collect();
        f.debug_struct("ChainlinkReader").field("chains", &chains).finish_non_exhaustive()
    }
}

impl ChainlinkReader {
    /// Feeds on chains without a reader are skipped.
    pub fn new(config: ChainlinkConfig, readers: Vec<Arc<dyn ContractReader>>) -> Self {
        let ChainlinkConfig { feeds, sequencers, slack, grace } = config;
        let feeds: Vec<(usize, Feed)> = feeds.into_iter().enumerate().collect();
        let chain_feeds = |reader: Arc<dyn ContractReader>| {
            let chain = reader.chain();
            let here = feeds.iter().filter(|(_, feed)| feed.chain == chain).cloned().collect();
            let sequencer = sequencers.iter().find(|sequencer| sequencer.chain == chain);
            ChainFeeds { reader, sequencer: sequencer.map(|sequencer| sequencer.address), feeds: here }
        };
        let chains = readers.into_iter().map(chain_feeds).filter(|chain_feeds| !chain_feeds.feeds.is_empty());
        Self { chains: chains.collect(), slack, grace }
    }

    /// The result of each feed on one chain.
    async fn read_chain(
        &self,
        chain_feeds: &ChainFeeds,
        now: Timestamp,
    ) -> Vec<(usize, String, PriceResult)> {
        let answers = chain_feeds.reader.read(&chain_feeds.calls()).await;
        let checked = |feed: &Feed, answers: Option<&[Option<Vec<u8>>]>, up: &Result<(), String>| {
            up.clone()?;
            let [round, decimals] = answers.unwrap_or_default() else {
                return Err("no answer".to_owned());
            };
            self.price(feed, round.as_deref(), decimals.as_deref(), now)
        };
        let chain = chain_feeds.reader.chain();
        let on_chain = |result: PriceResult| result.map_err(|why| format!("on chain {chain}: {why}"));
        match answers {
            Err(error) => {
                let result = || Err(error.to_string());
                chain_feeds.feeds.iter().map(|(at, feed)| (*at, feed.coin.clone(), result())).collect()
            }
            Ok(answers) => {
                let (feeds, rest) = answers.as_chunks::<2>();
                let up = self.check_sequencer(chain_feeds, rest.first().and_then(Option::as_deref), now);
                let feeds = feeds.iter().map(<[_; 2]>::as_slice).map(Some).chain(std::iter::repeat(None));
                let results = chain_feeds.feeds.iter().zip(feeds).map(|((at, feed), answers)| {
                    (*at, feed.coin.clone(), on_chain(checked(feed, answers, &up)))
                });
                results.collect()
            }
        }
    }

    fn check_sequencer(
        &self,
        chain_feeds: &ChainFeeds,
        answer: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<(), String> {
        if chain_feeds.sequencer.is_none() {
            return Ok(());
        }
        let round = answer.and_then(Round::read);
        let round = round.ok_or("there is no sequencer feed at the configured address")?;
        round.sequencer_is_up(self.grace, now)
    }

    fn price(
        &self,
        feed: &Feed,
        round: Option<&[u8]>,
        decimals: Option<&[u8]>,
        now: Timestamp,
    ) -> PriceResult {
        let decimals = decimals.and_then(|answer| <[u8; 32]>::try_from(answer).ok());
        let decimals = decimals.and_then(|word| u64::try_from(U256::from_be_bytes(word)).ok());
        let (Some(round), Some(decimals)) = (round.and_then(Round::read), decimals) else {
            return Err(format!("there is no price feed at {}", feed.address));
        };
        round.price(decimals, feed.heartbeat.saturating_add(self.slack), now)
    }
}

impl ChainFeeds {
    /// Two calls for each feed, then one for the sequencer.
    fn calls(&self) -> Vec<ContractCall> {
        let call = |to: Address, selector: [u8; 4]| ContractCall { to, data: selector.to_vec() };
        let feeds = self.feeds.iter();
        let feeds =
            feeds.flat_map(|(_, feed)| [LATEST_ROUND_DATA, DECIMALS].map(|what| call(feed.address, what)));
        feeds.chain(self.sequencer.map(|to| call(to, LATEST_ROUND_DATA))).collect()
    }
}

#[async_trait]
impl Reader for ChainlinkReader {
    fn name(&self) -> &'static str {
        "chainlink"
    }

    fn coins(&self) -> Vec<String> {
        self.chains
            .iter()
            .flat_map(|chain_feeds| &chain_feeds.feeds)
            .map(|(_, feed)| feed.coin.clone())
            .collect()
    }

    async fn read(&self, now: Timestamp) -> Result<PriceResults, ReadError> {
        let results = join_all(self.chains.iter().map(|chain_feeds| self.read_chain(chain_feeds, now))).await;
        let mut results: Vec<_> = results.into_iter().flatten().collect();
        results.sort_by_key(|(at, ..)| *at);
        Ok(best(results, now))
    }
}

/// The first fresh price of each coin, else the first price, else the first error.
fn best(results: Vec<(usize, String, PriceResult)>, now: Timestamp) -> PriceResults {
    let quality = |result: &PriceResult| match result {
        Ok(observation) if observation.age(now) <= observation.valid_for => 2,
        Ok(_) => 1,
        Err(_) => 0,
    };
    let mut chosen: HashMap<String, PriceResult> = HashMap::new();
    for (_, coin, result) in results {
        match chosen.get(&coin) {
            Some(known) if quality(known) >= quality(&result) => {}
            _ => drop(chosen.insert(coin, result)),
        }
    }
    chosen
}

#[cfg(test)]
mod tests;
