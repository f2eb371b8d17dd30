//! A stranger who has one deposit after the other built and pays none.

use alloy_primitives::U256;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

const LIMIT: usize = 5;

fn payer(outcome: Outcome, rng: &mut SeededRng) -> Payer {
    let (from, to) = ((BASE, usdc(BASE)), (ETHEREUM, COIN));
    let (amount, via) = (U256::from(50_000_000_u64), DepositVia::Transfer);
    Payer::new(SwapPlan { from, to, amount, via, outcome }, rng)
}

async fn build(service: &RestartableService, payer: &Payer) -> (u16, Value) {
    let (quote, route) = payer.quote(service).await;
    service.ask_once(Method::POST, "/v1/deposit/build", &payer.ask_to_build(&quote, &route)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_14_a_payer_who_pays_nothing_is_refused_more_builds_and_others_are_served() {
    let chains = Chains::start();
    let config = format!("[orders]\nunpaid_per_payer = {LIMIT}\n");
    let service = RestartableService::start(&chains.base, &config);
    let mut rng = SeededRng::new(14, "unpaid");
    let stranger = payer(Outcome::NeverDeposited, &mut rng);
    for _ in 0..LIMIT {
        let (status, answer) = build(&service, &stranger).await;
        assert_eq!(status, 200, "{answer}");
    }
    for _ in 0..3 {
        let (status, refusal) = build(&service, &stranger).await;
        assert_eq!(status, 429, "{refusal}");
        let words = refusal["message"].as_str().unwrap();
        assert!(words.contains(&LIMIT.to_string()), "{words}");
    }

    let mut honest = payer(Outcome::Filled, &mut rng);
    honest.fund(&chains).await;
    honest.build(&service).await;
    honest.deposit(&chains, &service, &broadcast::channel(1).0).await;
    wait_until_ended(&chains, &service, &[honest], 14).await;
}
