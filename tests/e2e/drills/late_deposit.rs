//! A quote is no free option: who waits for the price to move before paying gets the money back.

use alloy_primitives::U256;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// From the end of a quote to the open deadline.
const OPENING: u64 = 600;

fn config(ether: u32) -> String {
    format!(
        "[prices.fixed]\nethereum = \"{ether}\"\n\n[sandbox]\ndrifting_prices = false\n\n[orders]\nlook_back_seconds = 1\n"
    )
}

fn plan(outcome: Outcome) -> SwapPlan {
    let (from, to, via) = ((BASE, usdc(BASE)), (ETHEREUM, COIN), DepositVia::Silent);
    SwapPlan { from, to, amount: U256::from(500_000_000), via, outcome }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_14_who_pays_after_the_quote_has_expired_gets_no_price_that_has_moved() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, &config(3_500));
    let mut rng = SeededRng::new(14, "late");
    let mut timely = Payer::new(plan(Outcome::Filled), &mut rng);
    let mut late = Payer::new(plan(Outcome::Refunded), &mut rng);
    for payer in [&timely, &late] {
        payer.fund(&chains).await;
    }
    for payer in [&mut timely, &mut late] {
        payer.build(&service).await;
    }
    // While the service is away, ether becomes one percent dearer; less than what an order in time may lose.
    service.kill();
    let stages = broadcast::channel(1).0;
    timely.deposit(&chains, &service, &stages).await;
    let expired = late.built_order().open_deadline - OPENING + 1;
    chains.control(BASE, json!({ "action": "setTime", "timestamp": expired })).await;
    chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
    late.deposit(&chains, &service, &stages).await;
    service.configure(&config(3_535));
    service.restart();
    let late_recipient = late.recipient;
    wait_until_ended(&chains, &service, &[timely, late], 14).await;
    assert_eq!(chains.balance(ETHEREUM, COIN, late_recipient).await, U256::ZERO);
}
