use std::sync::atomic::Ordering;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatOrder, FiatStatus, Payout};
use causeway_domain::ports::{
    ChainAction, ChainStore as _, FiatStore as _, FinalityTier, OrderStore as _, RampReport, RampState,
};
use causeway_domain::{Address, Fact, FactKind, FactPlace, Order, OrderStatus, RawAmount, SignatureBytes};
use jiff::{SignedDuration, Timestamp};

use crate::build_deposit::fake::{BASE, chain, evm, usdc};
use crate::fiat::fake::{Scene, cursor, report, target, usd};

fn payout(tx: &str, units: u64) -> Payout {
    Payout { token: usdc(), tx: tx.to_owned(), index: 3, amount: RawAmount::new(U256::from(units)) }
}

#[tokio::test]
async fn rule_22_direct_purchase_completes_when_the_chain_shows_the_payout() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Delivered, &["0xpaid"]);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "the provider says so");
    scene.chain.pay(payout("0xpaid", 97_000_000), evm(0x13));
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "that went to somebody else");
    scene.chain.pay(payout("0xpaid", 97_000_000), order.recipient);
    scene.run_once().await;
    let done = scene.stored(&order.id).await;
    assert_eq!((done.status, done.fill_tx.as_deref()), (FiatStatus::Completed, Some("0xpaid")));
    assert_eq!(done.output, Some(payout("", 97_000_000).amount), "as the chain shows it");
    let other = scene.bought(usdc()).await;
    scene.run_once().await;
    assert_eq!(scene.stored(&other.id).await.status, FiatStatus::Processing, "it completes one purchase");
}

#[tokio::test]
async fn declined_card_can_be_retried_within_one_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().reports(RampReport { may_retry: true, ..report(RampState::Failed, Vec::new()) });
    scene.run_once().await;
    let declined = scene.stored(&order.id).await;
    assert_eq!((declined.status, declined.failure), (FiatStatus::Pending, None));
    scene.chain.pay(payout("0xpaid", 98_000_000), order.recipient);
    scene.ramp().says(RampState::Delivered, &["0xpaid"]);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Completed);
}

#[tokio::test]
async fn payout_after_a_failure_is_recorded() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Failed, &[]);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Failed);
    scene.chain.pay(payout("0xlate", 98_000_000), order.recipient);
    scene.ramp().says(RampState::Delivered, &["0xlate"]);
    scene.run_once().await;
    let stored = scene.stored(&order.id).await;
    assert_eq!((stored.status, stored.fill_tx.as_deref()), (FiatStatus::Failed, Some("0xlate")));
    assert_eq!((stored.payout, stored.due_at), (Some(payout("0xlate", 98_000_000)), None));
    let events = scene.store.fiat_order_events(&order.id).await.unwrap();
    assert!(events.last().unwrap().detail.contains("0xlate"), "{events:?}");
}

#[tokio::test]
async fn rule_21_late_money_at_a_forwarding_address_is_swapped() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.ramp().says(RampState::Failed, &[]);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Failed);
    scene.chain.pay(payout("0xlate", 98_000_000), order.deliver_to());
    for _ in 0..3 {
        scene.run_once().await;
    }
    let swaps = swaps(&scene, order.deliver_to()).await;
    let [swap] = &swaps[..] else { panic!("{} swaps", swaps.len()) };
    assert_eq!(swap.recipient, order.recipient);
    let stored = scene.stored(&order.id).await;
    assert_eq!((stored.status, stored.payout), (FiatStatus::Failed, Some(payout("0xlate", 98_000_000))));
    assert_eq!(scene.relayer.sent_actions.lock().unwrap().len(), 0, "nothing goes back");
}

#[tokio::test]
async fn rule_22_contradicting_report_does_not_advance_the_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.chain.pay(payout("0xpaid", 98_000_000), order.recipient);
    let good = report(RampState::Delivered, vec!["0xpaid".to_owned()]);
    let good = RampReport {
        paid: Some(order.pays),
        asset: Some(order.sold),
        wallet: Some(order.recipient),
        amount: Some(order.sold_amount),
        ..good
    };
    for other in [
        RampReport { paid: Some(usd(9_999)), ..good.clone() },
        RampReport { asset: Some(target()), ..good.clone() },
        RampReport { wallet: Some(evm(0x66)), ..good.clone() },
        RampReport { amount: Some(RawAmount::new(U256::from(1))), ..good.clone() },
    ] {
        scene.ramp().reports(other.clone());
        scene.run_once().await;
        let stored = scene.stored(&order.id).await;
        assert_eq!((stored.status, stored.payout), (FiatStatus::Created, None), "{other:?}");
    }
    scene.ramp().reports(good);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Completed);
}

