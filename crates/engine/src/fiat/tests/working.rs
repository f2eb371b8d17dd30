use std::sync::atomic::Ordering;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatOrder, FiatStatus, Payout};
use causeway_domain::ports::{
    Care, Deed, FactStore as _, FiatStore as _, OrderStore as _, RampReport, RampState,
};
use causeway_domain::{Address, Fact, FactKind, FactPlace, Order, OrderStatus, RawAmount, SignatureBytes};
use jiff::{SignedDuration, Timestamp};

use crate::build_deposit::fake::{BASE, chain, evm, usdc};
use crate::fiat::fake::{Scene, mark, report, target, usd};

fn payout(tx: &str, units: u64) -> Payout {
    Payout { token: usdc(), tx: tx.to_owned(), index: 3, amount: RawAmount::new(U256::from(units)) }
}

#[tokio::test]
async fn rule_22_a_direct_purchase_completes_when_the_chain_shows_the_delivery() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Delivered, &["0xpaid"]);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "the provider says so");
    scene.chain.pay(payout("0xpaid", 97_000_000), evm(0x13));
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "that went to somebody else");
    scene.chain.pay(payout("0xpaid", 97_000_000), order.recipient);
    scene.turn().await;
    let done = scene.stored(&order.id).await;
    assert_eq!((done.status, done.fill_tx.as_deref()), (FiatStatus::Completed, Some("0xpaid")));
    assert_eq!(done.output, Some(payout("", 97_000_000).amount), "as the chain shows it");
    let other = scene.bought(usdc()).await;
    scene.turn().await;
    assert_eq!(scene.stored(&other.id).await.status, FiatStatus::Processing, "it completes one purchase");
}

#[tokio::test]
async fn a_declined_card_and_another_that_pays_are_one_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().reports(RampReport { may_retry: true, ..report(RampState::Failed, Vec::new()) });
    scene.turn().await;
    let declined = scene.stored(&order.id).await;
    assert_eq!((declined.status, declined.failure), (FiatStatus::Pending, None));
    scene.chain.pay(payout("0xpaid", 98_000_000), order.recipient);
    scene.ramp().says(RampState::Delivered, &["0xpaid"]);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Completed);
}

#[tokio::test]
async fn what_is_delivered_after_a_failure_is_told_with_the_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Failed, &[]);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Failed);
    scene.chain.pay(payout("0xlate", 98_000_000), order.recipient);
    scene.ramp().says(RampState::Delivered, &["0xlate"]);
    scene.turn().await;
    let told = scene.stored(&order.id).await;
    assert_eq!((told.status, told.fill_tx.as_deref()), (FiatStatus::Failed, Some("0xlate")));
    assert_eq!((told.payout, told.due_at), (Some(payout("0xlate", 98_000_000)), None));
    let story = scene.store.fiat_story(&order.id).await.unwrap();
    assert!(story.last().unwrap().detail.contains("0xlate"), "{story:?}");
}

#[tokio::test]
async fn rule_21_what_comes_to_a_jump_after_a_failure_is_swapped() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.ramp().says(RampState::Failed, &[]);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Failed);
    scene.chain.pay(payout("0xlate", 98_000_000), order.deliver_to());
    for _ in 0..3 {
        scene.turn().await;
    }
    let swaps = swaps(&scene, order.deliver_to()).await;
    let [swap] = &swaps[..] else { panic!("{} swaps", swaps.len()) };
    assert_eq!(swap.recipient, order.recipient);
    let told = scene.stored(&order.id).await;
    assert_eq!((told.status, told.payout), (FiatStatus::Failed, Some(payout("0xlate", 98_000_000))));
    assert_eq!(scene.relayer.carried.lock().unwrap().len(), 0, "nothing goes back");
}

#[tokio::test]
async fn rule_22_an_answer_about_something_else_moves_nothing() {
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
        scene.turn().await;
        let looked = scene.stored(&order.id).await;
        assert_eq!((looked.status, looked.payout), (FiatStatus::Created, None), "{other:?}");
    }
    scene.ramp().reports(good);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Completed);
}

/// A jump whose money has come.
async fn paid_jump(scene: &Scene, units: u64) -> FiatOrder {
    let order = scene.bought(target()).await;
    scene.ramp().says(RampState::Paid, &[]);
    scene.chain.pay(payout("0xpaid", units), order.deliver_to());
    scene.turn().await;
    scene.stored(&order.id).await
}

async fn swaps(scene: &Scene, at: Address) -> Vec<Order> {
    scene.store.orders_at(at).await.unwrap()
}

