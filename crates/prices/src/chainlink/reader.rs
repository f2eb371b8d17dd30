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
use crate::source::{ReadFault, Reader, Word, Words};

/// `latestRoundData()` and `decimals()`.
const LATEST_ROUND_DATA: [u8; 4] = [0xfe, 0xaf, 0x96, 0x8c];
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];

/// An aggregator that tells the price of a coin in dollars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    pub coin: String,
    pub chain: ChainId,
    pub address: Address,
    /// How often it tells a price even where nothing has changed.
    pub heartbeat: Duration,
}

/// The feed that tells whether a rollup's sequencer is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequencer {
    pub chain: ChainId,
    pub address: Address,
}

/// Which aggregators are asked, and how long their answers count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainlinkConfig {
    /// Those of one coin are tried in this order: the first with a fresh price is taken.
    pub feeds: Vec<Feed>,
    pub sequencers: Vec<Sequencer>,
    /// What is added to each heartbeat, since a transaction takes its time.
    pub slack: Duration,
    /// How long a sequencer must have been up again before the feeds of its chain are believed.
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

/// One chain with the feeds that lie there.
struct Place {
    reader: Arc<dyn ContractReader>,
    sequencer: Option<Address>,
    /// With their places in the order of all feeds.
    feeds: Vec<(usize, Feed)>,
}

/// Reads aggregators on every chain that can be read.
pub struct ChainlinkReader {
    places: Vec<Place>,
    slack: Duration,
    grace: Duration,
}

impl fmt::Debug for ChainlinkReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chains: Vec<ChainId> = self.places.iter().map(|place| place.reader.chain()).collect();
        f.debug_struct("ChainlinkReader").field("chains", &chains).finish_non_exhaustive()
    }
}

impl ChainlinkReader {
    /// Feeds on chains without a reader are left out.
    pub fn new(config: ChainlinkConfig, readers: Vec<Arc<dyn ContractReader>>) -> Self {
        let ChainlinkConfig { feeds, sequencers, slack, grace } = config;
        let feeds: Vec<(usize, Feed)> = feeds.into_iter().enumerate().collect();
        let place = |reader: Arc<dyn ContractReader>| {
            let chain = reader.chain();
            let here = feeds.iter().filter(|(_, feed)| feed.chain == chain).cloned().collect();
            let sequencer = sequencers.iter().find(|sequencer| sequencer.chain == chain);
            Place { reader, sequencer: sequencer.map(|sequencer| sequencer.address), feeds: here }
        };
        let places = readers.into_iter().map(place).filter(|place| !place.feeds.is_empty());
        Self { places: places.collect(), slack, grace }
    }

    /// What each feed of one chain says.
    async fn ask(&self, place: &Place, now: Timestamp) -> Vec<(usize, String, Word)> {
        let answers = place.reader.read(&place.calls()).await;
        let judged = |feed: &Feed, answers: Option<&[Option<Vec<u8>>]>, up: &Result<(), String>| {
            up.clone()?;
            let [round, decimals] = answers.unwrap_or_default() else {
                return Err("has no answer".to_owned());
            };
            self.judge(feed, round.as_deref(), decimals.as_deref(), now)
        };
        let chain = place.reader.chain();
        let on_chain = |word: Word| word.map_err(|why| format!("on chain {chain}: {why}"));
        match answers {
            Err(error) => {
                let word = || Err(error.to_string());
                place.feeds.iter().map(|(at, feed)| (*at, feed.coin.clone(), word())).collect()
            }
            Ok(answers) => {
                let (feeds, rest) = answers.as_chunks::<2>();
                let up = self.is_up(place, rest.first().and_then(Option::as_deref), now);
                let feeds = feeds.iter().map(<[_; 2]>::as_slice).map(Some).chain(std::iter::repeat(None));
                let words = place.feeds.iter().zip(feeds).map(|((at, feed), answers)| {
                    (*at, feed.coin.clone(), on_chain(judged(feed, answers, &up)))
                });
                words.collect()
            }
        }
    }

    fn is_up(&self, place: &Place, answer: Option<&[u8]>, now: Timestamp) -> Result<(), String> {
        if place.sequencer.is_none() {
            return Ok(());
        }
        let round = answer.and_then(Round::read);
        let round = round.ok_or("there is no sequencer feed at the configured address")?;
        round.sequencer_is_up(self.grace, now)
    }

    fn judge(&self, feed: &Feed, round: Option<&[u8]>, decimals: Option<&[u8]>, now: Timestamp) -> Word {
        let decimals = decimals.and_then(|answer| <[u8; 32]>::try_from(answer).ok());
        let decimals = decimals.and_then(|word| u64::try_from(U256::from_be_bytes(word)).ok());
        let (Some(round), Some(decimals)) = (round.and_then(Round::read), decimals) else {
            return Err(format!("there is no price feed at {}", feed.address));
        };
        round.price(decimals, feed.heartbeat.saturating_add(self.slack), now)
    }
}

impl Place {
    /// Two questions for each feed, and one for the sequencer behind them.
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
        self.places.iter().flat_map(|place| &place.feeds).map(|(_, feed)| feed.coin.clone()).collect()
    }

    async fn read(&self, now: Timestamp) -> Result<Words, ReadFault> {
        let said = join_all(self.places.iter().map(|place| self.ask(place, now))).await;
        let mut said: Vec<_> = said.into_iter().flatten().collect();
        said.sort_by_key(|(at, ..)| *at);
        Ok(best(said, now))
    }
}

/// The first fresh price of each coin, else the first price, else what was said first.
fn best(said: Vec<(usize, String, Word)>, now: Timestamp) -> Words {
    let worth = |word: &Word| match word {
        Ok(sighting) if sighting.age(now) <= sighting.good_for => 2,
        Ok(_) => 1,
        Err(_) => 0,
    };
    let mut words: HashMap<String, Word> = HashMap::new();
    for (_, coin, word) in said {
        match words.get(&coin) {
            Some(known) if worth(known) >= worth(&word) => {}
            _ => drop(words.insert(coin, word)),
        }
    }
    words
}

#[cfg(test)]
mod tests;
