use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ChainId;
use causeway_domain::ports::Outbox as _;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::settle;
use super::chains::{BASE, COIN, Chains, ETHEREUM, OPTIMISM, usdc};
use super::desk::Desk;
use super::dice::Dice;
use super::payer::{Fate, Payer, Way, Wish};

/// Fifty dollars on Base for coins elsewhere: a delivery that needs no allowance, so it is one transaction.
fn for_coins(on: u64, way: Way, fate: Fate) -> Wish {
    Wish { from: (BASE, usdc(BASE)), to: (on, COIN), amount: U256::from(50_000_000), way, fate }
}

async fn built(wish: Wish, chains: &Chains, desk: &Desk, dice: &mut Dice) -> Payer {
    let mut payer = Payer::new(wish, dice);
    payer.fund(chains).await;
    payer.build(desk).await;
    payer
}

async fn status(desk: &Desk, payer: &Payer) -> Option<String> {
    let orders = desk.orders_of(payer.key.address()).await;
    orders.first().map(|order| order["status"].as_str().unwrap().to_owned())
}

async fn until(desk: &Desk, payer: &Payer, wanted: &str) {
    for _ in 0..600 {
        if status(desk, payer).await.as_deref() == Some(wanted) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let orders = desk.orders_of(payer.key.address()).await;
    panic!("{payer:?} is not {wanted}: {orders:#?}\n{}", desk.story(orders[0]["id"].as_str()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reorganisation_under_the_depth_changes_nothing_that_a_client_sees() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(1, "reorg"));
    let mut payer = built(for_coins(ETHEREUM, Way::Call, Fate::Filled), &chains, &desk, &mut dice).await;
    payer.deposit(&chains, &desk, &broadcast::channel(1).0).await;
    let mut seen = vec!["created".to_owned()];
    while seen.last().is_some_and(|last| last != "filled") {
        for chain in [BASE, ETHEREUM] {
            chains.control(chain, json!({ "action": "reorg", "blocks": 1, "forget": false })).await;
        }
        let now = status(&desk, &payer).await.expect("it was told, so it is shown");
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        // A few blocks in between, or nothing would ever stand.
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(seen.len() < 6, "{seen:?}");
    }
    let order = ["created", "deposited", "published", "filled"];
    let mut places = seen.iter().map(|status| order.iter().position(|known| known == status).unwrap());
    assert!(places.by_ref().is_sorted(), "{seen:?}");
    let deal = payer.deal();
    assert_eq!(chains.balance(ETHEREUM, COIN, payer.recipient).await, deal.amount_out);
    settle(&chains, &desk, &[payer], 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_left_behind_on_a_dead_fork_stops_nobody() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, "[sandbox]\nnodes = 2\n"), Dice::new(5, "fork"));
    let mut payer = built(for_coins(ETHEREUM, Way::Call, Fate::Filled), &chains, &desk, &mut dice).await;
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
    payer.deposit(&chains, &desk, &broadcast::channel(1).0).await;
    settle(&chains, &desk, &[payer], 5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_of_a_chain_that_stands_still_wait_and_others_do_not() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(2, "pause"));
    let mut waits = built(for_coins(ETHEREUM, Way::Call, Fate::Filled), &chains, &desk, &mut dice).await;
    let mut goes_on = built(for_coins(OPTIMISM, Way::Permit, Fate::Filled), &chains, &desk, &mut dice).await;
    let (tell, _) = broadcast::channel(8);
    chains.control(ETHEREUM, json!({ "action": "pause" })).await;
    waits.deposit(&chains, &desk, &tell).await;
    until(&desk, &waits, "published").await;
    goes_on.deposit(&chains, &desk, &tell).await;
    until(&desk, &goes_on, "filled").await;
    assert_eq!(status(&desk, &waits).await.as_deref(), Some("published"));
    // A restart in between changes nothing.
    desk.kill();
    desk.revive();
    chains.control(ETHEREUM, json!({ "action": "resume" })).await;
    settle(&chains, &desk, &[waits, goes_on], 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_that_is_stuck_or_lost_is_sent_again_under_its_nonce_and_lands_once() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(3, "stuck"));
    let mut stuck = built(for_coins(ETHEREUM, Way::Call, Fate::Filled), &chains, &desk, &mut dice).await;
    let mut lost = built(for_coins(OPTIMISM, Way::Call, Fate::Filled), &chains, &desk, &mut dice).await;
    let delay = json!({ "action": "delay", "transactions": 1, "milliseconds": 600_000 });
    chains.control(ETHEREUM, delay).await;
    chains.control(OPTIMISM, json!({ "action": "drop", "transactions": 1 })).await;
    let (tell, _) = broadcast::channel(8);
    stuck.deposit(&chains, &desk, &tell).await;
    lost.deposit(&chains, &desk, &tell).await;
    let payers = [stuck, lost];
    settle(&chains, &desk, &payers, 3).await;
    for payer in &payers {
        let (chain, token) = payer.wish.to;
        assert_eq!(chains.balance(chain, token, payer.recipient).await, payer.deal().amount_out);
    }
    desk.kill();
    let store = desk.store().await;
    let purpose = format!("fill:{:#x}", payers[0].deal().intent);
    let fill = store.for_purpose(ChainId::new(ETHEREUM).unwrap(), &purpose).await.unwrap().unwrap();
    let fees: Vec<u128> = fill.attempts.iter().map(|attempt| attempt.max_fee_per_gas).collect();
    assert!(fees.len() > 1 && fees.is_sorted_by(|less, more| less < more), "{fees:?}");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deposit_that_nobody_delivers_for_in_time_comes_back_by_the_attesters_word() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(4, "late"));
    let mut payer = built(for_coins(ETHEREUM, Way::Call, Fate::Refunded), &chains, &desk, &mut dice).await;
    chains.control(ETHEREUM, json!({ "action": "drop", "transactions": 1_000 })).await;
    payer.deposit(&chains, &desk, &broadcast::channel(1).0).await;
    until(&desk, &payer, "published").await;
    let late = json!({ "action": "setTime", "timestamp": payer.deal().fill_deadline + 1 });
    chains.control(ETHEREUM, late).await;
    chains.control(ETHEREUM, json!({ "action": "mine", "blocks": 4 })).await;
    let (refund_to, amount) = (payer.refund_to, payer.deal().amount_in);
    settle(&chains, &desk, &[payer], 4).await;
    assert_eq!(chains.balance(BASE, usdc(BASE), refund_to).await, amount);
}
