use std::time::Duration;

use causeway_domain::OrderStatus;
use causeway_domain::ports::{OrderStore as _, StuckKind};
use causeway_engine::{ExecutorRegistry, OrderHistory, Pauses, ReviewOrders, ReviewParts, WorkOrders};
use jiff::Timestamp;

use crate::scene::{DESTINATION, ORIGIN, Scene, chain, cursor, later};

/// Processes every order that is due within the hour.
async fn run_once(worker: &WorkOrders) {
    worker.run_once(later()).await.unwrap();
}

/// Sets both chains' cursors to now.
fn catch_up(scene: &Scene) {
    let now = u64::try_from(Timestamp::now().as_second()).unwrap();
    for id in [ORIGIN, DESTINATION] {
        scene.cursors.set(chain(id), cursor(now, now));
    }
}

fn review(scene: &Scene, executors: ExecutorRegistry) -> ReviewOrders {
    ReviewOrders::new(ReviewParts {
        orders: scene.store.clone(),
        facts: scene.store.clone(),
        outbox: scene.store.clone(),
        fiat: scene.store.clone(),
        cursors: scene.cursors.clone(),
        executors,
        pauses: std::sync::Arc::<Pauses>::default(),
        stale_after: Duration::from_mins(1),
    })
}

async fn load_history(scene: &Scene, executors: ExecutorRegistry) -> OrderHistory {
    review(scene, executors).history(&scene.id, Timestamp::now()).await.unwrap().unwrap()
}

/// A deposited order whose filler refuses that call.
async fn refusing(what: &'static str) -> Scene {
    let scene = Scene::new().await;
    scene.show(scene.opened(10)).await;
    *scene.executor.refuses_to.lock().unwrap() = Some(what);
    scene
}

#[tokio::test]
async fn blocker_is_recorded_once_and_cleared_when_resolved() {
    let scene = refusing("fill").await;
    let worker = scene.worker();
    run_once(&worker).await;
    let first = scene.store.stuck_reason(&scene.id).await.unwrap().unwrap();
    assert_eq!((first.kind, first.message.as_str()), (StuckKind::Waits, "filling: not now"));
    run_once(&worker).await;
    assert_eq!(
        scene.store.stuck_reason(&scene.id).await.unwrap(),
        Some(first),
        "trying again writes nothing"
    );
    let history = load_history(&scene, scene.executors()).await;
    assert!(
        history.events.iter().all(|event| !event.detail.contains("not now")),
        "the history is not filled with it"
    );
    *scene.executor.refuses_to.lock().unwrap() = None;
    run_once(&worker).await;
    assert_eq!(scene.store.stuck_reason(&scene.id).await.unwrap(), None);
}

#[tokio::test]
async fn stuck_order_is_listed_with_its_reason() {
    let scene = refusing("fill").await;
    run_once(&scene.worker()).await;
    catch_up(&scene);
    let (review, now) = (review(&scene, scene.executors()), Timestamp::now());
    assert!(review.stuck(None, now).await.unwrap().is_empty(), "it has just moved");
    let stuck = review.stuck(Some(Duration::ZERO), now).await.unwrap();
    assert_eq!((stuck.len(), stuck[0].order.status), (1, OrderStatus::Published));
    assert_eq!(stuck[0].wait.reason, "filling: not now");
    let history = load_history(&scene, scene.executors()).await;
    assert_eq!(history.wait.unwrap(), stuck[0].wait, "the history says the same");
    assert_eq!(history.events.len(), 3);
}

#[tokio::test]
async fn halted_chain_takes_precedence_over_other_reasons() {
    let scene = refusing("fill").await;
    run_once(&scene.worker()).await;
    catch_up(&scene);
    scene.cursors.halt(chain(DESTINATION));
    let wait = load_history(&scene, ExecutorRegistry::default()).await.wait.unwrap();
    assert!(wait.reason.starts_with(&format!("chain {DESTINATION} contradicted")), "{wait:?}");
}

#[tokio::test]
async fn stalled_chain_is_reported_with_its_last_block() {
    let scene = refusing("fill").await;
    run_once(&scene.worker()).await;
    let wait = load_history(&scene, scene.executors()).await.wait.unwrap();
    assert!(wait.reason.contains("was not read"), "{wait:?}");
    scene.pass(4_242);
    let wait = load_history(&scene, scene.executors()).await.wait.unwrap();
    assert!(
        wait.reason.contains(&format!("chain {DESTINATION}")) && wait.reason.contains("4242"),
        "{wait:?}"
    );
}

#[tokio::test]
async fn missing_filler_is_reported_with_the_time_of_the_refund() {
    let scene = refusing("nothing").await;
    run_once(&scene.worker()).await;
    catch_up(&scene);
    let wait = load_history(&scene, ExecutorRegistry::default()).await.wait.unwrap();
    assert_eq!(wait.reason, "the filler house is not registered");
    assert!(wait.remedy.contains("the deposit is refunded automatically after"), "{wait:?}");
    let wait = load_history(&scene, scene.executors()).await.wait.unwrap();
    assert_eq!(wait.reason, "the filler house has not filled yet");
}

#[tokio::test]
async fn filled_order_waits_for_its_claim_and_then_for_nothing() {
    let scene = refusing("claim").await;
    let worker = scene.worker();
    run_once(&worker).await;
    scene.show(scene.filled()).await;
    run_once(&worker).await;
    catch_up(&scene);
    let history = load_history(&scene, scene.executors()).await;
    assert_eq!(history.order.status, OrderStatus::Filled);
    assert_eq!(history.wait.unwrap().reason, "claiming the deposit for the filler: not now");
    scene.show(scene.claimed()).await;
    run_once(&worker).await;
    let history = load_history(&scene, scene.executors()).await;
    assert_eq!((history.wait, history.stuck_reason), (None, None), "it is over");
}
