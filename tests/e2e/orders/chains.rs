use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, address};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::{Address, ChainId};
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Fees, Receipt, Signer, TxRequest};
use causeway_sandbox::FeeModel;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::chain_totals::ChainTotals;
use super::payer_key::Key;
use super::solana::{SOL, SOLANA};
use super::solana_accounts::Spent;
use crate::service::{Service, data_dir};

sol! {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// The own coin of every EVM chain.
pub(super) const COIN: Address = Address::Evm(EvmAddress::ZERO);
pub(super) const ETHEREUM: u64 = 1;
pub(super) const OPTIMISM: u64 = 10;
pub(super) const BASE: u64 = 8453;
pub(super) const ARBITRUM: u64 = 42_161;
pub(super) const CHAINS: [u64; 4] = [ETHEREUM, OPTIMISM, BASE, ARBITRUM];

pub(super) const ETHEREUM_USDT: Address = Address::Evm(address!("dAC17F958D2ee523a2206206994597C13D831ec7"));
pub(super) const OPTIMISM_USDT: Address = Address::Evm(address!("94b008aA00579c1307B0EF2c499aD98a8ce58e58"));

/// The dollar coin of each chain.
pub(super) fn usdc(chain: u64) -> Address {
    let evm = match chain {
        SOLANA => return Address::parse_any("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v").unwrap(),
        ETHEREUM => address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
        OPTIMISM => address!("0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
        BASE => address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
        _ => address!("af88d065e77c8cC2239327C5EDb3A432268e5831"),
    };
    Address::Evm(evm)
}

/// The chain's own coin.
pub(super) const fn coin(chain: u64) -> Address {
    if chain == SOLANA { SOL } else { COIN }
}

/// The node of each chain without faults, which the tests read.
const RELIABLE_NODE: &str = "/sandbox/rpc/node/9";

/// How long a wallet retries; far longer than any fault.
const TIMEOUT: Duration = Duration::from_mins(3);

/// A wallet's fees: a higher tip would raise what the chain suggests to the next, and with it what an order costs.
fn fees(chain: ChainId) -> Fees {
    Fees::Eip1559 { max_fee: 100_000_000_000, priority_fee: FeeModel::Realistic.tip(chain) }
}

/// The chains in a process of their own, which outlives the service.
pub(super) struct Chains {
    _folder: TempDir,
    service: Service,
    pub(super) base: String,
    pub(super) totals_by_chain: Mutex<HashMap<u64, ChainTotals>>,
    pub(super) spent: Mutex<HashMap<Address, Spent>>,
    /// What wallets have sent and blocks do not hold for good yet.
    pub(super) sent: Mutex<Vec<Sent>>,
    nonces: Mutex<HashMap<(u64, EvmAddress), u64>>,
    clients: std::sync::Mutex<HashMap<u64, EvmClient>>,
}

/// How many blocks are made at once where a chain is in a hurry; a transaction lasts for 150.
const FAST_BLOCKS: u64 = 20;

/// A chain in a hurry.
pub(super) struct FastBlocks(JoinHandle<()>);

impl Drop for FastBlocks {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A wallet's transaction.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) chain: u64,
    pub(super) hash: B256,
    pub(super) raw: Bytes,
}

impl Chains {
    pub(super) fn start() -> Self {
        let folder = data_dir();
        let service = Service::start_with(folder.path(), &["sandbox"]);
        let base = service.url.split("/sandbox").next().unwrap().to_owned();
        Self {
            _folder: folder,
            service,
            base,
            totals_by_chain: Mutex::default(),
            spent: Mutex::default(),
            sent: Mutex::default(),
            nonces: Mutex::default(),
            clients: std::sync::Mutex::default(),
        }
    }

    pub(super) fn client(&self, chain: u64) -> EvmClient {
        let connect = || {
            let url = self.node(chain).parse().unwrap();
            EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([url])).unwrap()
        };
        self.clients.lock().unwrap().entry(chain).or_insert_with(connect).clone()
    }

    fn node(&self, chain: u64) -> String {
        format!("{}{RELIABLE_NODE}/{chain}", self.base)
    }

    pub(super) async fn control(&self, chain: u64, action: Value) {
        self.post(&format!("/sandbox/control/{chain}"), &action).await;
    }

    /// Has Solana make blocks faster than in real time until the result is dropped: what was sent to it soon counts as lost.
    pub(super) fn hurry_solana(&self) -> FastBlocks {
        let (client, url) = (self.service.client.clone(), format!("{}/sandbox/control/{SOLANA}", self.base));
        FastBlocks(tokio::spawn(async move {
            let mine = json!({ "action": "mine", "blocks": FAST_BLOCKS }).to_string();
            loop {
                client.post(&url).body(mine.clone()).send().await.unwrap();
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }))
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Value {
        self.post_to(&format!("{}{path}", self.base), body).await
    }

    async fn post_to(&self, url: &str, body: &Value) -> Value {
        let answer = self.service.client.post(url).body(body.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{url} {body}");
        answer.json().await.unwrap()
    }

    /// Asks a chain's node past all faults.
    pub(super) async fn rpc(&self, chain: u64, call: &Value) -> Value {
        self.post_to(&self.node(chain), call).await
    }

    /// Funds an address from the faucet and waits for the balance.
    pub(super) async fn fund_address(&self, chain: u64, to: Address, token: Address, amount: U256) {
        let before = self.balance(chain, token, to).await;
        let mut request =
            json!({ "chainId": chain, "address": to.to_string(), "amount": amount.to_string() });
        if token != coin(chain) {
            request["token"] = json!(token.to_string());
        }
        self.post("/sandbox/faucet", &request).await;
        while self.balance(chain, token, to).await < before + amount {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(super) async fn balance(&self, chain: u64, token: Address, owner: Address) -> U256 {
        match (token, owner) {
            (Address::Evm(token), Address::Evm(owner)) => self.balance_on_evm(chain, token, owner).await,
            (Address::Solana(token), Address::Solana(owner)) => self.balance_on_solana(token, owner).await,
            _ => panic!("{owner} cannot have {token}"),
        }
    }

    async fn balance_on_evm(&self, chain: u64, token: EvmAddress, owner: EvmAddress) -> U256 {
        let client = self.client(chain);
        if token.is_zero() {
            return client.native_balance(owner).await.unwrap();
        }
        let data = Bytes::from(balanceOfCall { owner }.abi_encode());
        let call = json!([{ "to": token, "data": data }, "latest"]);
        let answer: Bytes = client.call(Call::new("eth_call", call)).await.unwrap();
        U256::from_be_slice(&answer)
    }

    /// A wallet's next transaction, signed and not sent.
    pub(super) async fn sign(&self, chain: u64, key: &Signer, request: &TxRequest) -> (B256, Bytes) {
        let client = self.client(chain);
        let begun = Instant::now();
        let gas = loop {
            // What it sent before may be on its way to a block once more.
            match client.estimate_gas(key.address(), request).await {
                Ok(gas) => break gas,
                Err(error) => {
                    assert!(begun.elapsed() < TIMEOUT, "{request:?} on {chain} would fail: {error}");
                }
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        let nonce = client.nonce(key.address(), BlockTag::Latest).await.unwrap();
        let mut nonces = self.nonces.lock().await;
        let next = nonces.entry((chain, key.address())).or_default();
        // A wallet knows what it has sent, also where a block does not hold it any more.
        let nonce = nonce.max(*next);
        *next = nonce + 1;
        drop(nonces);
        let signed = key.sign(client.chain_id(), nonce, request, gas, fees(client.chain_id())).unwrap();
        (signed.hash, signed.raw)
    }

    /// Sends a wallet's transaction and waits until it has succeeded in a block.
    pub(super) async fn send(&self, chain: u64, key: &Signer, request: &TxRequest) -> B256 {
        let (hash, raw) = self.sign(chain, key, request).await;
        let sent = Sent { chain, hash, raw };
        self.sent.lock().await.push(sent.clone());
        let begun = Instant::now();
        for look in 0_u32.. {
            if look.is_multiple_of(20) {
                self.rebroadcast(&sent).await;
            }
            if let Some(receipt) = self.receipt(&sent).await {
                assert_eq!(receipt.status, 1, "{hash} on {chain} failed");
                break;
            }
            assert!(begun.elapsed() < TIMEOUT, "{hash} on {chain} is in no block");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        hash
    }

    async fn receipt(&self, sent: &Sent) -> Option<Receipt> {
        self.client(sent.chain).receipts(&[sent.hash]).await.unwrap().remove(0)
    }

    /// Sends what was lost, or was never taken. What a block or the pool holds is refused, which does no harm.
    async fn rebroadcast(&self, sent: &Sent) {
        let call = Call::new("eth_sendRawTransaction", json!([sent.raw]));
        let _ = self.client(sent.chain).call::<B256>(call).await;
    }

    /// Looks after what wallets have sent until blocks hold it for good, as wallets do.
    pub(super) async fn rebroadcast_pending(&self) {
        let open = self.sent.lock().await.clone();
        let mut settled = HashSet::new();
        for sent in &open {
            let newest = self.client(sent.chain).block(BlockTag::Finalized).await.unwrap().unwrap().number;
            match self.receipt(sent).await {
                Some(receipt) if receipt.block_number <= newest => drop(settled.insert(sent.hash)),
                Some(_) => {}
                None => self.rebroadcast(sent).await,
            }
        }
        self.sent.lock().await.retain(|sent| !settled.contains(&sent.hash));
    }

    /// Sends a token or the chain's coin, as any wallet does.
    pub(super) async fn pay(&self, chain: u64, key: &Key, token: Address, to: Address, amount: U256) {
        let (key, token, to) = match (key, token, to) {
            (Key::Evm(key), Address::Evm(token), Address::Evm(to)) => (key, token, to),
            (Key::Solana(wallet), Address::Solana(token), Address::Solana(to)) => {
                return self.pay_on_solana(wallet, token, to, amount).await;
            }
            _ => panic!("{token} cannot be paid to {to} on {chain}"),
        };
        let request = if token.is_zero() {
            TxRequest { to, value: amount, data: Bytes::new() }
        } else {
            TxRequest { to: token, value: U256::ZERO, data: transferCall { to, amount }.abi_encode().into() }
        };
        self.send(chain, key, &request).await;
    }
}
