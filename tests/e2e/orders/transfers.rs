use std::time::Duration;

use alloy_primitives::U256;
use serde_json::json;

use super::audit::wait_until_ended;
use super::chains::{ARBITRUM, BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// Addresses of orders that are over are looked at all the time.
const CONFIG: &str = "[orders]\nlook_back_seconds = 1\n";

const FIFTY: u64 = 50_000_000;

async fn payer(
    from: u64,
    outcome: Outcome,
    chains: &Chains,
    service: &RestartableService,
    rng: &mut SeededRng,
) -> Payer {
    let (from, to) = ((from, usdc(from)), (ETHEREUM, COIN));
    let plan = SwapPlan { from, to, amount: U256::from(FIFTY), via: DepositVia::Transfer, outcome };
    let mut payer = Payer::new(plan, rng);
    payer.fund(chains).await;
    chains.fund_address(from.0, payer.key.address(), from.1, U256::from(10 * FIFTY)).await;
    payer.build(service).await;
    payer
}

/// Waits until so much came back, and no more.
async fn wait_until_refunded(chains: &Chains, service: &RestartableService, payer: &Payer, units: u64) {
    let (chain, token) = payer.plan.from;
    for _ in 0..600 {
        let back = chains.balance(chain, token, payer.refund_to).await;
        assert!(back <= U256::from(units), "{back} came back instead of {units}");
        if back == U256::from(units) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let orders = service.orders_of(payer.key.address()).await;
    let at = service
        .get(&format!("/v1/orders/by-deposit-address/{}", payer.built_order().deposit_address()))
        .await;
    let diagnostics = service.diagnostics(orders[0]["id"].as_str()).await;
    panic!("{units} of {payer:?} did not come back\n{at:#}\n{diagnostics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn excess_duplicate_and_late_transfers_are_refunded_in_full() {
    let chains = Chains::start();
    let (service, mut rng) =
        (RestartableService::start(&chains.base, CONFIG), SeededRng::new(1, "transfers"));
    let payer = payer(BASE, Outcome::Filled, &chains, &service, &mut rng).await;
    let (token, at) = (usdc(BASE), payer.built_order().deposit_address());
    let pay = async |units: u64| chains.pay(BASE, &payer.key, token, at, U256::from(units)).await;
    // A double payment.
    pay(FIFTY).await;
    pay(FIFTY).await;
    wait_until_refunded(&chains, &service, &payer, FIFTY).await;
    // The very same again after the end, twice: each time it looks as it looked before.
    pay(FIFTY).await;
    wait_until_refunded(&chains, &service, &payer, 2 * FIFTY).await;
    pay(FIFTY).await;
    wait_until_refunded(&chains, &service, &payer, 3 * FIFTY).await;
    assert!(chains.balance(BASE, token, at).await.is_zero());
    let recipient = payer.recipient;
    let amount_out = payer.built_order().amount_out;
    wait_until_ended(&chains, &service, &[payer], 1).await;
    assert_eq!(chains.balance(ETHEREUM, COIN, recipient).await, amount_out, "delivered once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn underpayment_and_later_transfers_are_refunded_after_the_deadline() {
    let chains = Chains::start();
    let (service, mut rng) =
        (RestartableService::start(&chains.base, CONFIG), SeededRng::new(2, "transfers"));
    let payer = payer(ARBITRUM, Outcome::NeverDeposited, &chains, &service, &mut rng).await;
    let (token, at) = (usdc(ARBITRUM), payer.built_order().deposit_address());
    let pay = async |units: u64| chains.pay(ARBITRUM, &payer.key, token, at, U256::from(units)).await;
    pay(FIFTY / 2).await;
    let late = json!({ "action": "setTime", "timestamp": payer.built_order().open_deadline + 1 });
    chains.control(ARBITRUM, late).await;
    chains.control(ARBITRUM, json!({ "action": "mine", "blocks": 4 })).await;
    wait_until_refunded(&chains, &service, &payer, FIFTY / 2).await;
    let order = &service.orders_of(payer.key.address()).await[0];
    assert_eq!(order["status"], "failed", "{order:#}");
    pay(FIFTY).await;
    wait_until_refunded(&chains, &service, &payer, FIFTY / 2 + FIFTY).await;
    // Nothing of it was ever in the escrow.
    let escrow = chains.balance(ARBITRUM, token, payer.built_order().escrow).await;
    assert!(escrow.is_zero());
}