/// A forwarded purchase whose money has arrived.
async fn paid_jump(scene: &Scene, units: u64) -> FiatOrder {
    let order = scene.bought(target()).await;
    scene.ramp().says(RampState::Paid, &[]);
    scene.chain.pay(payout("0xpaid", units), order.deliver_to());
    scene.run_once().await;
    scene.stored(&order.id).await
}

async fn swaps(scene: &Scene, at: Address) -> Vec<Order> {
    scene.store.orders_at(at).await.unwrap()
}

/// Records that the escrow received the swap's deposit.
async fn open(scene: &Scene, swap: &Order) {
    let tx = format!("0xopened{}", swap.intent_id);
    let place = FactPlace { chain: chain(BASE), tx, index: 1, block: 99, time: 5 };
    let kind = FactKind::Opened(Box::new(swap.terms));
    let fact = Fact { intent_id: swap.intent_id, kind, place };
    scene
        .store
        .record_facts(chain(BASE), FinalityTier::Large, cursor(), &[fact], Timestamp::now())
        .await
        .unwrap();
}

#[tokio::test]
async fn rule_21_received_amount_is_quoted_again_and_swapped_once() {
    let scene = Scene::new().await;
    let order = paid_jump(&scene, 90_000_000).await;
    assert_eq!(order.status, FiatStatus::Processing);
    for _ in 0..3 {
        scene.run_once().await;
    }
    let swaps = swaps(&scene, order.deliver_to()).await;
    let [swap] = &swaps[..] else { panic!("{} swaps", swaps.len()) };
    let plan = order.strategy.forwarding().unwrap();
    assert_eq!((swap.status, swap.forwarding.as_deref()), (OrderStatus::Created, Some(&plan.order)));
    assert_eq!(swap.terms.amount_in, U256::from(90_000_000));
    assert_eq!(swap.terms.user, plan.address.to_word());
    assert!(plan.order.matches(&swap.terms));
    assert_eq!(scene.stored(&order.id).await.strategy.forwarding().unwrap().swap, Some(swap.id.clone()));
    let arrivals = scene.store.arrivals(plan.address).await.unwrap();
    assert_eq!(arrivals.len(), 1, "the swap knows that its money is there");
}

#[tokio::test]
async fn rule_21_concurrent_runs_create_one_swap() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.chain.pay(payout("0xpaid", 98_000_000), order.deliver_to());
    let runs = (0..4).map(|_| scene.run_once());
    futures::future::join_all(runs).await;
    assert_eq!(swaps(&scene, order.deliver_to()).await.len(), 1);
}

#[tokio::test]
async fn rule_21_without_a_route_at_the_promised_rate_money_waits_and_is_then_returned() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.market.rate.store(950, Ordering::Relaxed);
    scene.chain.pay(payout("0xpaid", 98_000_000), order.deliver_to());
    scene.run_once().await;
    let waiting = scene.stored(&order.id).await;
    assert_eq!(waiting.status, FiatStatus::Processing);
    assert_eq!(swaps(&scene, order.deliver_to()).await, []);
    assert_eq!(scene.relayer.sent_actions.lock().unwrap().len(), 0, "it waits for a better price");
    // It has waited for more than an hour.
    let long_ago = waiting.updated_at - SignedDuration::from_mins(61);
    let tired = FiatOrder { updated_at: long_ago, due_at: Some(long_ago), ..waiting };
    assert!(scene.store.update_fiat_order(&tired, &[]).await.unwrap());
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "it is on its way back");
    scene.chain.balances.lock().unwrap().clear();
    scene.run_once().await;
    let failed = scene.stored(&order.id).await;
    let (purpose, action) = scene.relayer.sent_actions.lock().unwrap()[0].clone();
    assert!(purpose.starts_with("jumpback:0x"), "{purpose}");
    let ChainAction::ReturnForwarding { forwarding, tokens, signature } = action else {
        panic!("{action:?}")
    };
    assert_eq!((*forwarding, tokens), (order.strategy.forwarding().unwrap().order, vec![usdc().address()]));
    assert_eq!(signature, Some(SignatureBytes::repeat_byte(2)), "by the maker's word: it has not expired");
    assert_eq!(
        (failed.status, failed.failure.clone().unwrap().code.as_str()),
        (FiatStatus::Failed, "no_route")
    );
    let message = failed.failure.unwrap().message;
    assert!(message.contains(&purpose) && message.contains("0xpaid"), "both transactions: {message}");
    assert_eq!(scene.relayer.sent_actions.lock().unwrap().len(), 1, "once");
}

