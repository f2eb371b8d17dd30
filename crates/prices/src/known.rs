use std::collections::BTreeMap;
use std::time::Duration;

use causeway_domain::{Address, ChainId, Family};
use serde::Deserialize;
use thiserror::Error;

use crate::chainlink::{Feed, Sequencer};

/// Invalid bundled data.
#[derive(Debug, Error)]
#[error("the bundled list of price feeds cannot be read: {0}")]
pub struct DataError(String);

/// The bundled public feeds of the well-known coins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFeeds {
    pub chainlink: Vec<Feed>,
    pub sequencers: Vec<Sequencer>,
    /// Pyth's id of each coin.
    pub pyth: BTreeMap<String, String>,
    /// CoinGecko's id of each coin whose name is not its id.
    pub coingecko: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainlinkFile {
    sequencers: Vec<SequencerRow>,
    feeds: Vec<FeedRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SequencerRow {
    chain: u64,
    address: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedRow {
    coin: String,
    chain: u64,
    address: String,
    heartbeat: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdsFile {
    ids: BTreeMap<String, String>,
}

impl KnownFeeds {
    pub fn load() -> Result<Self, DataError> {
        let chainlink: ChainlinkFile = parse(include_str!("../data/chainlink.toml"))?;
        let pyth: IdsFile = parse(include_str!("../data/pyth.toml"))?;
        let coingecko: IdsFile = parse(include_str!("../data/coingecko.toml"))?;
        let feed = |row: FeedRow| {
            let (chain, address) = contract(row.chain, &row.address)?;
            Ok(Feed { coin: row.coin, chain, address, heartbeat: Duration::from_secs(row.heartbeat) })
        };
        let sequencer = |row: SequencerRow| {
            let (chain, address) = contract(row.chain, &row.address)?;
            Ok(Sequencer { chain, address })
        };
        Ok(Self {
            chainlink: chainlink.feeds.into_iter().map(feed).collect::<Result<_, _>>()?,
            sequencers: chainlink.sequencers.into_iter().map(sequencer).collect::<Result<_, _>>()?,
            pyth: pyth.ids,
            coingecko: coingecko.ids,
        })
    }
}

fn parse<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, DataError> {
    toml::from_str(text).map_err(|error| DataError(error.to_string()))
}

fn contract(chain: u64, address: &str) -> Result<(ChainId, Address), DataError> {
    let invalid = || DataError(format!("{address} on chain {chain} is not a contract address"));
    let chain = ChainId::new(chain).filter(|chain| chain.family() == Family::Evm).ok_or_else(invalid)?;
    Ok((chain, Address::parse(Family::Evm, address).map_err(|_| invalid())?))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::pyth::{PythConfig, PythReader};

    /// Chains whose blocks are made by one sequencer.
    const ROLLUPS: [u64; 8] = [10, 130, 324, 5_000, 8_453, 42_161, 59_144, 747_474];

    #[test]
    fn the_bundled_feeds_are_valid() {
        let known = KnownFeeds::load().unwrap();
        let places: HashSet<_> = known.chainlink.iter().map(|feed| (feed.chain, feed.address)).collect();
        assert_eq!(places.len(), known.chainlink.len(), "duplicate feed");
        for feed in &known.chainlink {
            let text = include_str!("../data/chainlink.toml");
            assert!(text.contains(&feed.address.to_string()), "{} has a wrong checksum", feed.address);
            assert!((255..=86_400).contains(&feed.heartbeat.as_secs()), "{}", feed.coin);
            let sequencer = known.sequencers.iter().any(|sequencer| sequencer.chain == feed.chain);
            assert_eq!(sequencer, ROLLUPS.contains(&feed.chain.get()), "chain {}", feed.chain);
        }
        let ids = known.pyth.clone();
        assert!(PythReader::new(PythConfig { ids, ..PythConfig::default() }).is_ok());
        assert_eq!(known.pyth.values().collect::<HashSet<_>>().len(), known.pyth.len());
    }

    #[test]
    fn heartbeats_and_ids_are_those_that_were_compared_with_public_sources() {
        let known = KnownFeeds::load().unwrap();
        let heartbeat = |coin: &str, chain: u64| {
            let feed = known.chainlink.iter().find(|feed| feed.coin == coin && feed.chain.get() == chain);
            feed.unwrap().heartbeat.as_secs()
        };
        for (coin, chain, seconds) in [
            ("optimism", 10, 1_200),
            ("ethereum", 42_161, 1_755),
            ("usd-coin", 42_161, 255),
            ("tether", 42_161, 255),
            ("usd-coin", 1, 82_800),
        ] {
            assert_eq!(heartbeat(coin, chain), seconds, "{coin} on {chain}");
        }
        assert_eq!(known.coingecko.len(), 11);
        assert_eq!(known.coingecko["wrapped-pol"], "wmatic");
        for coin in known.coingecko.keys() {
            assert!(crate::sandbox_price(coin).is_some(), "{coin} is no coin of the catalog");
        }
    }

    #[test]
    fn the_main_assets_have_two_sources_without_coingecko() {
        let known = KnownFeeds::load().unwrap();
        let main = ["ethereum", "wrapped-bitcoin", "usd-coin", "tether", "dai", "solana", "binancecoin"];
        for coin in main.into_iter().chain(["polygon-ecosystem-token", "avalanche-2", "arbitrum", "optimism"])
        {
            assert!(known.chainlink.iter().any(|feed| feed.coin == coin), "{coin} has no Chainlink feed");
            assert!(known.pyth.contains_key(coin), "{coin} has no Pyth id");
        }
    }
}
