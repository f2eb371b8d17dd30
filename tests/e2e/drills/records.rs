//! Deployment records that are not those of the contracts, and chains that do not answer.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role};
use crate::service::{Service, causeway, data_dir};

const LIMIT: Duration = Duration::from_mins(3);

async fn deployed() -> Host {
    let host = Host::new();
    host.fund(Role::Deployer, BASE, None).await;
    host.fund(Role::Deployer, ARBITRUM, None).await;
    host.deploy();
    let urls = vec!["http://127.0.0.1:9".to_owned(); 3];
    host.configure(&urls, &host.relayer_and_market_maker());
    host
}

/// The findings of the doctor, and whether it succeeded.
fn doctor(host: &Host, arguments: &[&str]) -> (Value, bool) {
    let output = host.run(&[&["doctor", "--json"], arguments].concat(), &[]);
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.success())
}

fn failures(report: &Value) -> Vec<String> {
    let failed = report["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
    failed.map(|check| check["message"].as_str().unwrap().to_owned()).collect()
}

fn change(file: &Path, change: impl Fn(&mut Value)) {
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    change(&mut record);
    std::fs::write(file, record.to_string()).unwrap();
}

#[tokio::test]
async fn records_are_compared_with_configuration_contracts_and_mode() {
    let host = deployed().await;
    let (report, _) = doctor(&host, &[]);
    let checks = report["checks"].as_array().unwrap();
    // Neither attesters nor coins for gas are part of this drill.
    for area in ["database", "keys", "endpoints", "clock", "contracts", "prices", "fillers"] {
        let mut of_area = checks.iter().filter(|check| check["area"] == area).peekable();
        assert!(of_area.peek().is_some() && of_area.all(|check| check["ok"] == true), "{area}: {report:#}");
    }

    let record = host.path("data/deployments/8453.json");
    let good = std::fs::read_to_string(&record).unwrap();
    let refused = |expected: &str| {
        let output = host.run(&["--listen", "127.0.0.1:0"], &[]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(expected), "{expected}: {error}");
        let (report, succeeded) = doctor(&host, &[]);
        let found = failures(&report);
        assert!(!succeeded && found.iter().any(|words| words.contains(expected)), "{expected}: {found:?}");
    };
    for field in ["escrow", "settler", "attesterRegistry", "depositFactory"] {
        change(&record, |record| record[field] = json!(format!("0x{}", "77".repeat(20))));
        refused("8453.json is not believed");
        std::fs::write(&record, &good).unwrap();
    }
    change(&record, |record| record["minGraceSeconds"] = json!(60));
    refused("a grace of 60");
    std::fs::write(&record, &good).unwrap();
    // The sandbox's contracts are there, on the same chain; their attesters' keys are public.
    let sandbox = data_dir();
    let base = host.base.clone();
    let output = causeway()
        .current_dir(sandbox.path())
        .args(["deploy", "--chain", "8453", "--data-dir", ".", "--sandbox-rpc", &base])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::copy(sandbox.path().join("deployments/8453.json"), &record).unwrap();
    refused("contracts of the sandbox");
    change(&record, |record| record["mode"] = json!("production"));
    refused("8453.json is not believed");
    std::fs::write(&record, &good).unwrap();
    // The configuration names other attesters than the contracts have.
    let file = host.path("causeway.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("threshold = 2", "threshold = 3")).unwrap();
    refused("8453.json is not believed");
}

#[tokio::test]
async fn an_attester_believes_no_record_either() {
    let host = deployed().await;
    let folder = data_dir();
    let file = host.configure_attester(folder.path(), ATTESTERS[0]);
    let run = |arguments: &[&str]| {
        let mut command = causeway();
        command.current_dir(folder.path()).args(arguments).args([
            "--config",
            file.to_str().unwrap(),
            "--data-dir",
        ]);
        command.arg(folder.path()).output().unwrap()
    };
    let output = run(&["doctor", "--attester"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("code, attesters, threshold and grace"), "{text}");
    change(&folder.path().join("deployments/8453.json"), |record| {
        record["escrow"] = json!(format!("0x{}", "77".repeat(20)));
    });
    let started = run(&["attester", "--listen", "127.0.0.1:0"]);
    let error = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(!started.status.success() && error.contains("8453.json is not believed"), "{error}");
    let output = run(&["doctor", "--attester", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), report["ok"].as_bool()), (Some(1), Some(false)), "{report:#}");
}

/// Lets connections to `listener` through to the nodes.
async fn relay(listener: TcpListener, to: String) {
    while let Ok((mut inside, _)) = listener.accept().await {
        let to = to.clone();
        tokio::spawn(async move {
            if let Ok(mut outside) = TcpStream::connect(to).await {
                let _ = tokio::io::copy_bidirectional(&mut inside, &mut outside).await;
            }
        });
    }
}

#[tokio::test]
async fn a_chain_that_does_not_answer_at_the_start_is_closed_until_it_does() {
    let host = deployed().await;
    let nodes = host.base.trim_start_matches("http://").to_owned();
    // A port that nobody listens on for now.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let file = host.path("causeway.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let (from, to) = (host.node(ARBITRUM), format!("http://127.0.0.1:{port}/sandbox/rpc/{ARBITRUM}"));
    std::fs::write(&file, text.replace(&from, &to)).unwrap();
    let (report, succeeded) = doctor(&host, &[]);
    assert!(
        !succeeded && failures(&report).iter().any(|words| words.contains("cannot be checked")),
        "{report:#}"
    );

    let service = host.serve();
    let ask = json!({
        "tradeType": "EXACT_INPUT", "amount": "25000000",
        "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        "fromChainId": BASE, "fromToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "toChainId": ARBITRUM, "toToken": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    });
    let quote = async |service: &Service| {
        let url = format!("{}/v1/quotes", service.url);
        let response =
            service.client.post(url).header("content-type", "application/json").body(ask.to_string());
        response.send().await.unwrap().text().await.unwrap()
    };
    let answer = quote(&service).await;
    assert!(answer.contains("could not be checked"), "{answer}");

    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let relaying = tokio::spawn(relay(listener, nodes));
    let begun = Instant::now();
    while quote(&service).await.contains("could not be checked") {
        assert!(begun.elapsed() < LIMIT, "the chain answers and stays closed");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    relaying.abort();
}
