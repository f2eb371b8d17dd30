use alloy_primitives::keccak256;
use causeway_domain::ports::ChainError;

use super::*;

#[test]
fn the_selectors_are_those_of_the_interface() {
    assert_eq!(keccak256("latestRoundData()")[..4], LATEST_ROUND_DATA);
    assert_eq!(keccak256("decimals()")[..4], DECIMALS);
}

const NOW: i64 = 1_800_000_000;

/// A chain where every contract returns the same round, or nothing answers.
struct FakeChain(u64, Option<[i64; 2]>);

#[async_trait]
impl ContractReader for FakeChain {
    fn chain(&self) -> ChainId {
        ChainId::new(self.0).unwrap()
    }

    async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError> {
        let [answer, updated] = self.1.ok_or(ChainError::Unavailable(self.chain()))?;
        let words = |words: &[i64]| -> Vec<u8> {
            words.iter().flat_map(|word| U256::try_from(*word).unwrap().to_be_bytes::<32>()).collect()
        };
        let round = words(&[1, answer, NOW - 9_000, updated, 1]);
        let answer_call = |call: &ContractCall| match (call.to, call.data.as_slice()) {
            (Address::Solana(_), _) => None,
            (_, data) if data == DECIMALS => Some(words(&[8])),
            _ => Some(round.clone()),
        };
        Ok(calls.iter().map(answer_call).collect())
    }
}

fn feed(chain: u64) -> Feed {
    let address = Address::Evm([7; 20].into());
    let heartbeat = Duration::from_hours(1);
    Feed { coin: "ethereum".to_owned(), chain: ChainId::new(chain).unwrap(), address, heartbeat }
}

async fn read_one(config: ChainlinkConfig, chains: Vec<FakeChain>) -> PriceResult {
    let chains = chains.into_iter().map(|chain| Arc::new(chain) as Arc<dyn ContractReader>).collect();
    let reader = ChainlinkReader::new(config, chains);
    assert!(reader.coins().iter().all(|coin| coin == "ethereum"));
    let mut results = reader.read(Timestamp::from_second(NOW).unwrap()).await.unwrap();
    results.remove("ethereum").unwrap()
}

fn feeds(feeds: Vec<Feed>) -> ChainlinkConfig {
    ChainlinkConfig { feeds, ..ChainlinkConfig::default() }
}

#[tokio::test]
async fn the_first_feed_with_a_fresh_price_is_used() {
    let both = || feeds(vec![feed(1), feed(10), feed(999)]);
    let price = |result: PriceResult| result.unwrap().price.to_string();
    let fresh = |chain, answer| FakeChain(chain, Some([answer, NOW - 60]));
    let result = read_one(both(), vec![fresh(10, 200_000_000), fresh(1, 100_000_000)]).await;
    assert_eq!(price(result), "1");
    let result = read_one(both(), vec![FakeChain(1, None), fresh(10, 200_000_000)]).await;
    assert_eq!(price(result), "2");
    let stale = FakeChain(1, Some([100_000_000, NOW - 4_000]));
    let result = read_one(both(), vec![stale, fresh(10, 200_000_000)]).await;
    assert_eq!(price(result), "2");
    let result = read_one(both(), vec![FakeChain(1, None), FakeChain(10, None)]).await;
    assert_eq!(result.unwrap_err(), "chain 1 does not answer");
}

#[tokio::test]
async fn a_round_is_valid_for_its_heartbeat_plus_slack() {
    let result =
        read_one(feeds(vec![feed(1)]), vec![FakeChain(1, Some([100_000_000, NOW - 3_901]))]).await.unwrap();
    assert_eq!(result.valid_for, Duration::from_mins(65));
    assert!(result.age(Timestamp::from_second(NOW).unwrap()) > result.valid_for);
}

#[tokio::test]
async fn an_address_without_a_feed_is_reported_with_its_chain() {
    let nothing = Feed { address: Address::Solana([7; 32]), ..feed(1) };
    let result = read_one(feeds(vec![nothing]), vec![FakeChain(1, Some([1, NOW]))]).await;
    assert!(result.unwrap_err().starts_with("on chain 1: there is no price feed at "));
    let result = read_one(feeds(vec![feed(1)]), vec![FakeChain(1, Some([0, NOW]))]).await;
    assert!(result.unwrap_err().contains("answers 0"));
}

#[tokio::test]
async fn feeds_do_not_count_while_the_sequencer_is_down() {
    let chain = ChainId::new(10).unwrap();
    let with =
        |address| ChainlinkConfig { sequencers: vec![Sequencer { chain, address }], ..feeds(vec![feed(10)]) };
    // Every contract returns one, so the sequencer is down.
    let result = read_one(with(Address::Evm([8; 20].into())), vec![FakeChain(10, Some([1, NOW]))]).await;
    assert_eq!(result.unwrap_err(), "on chain 10: the chain's sequencer is down");
    let result = read_one(with(Address::Solana([8; 32])), vec![FakeChain(10, Some([1, NOW]))]).await;
    assert!(result.unwrap_err().contains("no sequencer feed"));
    assert!(read_one(feeds(vec![feed(10)]), vec![FakeChain(10, Some([1, NOW]))]).await.is_ok());
}
