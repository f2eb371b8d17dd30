use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::service::{Service, causeway, data_dir};

fn causeway_in(folder: &Path) -> Command {
    let mut command = causeway();
    command.current_dir(folder).arg("--data-dir").arg(folder);
    command
}

async fn code(service: &Service, chain: u64, address: &str) -> String {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getCode", "params": [address, "latest"] });
    let url = format!("{}/sandbox/rpc/{chain}", service.url);
    let answer: Value =
        service.client.post(url).body(call.to_string()).send().await.unwrap().json().await.unwrap();
    answer["result"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_hub_address_has_code_and_vault_shares_are_listed() {
    let folder = data_dir();
    let service = Service::start_with_all_chains(folder.path());
    let config = service.get_json("/v1/config/hub").await;
    assert_eq!(config, service.get_json("/v1/config/arcadia").await);
    assert_eq!(config["medusaURL"], service.url);
    let hub = config["chainId"].as_u64().unwrap();
    assert_eq!(hub, 4_278_608);
    let contracts = config["contract"].as_object().unwrap();
    for (name, value) in contracts {
        let places: Vec<(u64, &str)> = match value {
            Value::Object(by_chain) => {
                assert_eq!(by_chain.len(), 18, "{name} lies on every EVM chain");
                by_chain.iter().map(|(chain, at)| (chain.parse().unwrap(), at.as_str().unwrap())).collect()
            }
            address => vec![(hub, address.as_str().unwrap())],
        };
        for (chain, address) in places {
            assert_ne!(code(&service, chain, address).await, "0x", "{name} at {address} on {chain}");
        }
    }
    let vaults = service.get_json("/v1/vaults").await;
    assert_eq!(vaults.as_array().unwrap().len(), 2);
    for vault in vaults.as_array().unwrap() {
        for at in [&vault["vault"], &vault["teller"], &vault["assets"][0]] {
            assert_ne!(code(&service, hub, at.as_str().unwrap()).await, "0x", "{vault}");
        }
    }
    let shares = service.get_json("/v1/mtokens").await;
    let symbols: Vec<&str> =
        shares.as_array().unwrap().iter().map(|share| share["symbol"].as_str().unwrap()).collect();
    assert_eq!(symbols, ["cwUSDC", "cwWETH"]);
    assert_eq!(service.get_json(&format!("/v1/mtokens?chainIds={hub}")).await, shares);
    assert_eq!(service.get_json("/v1/mtokens?chainIds=1").await, json!([]), "chainIds filters");
    let found = service.get_json("/v1/tokens/search?q=cwUSDC").await;
    assert_eq!(found["data"][0]["address"], vaults[0]["vault"]);
}

#[tokio::test]
async fn redeploying_finds_the_existing_contracts() {
    let folder = data_dir();
    let service = Service::start_with_all_chains(folder.path());
    let records = data_dir();
    let arguments = ["deploy", "--chain", "8453", "--chain", "4278608", "--sandbox-rpc", &service.url];
    let deploy = || causeway_in(records.path()).args(arguments).output().unwrap();
    let (first, second) = (deploy(), deploy());
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(first.status.success(), "{text}{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(text.matches("was there").count(), 3 + 7, "{text}");
    assert_eq!(text.matches("swept back").count(), 2, "{text}");
    assert_eq!(text, String::from_utf8_lossy(&second.stdout));
    let written = |base: &Path| {
        let text = std::fs::read_to_string(base.join("deployments/8453.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (ours, theirs) = (written(records.path()), written(folder.path()));
    assert_eq!(ours["escrow"], theirs["escrow"]);
    assert_eq!(ours["transfers"], true);
}

#[tokio::test]
async fn the_program_on_solana_is_recorded_like_the_contracts() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let records = data_dir();
    let arguments = ["deploy", "--chain", "20011000000", "--sandbox-rpc", &service.url];
    let output = causeway_in(records.path()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(records.path().join("deployments/20011000000.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["program"], "CausewayEscrow11111111111111111111111111111");
    assert_eq!(record["minGraceSeconds"], 60);
}

#[test]
fn deploy_reports_what_is_missing() {
    let folder = data_dir();
    let fails = |arguments: &[&str], expected: &str| {
        let output = causeway_in(folder.path()).args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(expected), "{arguments:?}: {error}");
    };
    fails(&["deploy"], "--chain");
    fails(&["deploy", "--chain", "999999", "--sandbox-rpc", "http://127.0.0.1:9"], "no enabled EVM chain");
    fails(&["deploy", "--chain", "1", "--sandbox-rpc", "http://127.0.0.1:9"], "does not answer");
    let file = folder.path().join("production.toml");
    std::fs::write(&file, "mode = \"production\"\n").unwrap();
    let config = file.to_str().unwrap();
    fails(&["deploy", "--chain", "1", "--config", config], "contracts.attesters");
    std::fs::write(&file, "mode = \"production\"\n[contracts]\nattesters = [\"0x70997970C51812dc3A010C7d01b50e0d17dc79C8\", \"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC\", \"0x90F79bf6EB2c4f870365E785982E1f101E93b906\"]\nthreshold = 2\n").unwrap();
    fails(&["deploy", "--chain", "1", "--config", config], "CAUSEWAY_DEPLOYER_KEY");
    fails(&["deploy", "--chain", "20011000000", "--config", config], "CAUSEWAY_SOLANA_DEPLOYER_KEY");
    let test_key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    let output = causeway_in(folder.path())
        .args(["deploy", "--chain", "1", "--config", config])
        .env("CAUSEWAY_DEPLOYER_KEY", test_key)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("test phrase") && !error.contains("ac0974"), "{error}");
}

#[tokio::test]
async fn three_attesters_watch_every_chain_of_the_sandbox() {
    let folder = data_dir();
    let service = Service::start_with_all_chains(folder.path());
    let mut addresses = Vec::new();
    for number in 1..=3 {
        let path = format!("/sandbox/attesters/{number}/health");
        // It is unwell until it has looked at every chain once.
        while service.get(&path).await.status() != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let health = service.get_json(&path).await;
        assert_eq!(health["chains"].as_array().unwrap().len(), 19, "{health}");
        addresses.push(health["attester"].as_str().unwrap().to_owned());
    }
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 3);
    assert_eq!(service.get("/sandbox/attesters/4/health").await.status(), 404);
}

#[tokio::test]
async fn catalog_check_compares_the_bundled_facts_with_the_chains() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let elsewhere = data_dir();
    let list = r#"{"name":"liars","tokens":[{"chainId":8453,"address":"0x00000000000000000000000000000000000000ab",
        "symbol":"LIAR","name":"Liar","decimals":6}]}"#;
    std::fs::write(elsewhere.path().join("list.json"), list).unwrap();
    let config = "[[tokens.lists]]\nname = \"liars\"\nfile = \"list.json\"\n";
    std::fs::write(elsewhere.path().join("causeway.toml"), config).unwrap();
    let check = |more: &[&str]| {
        let arguments = ["catalog", "check", "--sandbox-rpc", &service.url, "--chain", "8453"];
        let output = causeway_in(elsewhere.path()).args(arguments).args(more).output().unwrap();
        let text =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (output.status.code(), text)
    };
    let (code, text) = check(&["--chain", "20011000000"]);
    assert_eq!(code, Some(0), "{text}");
    for part in ["chain 8453 Base: id at 1 of 1 endpoints", "Permit2, Multicall3", "chain 20011000000 Solana"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = check(&["--all-tokens"]);
    assert_eq!(code, Some(1), "{text}");
    let wanted = "differs: LIAR at 0x00000000000000000000000000000000000000aB: no token answers there";
    assert!(text.to_lowercase().contains(&wanted.to_lowercase()), "{text}");
    let arguments = ["catalog", "check", "--chain", "1", "--sandbox-rpc", "http://127.0.0.1:9"];
    let output = causeway_in(elsewhere.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "a chain that does not answer is not right");
}
