//! The attesters hand over amid orders: what the old set has to attest is claimed with its signatures, also after one of them has
//! resigned, and what is opened later with those of the new set.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use alloy_sol_types::{SolCall as _, SolEvent as _, SolStruct as _, eip712_domain, sol};
use axum::Router;
use axum::extract::{Path as UrlPath, State};
use axum::routing::post;
use causeway_domain::{ChainId, Deployment};
use causeway_evm::contracts::{AttesterRegistry as Registry, Escrow};
use causeway_evm::deploy::DeploymentRecord;
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Signer, TxRequest};
use causeway_sandbox::FeeModel;
use causeway_sandbox::evm::{EvmChain, Genesis, Options};
use causeway_sandbox::genesis::EvmGenesis;
use serde_json::{Value, json};

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role, address};
use crate::service::{Service, data_dir};

/// Of an ordinary run, half of them before the handover; `CAUSEWAY_HANDOVER_ORDERS` is another number.
const ORDERS: usize = 12;
/// The one that the handover brings in. With the last of the old set it makes the new one, so that neither set alone has enough
/// signatures for the other's orders; the first of the old set resigns.
const NEWCOMER: u8 = 0x54;
/// The delay of the registry.
const HANDOVER_DELAY: u64 = 48 * 3_600;
/// How long the first orders may take; the chains are at most so far ahead of real time afterwards.
const SLACK: u64 = 300;
const TIMEOUT: Duration = Duration::from_mins(3);
/// That of Arbitrum in the sandbox, in wei.
const MIN_BASE_FEE: u64 = 20_000_000;
const COIN: u64 = 1_000_000_000_000_000_000;
const CLAIMED: u64 = 2;

