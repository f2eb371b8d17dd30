use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_domain::{ChainId, Deployment, DeploymentMode, IntentTerms};
use causeway_evm::contracts::{Escrow, Settler, onchain_envelope};
use causeway_evm::deploy::DeploymentRecord;
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Receipt, Signer, TxRequest};
use causeway_sandbox::genesis::{EvmGenesis, TestWallet};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, causeway, data_dir, few_chains};

const ORIGIN: u64 = 8453;
const DESTINATION: u64 = 10;

/// A sandbox of its own, past any service.
pub(crate) struct Chains {
    _service: Service,
    base: String,
    folder: TempDir,
}

impl Chains {
    pub(crate) fn start() -> Self {
        let folder = data_dir();
        let service = Service::start_with(folder.path(), &["sandbox"]);
        let base = service.url.split("/sandbox").next().unwrap().to_owned();
        Self { _service: service, base, folder }
    }

    fn client(&self, chain: u64) -> EvmClient {
        let url = format!("{}/sandbox/rpc/{chain}", self.base).parse().unwrap();
        EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([url])).unwrap()
    }

    fn deployment(&self, chain: u64) -> Deployment {
        let path = self.folder.path().join(format!("deployments/{chain}.json"));
        DeploymentRecord::parse(&std::fs::read_to_string(path).unwrap()).unwrap().0
    }

    /// Sends a call and waits for its receipt.
    async fn land(&self, chain: u64, from: &TestWallet, to: B256, value: U256, data: Vec<u8>) -> Receipt {
        let (client, key) = (self.client(chain), Signer::from_bytes(&from.key.0).unwrap());
        let request = TxRequest { to: Address::from_word(to), value, data: data.into() };
        let nonce = client.nonce(key.address(), BlockTag::Latest).await.unwrap();
        let fees = client.fees().await.unwrap();
        let signed = key.sign(client.chain_id(), nonce, &request, 500_000, fees).unwrap();
        let _: B256 = client.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await.unwrap();
        for _ in 0..3_000 {
            if let Some(receipt) = client.receipts(&[signed.hash]).await.unwrap().remove(0) {
                assert_eq!(receipt.status, 1, "reverted");
                return receipt;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} was not mined", signed.hash);
    }

    /// Opens an order and fills it; returns it with the receipt of the fill.
    pub(crate) async fn open_and_fill(&self, wallets: &[TestWallet]) -> (IntentTerms, Receipt) {
        let terms = order(&self.deployment(ORIGIN), &self.deployment(DESTINATION), wallets);
        let open = Escrow::openCall { order: onchain_envelope(&terms).unwrap() }.abi_encode();
        self.land(ORIGIN, &wallets[0], terms.escrow, terms.amount_in, open).await;
        let fill = Settler::fillCall {
            orderId: terms.id(),
            originData: terms.to_bytes().into(),
            fillerData: Bytes::new(),
        };
        let filled =
            self.land(DESTINATION, &wallets[1], terms.settler, terms.amount_out, fill.abi_encode()).await;
        (terms, filled)
    }

    /// The order's state as the escrow numbers it.
    async fn status(&self, terms: &IntentTerms) -> U256 {
        let data = Bytes::from(Escrow::statusCall { orderId: terms.id() }.abi_encode());
        let call = json!([{ "to": Address::from_word(terms.escrow), "data": data }, "latest"]);
        let answer: Bytes = self.client(ORIGIN).call(Call::new("eth_call", call)).await.unwrap();
        U256::from_be_slice(&answer)
    }

    pub(crate) fn attester(&self, folder: &Path, key: &TestWallet) -> Service {
        self.attester_with(folder, key, "")
    }

    pub(crate) fn attester_with(&self, folder: &Path, key: &TestWallet, settings: &str) -> Service {
        let (key_file, config) = (folder.join("key"), folder.join("attester.toml"));
        write_key(&key_file, &hex::encode(key.key));
        let text = "[attester]\nkey_file = \"key\"\npoll_milliseconds = 200\n";
        std::fs::write(&config, format!("{text}{settings}{}", few_chains())).unwrap();
        let config = config.to_str().unwrap();
        Service::start_with(folder, &["attester", "--config", config, "--sandbox-rpc", &self.base])
    }
}

