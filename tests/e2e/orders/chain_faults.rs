use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ChainId;
use causeway_domain::ports::Outbox as _;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, OPTIMISM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// Fifty dollars on Base for coins elsewhere: a delivery that needs no allowance, so it is one transaction.
fn for_coins(on: u64, via: DepositVia, outcome: Outcome) -> SwapPlan {
    SwapPlan { from: (BASE, usdc(BASE)), to: (on, COIN), amount: U256::from(50_000_000), via, outcome }
}

async fn built(plan: SwapPlan, chains: &Chains, service: &RestartableService, rng: &mut SeededRng) -> Payer {
    let mut payer = Payer::new(plan, rng);
    payer.fund(chains).await;
    payer.build(service).await;
    payer
}

async fn status(service: &RestartableService, payer: &Payer) -> Option<String> {
    let orders = service.orders_of(payer.key.address()).await;
    orders.first().map(|order| order["status"].as_str().unwrap().to_owned())
}

async fn until(service: &RestartableService, payer: &Payer, wanted: &str) {
    for _ in 0..600 {
        if status(service, payer).await.as_deref() == Some(wanted) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let orders = service.orders_of(payer.key.address()).await;
    panic!("{payer:?} is not {wanted}: {orders:#?}\n{}", service.diagnostics(orders[0]["id"].as_str()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shallow_reorg_is_invisible_to_clients() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(1, "reorg"));
    let mut payer =
        built(for_coins(ETHEREUM, DepositVia::Call, Outcome::Filled), &chains, &service, &mut rng).await;
    payer.deposit(&chains, &service, &broadcast::channel(1).0).await;
    let mut seen = vec!["created".to_owned()];
    while seen.last().is_some_and(|last| last != "filled") {
        for chain in [BASE, ETHEREUM] {
            chains.control(chain, json!({ "action": "reorg", "blocks": 1, "forget": false })).await;
        }
        let now = status(&service, &payer).await.expect("a submitted order is visible");
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        // A few blocks in between, or no block would become final.
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(seen.len() < 6, "{seen:?}");
    }
    let order = ["created", "deposited", "published", "filled"];
    let mut places = seen.iter().map(|status| order.iter().position(|known| known == status).unwrap());
    assert!(places.by_ref().is_sorted(), "{seen:?}");
    let built_order = payer.built_order();
    assert_eq!(chains.balance(ETHEREUM, COIN, payer.recipient).await, built_order.amount_out);
    wait_until_ended(&chains, &service, &[payer], 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_stuck_on_a_dead_fork_blocks_no_order() {
    let chains = Chains::start();
    let (service, mut rng) =
        (RestartableService::start(&chains.base, "[sandbox]\nnodes = 3\n"), SeededRng::new(5, "fork"));
    let mut payer =
        built(for_coins(ETHEREUM, DepositVia::Call, Outcome::Filled), &chains, &service, &mut rng).await;
    for chain in [BASE, ETHEREUM] {
        chains.control(chain, json!({ "action": "faults", "node": 2, "frozen": true })).await;
        chains.control(chain, json!({ "action": "reorg", "blocks": 2, "forget": false })).await;
    }
    // One by one, so that the other node is heard to call its own blocks of those heights settled.
    for _ in 0..4 {
        for chain in [BASE, ETHEREUM] {
            chains.control(chain, json!({ "action": "mine", "blocks": 1 })).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    payer.deposit(&chains, &service, &broadcast::channel(1).0).await;
    wait_until_ended(&chains, &service, &[payer], 5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn halted_chain_delays_only_its_own_orders() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(2, "pause"));
    let mut waits =
        built(for_coins(ETHEREUM, DepositVia::Call, Outcome::Filled), &chains, &service, &mut rng).await;
    let mut goes_on =
        built(for_coins(OPTIMISM, DepositVia::Permit, Outcome::Filled), &chains, &service, &mut rng).await;
    let (stages, _) = broadcast::channel(8);
    chains.control(ETHEREUM, json!({ "action": "pause" })).await;
    waits.deposit(&chains, &service, &stages).await;
    until(&service, &waits, "published").await;
    goes_on.deposit(&chains, &service, &stages).await;
    until(&service, &goes_on, "filled").await;
    assert_eq!(status(&service, &waits).await.as_deref(), Some("published"));
    // A restart in between changes nothing.
    service.kill();
    service.restart();
    chains.control(ETHEREUM, json!({ "action": "resume" })).await;
    wait_until_ended(&chains, &service, &[waits, goes_on], 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stuck_or_lost_fill_is_resent_with_the_same_nonce_and_lands_once() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(3, "stuck"));
    let mut stuck =
        built(for_coins(ETHEREUM, DepositVia::Call, Outcome::Filled), &chains, &service, &mut rng).await;
    let mut lost =
        built(for_coins(OPTIMISM, DepositVia::Call, Outcome::Filled), &chains, &service, &mut rng).await;
    let delay = json!({ "action": "delay", "transactions": 1, "milliseconds": 600_000 });
    chains.control(ETHEREUM, delay).await;
    chains.control(OPTIMISM, json!({ "action": "drop", "transactions": 1 })).await;
    let (stages, _) = broadcast::channel(8);
    stuck.deposit(&chains, &service, &stages).await;
    lost.deposit(&chains, &service, &stages).await;
    let payers = [stuck, lost];
    wait_until_ended(&chains, &service, &payers, 3).await;
    for payer in &payers {
        let (chain, token) = payer.plan.to;
        assert_eq!(chains.balance(chain, token, payer.recipient).await, payer.built_order().amount_out);
    }
    service.kill();
    let store = service.store().await;
    let purpose = format!("fill:{:#x}", payers[0].built_order().intent);
    let fill = store.for_purpose(ChainId::new(ETHEREUM).unwrap(), &purpose).await.unwrap().unwrap();
    let fees: Vec<u128> = fill.attempts.iter().map(|attempt| attempt.max_fee_per_gas).collect();
    assert!(fees.len() > 1 && fees.is_sorted_by(|less, more| less < more), "{fees:?}");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfilled_deposit_is_refunded_with_attestations_after_the_deadline() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(4, "late"));
    let mut payer =
        built(for_coins(ETHEREUM, DepositVia::Call, Outcome::Refunded), &chains, &service, &mut rng).await;
    chains.control(ETHEREUM, json!({ "action": "drop", "transactions": 1_000 })).await;
    payer.deposit(&chains, &service, &broadcast::channel(1).0).await;
    until(&service, &payer, "published").await;
    let late = json!({ "action": "setTime", "timestamp": payer.built_order().fill_deadline + 1 });
    chains.control(ETHEREUM, late).await;
    chains.control(ETHEREUM, json!({ "action": "mine", "blocks": 4 })).await;
    let (refund_to, amount) = (payer.refund_to, payer.built_order().amount_in);
    wait_until_ended(&chains, &service, &[payer], 4).await;
    assert_eq!(chains.balance(BASE, usdc(BASE), refund_to).await, amount);
}
