use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, address, hex, keccak256};
use axum::Router;
use axum::routing::get;
use causeway_domain::ChainId;
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Signer, TxRequest};
use causeway_sandbox::genesis::EvmGenesis;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::service::{Service, data_dir};

const CHAIN: u64 = 10;
const USDC: &str = "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85";
const NATIVE: &str = "0x0000000000000000000000000000000000000000";
const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/// The deterministic CREATE2 deployer, which every sandbox chain has.
const CREATE2: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
const ARTIFACT: &str = include_str!("../../contracts/evm/artifacts/PlayAggregator.json");

/// The ids that Pyth has for ether and USDC, as bundled.
const PYTH_ETHER: &str = "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace";
const PYTH_USDC: &str = "eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a";

/// A test aggregator with a deterministic address.
#[derive(Clone, Copy)]
struct Aggregator(u8);

impl Aggregator {
    fn code() -> Vec<u8> {
        let artifact: Value = serde_json::from_str(ARTIFACT).unwrap();
        let code = hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap();
        [code, U256::from(8).to_be_bytes_vec()].concat()
    }

    fn address(self) -> Address {
        CREATE2.create2(B256::repeat_byte(self.0), keccak256(Self::code()))
    }

    /// The call that makes it answer this, since so many seconds.
    fn round(answer: u64, since: i64) -> Vec<u8> {
        let at = U256::try_from(Timestamp::now().as_second() - since).unwrap();
        let fields = [U256::ONE, U256::from(answer), at, at, U256::ONE];
        let mut data = keccak256("tellRound(uint80,int256,uint256,uint256,uint80)")[..4].to_vec();
        data.extend(fields.iter().flat_map(U256::to_be_bytes::<32>));
        data
    }
}

const ETHER: Aggregator = Aggregator(1);
const DOLLAR: Aggregator = Aggregator(2);
const SEQUENCER: Aggregator = Aggregator(3);

/// A service with price feeds on a sandbox rollup and a Pyth server on loopback.
struct Fixture {
    service: Service,
    chain: EvmClient,
    /// What Pyth says ether costs, in cents.
    pyth: Arc<Mutex<u64>>,
}

impl Fixture {
    async fn start(folder: &std::path::Path) -> Self {
        let pyth = Arc::new(Mutex::new(350_000));
        let url = serve_pyth(Arc::clone(&pyth)).await;
        let feed = |coin: &str, feed: Aggregator| {
            let address = feed.address();
            format!(
                "[[prices.chainlink.feeds]]\ncoin = \"{coin}\"\nchain = {CHAIN}\naddress = \"{address}\"\nheartbeat_seconds = 3600\n"
            )
        };
        let sequencer = SEQUENCER.address();
        let config = format!(
            "[prices.median]\nleast_sources = 2\n[prices.pyth]\nurl = \"{url}\"\nevery_seconds = 1\n\
             [prices.chainlink]\nevery_seconds = 1\nsequencers = [{{ chain = {CHAIN}, address = \"{sequencer}\" }}]\n{}{}",
            feed("ethereum", ETHER),
            feed("usd-coin", DOLLAR),
        );
        let service = Service::start_configured(folder, &config);
        let url = format!("{}/sandbox/rpc/{CHAIN}", service.url).parse().unwrap();
        let chain = EvmClient::new(ChainId::new(CHAIN).unwrap(), EvmConfig::new([url])).unwrap();
        Self { service, chain, pyth }
    }

    async fn deploy(&self, feed: Aggregator) {
        let salt = B256::repeat_byte(feed.0);
        self.send(CREATE2, [salt.as_slice(), &Aggregator::code()].concat()).await;
    }

    async fn set_round(&self, feed: Aggregator, answer: u64, since: i64) {
        self.send(feed.address(), Aggregator::round(answer, since)).await;
    }

