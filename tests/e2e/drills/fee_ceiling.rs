//! Fees of a chain that rise beyond all measure: what can wait waits, and is sent when they have fallen.

use std::time::{Duration, Instant};

use alloy_primitives::U256;
use serde_json::json;
use tokio::sync::broadcast;

use super::chains::{BASE, COIN, Chains, ETHEREUM};
use super::halted_chain::{CLAIMED, TIMEOUT, escrow_status, pending_balance, plan, status};
use super::payer::Payer;
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

const OPEN: u64 = 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_27_nothing_is_sent_above_the_fee_ceiling_of_a_chain() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, "");
    let mut payer = Payer::new(plan(), &mut SeededRng::new(27, "fees"));
    payer.fund(&chains).await;
    payer.build(&service).await;
    // The fill is sent and waits for a block; then the fees of the chain rise on which it will be claimed.
    chains.control(ETHEREUM, json!({ "action": "pause" })).await;
    payer.deposit(&chains, &service, &broadcast::channel(1).0).await;
    let begun = Instant::now();
    while status(&service, &payer).await != "published"
        || pending_balance(&chains, &payer).await != payer.built_order().amount_out
    {
        assert!(begun.elapsed() < TIMEOUT, "{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    chains.control(BASE, json!({ "action": "faults", "lies": { "feeFactor": 1_000_000 } })).await;
    chains.control(ETHEREUM, json!({ "action": "resume" })).await;
    let begun = Instant::now();
    while chains.balance(ETHEREUM, COIN, payer.recipient).await != payer.built_order().amount_out {
        assert!(begun.elapsed() < TIMEOUT, "{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for _ in 0..20 {
        chains.control(ETHEREUM, json!({ "action": "mine", "blocks": 1 })).await;
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(escrow_status(&chains, &payer).await, U256::from(OPEN), "claimed at any price");
    }
    chains.control(BASE, json!({ "action": "faults" })).await;
    let begun = Instant::now();
    while escrow_status(&chains, &payer).await != U256::from(CLAIMED) {
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        assert!(begun.elapsed() < TIMEOUT, "not claimed\n{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}
