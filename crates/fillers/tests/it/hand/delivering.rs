use causeway_domain::ports::{Deed, DeedError, EscrowState, Hand, Progress, Truth};
use causeway_domain::{Decision, Order};
use jiff::Timestamp;

use super::fakes::OPEN;
use super::scene::{Scene, decided, delivered, named, now, secs};
use crate::world::{BASE, ETHEREUM, decimal, sell, shares, usdc};

fn to_fill(scene: &Scene) -> Order {
    decided(scene.usual(), Decision::Fill)
}

fn to_waive(scene: &Scene) -> Order {
    decided(scene.usual(), Decision::Waive)
}

fn cut_off(order: &Order) -> Timestamp {
    Timestamp::from_second(i64::try_from(order.terms.fill_deadline).unwrap()).unwrap() - secs(60)
}

fn on_its_way(purpose: &str) -> Progress {
    Progress::OnItsWay(format!("tx of {purpose}"))
}

async fn is_never(deed: impl Future<Output = Result<Progress, DeedError>>) -> bool {
    matches!(deed.await, Err(DeedError::Never(_)))
}

async fn is_later(deed: impl Future<Output = Result<Progress, DeedError>>) -> bool {
    matches!(deed.await, Err(DeedError::Later(_)))
}

#[tokio::test]
async fn rule_13_a_delivery_is_sent_once_on_the_destination() {
    let scene = Scene::new();
    let order = to_fill(&scene);
    let purpose = named("fill", &order);
    for _ in 0..2 {
        assert_eq!(scene.hand.fill(&order, now()).await.unwrap(), on_its_way(&purpose));
    }
    let deed = Deed::Fill { terms: order.terms, through: None };
    assert_eq!(scene.base.sent(), [(purpose.clone(), deed)]);
    assert_eq!(scene.ethereum.sent(), []);
    for progress in [Progress::Succeeded("0x1".to_owned()), Progress::Reverted("0x1".to_owned())] {
        scene.base.set(&purpose, progress.clone());
        assert_eq!(scene.hand.fill(&order, now()).await.unwrap(), progress);
    }
    assert_eq!(scene.base.sent().len(), 1, "one that was reverted is not sent again");
}

#[tokio::test]
async fn rule_13_only_what_was_decided_is_done() {
    let scene = Scene::new();
    let undecided = scene.usual();
    assert!(is_never(scene.hand.fill(&undecided, now())).await);
    assert!(is_never(scene.hand.waive(&undecided, now())).await);
    assert!(is_never(scene.hand.fill(&to_waive(&scene), now())).await);
    assert!(is_never(scene.hand.waive(&to_fill(&scene), now())).await);
    assert!(scene.base.sent().is_empty() && scene.ethereum.sent().is_empty());
}

#[tokio::test]
async fn rule_13_nothing_is_first_sent_a_minute_before_the_deadline() {
    let scene = Scene::new();
    let order = to_fill(&scene);
    for late in [cut_off(&order), cut_off(&order) + secs(1_000)] {
        assert!(matches!(scene.hand.fill(&order, late).await, Err(DeedError::Later(_))));
    }
    assert_eq!(scene.base.sent(), []);
    let last = cut_off(&order) - secs(1);
    assert_eq!(scene.hand.fill(&order, last).await.unwrap(), on_its_way(&named("fill", &order)));
    // Once sent it is told of for ever.
    let later = cut_off(&order) + secs(1_000);
    assert_eq!(scene.hand.fill(&order, later).await.unwrap(), on_its_way(&named("fill", &order)));
}

#[tokio::test]
async fn a_delivery_that_waits_for_something_is_asked_for_again_until_it_is_too_late() {
    let scene = Scene::new();
    let order = to_fill(&scene);
    *scene.base.waits.lock().unwrap() = true;
    assert_eq!(scene.hand.fill(&order, now()).await.unwrap(), Progress::Waiting);
    scene.base.set(&named("fill", &order), Progress::Waiting);
    assert!(matches!(scene.hand.fill(&order, cut_off(&order)).await, Err(DeedError::Later(_))));
    scene.base.states.lock().unwrap().clear();
    *scene.base.waits.lock().unwrap() = false;
    assert_eq!(scene.hand.fill(&order, now()).await.unwrap(), on_its_way(&named("fill", &order)));
}