    /// Sends a transaction and waits for it.
    async fn send(&self, to: Address, data: Vec<u8>) {
        let key = EvmGenesis::new().unwrap().wallets()[9].key;
        let signer = Signer::from_bytes(&key.0).unwrap();
        let request = TxRequest { to, value: U256::ZERO, data: Bytes::from(data) };
        let fees = self.chain.fees().await.unwrap();
        let nonce = self.chain.nonce(signer.address(), BlockTag::Latest).await.unwrap();
        let transaction = signer.sign(self.chain.chain_id(), nonce, &request, 1_000_000, fees).unwrap();
        let hash: B256 =
            self.chain.call(Call::new("eth_sendRawTransaction", json!([transaction.raw]))).await.unwrap();
        loop {
            if let Some(receipt) = self.chain.receipts(&[hash]).await.unwrap().remove(0) {
                assert_eq!(receipt.status, 1, "reverted");
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The price that the token endpoints show for ether.
    async fn price(&self) -> Option<String> {
        let tokens = self.service.get_json(&format!("/v1/tokens/top?chainIds={CHAIN}")).await;
        let ether = tokens.as_array().unwrap().iter().find(|token| token["address"] == NATIVE).unwrap();
        ether["extensions"]["price"]["usd"].as_str().map(str::to_owned)
    }

    /// The answer to a quote for a tenth of an ether.
    async fn quote(&self) -> Value {
        let body = json!({
            "tradeType": "EXACT_INPUT", "amount": "100000000000000000", "fromAddress": WALLET,
            "fromChainId": CHAIN, "fromToken": NATIVE, "toChainId": CHAIN, "toToken": USDC,
            "depositMethods": ["CONTRACT_CALL"],
        });
        let request =
            self.service.client.post(format!("{}/v1/quotes", self.service.url)).body(body.to_string());
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Waits until the shown price is this.
    async fn wait_for_price(&self, price: Option<&str>) {
        let waiting = async {
            while self.price().await.as_deref() != price {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_mins(1), waiting).await;
        assert!(came.is_ok(), "ether costs {:?} instead of {price:?}", self.price().await);
    }

    /// Waits until quotes are refused with these words.
    async fn wait_for_refusal(&self, expected: &str) {
        let mut last = Value::Null;
        for _ in 0..300 {
            last = self.quote().await;
            let reason = last["details"]["reasons"][0]["reason"].as_str().unwrap_or_default();
            if reason.contains(expected) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no refusal with {expected:?}: {last}");
    }
}

async fn serve_pyth(ether: Arc<Mutex<u64>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = move || {
        let (cents, now) = (*ether.lock().unwrap(), Timestamp::now().as_second());
        let entry = |id: &str, cents: u64| json!({ "id": id, "price": { "price": cents.to_string(), "conf": "0", "expo": -2, "publish_time": now } });
        let body = json!({ "parsed": [entry(PYTH_ETHER, cents), entry(PYTH_USDC, 100)] });
        async move { body.to_string() }
    };
    let router = Router::new().route("/v2/updates/price/latest", get(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[tokio::test]
async fn rule_14_price_is_the_median_of_on_chain_and_off_chain_feeds_or_absent_with_a_reason() {
    let folder = data_dir();
    let fixture = Fixture::start(folder.path()).await;
    // Pyth alone is not enough, and nothing lies at the feeds' addresses yet.
    fixture.wait_for_refusal("there is no sequencer feed at the configured address").await;
    assert_eq!(fixture.price().await, None);

    for feed in [ETHER, DOLLAR, SEQUENCER] {
        fixture.deploy(feed).await;
    }
    fixture.set_round(ETHER, 350_200_000_000, 60).await;
    fixture.set_round(DOLLAR, 100_000_000, 60).await;
    fixture.set_round(SEQUENCER, 0, 7_200).await;
    fixture.wait_for_price(Some("3501")).await;
    let quote = fixture.quote().await;
    assert_eq!(quote["routes"].as_array().map(Vec::len), Some(2), "{quote}");

    *fixture.pyth.lock().unwrap() = 360_000;
    fixture.wait_for_refusal("apart, at most 1.5 %").await;
    assert_eq!(fixture.price().await, None);
    *fixture.pyth.lock().unwrap() = 350_000;
    fixture.wait_for_price(Some("3501")).await;

    fixture.set_round(SEQUENCER, 1, 60).await;
    fixture.wait_for_refusal("sequencer is down").await;
    fixture.set_round(SEQUENCER, 0, 60).await;
    fixture.wait_for_refusal("sequencer has been up for").await;
    fixture.set_round(SEQUENCER, 0, 7_200).await;
    fixture.wait_for_price(Some("3501")).await;

    fixture.set_round(ETHER, 0, 60).await;
    fixture.wait_for_refusal("answers 0, which is no price").await;
    fixture.set_round(ETHER, 350_200_000_000, 7_200).await;
    fixture.wait_for_refusal("s old, at most 3900 s").await;

    let metrics = fixture.service.get("/metrics").await.text().await.unwrap();
    assert!(
        metrics.contains("price_reads_total{source=\"chainlink\"}")
            && metrics.contains("price_faults_total{source=\"pyth\"}"),
        "{metrics}"
    );
}