/// Lets the chain show that the escrow took the swap's money.
async fn open(scene: &Scene, swap: &Order) {
    let place = FactPlace { chain: chain(BASE), tx: "0xopened".to_owned(), index: 1, block: 99, time: 5 };
    let kind = FactKind::Opened(Box::new(swap.terms));
    let fact = Fact { intent: swap.intent, kind, place };
    scene.store.record_facts(chain(BASE), Care::Large, mark(), &[fact], Timestamp::now()).await.unwrap();
}

#[tokio::test]
async fn rule_21_what_really_came_is_quoted_anew_and_swapped_once() {
    let scene = Scene::new().await;
    let order = paid_jump(&scene, 90_000_000).await;
    assert_eq!(order.status, FiatStatus::Processing);
    for _ in 0..3 {
        scene.turn().await;
    }
    let swaps = swaps(&scene, order.deliver_to()).await;
    let [swap] = &swaps[..] else { panic!("{} swaps", swaps.len()) };
    let plan = order.strategy.jump().unwrap();
    assert_eq!((swap.status, swap.jump.as_deref()), (OrderStatus::Created, Some(&plan.jump)));
    assert_eq!(swap.terms.amount_in, U256::from(90_000_000));
    assert_eq!(swap.terms.user, plan.address.to_word());
    assert!(plan.jump.matches(&swap.terms));
    assert_eq!(scene.stored(&order.id).await.strategy.jump().unwrap().swap, Some(swap.id.clone()));
    let arrivals = scene.store.arrivals(plan.address).await.unwrap();
    assert_eq!(arrivals.len(), 1, "the swap knows that its money is there");
}

#[tokio::test]
async fn rule_21_looks_at_the_same_moment_draw_up_one_swap() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.chain.pay(payout("0xpaid", 98_000_000), order.deliver_to());
    let looks = (0..4).map(|_| scene.turn());
    futures::future::join_all(looks).await;
    assert_eq!(swaps(&scene, order.deliver_to()).await.len(), 1);
}

#[tokio::test]
async fn rule_21_without_a_route_that_holds_the_rate_money_waits_and_then_goes_back() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    scene.market.rate.store(950, Ordering::Relaxed);
    scene.chain.pay(payout("0xpaid", 98_000_000), order.deliver_to());
    scene.turn().await;
    let waiting = scene.stored(&order.id).await;
    assert_eq!(waiting.status, FiatStatus::Processing);
    assert_eq!(swaps(&scene, order.deliver_to()).await, []);
    assert_eq!(scene.relayer.carried.lock().unwrap().len(), 0, "it waits for a better price");
    // It has waited for more than an hour.
    let long_ago = waiting.updated_at - SignedDuration::from_mins(61);
    let tired = FiatOrder { updated_at: long_ago, due_at: Some(long_ago), ..waiting };
    assert!(scene.store.update_fiat_order(&tired, &[]).await.unwrap());
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "it is on its way back");
    scene.chain.balances.lock().unwrap().clear();
    scene.turn().await;
    let failed = scene.stored(&order.id).await;
    let (purpose, deed) = scene.relayer.carried.lock().unwrap()[0].clone();
    assert!(purpose.starts_with("jumpback:0x"), "{purpose}");
    let Deed::GiveBackJump { jump, tokens, signature } = deed else { panic!("{deed:?}") };
    assert_eq!((*jump, tokens), (order.strategy.jump().unwrap().jump, vec![usdc().address()]));
    assert_eq!(signature, Some(SignatureBytes::repeat_byte(2)), "by the maker's word: it has not expired");
    assert_eq!(
        (failed.status, failed.failure.clone().unwrap().code.as_str()),
        (FiatStatus::Failed, "no_route")
    );
    let words = failed.failure.unwrap().words;
    assert!(words.contains(&purpose) && words.contains("0xpaid"), "both transactions: {words}");
    assert_eq!(scene.relayer.carried.lock().unwrap().len(), 1, "once");
}

#[tokio::test]
async fn rule_21_a_second_payout_goes_back() {
    let scene = Scene::new().await;
    let order = paid_jump(&scene, 98_000_000).await;
    let swap = swaps(&scene, order.deliver_to()).await.remove(0);
    open(&scene, &swap).await;
    scene.chain.pay(payout("0xagain", 98_000_000), order.deliver_to());
    scene.turn().await;
    let carried = scene.relayer.carried.lock().unwrap().clone();
    assert!(matches!(&carried[..], [(_, Deed::GiveBackJump { .. })]), "{carried:?}");
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing, "the swap goes on");
    assert_eq!(swaps(&scene, order.deliver_to()).await.len(), 1);
}
