//! The way of `docs/running.md` from nothing to a delivered swap, in production mode. The sandbox's chains are nothing but nodes to
//! it: none of their keys is used, and no contract that knows one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ChainId;
use causeway_evm::{Call, EvmClient, EvmConfig, Signer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, causeway, data_dir};

sol! {
    function balanceOf(address owner) external view returns (uint256);
}

pub(crate) const BASE: u64 = 8453;
pub(crate) const ARBITRUM: u64 = 42_161;
pub(crate) const SOLANA: u64 = 20_011_000_000;
/// The other chains of the catalog, disabled in this test.
const OTHERS: [u64; 17] = [
    1,
    10,
    56,
    130,
    137,
    143,
    324,
    2_741,
    5_000,
    16_661,
    43_114,
    59_144,
    80_094,
    747_474,
    4_278_608,
    5_734_951,
    20_011_000_000,
];

/// How long anything may take; far more than it needs on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

pub(crate) fn usdc(chain: u64) -> Address {
    let text = match chain {
        BASE => "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        _ => "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    };
    text.parse().unwrap()
}

/// Who takes part, each with a key that the sandbox knows nothing of.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Deployer = 0x11,
    Relayer = 0x22,
    House = 0x33,
    Payer = 0x44,
}

pub(crate) const ATTESTERS: [u8; 3] = [0x51, 0x52, 0x53];

pub(crate) fn secret(byte: u8) -> String {
    format!("{byte:02x}").repeat(32)
}

pub(crate) fn address(byte: u8) -> Address {
    Signer::from_bytes(&[byte; 32]).unwrap().address()
}

fn write_key(file: &Path, byte: u8) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(file, secret(byte)).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A host on which the service is set up.
pub(crate) struct Host {
    /// The sandbox's chains; none where a test has chains of its own.
    nodes: Option<(Service, TempDir)>,
    pub(crate) folder: TempDir,
    pub(crate) base: String,
}

impl Host {
    pub(crate) fn new() -> Self {
        let chains = data_dir();
        let nodes = Service::start_with(chains.path(), &["sandbox"]);
        let base = nodes.url.split("/sandbox").next().unwrap().to_owned();
        Self { nodes: Some((nodes, chains)), ..Self::on(base) }
    }

    /// On chains whose nodes are at this URL, below `/sandbox/rpc`.
    pub(crate) fn on(base: String) -> Self {
        let folder = data_dir();
        for (name, role) in
            [("relayer.key", Role::Relayer), ("house.key", Role::House), ("payer.key", Role::Payer)]
        {
            write_key(&folder.path().join(name), role as u8);
        }
        Self { nodes: None, folder, base }
    }

    /// The sandbox that runs the chains.
    pub(crate) fn nodes(&self) -> &Service {
        let (nodes, _) = self.nodes.as_ref().expect("the chains are the sandbox's");
        nodes
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn node(&self, chain: u64) -> String {
        format!("{}/sandbox/rpc/{chain}", self.base)
    }

    /// The configuration as the document has it, with these addresses of the attesters.
    pub(crate) fn configure(&self, attester_urls: &[String], more: &str) -> PathBuf {
        let attesters = ATTESTERS.map(|byte| address(byte).to_string());
        let mut text = format!(
            "mode = \"production\"\n\
             [contracts]\nattesters = {attesters:?}\nthreshold = 2\nattester_urls = {attester_urls:?}\n\
             [claims]\nage_seconds = 2\n[prices.median]\nleast_sources = 1\n[prices.fixed]\nusd-coin = \"1\"\nethereum = \"3000\"\n{more}\n",
        );
        for chain in [BASE, ARBITRUM] {
            let node = self.node(chain);
            let _ = write!(
                text,
                "[[chains]]\nid = {chain}\nrpc = [\"{node}\"]\n[[endpoints]]\nchain = {chain}\nrpc = [\"{node}\"]\n"
            );
        }
        for chain in OTHERS {
            let _ = write!(text, "[[chains]]\nid = {chain}\nenabled = false\n");
        }
        let file = self.path("causeway.toml");
        std::fs::write(&file, text).unwrap();
        file
    }

    /// A relayer, and one market maker.
    pub(crate) fn relayer_and_market_maker(&self) -> String {
        format!(
            "[relayer]\nkey_file = \"{}\"\n[[market_makers]]\nname = \"house\"\nkey_file = \"{}\"\npayee_is_hot_key = true\n\
             coins = [\"usd-coin\"]\nspreads = {{ same_asset = [200, 400, 800] }}\n",
            self.path("relayer.key").display(),
            self.path("house.key").display(),
        )
    }

    /// Runs a command of the binary.
    pub(crate) fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = causeway();
        command.current_dir(self.folder.path()).args(arguments).envs(variables.iter().copied());
        command.output().expect("the binary starts")
    }