fn write_key(file: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn order(origin: &Deployment, destination: &Deployment, wallets: &[TestWallet]) -> IntentTerms {
    let [user, filler, payee] = [0, 1, 2].map(|place: usize| wallets[place].address.into_word());
    let fill_deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 1_200;
    IntentTerms {
        origin_chain_id: ORIGIN,
        escrow: origin.escrow.into_word(),
        user,
        nonce: keccak256("end to end"),
        input_token: B256::ZERO,
        amount_in: U256::from(1_000_000),
        refund_to: user,
        filler,
        payee,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: DESTINATION,
        settler: destination.settler.into_word(),
        output_token: B256::ZERO,
        amount_out: U256::from(990_000),
        recipient: user,
        open_deadline: fill_deadline - 60,
        fill_deadline,
        refund_at: fill_deadline + 3_600,
        epoch: 1,
    }
}

/// What an attester has signed about an order, once it has.
pub(crate) async fn signed(attester: &Service, terms: &IntentTerms) -> Value {
    for _ in 0..3_000 {
        let response = attester.get(&format!("/attestations/{}", terms.id())).await;
        if response.status() == 200 {
            return response.json().await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nothing was signed");
}

#[tokio::test]
async fn two_of_three_attester_processes_suffice_to_claim_a_fill() {
    let chains = Chains::start();
    let genesis = EvmGenesis::new().unwrap();
    let (wallets, keys) = (genesis.wallets(), genesis.roles().attesters);
    let folders = keys.map(|_| data_dir());
    let mut attesters: Vec<Service> =
        keys.iter().zip(&folders).map(|(key, folder)| chains.attester(folder.path(), key)).collect();

    let (terms, filled) = chains.open_and_fill(wallets).await;

    let mut said = Vec::new();
    for attester in &attesters {
        said.push(signed(attester, &terms).await);
    }
    assert!(said.iter().all(|one| one["outcome"] == "filled" && one["filledAt"] == said[0]["filledAt"]));
    assert!(said.iter().all(|said| said["fillRef"] == filled.transaction_hash.to_string()), "{said:?}");

    // A killed attester restarts with the same signature from its journal.
    attesters[0].child.kill().unwrap();
    attesters[0].child.wait().unwrap();
    let back = chains.attester(folders[0].path(), &keys[0]);
    let again = back.get_json(&format!("/attestations/{}", terms.id())).await;
    assert_eq!(again, said[0]);

    said.truncate(2);
    said.sort_by_key(|said| said["attester"].as_str().unwrap().to_lowercase());
    let claim = Escrow::claimCall {
        order: (&terms).into(),
        filledAt: U256::from(said[0]["filledAt"].as_u64().unwrap()),
        fillRef: filled.transaction_hash,
        signatures: said.iter().map(|said| said["signature"].as_str().unwrap().parse().unwrap()).collect(),
    };
    assert_eq!(chains.status(&terms).await, U256::from(1), "open");
    chains.land(ORIGIN, &wallets[5], terms.escrow, U256::ZERO, claim.abi_encode()).await;
    assert_eq!(chains.status(&terms).await, U256::from(2), "claimed");
}

#[test]
fn attester_reports_missing_settings_and_never_prints_its_key() {
    let folder = data_dir();
    let test_key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    let config = folder.path().join("attester.toml");
    let fails = |key: Option<&str>, text: &str, expected: &str| {
        std::fs::write(&config, text).unwrap();
        let mut command = causeway();
        command.current_dir(folder.path()).arg("attester").arg("--data-dir").arg(folder.path());
        command.arg("--config").arg(&config).env_remove("CAUSEWAY_ATTESTER_KEY");
        if let Some(key) = key {
            command.env("CAUSEWAY_ATTESTER_KEY", key);
        }
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(expected), "{text}: {error}");
        assert!(!error.contains("ac0974") && !error.contains("4242"), "{error}");
    };
    let own = "42".repeat(32);
    fails(None, "", "CAUSEWAY_ATTESTER_KEY");
    fails(Some("4242"), "", "64 hex digits");
    let production = "mode = \"production\"\n";
    fails(Some(test_key), production, "test phrase");
    fails(Some(&own), production, "deployment records");
    fails(Some(&own), "[sandbox]\nrpc = \"http://127.0.0.1:9\"\n", "does not answer");
    std::fs::write(folder.path().join("open-key"), &own).unwrap();
    fails(None, "[attester]\nkey_file = \"open-key\"\n", "chmod 600");
    fails(None, "[attester]\nkey_file = \"no-key\"\n", "no-key");

    std::fs::create_dir(folder.path().join("deployments")).unwrap();
    let deployment = Deployment {
        chain: ChainId::new(1).unwrap(),
        escrow: Address::repeat_byte(1),
        settler: Address::repeat_byte(2),
        registry: Address::repeat_byte(3),
        deposit_factory: Address::repeat_byte(4),
        deposit_code_hash: B256::ZERO,
        permit2: None,
        min_grace: 7_200,
        transfers: false,
        from_block: 0,
        hub: None,
    };
    let record = DeploymentRecord::to_json(&deployment, DeploymentMode::Production).unwrap();
    std::fs::write(folder.path().join("deployments/1.json"), record).unwrap();
    fails(Some(&own), production, "attester.chains");
    let one = format!("{production}[[attester.chains]]\nid = 1\nrpc = [\"https://one.example/key\"]\n");
    fails(Some(&own), &one, "at least 2 RPC addresses");
}
