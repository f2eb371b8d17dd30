//! A chain whose endpoints contradict each other about a final block opens nothing, and still pays what it owes.

use std::time::{Duration, Instant};

use alloy_primitives::{Bytes, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::Address;
use causeway_evm::contracts::Escrow;
use reqwest::Method;
use serde_json::json;
use tokio::sync::broadcast;

use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

pub(super) const TIMEOUT: Duration = Duration::from_mins(2);
pub(super) const CLAIMED: u64 = 2;

pub(super) fn plan() -> SwapPlan {
    let (amount, via) = (U256::from(50_000_000), DepositVia::Call);
    SwapPlan { from: (BASE, usdc(BASE)), to: (ETHEREUM, COIN), amount, via, outcome: Outcome::Filled }
}

pub(super) async fn status(service: &RestartableService, payer: &Payer) -> String {
    let orders = service.orders_of(payer.key.address()).await;
    orders.first().map(|order| order["status"].as_str().unwrap().to_owned()).unwrap_or_default()
}

/// What the escrow itself says of an order.
pub(super) async fn escrow_status(chains: &Chains, payer: &Payer) -> U256 {
    let order = payer.built_order();
    let Address::Evm(escrow) = order.escrow else { panic!("an EVM escrow") };
    let data = Bytes::from(Escrow::statusCall { orderId: order.intent }.abi_encode());
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [{ "to": escrow, "data": data }, "latest"],
    });
    let answer = chains.rpc(BASE, &call).await;
    U256::from_be_slice(&serde_json::from_value::<Bytes>(answer["result"].clone()).unwrap())
}

/// What the recipient would have if everything in the destination's pool were in a block.
pub(super) async fn pending_balance(chains: &Chains, payer: &Payer) -> U256 {
    let recipient = payer.recipient.to_string();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "eth_getBalance", "params": [recipient, "pending"],
    });
    serde_json::from_value(chains.rpc(ETHEREUM, &call).await["result"].clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_29_a_halted_chain_opens_nothing_and_still_claims() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, "[sandbox]\nnodes = 2\n");
    let mut rng = SeededRng::new(29, "halt");
    let mut owed = Payer::new(plan(), &mut rng);
    owed.fund(&chains).await;
    owed.build(&service).await;
    // The fill is sent and waits for a block while the origin chain is halted.
    chains.control(ETHEREUM, json!({ "action": "pause" })).await;
    owed.deposit(&chains, &service, &broadcast::channel(1).0).await;
    let begun = Instant::now();
    while status(&service, &owed).await != "published" {
        assert!(begun.elapsed() < TIMEOUT, "{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let begun = Instant::now();
    while pending_balance(&chains, &owed).await != owed.built_order().amount_out {
        assert!(begun.elapsed() < TIMEOUT, "the fill is not in the pool of the paused chain");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let lies = json!({ "action": "faults", "node": 2, "lies": { "falseHashes": true } });
    chains.control(BASE, lies).await;
    let late = Payer::new(plan(), &mut rng);
    late.fund(&chains).await;
    let begun = Instant::now();
    loop {
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        let (status, answer) = service.ask_once(Method::POST, "/v1/quotes", &late.ask()).await;
        if status != 200 && answer.to_string().contains("Chain 8453 is halted") {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "a halted chain is still quoted: {answer}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_ne!(escrow_status(&chains, &owed).await, U256::from(CLAIMED));
    chains.control(ETHEREUM, json!({ "action": "resume" })).await;
    let begun = Instant::now();
    while escrow_status(&chains, &owed).await != U256::from(CLAIMED) {
        assert!(begun.elapsed() < TIMEOUT, "what the halted chain owes is not claimed");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let delivered = chains.balance(ETHEREUM, COIN, owed.recipient).await;
    assert_eq!(delivered, owed.built_order().amount_out);
}
