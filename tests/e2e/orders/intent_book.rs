use std::collections::BTreeMap;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, Bytes};
use alloy_sol_types::{SolCall as _, SolEvent as _};
use causeway_domain::IntentState;
use causeway_evm::contracts::IntentBook;
use causeway_evm::{BlockTag, Call};
use causeway_sandbox::genesis::Roles;
use reqwest::Method;
use serde_json::{Value, json};

use super::chains::Chains;
use super::payer::Payer;
use super::restartable_service::RestartableService;

const HUB: u64 = 4_278_608;

/// How often the book is compared before it is said to differ for good: far more than a few of its intervals.
const MAX_CHECKS: usize = 300;

/// The states as the API names them, in the order of the book's numbers.
const NAMES: [&str; 8] =
    ["NonExistent", "Open", "Locked", "Solved", "Settled", "Expired", "Cancelled", "Error"];

/// Waits until the hub's book of intents says of every order what the API says.
pub(super) async fn wait_until_book_agrees(chains: &Chains, service: &RestartableService, payers: &[&Payer]) {
    let hub = service.get("/v1/config/hub").await;
    let book: EvmAddress = hub["contract"]["intentBook"].as_str().unwrap().parse().unwrap();
    for payer in payers {
        let intent = payer.built_order().intent;
        let mut last = (String::new(), String::new());
        for _ in 0..MAX_CHECKS {
            last = (api_state(service, intent).await, book_state(chains, book, intent).await);
            if last.0 == last.1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(last.0, last.1, "the API and the book differ about {payer:?}");
    }
    check_gas(chains, book).await;
}

/// The state in the API; a hidden order has none.
async fn api_state(service: &RestartableService, intent: B256) -> String {
    match service.ask(Method::GET, &format!("/v1/intent/{intent}"), &Value::Null).await {
        Ok(intent) => intent["state"].as_str().unwrap().to_owned(),
        Err((404, _)) => NAMES[0].to_owned(),
        Err(error) => panic!("{intent}: {error:?}"),
    }
}

/// The state that the relayer recorded in the book.
async fn book_state(chains: &Chains, book: EvmAddress, intent: B256) -> String {
    let writer = Roles::new().unwrap().relayer.address;
    let data = Bytes::from(IntentBook::stateOfCall { writer, intentId: intent }.abi_encode());
    let call = Call::new("eth_call", json!([{ "to": book, "data": data }, "latest"]));
    let answer: Bytes = chains.client(HUB).call(call).await.unwrap();
    let state = IntentBook::stateOfCall::abi_decode_returns(&answer).unwrap();
    let state = IntentState::from_number(state as u8).unwrap();
    NAMES[usize::from(state.number())].to_owned()
}

/// Says what the batches cost.
async fn check_gas(chains: &Chains, book: EvmAddress) {
    let client = chains.client(HUB);
    let head = client.block(BlockTag::Latest).await.unwrap().unwrap().number;
    let mut batches: BTreeMap<B256, u64> = BTreeMap::new();
    for from in (0..=head).step_by(1_000) {
        let logs = client.range_logs(&[book], from, head.min(from + 999)).await.unwrap();
        for log in logs.iter().filter(|log| log.topics[0] == IntentBook::IntentRecorded::SIGNATURE_HASH) {
            *batches.entry(log.transaction_hash).or_default() += 1;
        }
    }
    let hashes: Vec<B256> = batches.keys().copied().collect();
    let receipts = client.receipts(&hashes).await.unwrap();
    let gas: u64 = receipts.iter().flatten().map(|receipt| receipt.gas_used).sum();
    let lines: u64 = batches.values().sum();
    assert!(lines > 0, "the book has entries");
    assert!(gas / lines < 150_000, "{} batches of {lines} lines cost {gas} gas", batches.len());
}
