use std::time::Duration;

use alloy_primitives::U256;
use serde_json::json;

use super::audit::settle;
use super::chains::{ARBITRUM, BASE, COIN, Chains, ETHEREUM, usdc};
use super::desk::Desk;
use super::dice::Dice;
use super::payer::{Fate, Payer, Way, Wish};

/// Addresses of orders that are over are looked at all the time.
const CONFIG: &str = "[orders]\nlook_back_seconds = 1\n";

const FIFTY: u64 = 50_000_000;

async fn payer(from: u64, fate: Fate, chains: &Chains, desk: &Desk, dice: &mut Dice) -> Payer {
    let (from, to) = ((from, usdc(from)), (ETHEREUM, COIN));
    let wish = Wish { from, to, amount: U256::from(FIFTY), way: Way::Transfer, fate };
    let mut payer = Payer::new(wish, dice);
    payer.fund(chains).await;
    chains.give(from.0, payer.key.address(), from.1, U256::from(10 * FIFTY)).await;
    payer.build(desk).await;
    payer
}

/// Waits until so much came back, and no more.
async fn comes_back(chains: &Chains, desk: &Desk, payer: &Payer, units: u64) {
    let (chain, token) = payer.wish.from;
    for _ in 0..600 {
        let back = chains.balance(chain, token, payer.refund_to).await;
        assert!(back <= U256::from(units), "{back} came back instead of {units}");
        if back == U256::from(units) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let orders = desk.orders_of(payer.key.address()).await;
    let at = desk.get(&format!("/v1/orders/by-deposit-address/{}", payer.deal().deposit_address())).await;
    let story = desk.story(orders[0]["id"].as_str()).await;
    panic!("{units} of {payer:?} did not come back\n{at:#}\n{story}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_too_much_twice_or_after_the_end_comes_back_to_the_last_unit() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, CONFIG), Dice::new(1, "transfers"));
    let payer = payer(BASE, Fate::Filled, &chains, &desk, &mut dice).await;
    let (token, at) = (usdc(BASE), payer.deal().deposit_address());
    let pay = async |units: u64| chains.pay(BASE, &payer.key, token, at, U256::from(units)).await;
    // Twice at once, by somebody who pressed twice.
    pay(FIFTY).await;
    pay(FIFTY).await;
    comes_back(&chains, &desk, &payer, FIFTY).await;
    // The very same again after the end, twice: each time it looks as it looked before.
    pay(FIFTY).await;
    comes_back(&chains, &desk, &payer, 2 * FIFTY).await;
    pay(FIFTY).await;
    comes_back(&chains, &desk, &payer, 3 * FIFTY).await;
    assert!(chains.balance(BASE, token, at).await.is_zero());
    let recipient = payer.recipient;
    let amount_out = payer.deal().amount_out;
    settle(&chains, &desk, &[payer], 1).await;
    assert_eq!(chains.balance(ETHEREUM, COIN, recipient).await, amount_out, "delivered once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_little_comes_back_when_the_time_is_over_and_so_does_what_comes_later() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, CONFIG), Dice::new(2, "transfers"));
    let payer = payer(ARBITRUM, Fate::Unseen, &chains, &desk, &mut dice).await;
    let (token, at) = (usdc(ARBITRUM), payer.deal().deposit_address());
    let pay = async |units: u64| chains.pay(ARBITRUM, &payer.key, token, at, U256::from(units)).await;
    pay(FIFTY / 2).await;
    let late = json!({ "action": "setTime", "timestamp": payer.deal().open_deadline + 1 });
    chains.control(ARBITRUM, late).await;
    chains.control(ARBITRUM, json!({ "action": "mine", "blocks": 4 })).await;
    comes_back(&chains, &desk, &payer, FIFTY / 2).await;
    let order = &desk.orders_of(payer.key.address()).await[0];
    assert_eq!(order["status"], "failed", "{order:#}");
    pay(FIFTY).await;
    comes_back(&chains, &desk, &payer, FIFTY / 2 + FIFTY).await;
    // Nothing of it was ever in the escrow.
    let escrow = chains.balance(ARBITRUM, token, payer.deal().escrow).await;
    assert!(escrow.is_zero());
}