    pub(crate) fn deploy(&self) {
        self.configure(&[], "");
        let key = secret(Role::Deployer as u8);
        let chains = ["deploy", "--chain", "8453", "--chain", "42161"];
        let output = self.run(&chains, &[("CAUSEWAY_DEPLOYER_KEY", &key)]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        // What does not know the attesters lies where the sandbox has put it.
        assert!(self.nodes.is_none() || text.matches("deployed").count() == 2, "{text}");
    }

    /// One attester on its own host, with copied deployment records and its own key.
    pub(crate) fn attester(&self, folder: &Path, byte: u8) -> Service {
        let file = self.configure_attester(folder, byte);
        Service::start_with(folder, &["attester", "--config", file.to_str().unwrap()])
    }

    pub(crate) fn configure_attester(&self, folder: &Path, byte: u8) -> PathBuf {
        write_key(&folder.join("attester.key"), byte);
        std::fs::create_dir(folder.join("deployments")).unwrap();
        let attesters = ATTESTERS.map(|byte| address(byte).to_string());
        let mut text = format!(
            "mode = \"production\"\n[contracts]\nattesters = {attesters:?}\nthreshold = 2\n\
             [attester]\nkey_file = \"attester.key\"\npoll_milliseconds = 500\n"
        );
        for chain in [BASE, ARBITRUM, SOLANA] {
            let name = format!("deployments/{chain}.json");
            if chain == SOLANA && !self.path(&format!("data/{name}")).exists() {
                continue;
            }
            std::fs::copy(self.path(&format!("data/{name}")), folder.join(name)).unwrap();
            let node = self.node(chain);
            let other = node.replace("127.0.0.1", "localhost");
            let _ = write!(text, "[[attester.chains]]\nid = {chain}\nrpc = [\"{node}\", \"{other}\"]\n");
        }
        let file = folder.join("attester.toml");
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The service itself, in the folder where the deployment was recorded.
    pub(crate) fn serve(&self) -> Service {
        Service::start_with(&self.path("data"), &["--config", self.path("causeway.toml").to_str().unwrap()])
    }

    pub(crate) async fn fund(&self, role: Role, chain: u64, token: Option<Address>) {
        self.fund_account(address(role as u8), chain, token).await;
    }

    pub(crate) async fn fund_account(&self, owner: Address, chain: u64, token: Option<Address>) {
        let mut gift = json!({ "chainId": chain, "address": owner.to_string() });
        if let Some(token) = token {
            gift["token"] = json!(token.to_string());
        }
        let url = format!("{}/sandbox/faucet", self.base);
        let answer = self.nodes().client.post(url).body(gift.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        while self.balance(owner, chain, token).await.is_zero() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) async fn balance(&self, owner: Address, chain: u64, token: Option<Address>) -> U256 {
        let client =
            EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([self.node(chain).parse().unwrap()]));
        let client = client.unwrap();
        let Some(token) = token else { return client.native_balance(owner).await.unwrap() };
        let data = Bytes::from(balanceOfCall { owner }.abi_encode());
        let call = json!([{ "to": token, "data": data }, "latest"]);
        let answer: Bytes = client.call(Call::new("eth_call", call)).await.unwrap();
        U256::from_be_slice(&answer)
    }

    /// Swaps as anybody does at a terminal, and returns the order when it is delivered.
    pub(crate) fn swap(&self, service: &Service, way: &str, escrow: &str) -> Value {
        let key = self.path("payer.key");
        let swap = ["swap", "25", "USDC@base", "USDC@arbitrum", "--by", way, "--yes", "--json"];
        let trust = ["--at-least", "20", "--escrow", escrow, "--key-file", key.to_str().unwrap()];
        let node = self.node(BASE);
        let arguments = [&swap[..], &trust[..], &["--rpc", &node]].concat();
        let begun = Instant::now();
        loop {
            let output = self.run(&arguments, &[("CAUSEWAY_URL", &service.url)]);
            if output.status.success() {
                return serde_json::from_slice(&output.stdout).unwrap();
            }
            let error = String::from_utf8_lossy(&output.stdout).into_owned();
            // The market maker may need a moment until it knows what it holds.
            let waits = output.status.code() == Some(5);
            assert!(waits && begun.elapsed() < TIMEOUT, "{error}{}", String::from_utf8_lossy(&output.stderr));
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

#[tokio::test]
async fn production_setup_delivers_a_swap() {
    let host = Host::new();
    for chain in [BASE, ARBITRUM] {
        for role in [Role::Deployer, Role::Relayer, Role::House, Role::Payer] {
            host.fund(role, chain, None).await;
        }
    }
    host.fund(Role::House, ARBITRUM, Some(usdc(ARBITRUM))).await;
    host.fund(Role::Payer, BASE, Some(usdc(BASE))).await;
    host.deploy();
    let folders = ATTESTERS.map(|_| data_dir());
    let attesters: Vec<Service> =
        ATTESTERS.iter().zip(&folders).map(|(byte, folder)| host.attester(folder.path(), *byte)).collect();
    let urls: Vec<String> = attesters.iter().map(|attester| attester.url.clone()).collect();
    host.configure(&urls, &host.relayer_and_market_maker());
    let service = host.serve();

    let usdc_of = async |role, chain| host.balance(address(role as u8), chain, Some(usdc(chain))).await;
    // As the operator publishes it.
    let record = std::fs::read_to_string(host.folder.path().join("data/deployments/8453.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let escrow = record["escrow"].as_str().unwrap();
    let order = host.swap(&service, "contract-call", escrow);
    assert_eq!(order["status"], "filled", "{order}");
    let received = usdc_of(Role::Payer, ARBITRUM).await;
    assert!(received > U256::from(20_000_000) && received < U256::from(25_000_000), "{received}");
    let relayed_with = host.balance(address(Role::Relayer as u8), BASE, None).await;
    let order = host.swap(&service, "permit2", escrow);
    assert_eq!(order["status"], "filled", "{order}");
    assert!(
        host.balance(address(Role::Relayer as u8), BASE, None).await < relayed_with,
        "the relayer paid for the deposit"
    );

    // Two of the three attesters are enough for the market maker to be paid.
    let begun = Instant::now();
    while usdc_of(Role::House, BASE).await < U256::from(50_000_000) {
        assert!(begun.elapsed() < TIMEOUT, "the deposits are not claimed");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn production_start_reports_what_is_missing() {
    let host = Host::new();
    let fails = |expected: &str| {
        let output = host.run(&["--listen", "127.0.0.1:0"], &[]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(expected), "{expected}: {error}");
        assert!(!error.contains(&secret(Role::House as u8)), "{error}");
    };
    let urls = vec!["http://127.0.0.1:9".to_owned(); 3];
    host.configure(&[], &host.relayer_and_market_maker());
    fails("contracts.attester_urls");
    host.configure(&urls, &host.relayer_and_market_maker());
    fails("causeway deploy");
    host.fund(Role::Deployer, BASE, None).await;
    host.fund(Role::Deployer, ARBITRUM, None).await;
    host.deploy();
    let maker = "[[market_makers]]\nname = \"house\"\n";
    host.configure(&urls, &format!("{maker}key_file = \"house.key\"\n"));
    fails("payee_is_hot_key");
    let maker = "[[market_makers]]\nname = \"house\"\npayee_is_hot_key = true\n";
    host.configure(&urls, maker);
    fails("CAUSEWAY_MARKET_MAKER_HOUSE_KEY");
    host.configure(&urls, &format!("{maker}key_file = \"no.key\"\n"));
    fails("no.key");
    std::fs::write(host.path("open.key"), secret(0x66)).unwrap();
    host.configure(&urls, &format!("{maker}key_file = \"open.key\"\n"));
    fails("chmod 600");
    host.configure(&urls, &format!("{maker}key_file = \"house.key\"\n"));
    fails("relayer.key_file");
    host.configure(&urls, &format!("{maker}key_file = \"house.key\"\n[relayer]\nkey_file = \"house.key\"\n"));
    fails("the same key");
    host.configure(&urls, &host.relayer_and_market_maker().replace("usd-coin", "usdcoin"));
    fails("no chain that has our contracts has a well-known coin `usdcoin`");
    let record = host.path("data/deployments/8453.json");
    let mut text: Value = serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap();
    text["escrow"] = json!(Address::repeat_byte(7).to_string());
    std::fs::write(&record, text.to_string()).unwrap();
    host.configure(&urls, &host.relayer_and_market_maker());
    fails("deployments/8453.json is not believed");
}