sol! {
    struct Handover {
        uint256 epoch;
        uint256 proposal;
        address[] attesters;
        uint256 threshold;
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Two chains of this process, so that two days can pass on them.
#[derive(Clone)]
struct Nodes {
    base: EvmChain,
    arbitrum: EvmChain,
    /// What the attesters are shown as the newest final block of Arbitrum, if it is not the true one.
    shown_as_final: Arc<AtomicU64>,
}

/// A chain that is two days behind.
async fn chain(id: u64) -> EvmChain {
    let (id, genesis) = (ChainId::new(id).unwrap(), EvmGenesis::new().unwrap());
    let mut accounts = genesis.accounts(id, &[], Address::repeat_byte(0xfa)).unwrap();
    accounts.extend(EvmGenesis::data_fee_account(id));
    let first = now() - HANDOVER_DELAY - 3_600;
    let genesis = Genesis { chain_id: id, accounts, timestamp: first };
    // Arbitrum counts the fees for its data as gas at its own fee, which must not fall to nothing meanwhile.
    let tip = Some(FeeModel::Realistic.tip(id));
    let options = Options { min_base_fee: MIN_BASE_FEE, tip, allow_unprotected: true, ..Options::default() };
    let chain = EvmChain::open(&genesis, options).unwrap();
    chain.set_next_timestamp(now() - HANDOVER_DELAY + SLACK).unwrap();
    chain.mine(1, 1).await.unwrap();
    let producer = chain.clone();
    tokio::spawn(async move { producer.run().await });
    chain
}

async fn answer(State(nodes): State<Nodes>, UrlPath(id): UrlPath<u64>, body: String) -> Vec<u8> {
    let chain = if id == BASE { &nodes.base } else { &nodes.arbitrum };
    chain.rpc(body.as_bytes()).await
}

async fn answer_attester(State(nodes): State<Nodes>, UrlPath(id): UrlPath<u64>, body: String) -> Vec<u8> {
    let shown = nodes.shown_as_final.load(Ordering::Relaxed);
    let body = match (id, shown) {
        (ARBITRUM, 1..) => {
            let number = format!("\"{shown:#x}\"");
            body.replace("\"safe\"", &number).replace("\"finalized\"", &number)
        }
        _ => body,
    };
    answer(State(nodes), UrlPath(id), body).await
}

impl Nodes {
    async fn start() -> (Self, String) {
        let (base, arbitrum) = tokio::join!(chain(BASE), chain(ARBITRUM));
        let nodes = Self { base, arbitrum, shown_as_final: Arc::default() };
        let app = Router::new()
            .route("/sandbox/rpc/{chain}", post(answer))
            .route("/attesters/rpc/{chain}", post(answer_attester))
            .with_state(nodes.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (nodes, url)
    }

    /// Lets the time pass that the chains are behind.
    async fn catch_up(&self) {
        for chain in [&self.base, &self.arbitrum] {
            chain.set_next_timestamp(now()).unwrap();
            chain.mine(1, 1).await.unwrap();
        }
    }
}

struct Drill {
    host: Host,
    base: EvmClient,
    deployment: Deployment,
}

impl Drill {
    fn new(host: Host) -> Self {
        let base = EvmConfig::new([host.node(BASE).parse().unwrap()]);
        let base = EvmClient::new(ChainId::new(BASE).unwrap(), base).unwrap();
        let record = std::fs::read_to_string(host.path("data/deployments/8453.json")).unwrap();
        Self { base, deployment: DeploymentRecord::parse(&record).unwrap().0, host }
    }

    /// Sends a call to the registry and waits until it has succeeded.
    async fn land(&self, from: u8, data: Vec<u8>) {
        let key = Signer::from_bytes(&[from; 32]).unwrap();
        let request = TxRequest { to: self.deployment.registry, value: U256::ZERO, data: data.into() };
        let nonce = self.base.nonce(key.address(), BlockTag::Latest).await.unwrap();
        let fees = self.base.fees().await.unwrap();
        let signed = key.sign(self.base.chain_id(), nonce, &request, 500_000, fees).unwrap();
        let _: B256 = self.base.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await.unwrap();
        let begun = Instant::now();
        loop {
            if let Some(receipt) = self.base.receipts(&[signed.hash]).await.unwrap().remove(0) {
                assert_eq!(receipt.status, 1, "the registry refuses");
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "{} is not mined", signed.hash);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Hands over to the last and a newcomer, with the signatures of the first two; in effect two days later.
    async fn hand_over(&self) {
        let mut members: Vec<Address> = [ATTESTERS[2], NEWCOMER].map(address).to_vec();
        members.sort();
        let domain = eip712_domain! {
            name: "Causeway Attesters",
            version: "2",
            chain_id: BASE,
            verifying_contract: self.deployment.registry,
        };
        let terms = Handover {
            epoch: U256::from(2),
            proposal: U256::ZERO,
            attesters: members.clone(),
            threshold: U256::from(2),
        };
        let digest = terms.eip712_signing_hash(&domain);
        let mut signers = [ATTESTERS[0], ATTESTERS[1]].map(|byte| Signer::from_bytes(&[byte; 32]).unwrap());
        signers.sort_by_key(Signer::address);
        let sign = |signer: &Signer| signer.sign_digest(&digest).unwrap().as_bytes().to_vec().into();
        let signatures: Vec<Bytes> = signers.iter().map(sign).collect();
        let call = Registry::handOverCall { attesters: members, threshold: U256::from(2), signatures };
        self.land(Role::Deployer as u8, call.abi_encode()).await;
    }

    async fn epoch(&self) -> u64 {
        let data = Bytes::from(Registry::currentEpochCall {}.abi_encode());
        self.read(self.deployment.registry, data).await.to()
    }

    async fn read(&self, to: Address, data: Bytes) -> U256 {
        let call = Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"]));
        U256::from_be_slice(&self.base.call::<Bytes>(call).await.unwrap())
    }

    async fn status(&self, order: B256) -> U256 {
        let data = Bytes::from(Escrow::statusCall { orderId: order }.abi_encode());
        self.read(self.deployment.escrow, data).await
    }

    /// The orders that were opened in an epoch.
    async fn opened_in(&self, epoch: u64) -> Vec<B256> {
        let filter = json!([{
            "address": self.deployment.escrow, "fromBlock": "0x0", "topics": [Escrow::Open::SIGNATURE_HASH],
        }]);
        let logs: Vec<Value> = self.base.call(Call::new("eth_getLogs", filter)).await.unwrap();
        let events = logs.iter().map(|log| {
            let topics: Vec<B256> = serde_json::from_value(log["topics"].clone()).unwrap();
            let data: Bytes = serde_json::from_value(log["data"].clone()).unwrap();
            Escrow::Open::decode_raw_log(topics, &data).unwrap()
        });
        let events = events.filter(|event| event.order.epoch == U256::from(epoch));
        events.map(|event| event.orderId).collect()
    }

    /// Has as many payers swap at once, each of them as anybody does at a terminal.
    fn swap(&self, service: &Service, payers: std::ops::Range<usize>) {
        std::thread::scope(|threads| {
            for payer in payers {
                threads.spawn(move || self.swap_one(service, payer));
            }
        });
    }

    fn swap_one(&self, service: &Service, payer: usize) {
        let (key, escrow) = (self.host.path(&key_file(payer)), self.deployment.escrow.to_string());
        let (swap, node) = (["swap", "0.01", "ETH@base", "ETH@arbitrum"], self.host.node(BASE));
        let how = ["--by", "contract-call", "--yes", "--json", "--at-least", "0.005", "--rpc", &node];
        let trust = ["--escrow", &escrow, "--key-file", key.to_str().unwrap()];
        let arguments = [&swap[..], &how[..], &trust[..]].concat();
        let begun = Instant::now();
        loop {
            let output = self.host.run(&arguments, &[("CAUSEWAY_URL", &service.url)]);
            let text = String::from_utf8_lossy(&output.stdout);
            if output.status.success() {
                let order: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(order["status"], "filled", "{order}");
                return;
            }
            // The market maker may not know yet what it holds, nor the service which epoch has begun.
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(begun.elapsed() < TIMEOUT, "payer {payer}: {text}{error}");
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// An attester that reads its chains through this process.
    fn attester(&self, folder: &Path, byte: u8) -> Service {
        let file = self.host.configure_attester(folder, byte);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("/sandbox/rpc/", "/attesters/rpc/")).unwrap();
        Service::start_with(folder, &["attester", "--config", file.to_str().unwrap()])
    }

    /// The service, with the newcomer's URL beside those of the first epoch.
    fn serve(&self, urls: &[String]) -> Service {
        let maker = self.host.relayer_and_market_maker().replace("usd-coin", "ethereum");
        let file = self.host.configure(&urls[..ATTESTERS.len()], &maker);
        let newcomer = format!("other_attesters = {{ \"{}\" = {:?} }}\n", address(NEWCOMER), urls[3]);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("threshold = 2\n", &format!("threshold = 2\n{newcomer}")))
            .unwrap();
        self.host.serve()
    }
}

fn key_file(payer: usize) -> String {
    format!("payer-{payer}.key")
}

/// Gives everybody coins on both chains, and each payer a key.
async fn fund(nodes: &Nodes, host: &Host, payers: usize) {
    let mut accounts: Vec<Address> =
        [Role::Deployer, Role::Relayer, Role::House].map(|role| address(role as u8)).to_vec();
    accounts.push(address(ATTESTERS[0]));
    for payer in 0..payers {
        let key = keccak256(format!("payer {payer}"));
        let file = host.path(&key_file(payer));
        std::fs::write(&file, hex::encode(key)).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        accounts.push(Signer::from_bytes(&key.0).unwrap().address());
    }
    for account in accounts {
        for chain in [&nodes.base, &nodes.arbitrum] {
            chain.set_balance(account, U256::from(COIN) * U256::from(100)).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rule_28_a_handover_amid_orders_leaves_none_unclaimed() {
    let wanted = std::env::var("CAUSEWAY_HANDOVER_ORDERS").ok().and_then(|text| text.parse().ok());
    let count: usize = wanted.unwrap_or(ORDERS);
    let (nodes, url) = Nodes::start().await;
    let host = Host::on(url);
    fund(&nodes, &host, count).await;
    tokio::task::block_in_place(|| host.deploy());
    let drill = Drill::new(host);
    drill.hand_over().await;
    nodes.catch_up().await;
    let members = [ATTESTERS[0], ATTESTERS[1], ATTESTERS[2], NEWCOMER];
    let folders = members.map(|_| data_dir());
    let attesters: Vec<Service> = tokio::task::block_in_place(|| {
        members.iter().zip(&folders).map(|(byte, folder)| drill.attester(folder.path(), *byte)).collect()
    });
    let urls: Vec<String> = attesters.iter().map(|attester| attester.url.clone()).collect();
    let service = tokio::task::block_in_place(|| drill.serve(&urls));

    // Nothing of the first half is attested yet when the new set takes over.
    nodes.shown_as_final.store(nodes.arbitrum.block_number(), Ordering::Relaxed);
    tokio::task::block_in_place(|| drill.swap(&service, 0..count / 2));
    nodes.base.increase_time(SLACK);
    nodes.base.mine(1, 1).await.unwrap();
    assert_eq!(drill.epoch().await, 2, "the handover is not in effect");
    drill.land(ATTESTERS[0], Registry::resignCall { epoch: U256::ONE }.abi_encode()).await;
    tokio::task::block_in_place(|| drill.swap(&service, count / 2..count));
    let (before, after) = (drill.opened_in(1).await, drill.opened_in(2).await);
    assert_eq!((before.len(), after.len()), (count / 2, count - count / 2));
    for order in before.iter().chain(&after) {
        assert_ne!(drill.status(*order).await, U256::from(CLAIMED), "{order} was claimed too early");
    }
    nodes.shown_as_final.store(0, Ordering::Relaxed);

    let begun = Instant::now();
    for order in before.iter().chain(&after) {
        while drill.status(*order).await != U256::from(CLAIMED) {
            assert!(begun.elapsed() < TIMEOUT, "{order} is not claimed");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    // The one that has resigned answers as before, and is not counted.
    let path = format!("/attestations/{}", before[0]);
    while attesters[0].get(&path).await.status() != 200 {
        assert!(begun.elapsed() < TIMEOUT, "the attester that has resigned does not answer any more");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