#[tokio::test]
async fn shares_of_a_vault_are_delivered_through_its_asset() {
    let scene = Scene::new();
    let mut order = decided(scene.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000")), Decision::Fill);
    order.terms.amount_out = decimal("1000", 18).get();
    scene.hand.fill(&order, now()).await.unwrap();
    let through = Some((usdc(BASE).id.address(), decimal("1051.05", 6).get()));
    assert_eq!(scene.base.sent()[0].1, Deed::Fill { terms: order.terms, through });

    let order = decided(scene.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000")), Decision::Fill);
    scene.world.figures.vaults.lock().unwrap().insert(shares(BASE).id, None);
    assert!(matches!(scene.hand.fill(&order, now()).await, Err(DeedError::Later(_))));
    assert_eq!(scene.base.sent().len(), 1);
}

#[tokio::test]
async fn rule_7_a_waiver_is_sent_on_the_origin_and_frees_the_coins() {
    let scene = Scene::new();
    let order = to_waive(&scene);
    scene.hand.reserve(&order, now()).await.unwrap();
    assert_eq!(scene.promises.all().len(), 1);
    let purpose = named("waive", &order);
    for _ in 0..2 {
        assert_eq!(scene.hand.waive(&order, now()).await.unwrap(), on_its_way(&purpose));
    }
    assert_eq!(scene.ethereum.sent(), [(purpose.clone(), Deed::Refund { terms: order.terms })]);
    assert_eq!((scene.base.sent(), scene.promises.all()), (vec![], vec![]));
    // One that was reverted is tried anew.
    scene.ethereum.set(&purpose, Progress::Reverted("0x1".to_owned()));
    assert_eq!(scene.hand.waive(&order, now()).await.unwrap(), on_its_way(&format!("{purpose}:2")));
}

#[tokio::test]
async fn rule_13_a_delivery_becomes_a_waiver_only_when_it_was_reverted_for_good() {
    let scene = Scene::new();
    let order = to_waive(&scene);
    let fill = named("fill", &order);
    for sent in [Progress::OnItsWay("0x1".to_owned()), Progress::Succeeded("0x1".to_owned())] {
        scene.base.set(&fill, sent.clone());
        assert!(is_never(scene.hand.waive(&order, now())).await, "{sent:?}");
    }
    assert_eq!(scene.ethereum.sent(), []);
    scene.base.set(&fill, Progress::Reverted("0x1".to_owned()));
    assert!(is_never(scene.hand.waive(&delivered(order.clone()), now())).await, "somebody else delivered it");
    assert_eq!(scene.ethereum.sent(), []);
    assert_eq!(scene.hand.waive(&order, now()).await.unwrap(), on_its_way(&named("waive", &order)));
}

#[tokio::test]
async fn rule_7_nobody_waives_what_names_another_filler() {
    let scene = Scene::new();
    let mut order = to_waive(&scene);
    order.terms.filler = order.terms.payee;
    assert!(is_never(scene.hand.waive(&order, now())).await);
    assert_eq!(scene.ethereum.sent(), []);
}

#[tokio::test]
async fn a_chain_without_a_key_is_waited_for() {
    let scene = Scene::new();
    let mut order = to_fill(&scene);
    order.to = causeway_domain::TokenId::native(crate::world::chain(10));
    assert!(
        matches!(scene.hand.fill(&order, now()).await, Err(DeedError::Later(words)) if words.contains("10"))
    );
}

#[tokio::test]
async fn a_recipient_who_cannot_be_paid_is_told_from_a_filler_that_has_too_little() {
    let scene = Scene::new();
    let order = decided(scene.for_weth("1000"), Decision::Fill);
    *scene.ethereum.refuses.lock().unwrap() = Some("not me");
    scene.hold_weth("1000");
    let refused = scene.hand.fill(&order, now()).await;
    assert!(matches!(&refused, Err(DeedError::Unpayable(words)) if words == "not me"), "{refused:?}");
    scene.hold_weth("0.000001");
    let refused = scene.hand.fill(&order, now()).await;
    assert!(matches!(&refused, Err(DeedError::WouldFail(words)) if words == "not me"), "{refused:?}");
}

/// An order that was made before the service started.
fn old(order: Order) -> Order {
    Order { created_at: Timestamp::UNIX_EPOCH, ..order }
}

#[tokio::test]
async fn nothing_is_given_back_that_the_destination_shows_as_delivered_or_cannot_speak_of() {
    let scene = Scene::new();
    let order = to_waive(&scene);
    scene.base.shows(Truth { is_filled: true, ..OPEN });
    assert!(is_later(scene.hand.waive(&order, now())).await, "the store may be older than the chain");
    *scene.base.truth.lock().unwrap() = None;
    assert!(matches!(scene.hand.waive(&order, now()).await, Err(DeedError::Chain(_))));
    scene.base.shows(Truth { is_settled: false, ..OPEN });
    assert!(is_later(scene.hand.waive(&old(order.clone()), now())).await, "a delivery may still come");
    assert_eq!(scene.ethereum.sent(), []);
    assert!(scene.hand.waive(&order, now()).await.is_ok(), "all that was sent for a young order is known");
}

#[tokio::test]
async fn nothing_is_delivered_for_a_deposit_that_has_left_its_escrow_or_may_be_leaving_it() {
    let scene = Scene::new();
    let order = to_fill(&scene);
    for escrow in [EscrowState::Unknown, EscrowState::Refunded, EscrowState::Claimed] {
        scene.ethereum.shows(Truth { escrow, ..OPEN });
        assert!(is_later(scene.hand.fill(&order, now())).await, "{escrow:?}");
    }
    *scene.ethereum.truth.lock().unwrap() = None;
    assert!(matches!(scene.hand.fill(&order, now()).await, Err(DeedError::Chain(_))));
    scene.ethereum.shows(Truth { is_settled: false, ..OPEN });
    assert!(is_later(scene.hand.fill(&old(order.clone()), now())).await, "it may be given back already");
    assert_eq!(scene.base.sent(), []);
    assert!(scene.hand.fill(&order, now()).await.is_ok());
}
