use std::process::Stdio;
use std::time::Duration;

use causeway_domain::ports::{Attempt, Outbox as _, OutboxPut, Outgoing};
use causeway_domain::{Address, ChainId, Family};
use causeway_store::{Location, Store};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::service::{Service, causeway, data_dir};

const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const STRANGER: &str = "0x00000000000000000000000000000000000A11cE";
const BASE_USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const SOLANA: &str = "20011000000";

async fn post(service: &Service, path: &str, body: Value) -> (u16, Value) {
    let request = service.client.post(format!("{}{path}", service.url)).body(body.to_string());
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn rpc(service: &Service, chain: &str, method: &str, params: Value) -> Value {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (status, answer) = post(service, &format!("/sandbox/rpc/{chain}"), call).await;
    assert_eq!(status, 200);
    assert!(answer["error"].is_null(), "{method}: {answer}");
    answer["result"].clone()
}

async fn token_balance(service: &Service, owner: &str) -> u128 {
    let data = format!("0x70a08231000000000000000000000000{}", owner.trim_start_matches("0x"));
    let result = rpc(service, "8453", "eth_call", json!([{ "to": BASE_USDC, "data": data }, "latest"])).await;
    u128::from_str_radix(result.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// Gives a stranger a coin's worth of USDC on Base and waits for its block.
async fn give_tokens(service: &Service) {
    let gift = json!({ "chainId": 8453, "address": STRANGER, "token": BASE_USDC, "amount": "2500000" });
    let (status, answer) = post(service, "/sandbox/faucet", gift).await;
    assert_eq!(status, 200, "{answer}");
    let hash = answer["txHash"].clone();
    for _ in 0..1_200 {
        let receipt = rpc(service, "8453", "eth_getTransactionReceipt", json!([hash])).await;
        if !receipt.is_null() {
            assert_eq!(receipt["status"], "0x1", "{receipt}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the gift was not included");
}

#[tokio::test]
async fn every_sandbox_chain_answers_and_its_state_survives_kill_9() {
    let folder = data_dir();
    let mut service = Service::start_with_all_chains(folder.path());
    let chains = service.get_json("/v1/chains").await;
    for chain in chains.as_array().unwrap() {
        let id = chain["id"].to_string();
        let url = chain["rpcUrls"]["default"]["http"][0].as_str().unwrap();
        assert_eq!(url, format!("{}/sandbox/rpc/{id}", service.url));
        if chain["type"] == "solana" {
            assert_eq!(rpc(&service, &id, "getHealth", json!([])).await, "ok");
            let genesis = rpc(&service, &id, "getGenesisHash", json!([])).await;
            assert!(genesis.as_str().unwrap().starts_with("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"));
        } else {
            let number = format!("0x{:x}", chain["id"].as_u64().unwrap());
            assert_eq!(rpc(&service, &id, "eth_chainId", json!([])).await, number);
            let balance = rpc(&service, &id, "eth_getBalance", json!([WALLET, "latest"])).await;
            assert_eq!(balance, "0x21e19e0c9bab2400000", "ten thousand coins on {id}");
        }
    }
    assert_eq!(token_balance(&service, WALLET).await, 1_000_000_000_000, "a million dollars");
    give_tokens(&service).await;
    assert_eq!(token_balance(&service, STRANGER).await, 2_500_000);
    service.child.kill().unwrap();
    service.child.wait().unwrap();
    let service = Service::start_with(folder.path(), &[]);
    assert_eq!(token_balance(&service, STRANGER).await, 2_500_000);
}

#[tokio::test]
async fn faucet_and_controls_reject_invalid_input_with_a_message() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let faucet = [
        json!({ "chainId": 1 }),
        json!({ "chainId": 424_242, "address": WALLET }),
        json!({ "chainId": 1, "address": "0x1" }),
        json!({ "chainId": 1, "address": WALLET, "amount": "1e9" }),
        json!({ "chainId": 1, "address": WALLET, "amount": format!("1{}", "0".repeat(100)) }),
    ];
    for gift in faucet {
        let (status, answer) = post(&service, "/sandbox/faucet", gift.clone()).await;
        assert!(matches!(status, 400 | 404), "{gift}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|message| message.len() > 10), "{answer}");
    }
    let (status, _) = post(&service, "/sandbox/control/1", json!({ "action": "explode" })).await;
    assert_eq!(status, 400);
    let (status, answer) =
        post(&service, "/sandbox/control/1", json!({ "action": "mine", "blocks": 3 })).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer["blockNumber"].as_u64().unwrap() >= 3);
    let (status, answer) =
        post(&service, &format!("/sandbox/control/{SOLANA}"), json!({ "action": "mine" })).await;
    assert_eq!(status, 200, "{answer}");
}

#[tokio::test]
async fn fillers_are_let_fail_on_a_chain_or_everywhere_and_healed() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let failing = async |name: &str| {
        let fillers = service.get_json("/sandbox/fillers").await;
        let one = fillers.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
        (one["failing"].as_array().unwrap().len(), usize::try_from(one["chains"].as_u64().unwrap()).unwrap())
    };
    let (none, chains) = failing("north").await;
    assert!(none == 0 && chains > 1);
    for (body, expected) in [
        (json!({ "failing": true, "chainId": 8453 }), 1),
        (json!({ "failing": true }), chains),
        (json!({ "failing": false, "chainId": 8453 }), chains - 1),
        (json!({ "failing": false }), 0),
    ] {
        let (status, answer) = post(&service, "/sandbox/fillers/north", body.clone()).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(failing("north").await.0, expected, "{body}");
        assert_eq!(failing("south").await.0, 0);
    }
    for (path, body, expected) in [
        ("/sandbox/fillers/nobody", json!({ "failing": true }), 404),
        ("/sandbox/fillers/north", json!({ "failing": true, "chainId": 424_242 }), 404),
        ("/sandbox/fillers/north", json!({ "failing": "yes" }), 400),
        ("/sandbox/fillers/north", json!({ "fails": true }), 400),
    ] {
        let (status, answer) = post(&service, path, body.clone()).await;
        assert_eq!(status, expected, "{body}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|message| message.len() > 10), "{answer}");
    }
}

#[tokio::test]
async fn faucet_says_when_the_transfer_reverts_or_the_token_has_no_code() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let nothing = "0x00000000000000000000000000000000000abcde";
    let gift = json!({ "chainId": 8453, "address": STRANGER, "token": nothing });
    let (status, answer) = post(&service, "/sandbox/faucet", gift).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("no token at"), "{answer}");

    // The token contract has no function that receives coins.
    let gift = json!({ "chainId": 8453, "address": BASE_USDC });
    let (status, answer) = post(&service, "/sandbox/faucet", gift).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("would revert"), "{answer}");
    let balance = rpc(&service, "8453", "eth_getBalance", json!([BASE_USDC, "latest"])).await;
    assert_eq!(balance, "0x0");
}

#[tokio::test]
async fn a_service_can_use_the_chains_of_another_process() {
    let (chains, folder) = (data_dir(), data_dir());
    let mut child = causeway()
        .args(["sandbox", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(chains.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let address = crate::service::read_address(&mut child);
    let base = address.split("/sandbox").next().unwrap().to_owned();
    let service = Service::start_with(folder.path(), &["--sandbox-rpc", &base]);
    let listed = service.get_json("/v1/chains").await;
    let url = listed[0]["rpcUrls"]["default"]["http"][0].as_str().unwrap();
    assert_eq!(url, format!("{base}/sandbox/rpc/1"));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": [] });
    let response = service.client.post(url).body(call.to_string()).send().await.unwrap();
    assert_eq!(response.json::<Value>().await.unwrap()["result"], "0x1");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn fresh_chains_start_with_an_empty_outbox_and_kept_chains_with_the_old_one() {
    let folder = data_dir();
    let location = Location::Sqlite(folder.path().join("causeway.db"));
    let sent = Outgoing {
        chain: ChainId::new(8453).unwrap(),
        signer: Address::parse(Family::Evm, WALLET).unwrap(),
        nonce: 7,
        purpose: "fill".to_owned(),
        attempts: vec![Attempt {
            hash: [7; 32].into(),
            raw: vec![7],
            max_fee_per_gas: 7,
            priority_fee_per_gas: None,
            made_at: Timestamp::now(),
        }],
        end: None,
    };
    let store = Store::open(&location).await.unwrap();
    assert_eq!(store.put(&sent).await.unwrap(), OutboxPut::Written);
    store.close().await;
    for (args, highest) in [(&[][..], Some(7)), (&["--fresh"][..], None)] {
        drop(Service::start_with(folder.path(), args));
        let store = Store::open(&location).await.unwrap();
        assert_eq!(store.highest_nonce(sent.chain, sent.signer).await.unwrap(), highest, "{args:?}");
        store.close().await;
    }
}
