use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, U256, address, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue as _, sol};
use causeway_domain::ports::{ContractCall, ContractReader as _};
use causeway_domain::{Address, ChainId};
use causeway_prices::Reader as _;
use causeway_prices::chainlink::{ChainlinkConfig, ChainlinkReader, Feed, Sequencer};
use jiff::Timestamp;

use crate::orders_chain::{SandboxChain, now, wallet};

sol! {
    function tell(int256 answer) external;
    function tellRound(uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn) external;
}

/// The CREATE2 proxy, which every sandbox chain has.
const CREATE2: EvmAddress = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
const ARTIFACT: &str = include_str!("../../../../contracts/evm/artifacts/PlayAggregator.json");
const HEARTBEAT: Duration = Duration::from_hours(1);

/// A rollup with a price feed of ether and a sequencer feed, behind real JSON-RPC.
struct Rollup {
    chain: SandboxChain,
    feed: EvmAddress,
    sequencer: EvmAddress,
}

impl Rollup {
    async fn start() -> Self {
        let chain = SandboxChain::start(10).await;
        let (feed, sequencer) = (deploy_feed(&chain, 1, 8).await, deploy_feed(&chain, 2, 0).await);
        let rollup = Self { chain, feed, sequencer };
        rollup.set_sequencer(0, 2 * HEARTBEAT).await;
        rollup
    }

    async fn set_answer(&self, answer: i64) {
        let answer = answer.try_into().unwrap();
        self.send(self.feed, tellCall { answer }.abi_encode()).await;
    }

    /// Sets a round that was answered `ago` in round `answered_in`.
    async fn set_round(&self, answer: i64, ago: Duration, answered_in: u64) {
        self.round(self.feed, answer, ago, answered_in).await;
    }

    /// Sets the sequencer status since a time.
    async fn set_sequencer(&self, status: i64, since: Duration) {
        self.round(self.sequencer, status, since, 7).await;
    }

    async fn round(&self, to: EvmAddress, answer: i64, ago: Duration, answered_in: u64) {
        let at = U256::from(now() - ago.as_secs());
        let call = tellRoundCall {
            id: 7u64.try_into().unwrap(),
            answer: answer.try_into().unwrap(),
            startedAt: at,
            updatedAt: at,
            answeredIn: answered_in.try_into().unwrap(),
        };
        self.send(to, call.abi_encode()).await;
    }

    async fn send(&self, to: EvmAddress, data: Vec<u8>) {
        self.chain.land(&wallet(0), to, U256::ZERO, data).await;
    }

    /// The price that the reader returns, or why there is none.
    async fn price(&self) -> Result<String, String> {
        let chain = ChainId::new(10).unwrap();
        let feed = Feed {
            coin: "ethereum".to_owned(),
            chain,
            address: Address::Evm(self.feed),
            heartbeat: HEARTBEAT,
        };
        let sequencer = Sequencer { chain, address: Address::Evm(self.sequencer) };
        let config = ChainlinkConfig { feeds: vec![feed], sequencers: vec![sequencer], ..Default::default() };
        let reader = ChainlinkReader::new(config, vec![Arc::new(self.chain.client.clone())]);
        let now = Timestamp::now();
        let quote = reader.read(now).await.unwrap().remove("ethereum").unwrap()?;
        let age = quote.age(now);
        if age > quote.valid_for {
            Err(format!("{} s old", age.as_secs()))
        } else {
            Ok(quote.price.to_string())
        }
    }
}

async fn deploy_feed(chain: &SandboxChain, salt: u8, decimals: u8) -> EvmAddress {
    let artifact: serde_json::Value = serde_json::from_str(ARTIFACT).unwrap();
    let code = hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap();
    let code = [code, U256::from(decimals).abi_encode()].concat();
    let salt = B256::repeat_byte(salt);
    chain.land(&wallet(0), CREATE2, U256::ZERO, [salt.as_slice(), &code].concat()).await;
    CREATE2.create2(salt, keccak256(code))
}

#[tokio::test]
async fn a_price_is_read_from_an_aggregator_over_rpc() {
    let rollup = Rollup::start().await;
    rollup.set_answer(350_012_345_678).await;
    assert_eq!(rollup.price().await.as_deref(), Ok("3500.12345678"));
    rollup.set_answer(350_000_000_000).await;
    assert_eq!(rollup.price().await.as_deref(), Ok("3500"));
    rollup.set_round(1, HEARTBEAT, 7).await;
    assert_eq!(rollup.price().await.as_deref(), Ok("0.00000001"), "as old as its heartbeat allows");
}

#[tokio::test]
async fn rounds_without_a_price_have_a_reason() {
    let rollup = Rollup::start().await;
    rollup.set_round(350_000_000_000, 2 * HEARTBEAT, 7).await;
    let stale = rollup.price().await.unwrap_err();
    assert!(stale.ends_with(" s old"), "{stale}");
    rollup.set_answer(0).await;
    assert!(rollup.price().await.unwrap_err().contains("answers 0"));
    rollup.set_answer(-5).await;
    assert!(rollup.price().await.unwrap_err().contains("answers -5"));
    rollup.set_round(350_000_000_000, Duration::ZERO, 6).await;
    assert!(rollup.price().await.unwrap_err().contains("an earlier round"));
}

#[tokio::test]
async fn rollup_feeds_are_rejected_while_the_sequencer_is_down_or_just_back() {
    let rollup = Rollup::start().await;
    rollup.set_answer(350_000_000_000).await;
    assert!(rollup.price().await.is_ok());
    rollup.set_sequencer(1, Duration::from_mins(1)).await;
    assert!(rollup.price().await.unwrap_err().contains("sequencer is down"));
    rollup.set_sequencer(0, Duration::from_mins(30)).await;
    assert!(rollup.price().await.unwrap_err().contains("sequencer has been up for"));
    rollup.set_sequencer(0, Duration::from_mins(61)).await;
    assert_eq!(rollup.price().await.as_deref(), Ok("3500"));
    let nothing = Rollup { sequencer: EvmAddress::repeat_byte(9), ..rollup };
    assert!(nothing.price().await.unwrap_err().contains("no sequencer feed"));
}

#[tokio::test]
async fn reverting_or_missing_contracts_do_not_affect_other_answers() {
    let rollup = Rollup::start().await;
    rollup.set_answer(5).await;
    let call = |to: EvmAddress, data: &[u8]| ContractCall { to: Address::Evm(to), data: data.to_vec() };
    let decimals = hex!("313ce567");
    let calls = [
        call(rollup.feed, &decimals),
        call(rollup.feed, &hex!("deadbeef")),
        call(EvmAddress::repeat_byte(9), &decimals),
    ];
    let answers = rollup.chain.client.read(&calls).await.unwrap();
    assert_eq!(answers, [Some(U256::from(8).abi_encode()), None, Some(Vec::new())]);
    let solana = ContractCall { to: Address::Solana([1; 32]), data: Vec::new() };
    assert!(rollup.chain.client.read(&[solana]).await.is_err());
}
