//! A wallet on the deny list that pays for an order which another wallet built.

use std::time::Duration;

use alloy_primitives::U256;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;
use crate::service::data_dir;

const FIFTY: u64 = 50_000_000;

fn payer(outcome: Outcome, rng: &mut SeededRng) -> Payer {
    let (from, to) = ((BASE, usdc(BASE)), (ETHEREUM, COIN));
    let (amount, via) = (U256::from(FIFTY), DepositVia::Transfer);
    Payer::new(SwapPlan { from, to, amount, via, outcome }, rng)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transfer_of_a_listed_wallet_is_not_swept_and_goes_to_the_refund_address() {
    let (chains, folder) = (Chains::start(), data_dir());
    let mut rng = SeededRng::new(9, "listed");
    let thief = Key::new(BASE, &mut rng);
    let list = folder.path().join("deny.txt");
    std::fs::write(&list, format!("{} stolen\n", thief.address())).unwrap();
    let config = format!("[screening]\ndeny_list = {list:?}\n\n[orders]\nlook_back_seconds = 1\n");
    let service = RestartableService::start(&chains.base, &config);
    chains.fund_address(BASE, thief.address(), COIN, Payer::gas_budget(BASE)).await;
    chains.fund_address(BASE, thief.address(), usdc(BASE), U256::from(FIFTY)).await;

    let mut front = payer(Outcome::NeverDeposited, &mut rng);
    front.build(&service).await;
    let address = front.built_order().deposit_address();
    chains.pay(BASE, &thief, usdc(BASE), address, U256::from(FIFTY)).await;

    // An order that was paid later, by its payer, is filled.
    let mut honest = payer(Outcome::Filled, &mut rng);
    honest.fund(&chains).await;
    honest.build(&service).await;
    honest.deposit(&chains, &service, &broadcast::channel(1).0).await;
    wait_until_ended(&chains, &service, &[honest], 9).await;
    assert_eq!(chains.balance(BASE, usdc(BASE), address).await, U256::from(FIFTY), "it was swept");

    let late = json!({ "action": "setTime", "timestamp": front.built_order().open_deadline + 60 });
    chains.control(BASE, late).await;
    for _ in 0..600 {
        if chains.balance(BASE, usdc(BASE), front.refund_to).await == U256::from(FIFTY) {
            assert_eq!(chains.balance(ETHEREUM, COIN, front.recipient).await, U256::ZERO);
            return;
        }
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{front:?} has nothing back\n{}", service.diagnostics(None).await);
}
