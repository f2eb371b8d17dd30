use std::sync::{Arc, Mutex};

use causeway_domain::ports::{Care, ChainError, FactStore as _, News, OrderStore as _};
use causeway_domain::{Fact, FactKind, OrderStatus};
use tokio_util::sync::CancellationToken;

use crate::fake_chain::Shaky;
use crate::followed::{Followed, until};
use crate::scene::{ORIGIN, Scene, add_order, chain, mark, show};

#[tokio::test]
async fn a_fact_wakes_its_order_at_once() {
    let scene = Scene::new().await;
    let followed = Followed::new(&scene, scene.store.clone(), None);
    let (worker, stop) = (scene.worker(), CancellationToken::new());
    let until_then = stop.clone();
    let working = tokio::spawn(async move { worker.work(until_then).await });
    followed.stands(10, vec![scene.opened(10)]);
    // Nobody would have looked at it for a day.
    until(async || scene.status().await == OrderStatus::Published).await;
    stop.cancel();
    working.await.unwrap();
    followed.end().await;
}

#[tokio::test]
async fn an_order_that_hangs_keeps_nobody_else_from_being_worked_on() {
    let scene = Scene::new().await;
    let worker = scene.worker();
    let working = tokio::spawn(async move { worker.work(CancellationToken::new()).await });
    scene.hand.during("fill", std::future::pending());
    scene.show(scene.opened(10)).await;
    scene.marks.ring();
    until(async || scene.hand.calls().len() == 2).await;
    let other = add_order(&scene.store, &scene.row_keys, |_| {}).await;
    let opened =
        Fact { intent: other.intent, kind: FactKind::Opened(Box::new(other.terms)), ..scene.opened(11) };
    scene.show(opened).await;
    until(async || scene.store.order(&other.id).await.unwrap().unwrap().status == OrderStatus::Published)
        .await;
    // The one that hangs is due all the time, and is not begun a second time beside itself.
    let mine = |call: &&String| call.as_str() == "fill (published fill)";
    until(async || scene.hand.calls().iter().filter(mine).count() == 2).await;
    working.abort();
}

#[tokio::test]
async fn what_becomes_due_while_it_is_looked_at_is_looked_at_again_at_once() {
    let scene = Scene::new().await;
    let (worker, stop) = (scene.worker(), CancellationToken::new());
    let until_then = stop.clone();
    let working = tokio::spawn(async move { worker.work(until_then).await });
    let (store, marks, filled) = (scene.store.clone(), scene.marks.clone(), scene.filled());
    // The delivery is shown while it is still being sent, and its order is taken a second time meanwhile.
    scene.hand.during("fill", async move {
        show(&store, filled).await;
        marks.ring();
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    });
    scene.show(scene.opened(10)).await;
    scene.marks.ring();
    // Without that it would wait for the end of its lease.
    until(async || scene.status().await == OrderStatus::Filled).await;
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test]
async fn what_is_seen_in_a_block_that_may_still_go_is_prepared_for_and_not_believed() {
    let scene = Scene::new().await;
    let followed = Followed::new(&scene, scene.store.clone(), None);
    followed.tell(Ok(News::Seen(vec![scene.opened(10), scene.filled()])));
    followed.heard().await;
    assert_eq!(scene.hand.calls(), ["reserve (created undecided)"]);
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap(), []);
    followed.end().await;
}

#[tokio::test]
async fn a_mark_moves_only_when_every_fact_up_to_it_is_stored() {
    let scene = Scene::new().await;
    let (failures, writes) = (Mutex::new(2), Mutex::default());
    let shaky = Arc::new(Shaky { store: scene.store.clone(), failures, writes });
    let followed = Followed::new(&scene, shaky.clone(), None);
    followed.stands(10, vec![scene.opened(10)]);
    until(async || *shaky.writes.lock().unwrap() > 0).await;
    assert_eq!(scene.marks.get(chain(ORIGIN)), None, "the store was away");
    until(async || scene.marks.get(chain(ORIGIN)).is_some()).await;
    assert_eq!(*shaky.writes.lock().unwrap(), 3, "it was tried until it was written");
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap().len(), 1);
    assert_eq!(scene.store.mark(chain(ORIGIN), Care::Large).await.unwrap(), Some(mark(10, 10)));
    followed.end().await;
}

#[tokio::test]
async fn marks_without_facts_move_in_memory_and_are_written_now_and_then() {
    let scene = Scene::new().await;
    let (failures, writes) = Default::default();
    let shaky = Arc::new(Shaky { store: scene.store.clone(), failures, writes });
    let followed = Followed::new(&scene, shaky.clone(), None);
    for number in 1..=50 {
        followed.stands(number, Vec::new());
    }
    followed.heard().await;
    assert_eq!(scene.marks.get(chain(ORIGIN)), Some(mark(50, 50)));
    assert_eq!(*shaky.writes.lock().unwrap(), 1);
    followed.stands(51, vec![scene.opened(51)]);
    followed.heard().await;
    assert_eq!(scene.marks.get(chain(ORIGIN)), Some(mark(51, 51)));
    assert_eq!(*shaky.writes.lock().unwrap(), 2);
    followed.end().await;
}

#[tokio::test]
async fn what_stands_for_usual_amounts_only_moves_no_mark() {
    let scene = Scene::new().await;
    let followed = Followed::new(&scene, scene.store.clone(), None);
    let facts = vec![scene.opened(10)];
    followed.tell(Ok(News::Stands { care: Care::Usual, mark: mark(10, 10), facts }));
    followed.heard().await;
    assert_eq!(scene.store.facts(scene.terms.id()).await.unwrap().len(), 1);
    assert_eq!(scene.marks.get(chain(ORIGIN)), None);
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Created, "a large order waits for more");
    followed.end().await;
}

#[tokio::test]
async fn a_chain_that_is_away_is_asked_again_and_one_that_contradicts_itself_is_not() {
    let scene = Scene::new().await;
    let followed = Followed::new(&scene, scene.store.clone(), None);
    followed.tell(Err(ChainError::Unavailable(chain(ORIGIN))));
    followed.stands(10, Vec::new());
    followed.heard().await;
    assert!(scene.marks.get(chain(ORIGIN)).is_some());
    assert!(!scene.marks.is_halted(chain(ORIGIN)));
    let words = "block 9 is another one".to_owned();
    followed.tell(Err(ChainError::Disagreement(chain(ORIGIN), words)));
    followed.ends_itself().await;
    assert!(scene.marks.is_halted(chain(ORIGIN)));
}

#[test]
fn marks_never_go_back() {
    let marks = causeway_engine::Marks::default();
    for (number, newest) in [(5, 5), (7, 7), (6, 7)] {
        marks.set(chain(ORIGIN), mark(number, number));
        assert_eq!(marks.get(chain(ORIGIN)), Some(mark(newest, newest)));
    }
    assert_eq!(marks.get(chain(1)), None);
}

#[tokio::test]
async fn a_ring_while_nobody_waits_is_heard() {
    let marks = causeway_engine::Marks::default();
    marks.ring();
    marks.rung().await;
}
