//! From an empty folder to a filled swap: what `causeway init` makes, and what `causeway doctor` says is missing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use alloy_primitives::Address;
use serde_json::Value;

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role, address, secret, usdc};
use crate::service::{Service, data_dir};

/// The checks that fail, by area and subject.
fn failing(host: &Host, file: &str) -> Vec<String> {
    let output = host.run(&["doctor", "--json", "--config", file], &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
    let mut failing: Vec<String> = checks
        .map(|check| format!("{} {}", check["area"].as_str().unwrap(), check["subject"].as_str().unwrap()))
        .collect();
    failing.sort();
    assert_eq!(output.status.success(), failing.is_empty(), "{report:#}");
    failing
}

fn mode(file: &Path) -> u32 {
    std::fs::metadata(file).unwrap().permissions().mode() & 0o777
}

fn edit(file: &Path, changes: &[(&str, String)]) {
    let mut text = std::fs::read_to_string(file).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from:?} is not in {text}");
        text = text.replace(from, to);
    }
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn doctor_lists_exactly_what_a_new_configuration_lacks_until_it_fills_a_swap() {
    let host = Host::new();
    let rpc = [BASE, ARBITRUM].map(|chain| {
        let node = host.node(chain);
        [format!("{chain}={node}"), format!("{chain}={}", node.replace("127.0.0.1", "localhost"))]
    });
    let mut flags = vec!["init", "made", "--data-dir", "data", "--chain", "base", "--chain", "Arbitrum"];
    for url in rpc.as_flattened() {
        flags.extend(["--rpc", url.as_str()]);
    }
    let made = host.run(&flags, &[]);
    let list = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success(), "{list}{}", String::from_utf8_lossy(&made.stderr));
    assert_eq!(list, std::fs::read_to_string(host.path("made/checklist.md")).unwrap());

    let keys = ["made/keys/relayer.key", "made/keys/house.key", "data/keys/quote", "data/keys/maker"];
    for file in keys.into_iter().chain(["data/operator-token"]) {
        assert_eq!(mode(&host.path(file)), 0o600, "{file}");
    }
    let again = host.run(&flags, &[]);
    let error = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && error.contains("nothing is overwritten"), "{error}");

    let account = |file: &str| -> Address {
        let output = host.run(&["key", "address", file], &[]);
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let (relayer, house) = (account(keys[0]), account(keys[1]));
    assert!(list.contains(&format!("{relayer}")) && list.contains(&format!("{house}")), "{list}");
    let prints = host.run(&["key", "fingerprint", keys[2]], &[]);
    assert_eq!(String::from_utf8(prints.stdout).unwrap().trim().len(), 32);

    let (file, name) = (host.path("made/causeway.toml"), "made/causeway.toml");
    assert!(host.run(&["config", "--config", name], &[]).status.success());
    // The sandbox's chains have no Chainlink, and the test has no other source.
    let fixed = "[prices.median]\nleast_sources = 1\n[prices.fixed]\nusd-coin = \"1\"\nethereum = \"3000\"";
    edit(&file, &[("[prices.chainlink]\n[prices.coingecko]", fixed.to_owned())]);
    assert_eq!(
        failing(&host, name),
        [
            "attesters contracts.attesters",
            "balances relayer, chain 42161",
            "balances relayer, chain 8453",
            "contracts records",
            "fillers market_makers",
        ]
    );

    let addresses = ATTESTERS.map(|byte| address(byte).to_string());
    let named = format!("attesters = {addresses:?}");
    edit(&file, &[("attesters = []", named), ("# payee = \"…\"", "payee_is_hot_key = true".to_owned())]);
    for chain in [BASE, ARBITRUM] {
        host.fund(Role::Deployer, chain, None).await;
        host.fund_account(relayer, chain, None).await;
    }
    let key = secret(Role::Deployer as u8);
    let deploy = ["deploy", "--config", name, "--chain", "8453", "--chain", "42161"];
    let deployed = host.run(&deploy, &[("CAUSEWAY_DEPLOYER_KEY", &key)]);
    assert!(deployed.status.success(), "{}", String::from_utf8_lossy(&deployed.stderr));
    assert_eq!(
        failing(&host, name),
        [
            "attesters contracts.attester_urls",
            "balances market_makers.house, chain 42161",
            "balances market_makers.house, chain 8453",
        ]
    );

    let folders = ATTESTERS.map(|_| data_dir());
    let attesters: Vec<Service> =
        ATTESTERS.iter().zip(&folders).map(|(byte, folder)| host.attester(folder.path(), *byte)).collect();
    let urls: Vec<String> = attesters.iter().map(|attester| attester.url.clone()).collect();
    edit(&file, &[("attester_urls = []", format!("attester_urls = {urls:?}"))]);
    for chain in [BASE, ARBITRUM] {
        host.fund_account(house, chain, None).await;
        host.fund(Role::Payer, chain, None).await;
    }
    host.fund_account(house, ARBITRUM, Some(usdc(ARBITRUM))).await;
    host.fund(Role::Payer, BASE, Some(usdc(BASE))).await;
    assert_eq!(failing(&host, name), Vec::<String>::new());

    let service = Service::start_with(&host.path("data"), &["--config", file.to_str().unwrap()]);
    let record = std::fs::read_to_string(host.path("data/deployments/8453.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let order = host.swap(&service, "contract-call", record["escrow"].as_str().unwrap());
    assert_eq!(order["status"], "filled", "{order}");
}
