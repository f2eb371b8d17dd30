use std::time::Duration;

use causeway_domain::OrderStatus;
use causeway_domain::ports::{OrderReview as _, TroubleKind};
use causeway_engine::{Hands, OrderStory, Pauses, ReviewOrders, ReviewParts, WorkOrders};
use jiff::Timestamp;

use crate::scene::{DESTINATION, ORIGIN, Scene, chain, later, mark};

/// Looks at whatever is due within the hour, and writes down what is the matter.
async fn turn(worker: &WorkOrders) {
    worker.turn(later()).await.unwrap();
}

fn noting(scene: &Scene) -> WorkOrders {
    scene.worker().noting(scene.store.clone())
}

/// Both chains were read up to now.
fn read_on(scene: &Scene) {
    let now = u64::try_from(Timestamp::now().as_second()).unwrap();
    for id in [ORIGIN, DESTINATION] {
        scene.marks.set(chain(id), mark(now, now));
    }
}

fn review(scene: &Scene, hands: Hands) -> ReviewOrders {
    ReviewOrders::new(ReviewParts {
        orders: scene.store.clone(),
        review: scene.store.clone(),
        facts: scene.store.clone(),
        outbox: scene.store.clone(),
        marks: scene.marks.clone(),
        hands,
        pauses: std::sync::Arc::<Pauses>::default(),
        stale_after: Duration::from_mins(1),
    })
}

async fn told(scene: &Scene, hands: Hands) -> OrderStory {
    review(scene, hands).story(&scene.id, Timestamp::now()).await.unwrap().unwrap()
}

/// An order that was deposited, and whose filler cannot do that now.
async fn refusing(what: &'static str) -> Scene {
    let scene = Scene::new().await;
    scene.show(scene.opened(10)).await;
    *scene.hand.refuses_to.lock().unwrap() = Some(what);
    scene
}

#[tokio::test]
async fn what_keeps_an_order_from_moving_is_one_line_that_goes_when_it_passes() {
    let scene = refusing("fill").await;
    let worker = noting(&scene);
    turn(&worker).await;
    let first = scene.store.trouble(&scene.id).await.unwrap().unwrap();
    assert_eq!((first.kind, first.words.as_str()), (TroubleKind::Waits, "delivering: not now"));
    turn(&worker).await;
    assert_eq!(scene.store.trouble(&scene.id).await.unwrap(), Some(first), "trying again writes nothing");
    let story = told(&scene, scene.hands()).await;
    assert!(
        story.events.iter().all(|event| !event.detail.contains("not now")),
        "the story is not filled with it"
    );
    *scene.hand.refuses_to.lock().unwrap() = None;
    turn(&worker).await;
    assert_eq!(scene.store.trouble(&scene.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_stuck_order_is_listed_with_its_trouble_and_what_would_move_it() {
    let scene = refusing("fill").await;
    turn(&noting(&scene)).await;
    read_on(&scene);
    let (review, now) = (review(&scene, scene.hands()), Timestamp::now());
    assert!(review.stuck(None, now).await.unwrap().is_empty(), "it has just moved");
    let stuck = review.stuck(Some(Duration::ZERO), now).await.unwrap();
    assert_eq!((stuck.len(), stuck[0].order.status), (1, OrderStatus::Published));
    assert_eq!(stuck[0].wait.reason, "delivering: not now");
    let story = told(&scene, scene.hands()).await;
    assert_eq!(story.wait.unwrap(), stuck[0].wait, "the story says the same");
    assert_eq!(story.events.len(), 3);
}

#[tokio::test]
async fn a_halted_chain_comes_before_every_other_reason() {
    let scene = refusing("fill").await;
    turn(&noting(&scene)).await;
    read_on(&scene);
    scene.marks.halt(chain(DESTINATION));
    let wait = told(&scene, Hands::default()).await.wait.unwrap();
    assert!(wait.reason.starts_with(&format!("chain {DESTINATION} contradicted")), "{wait:?}");
}

#[tokio::test]
async fn a_chain_that_shows_nothing_is_named_with_its_last_block() {
    let scene = refusing("fill").await;
    turn(&noting(&scene)).await;
    let wait = told(&scene, scene.hands()).await.wait.unwrap();
    assert!(wait.reason.contains("has not been read"), "{wait:?}");
    scene.pass(4_242);
    let wait = told(&scene, scene.hands()).await.wait.unwrap();
    assert!(
        wait.reason.contains(&format!("chain {DESTINATION}")) && wait.reason.contains("4242"),
        "{wait:?}"
    );
}

#[tokio::test]
async fn a_filler_that_is_gone_is_named_with_the_moment_at_which_the_deposit_goes_back() {
    let scene = refusing("nothing").await;
    turn(&noting(&scene)).await;
    read_on(&scene);
    let wait = told(&scene, Hands::default()).await.wait.unwrap();
    assert_eq!(wait.reason, "the filler house is not here");
    assert!(wait.remedy.contains("the deposit goes back by itself after"), "{wait:?}");
    let wait = told(&scene, scene.hands()).await.wait.unwrap();
    assert_eq!(wait.reason, "the filler house has not delivered yet");
}

#[tokio::test]
async fn a_delivery_that_is_not_paid_waits_for_its_claim_and_then_for_nothing() {
    let scene = refusing("claim").await;
    let worker = noting(&scene);
    turn(&worker).await;
    scene.show(scene.filled()).await;
    turn(&worker).await;
    read_on(&scene);
    let story = told(&scene, scene.hands()).await;
    assert_eq!(story.order.status, OrderStatus::Filled);
    assert_eq!(story.wait.unwrap().reason, "having the filler paid: not now");
    scene.show(scene.claimed()).await;
    turn(&worker).await;
    let story = told(&scene, scene.hands()).await;
    assert_eq!((story.wait, story.trouble), (None, None), "it is over");
}