#[tokio::test]
async fn rule_21_second_payout_is_returned() {
    let scene = Scene::new().await;
    let order = paid_jump(&scene, 98_000_000).await;
    let swap = swaps(&scene, order.deliver_to()).await.remove(0);
    open(&scene, &swap).await;
    scene.chain.pay(payout("0xagain", 98_000_000), order.deliver_to());
    scene.run_once().await;
    let sent_actions = scene.relayer.sent_actions.lock().unwrap().clone();
    assert!(matches!(&sent_actions[..], [(_, ChainAction::ReturnForwarding { .. })]), "{sent_actions:?}");
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "the swap goes on");
    assert_eq!(swaps(&scene, order.deliver_to()).await.len(), 1);
}

/// Records that the recipient got the swap's output.
async fn fill(scene: &Scene, swap: &Order, tx: &str) {
    let place = FactPlace { chain: swap.to.chain(), tx: tx.to_owned(), index: 1, block: 99, time: 6 };
    let kind = FactKind::Filled(RawAmount::new(swap.terms.amount_out));
    let fact = Fact { intent_id: swap.intent_id, kind, place };
    let (to, now) = (swap.to.chain(), Timestamp::now());
    scene.store.record_facts(to, FinalityTier::Large, cursor(), &[fact], now).await.unwrap();
}

#[tokio::test]
async fn rule_21_a_strangers_cents_neither_complete_nor_misdirect_a_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.ramp().says(RampState::Waiting, &[]);
    scene.chain.pay(payout("0xstranger", 2_000_000), order.deliver_to());
    scene.run_once().await;
    let stored = scene.stored(&order.id).await;
    assert_eq!((stored.status, stored.payout), (FiatStatus::Created, None), "nobody has paid yet");
    assert_eq!(swaps(&scene, order.deliver_to()).await, []);
    // Once the provider was paid, they are swapped on, and the purchase goes on waiting.
    scene.ramp().says(RampState::Paid, &[]);
    scene.run_once().await;
    let first = swaps(&scene, order.deliver_to()).await.remove(0);
    open(&scene, &first).await;
    fill(&scene, &first, "0xfirst").await;
    scene.chain.balances.lock().unwrap().clear();
    scene.run_once().await;
    let part = scene.stored(&order.id).await;
    assert_eq!((part.status, part.fill_tx.as_deref()), (FiatStatus::Processing, Some("0xfirst")));
    let events = scene.store.fiat_order_events(&order.id).await.unwrap();
    assert!(
        events.iter().any(|event| event.detail.contains("Partially delivered: 2000000 of")),
        "{events:?}"
    );
    // The payment itself is swapped to the same recipient, and completes the purchase.
    scene.chain.pay(payout("0xpaid", 98_000_000), order.deliver_to());
    scene.ramp().says(RampState::Delivered, &["0xpaid"]);
    scene.run_once().await;
    let both = swaps(&scene, order.deliver_to()).await;
    assert_eq!(both.len(), 2, "nothing goes back");
    let second = both.into_iter().find(|swap| swap.id != first.id).unwrap();
    assert_eq!((second.recipient, second.terms.amount_in), (order.recipient, U256::from(98_000_000)));
    open(&scene, &second).await;
    fill(&scene, &second, "0xsecond").await;
    scene.chain.balances.lock().unwrap().clear();
    scene.run_once().await;
    let done = scene.stored(&order.id).await;
    assert_eq!((done.status, done.fill_tx.as_deref()), (FiatStatus::Completed, Some("0xsecond")));
    assert_eq!(scene.relayer.sent_actions.lock().unwrap().len(), 0);
}
