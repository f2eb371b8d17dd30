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
    let with =
        |address| ChainlinkConfig { sequencers: vec![Sequencer { chain, address }], ..feeds(vec![feed(10)]) };
    // Everything on that chain answers one, the sequencer too: it is down.
    let word = ask(with(Address::Evm([8; 20].into())), vec![Alike(10, Some([1, NOW]))]).await;
    assert_eq!(word.unwrap_err(), "on chain 10: the chain's sequencer is down");
    let word = ask(with(Address::Solana([8; 32])), vec![Alike(10, Some([1, NOW]))]).await;
    assert!(word.unwrap_err().contains("no sequencer feed"));
    assert!(ask(feeds(vec![feed(10)]), vec![Alike(10, Some([1, NOW]))]).await.is_ok());
}
