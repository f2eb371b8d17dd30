use std::time::Duration;

use alloy_primitives::{Address, B256, address, keccak256};
use causeway_benchmarks::client;
use causeway_domain::ChainId;
use causeway_evm::{Fees, Signer, TxRequest};
use reqwest::Client;
use serde_json::{Value, json};

/// The native currency.
pub(crate) const COIN: Address = Address::ZERO;

/// The chains of the orders, with their USDC addresses.
pub(crate) const CHAINS: [(u64, Address); 4] = [
    (1, address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")),
    (10, address!("0b2C639c533813f4Aa9D7837CAf62653d097Ff85")),
    (8_453, address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")),
    (42_161, address!("af88d065e77c8cC2239327C5EDb3A432268e5831")),
];

/// The tip is the least that these chains have. With a higher one the wallets would make gas dearer between a quote and its fill: what
/// the service estimates follows what transactions paid, and an order whose fill has become too dear is refunded (rule 14).
const FEES: Fees = Fees::Eip1559 { max_fee: 100_000_000_000, priority_fee: 1_000_000 };

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Direct access to the chains, bypassing the service and the counting proxy.
#[derive(Clone)]
pub(crate) struct Chains {
    url: String,
    client: Client,
}

/// A key on one chain that tracks its own nonce.
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

    /// Creates funded wallets, spread over the chains.
    pub(crate) async fn wallets(&self, name: &str, count: usize) -> Vec<Wallet> {
        let (mut wallets, mut faucet_txs) = (Vec::new(), Vec::new());
        for (number, (chain, dollars)) in (0..count).zip(CHAINS.into_iter().cycle()) {
            let key = Signer::from_bytes(&keccak256(format!("{name} {number}"))).expect("a key");
            let wallet = Wallet { key, chain, dollars, nonce: 0 };
            for token in [COIN, dollars] {
                let request = json!({ "chainId": chain, "address": wallet.address(), "token": token });
                let answer = self.post("/sandbox/faucet", &request).await;
                faucet_txs.push((
                    chain,
                    answer["txHash"].as_str().expect("a faucet transaction").parse().expect("a hash"),
                ));
            }
            wallets.push(wallet);
        }
        for (chain, tx) in faucet_txs {
            self.wait_mined(chain, tx).await;
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

    pub(crate) async fn wait_mined(&self, chain: u64, hash: B256) {
        while self.call(chain, "eth_getTransactionReceipt", json!([hash])).await.is_null() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Sends a transaction on each chain, so that they produce a block per second for the next minute.
    pub(crate) async fn keep_active(&self, wallets: &mut [Wallet]) {
        for wallet in wallets {
            let nothing = TxRequest {
                to: wallet.address(),
                value: 1.try_into().expect("one"),
                data: Vec::new().into(),
            };
            // Arbitrum takes more gas than a transfer for its data.
            self.send(wallet, &nothing, 100_000).await;
        }
    }
}
