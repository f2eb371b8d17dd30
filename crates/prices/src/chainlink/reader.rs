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
mod tests {
    use alloy_primitives::keccak256;
    use causeway_domain::ports::ChainError;

    use super::*;

    #[test]
    fn the_selectors_are_those_of_the_interface() {
        assert_eq!(keccak256("latestRoundData()")[..4], LATEST_ROUND_DATA);
        assert_eq!(keccak256("decimals()")[..4], DECIMALS);
    }

    const NOW: i64 = 1_800_000_000;

    /// A chain on which everything answers alike, or nothing does.
    struct Alike(u64, Option<[i64; 2]>);

    #[async_trait]
    impl ContractReader for Alike {
        fn chain(&self) -> ChainId {
            ChainId::new(self.0).unwrap()
        }

        async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError> {
            let [answer, updated] = self.1.ok_or(ChainError::Unavailable(self.chain()))?;
            let words = |words: &[i64]| -> Vec<u8> {
                words.iter().flat_map(|word| U256::try_from(*word).unwrap().to_be_bytes::<32>()).collect()
            };
            let round = words(&[1, answer, NOW - 9_000, updated, 1]);
            let say = |call: &ContractCall| match (call.to, call.data.as_slice()) {
                (Address::Solana(_), _) => None,
                (_, data) if data == DECIMALS => Some(words(&[8])),
                _ => Some(round.clone()),
            };
            Ok(calls.iter().map(say).collect())
        }
    }

    fn feed(chain: u64) -> Feed {
        let address = Address::Evm([7; 20].into());
        let heartbeat = Duration::from_hours(1);
        Feed { coin: "ethereum".to_owned(), chain: ChainId::new(chain).unwrap(), address, heartbeat }
    }

    async fn ask(config: ChainlinkConfig, chains: Vec<Alike>) -> Word {
        let chains = chains.into_iter().map(|chain| Arc::new(chain) as Arc<dyn ContractReader>).collect();
        let reader = ChainlinkReader::new(config, chains);
        assert!(reader.coins().iter().all(|coin| coin == "ethereum"));
        let mut words = reader.read(Timestamp::from_second(NOW).unwrap()).await.unwrap();
        words.remove("ethereum").unwrap()
    }

    fn feeds(feeds: Vec<Feed>) -> ChainlinkConfig {
        ChainlinkConfig { feeds, ..ChainlinkConfig::default() }
    }

    #[tokio::test]
    async fn the_first_feed_with_a_fresh_price_is_taken() {
        let both = || feeds(vec![feed(1), feed(10), feed(999)]);
        let price = |word: Word| word.unwrap().price.to_string();
        let fresh = |chain, answer| Alike(chain, Some([answer, NOW - 60]));
        let word = ask(both(), vec![fresh(10, 200_000_000), fresh(1, 100_000_000)]).await;
        assert_eq!(price(word), "1");
        let word = ask(both(), vec![Alike(1, None), fresh(10, 200_000_000)]).await;
        assert_eq!(price(word), "2");
        let stale = Alike(1, Some([100_000_000, NOW - 4_000]));
        let word = ask(both(), vec![stale, fresh(10, 200_000_000)]).await;
        assert_eq!(price(word), "2");
        let word = ask(both(), vec![Alike(1, None), Alike(10, None)]).await;
        assert_eq!(word.unwrap_err(), "chain 1 does not answer");
    }

    #[tokio::test]
    async fn a_stale_round_is_told_with_its_age_and_counts_no_longer_than_its_heartbeat() {
        let word = ask(feeds(vec![feed(1)]), vec![Alike(1, Some([100_000_000, NOW - 3_901]))]).await.unwrap();
        assert_eq!(word.good_for, Duration::from_mins(65));
        assert!(word.age(Timestamp::from_second(NOW).unwrap()) > word.good_for);
    }

    #[tokio::test]
    async fn what_is_no_feed_is_named_with_its_chain() {
        let nothing = Feed { address: Address::Solana([7; 32]), ..feed(1) };
        let word = ask(feeds(vec![nothing]), vec![Alike(1, Some([1, NOW]))]).await;
        assert!(word.unwrap_err().starts_with("on chain 1: there is no price feed at "));
        let word = ask(feeds(vec![feed(1)]), vec![Alike(1, Some([0, NOW]))]).await;
        assert!(word.unwrap_err().contains("answers 0"));
    }

    #[tokio::test]
    async fn without_its_sequencer_no_feed_of_a_chain_is_believed() {
        let chain = ChainId::new(10).unwrap();
        let with = |address| ChainlinkConfig {
            sequencers: vec![Sequencer { chain, address }],
            ..feeds(vec![feed(10)])
        };
        // Everything on that chain answers one, the sequencer too: it is down.
        let word = ask(with(Address::Evm([8; 20].into())), vec![Alike(10, Some([1, NOW]))]).await;
        assert_eq!(word.unwrap_err(), "on chain 10: the chain's sequencer is down");
        let word = ask(with(Address::Solana([8; 32])), vec![Alike(10, Some([1, NOW]))]).await;
        assert!(word.unwrap_err().contains("no sequencer feed"));
        assert!(ask(feeds(vec![feed(10)]), vec![Alike(10, Some([1, NOW]))]).await.is_ok());
    }
}
