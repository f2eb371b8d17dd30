use std::time::Duration;

use alloy_primitives::{Address, B256, address, keccak256};
use causeway_benchmarks::client;
use causeway_domain::ChainId;
use causeway_evm::{Fees, Signer, TxRequest};
use reqwest::Client;
use serde_json::{Value, json};

/// The chain's own coin.
pub(crate) const COIN: Address = Address::ZERO;

/// The chains that orders go between, with their dollar coins.
pub(crate) const CHAINS: [(u64, Address); 4] = [
    (1, address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")),
    (10, address!("0b2C639c533813f4Aa9D7837CAf62653d097Ff85")),
    (8_453, address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")),
    (42_161, address!("af88d065e77c8cC2239327C5EDb3A432268e5831")),
];

/// More than a play chain ever asks.
const FEES: Fees = Fees::Eip1559 { max_fee: 100_000_000_000, priority_fee: 1_000_000_000 };

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The chains as a wallet reaches them, past the service and what counts its calls.
#[derive(Clone)]
pub(crate) struct Chains {
    url: String,
    client: Client,
}

/// A key on one chain, which counts its nonces by itself.
pub(crate) struct Wallet {
    key: Signer,
    pub(crate) chain: u64,
    pub(crate) dollars: Address,
    nonce: u64,
}

impl Wallet {
    pub(crate) const fn address(&self) -> Address {
        self.key.address()
    }
}

impl Chains {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), client: client() }
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.client.post(format!("{}{path}", self.url)).body(body.to_string());
        let answer = request.send().await.expect("the chains answer").text().await.expect("a body");
        serde_json::from_str(&answer).expect("JSON")
    }

    async fn call(&self, chain: u64, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut answer = self.post(&format!("/sandbox/rpc/{chain}"), &body).await;
        assert!(answer.get("error").is_none(), "{method} on {chain}: {answer}");
        answer["result"].take()
    }

    /// So many wallets, spread over the chains, with coins and dollars for many orders.
    pub(crate) async fn wallets(&self, name: &str, count: usize) -> Vec<Wallet> {
        let (mut wallets, mut gifts) = (Vec::new(), Vec::new());
        for (number, (chain, dollars)) in (0..count).zip(CHAINS.into_iter().cycle()) {
            let key = Signer::from_bytes(&keccak256(format!("{name} {number}"))).expect("a key");
            let wallet = Wallet { key, chain, dollars, nonce: 0 };
            for token in [COIN, dollars] {
                let gift = json!({ "chainId": chain, "address": wallet.address(), "token": token });
                let answer = self.post("/sandbox/faucet", &gift).await;
                gifts.push((chain, answer["txHash"].as_str().expect("a gift").parse().expect("a hash")));
            }
            wallets.push(wallet);
        }
        for (chain, gift) in gifts {
            self.mined(chain, gift).await;
        }
        wallets
    }

    /// Sends a transaction and does not wait for it.
    pub(crate) async fn send(&self, wallet: &mut Wallet, request: &TxRequest, gas: u64) -> B256 {
        let chain = ChainId::new(wallet.chain).expect("a chain id");
        let signed = wallet.key.sign(chain, wallet.nonce, request, gas, FEES).expect("it is signed");
        wallet.nonce += 1;
        self.call(wallet.chain, "eth_sendRawTransaction", json!([signed.raw])).await;
        signed.hash
    }

    pub(crate) async fn mined(&self, chain: u64, hash: B256) {
        while self.call(chain, "eth_getTransactionReceipt", json!([hash])).await.is_null() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Lets the chains make blocks as if others used them too: one a second, for the next minute.
    pub(crate) async fn stir(&self, wallets: &mut [Wallet]) {
        for wallet in wallets {
            let nothing = TxRequest {
                to: wallet.address(),
                value: 1.try_into().expect("one"),
                data: Vec::new().into(),
            };
            self.send(wallet, &nothing, 21_000).await;
        }
    }
}
