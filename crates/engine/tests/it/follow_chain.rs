use causeway_domain::ports::{ChainError, ChainStore as _, ChainUpdate, FinalityTier, OrderStore as _};
use causeway_domain::{Fact, FactKind, OrderStatus};
use tokio_util::sync::CancellationToken;

use crate::chain_feed::{ChainFeed, until};
use crate::fake_chain::FlakyChainStore;
use crate::scene::{ORIGIN, Scene, add_order, chain, cursor, show};

#[tokio::test]
async fn new_fact_makes_its_order_due_at_once() {
    let scene = Scene::new().await;
    let feed = ChainFeed::new(&scene, scene.store.clone(), None);
    let (worker, stop) = (scene.worker(), CancellationToken::new());
    let until_then = stop.clone();
    let working = tokio::spawn(async move { worker.run(until_then).await });
    feed.finalize(10, vec![scene.opened(10)]);
    // Otherwise it would not be due for a day.
    until(async || scene.status().await == OrderStatus::Published).await;
    stop.cancel();
    working.await.unwrap();
    feed.end().await;
}

#[tokio::test]
async fn hanging_order_does_not_block_other_orders() {
    let scene = Scene::new().await;
    let worker = scene.worker();
    let working = tokio::spawn(async move { worker.run(CancellationToken::new()).await });
    scene.executor.during("fill", std::future::pending());
    scene.show(scene.opened(10)).await;
    scene.cursors.notify();
    until(async || scene.executor.calls().len() == 2).await;
    let other = add_order(&scene.store, &scene.row_keys, |_| {}).await;
    let opened = Fact {
        intent_id: other.intent_id,
        kind: FactKind::Opened(Box::new(other.terms)),
        ..scene.opened(11)
    };
    scene.show(opened).await;
    until(async || scene.store.order(&other.id).await.unwrap().unwrap().status == OrderStatus::Published)
        .await;
    // The hanging order stays due and is not started a second time concurrently.
    let mine = |call: &&String| call.as_str() == "fill (published fill)";
    until(async || scene.executor.calls().iter().filter(mine).count() == 2).await;
    working.abort();
}

#[tokio::test]
async fn order_that_becomes_due_while_in_flight_is_processed_again_at_once() {
    let scene = Scene::new().await;
    let (worker, stop) = (scene.worker(), CancellationToken::new());
    let until_then = stop.clone();
    let working = tokio::spawn(async move { worker.run(until_then).await });
    let (store, cursors, filled) = (scene.store.clone(), scene.cursors.clone(), scene.filled());
    // The fill is confirmed while it is still being sent, and its order is claimed a second time meanwhile.
    scene.executor.during("fill", async move {
        show(&store, filled).await;
        cursors.notify();
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    });
    scene.show(scene.opened(10)).await;
    scene.cursors.notify();
    // Otherwise it would wait until its lease expires.
    until(async || scene.status().await == OrderStatus::Filled).await;
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn unfinalized_deposit_is_reserved_for_but_not_stored() {
    let scene = Scene::new().await;
    let feed = ChainFeed::new(&scene, scene.store.clone(), None);
    feed.send(Ok(ChainUpdate::Unfinalized(vec![scene.opened(10), scene.filled()])));
    feed.processed().await;
    assert_eq!(scene.executor.calls(), ["reserve (created undecided)"]);
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap(), []);
    feed.end().await;
}

#[tokio::test]
async fn cursor_moves_only_after_every_fact_up_to_it_is_stored() {
    let scene = Scene::new().await;
    let flaky = FlakyChainStore::new(&scene.store, 2);
    let feed = ChainFeed::new(&scene, flaky.clone(), None);
    feed.finalize(10, vec![scene.opened(10)]);
    until(async || flaky.writes() > 0).await;
    assert_eq!(scene.cursors.get(chain(ORIGIN)), None, "the store was unavailable");
    until(async || scene.cursors.get(chain(ORIGIN)).is_some()).await;
    assert_eq!(flaky.writes(), 3, "it was tried until it was written");
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap().len(), 1);
    assert_eq!(scene.store.cursor(chain(ORIGIN), FinalityTier::Large).await.unwrap(), Some(cursor(10, 10)));
    feed.end().await;
}

#[tokio::test]
async fn cursors_without_facts_move_in_memory_and_are_stored_occasionally() {
    let scene = Scene::new().await;
    let flaky = FlakyChainStore::new(&scene.store, 0);
    let feed = ChainFeed::new(&scene, flaky.clone(), None);
    for number in 1..=50 {
        feed.finalize(number, Vec::new());
    }
    feed.processed().await;
    assert_eq!(scene.cursors.get(chain(ORIGIN)), Some(cursor(50, 50)));
    assert_eq!(flaky.writes(), 1);
    feed.finalize(51, vec![scene.opened(51)]);
    feed.processed().await;
    assert_eq!(scene.cursors.get(chain(ORIGIN)), Some(cursor(51, 51)));
    assert_eq!(flaky.writes(), 2);
    feed.end().await;
}

#[tokio::test]
async fn standard_finality_does_not_move_the_cursor() {
    let scene = Scene::new().await;
    let feed = ChainFeed::new(&scene, scene.store.clone(), None);
    let facts = vec![scene.opened(10)];
    feed.send(Ok(ChainUpdate::Final { tier: FinalityTier::Standard, cursor: cursor(10, 10), facts }));
    feed.processed().await;
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap().len(), 1);
    assert_eq!(scene.cursors.get(chain(ORIGIN)), None);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Created, "a large order waits for more");
    feed.end().await;
}

#[tokio::test]
async fn unreachable_chain_is_retried_and_a_contradicting_one_is_halted() {
    let scene = Scene::new().await;
    let feed = ChainFeed::new(&scene, scene.store.clone(), None);
    feed.send(Err(ChainError::Unavailable(chain(ORIGIN))));
    feed.finalize(10, Vec::new());
    feed.processed().await;
    assert!(scene.cursors.get(chain(ORIGIN)).is_some());
    assert!(!scene.cursors.is_halted(chain(ORIGIN)));
    let reason = "block 9 is another one".to_owned();
    feed.send(Err(ChainError::Disagreement(chain(ORIGIN), reason)));
    feed.ends_itself().await;
    assert!(scene.cursors.is_halted(chain(ORIGIN)));
}

#[test]
fn cursors_never_move_back() {
    let cursors = causeway_engine::ChainCursors::default();
    for (number, newest) in [(5, 5), (7, 7), (6, 7)] {
        cursors.set(chain(ORIGIN), cursor(number, number));
        assert_eq!(cursors.get(chain(ORIGIN)), Some(cursor(newest, newest)));
    }
    assert_eq!(cursors.get(chain(1)), None);
}

#[tokio::test]
async fn signal_sent_while_nobody_waits_is_kept() {
    let cursors = causeway_engine::ChainCursors::default();
    cursors.notify();
    cursors.notified().await;
}
