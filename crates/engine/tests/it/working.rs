use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{DeedError, OrderStore as _, Progress};
use causeway_domain::{Decision, EventKind, OrderStatus, RowKeys};
use jiff::{SignedDuration, Timestamp};

use crate::scene::{DESTINATION, OPEN_UNTIL, ORIGIN, Scene, chain, later, show};

async fn deposited() -> Scene {
    let scene = Scene::new().await;
    scene.show(scene.opened(10)).await;
    scene
}

/// An order whose filler was told to deliver.
async fn published() -> Scene {
    let scene = deposited().await;
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Published);
    scene.hand.calls.lock().unwrap().clear();
    scene
}

#[tokio::test]
async fn the_filler_is_asked_once_and_its_word_is_written_before_anything_is_delivered() {
    let scene = deposited().await;
    for _ in 0..3 {
        scene.turn().await;
    }
    let calls = scene.hand.calls();
    assert_eq!(calls[..2], ["decide (deposited undecided)", "fill (published fill)"]);
    assert!(calls[2..].iter().all(|call| call == "fill (published fill)"), "{calls:?}");
}

#[tokio::test]
async fn the_chains_of_an_order_that_is_not_over_are_followed_closely() {
    let scene = deposited().await;
    let interest = scene.marks.interest();
    let awaited = || [ORIGIN, DESTINATION].map(|id| interest.is_awaited(chain(id)));
    assert_eq!(awaited(), [false; 2]);
    scene.turn().await;
    assert_eq!(awaited(), [true; 2]);
    assert!(!interest.is_awaited(chain(10)), "nobody waits for others");
}

#[tokio::test]
async fn a_crash_before_the_word_is_written_has_delivered_nothing_and_asks_again() {
    let scene = deposited().await;
    scene.hand.during("decide", std::future::pending());
    let dies = tokio::time::timeout(Duration::from_millis(200), scene.turn()).await;
    assert!(dies.is_err(), "the process dies while the filler thinks");
    assert_eq!(scene.hand.calls(), ["decide (deposited undecided)"]);
    scene.turn().await;
    assert_eq!(scene.hand.calls()[1..], ["decide (deposited undecided)", "fill (published fill)"]);
}

#[tokio::test]
async fn a_crash_during_the_delivery_goes_on_with_it_and_does_not_ask_again() {
    let scene = deposited().await;
    scene.hand.during("fill", std::future::pending());
    let dies = tokio::time::timeout(Duration::from_millis(200), scene.turn()).await;
    assert!(dies.is_err(), "the process dies while the delivery is sent");
    // Whatever it would decide now.
    scene.hand.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    scene.turn().await;
    assert_eq!(
        scene.hand.calls(),
        ["decide (deposited undecided)", "fill (published fill)", "fill (published fill)"]
    );
    assert_eq!(scene.order().await.decision, Some(Decision::Fill));
}

#[tokio::test]
async fn a_filler_that_cannot_say_now_is_asked_again() {
    let scene = deposited().await;
    scene.hand.decisions.lock().unwrap().push_back(Err(DeedError::Later("no price".to_owned())));
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::Deposited, None));
    assert!(order.due_at.is_some_and(|due| due < later()));
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Published);
}

#[tokio::test]
async fn who_saw_an_older_version_does_not_write_over_what_was_shown_meanwhile() {
    let scene = deposited().await;
    let (store, refunded) = (scene.store.clone(), scene.refunded());
    // While the filler thinks, the payer takes the deposit back.
    scene.hand.during("decide", async move { show(&store, refunded).await });
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!(order.status, OrderStatus::Refunded);
    assert!(order.evidence.refund.is_some());
    let calls = scene.hand.calls();
    assert!(!calls.iter().any(|call| call.starts_with("fill")), "{calls:?}");
}

#[tokio::test]
async fn what_a_payer_tells_while_a_worker_is_at_it_stays() {
    let scene = deposited().await;
    let (store, id) = (scene.store.clone(), scene.id.clone());
    scene.hand.during("decide", async move {
        let mut order = store.order(&id).await.unwrap().unwrap();
        order.told_tx = Some("0xabc".to_owned());
        assert!(store.update_order(&order, &[]).await.unwrap());
    });
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.told_tx.as_deref()), (OrderStatus::Published, Some("0xabc")));
    assert_eq!(order.decision, Some(Decision::Fill));
}

#[tokio::test]
async fn what_is_shown_during_the_delivery_is_seen_in_the_same_turn_or_due_at_once() {
    let scene = published().await;
    let (store, filled) = (scene.store.clone(), scene.filled());
    scene.hand.during("fill", async move { show(&store, filled).await });
    scene.turn().await;
    let order = scene.order().await;
    let is_due = order.due_at.is_some_and(|due| due <= Timestamp::now());
    assert!(order.status == OrderStatus::Filled || is_due, "{order:?}");
}

#[tokio::test]
async fn a_delivery_that_failed_in_a_block_becomes_a_waiver() {
    let scene = published().await;
    *scene.hand.fill.lock().unwrap() = Progress::Reverted("0xdead".to_owned());
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::RefundPending, Some(Decision::Waive)));
    assert_eq!(order.failure_reason.as_deref(), Some("The filler's delivery failed on the chain."));
    assert_eq!(scene.hand.calls(), ["fill (published fill)", "waive (refund_pending waive)"]);
    scene.turn().await;
    assert_eq!(
        scene.hand.calls().last().unwrap(),
        "waive (refund_pending waive)",
        "until the chain shows it"
    );
    scene.show(scene.refunded()).await;
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Refunded, None));
}

#[tokio::test]
async fn a_filler_that_declines_says_why_and_gives_back() {
    let scene = deposited().await;
    let reason = "The price has moved too far since the quote.".to_owned();
    scene.hand.decisions.lock().unwrap().push_back(Ok((Decision::Waive, Some(reason.clone()))));
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.failure_reason), (OrderStatus::RefundPending, Some(reason)));
    assert_eq!(scene.hand.calls(), ["decide (deposited undecided)", "waive (refund_pending waive)"]);
}

#[tokio::test]
async fn coins_are_freed_when_the_recipient_is_paid_and_nobody_is_due_once_the_filler_is() {
    let scene = published().await;
    scene.show(scene.filled()).await;
    scene.turn().await;
    assert_eq!(scene.hand.calls(), ["release (filled fill)", "claim (filled fill)"]);
    assert!(scene.order().await.due_at.is_some(), "the filler is not paid yet");
    scene.show(scene.claimed()).await;
    // What cannot be freed now is freed later.
    *scene.hand.refuses_to.lock().unwrap() = Some("release");
    scene.turn().await;
    assert!(scene.order().await.due_at.is_some());
    *scene.hand.refuses_to.lock().unwrap() = None;
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Filled, None));
    assert_eq!(scene.hand.calls().last().unwrap(), "release (filled fill)");
}

#[tokio::test]
async fn a_delivery_that_was_seen_before_our_own_word_is_a_delivery() {
    let scene = deposited().await;
    scene.show(scene.filled()).await;
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Filled);
    let kinds: Vec<_> =
        scene.store.story(&scene.id).await.unwrap().into_iter().map(|line| line.kind).collect();
    let all = [OrderStatus::Created, OrderStatus::Deposited, OrderStatus::Published, OrderStatus::Filled];
    assert_eq!(kinds, all.map(EventKind::Status), "no edge is left out");
    let calls = scene.hand.calls();
    assert!(!calls.iter().any(|call| call.starts_with("decide") || call.starts_with("fill (")), "{calls:?}");
}

#[tokio::test]
async fn an_order_without_a_deposit_fails_by_the_chains_time_and_never_before_it_is_known() {
    let scene = Scene::new().await;
    scene.worker().turn(Timestamp::now() + jiff::SignedDuration::from_hours(48)).await.unwrap();
    assert_eq!(scene.status().await, OrderStatus::Created, "no chain has told its time");
    scene.pass(OPEN_UNTIL);
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Created, "the last second counts");
    scene.pass(OPEN_UNTIL + 1);
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Failed, None));
    assert!(!order.announced);
    assert_eq!(scene.hand.calls(), ["release (failed undecided)"]);
}

#[tokio::test]
async fn orders_of_a_chain_that_is_not_believed_any_more_are_left_as_they_are() {
    for halted in [ORIGIN, DESTINATION] {
        let scene = deposited().await;
        scene.marks.halt(chain(halted));
        scene.turn().await;
        let order = scene.order().await;
        assert_eq!(order.status, OrderStatus::Created, "although its deposit was shown");
        assert!(order.due_at.is_some_and(|due| due > Timestamp::now()), "somebody looks later");
        assert_eq!(scene.hand.calls(), Vec::<String>::new());
    }
    let scene = deposited().await;
    scene.marks.halt(chain(10));
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Published, "another chain is none of its business");
}

#[tokio::test]
async fn an_order_whose_filler_is_gone_waits() {
    let scene = Scene::with(|order| order.filler = "gone".to_owned()).await;
    scene.show(scene.opened(10)).await;
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::Deposited, None));
    assert!(order.due_at.is_some());
}

#[tokio::test]
async fn a_recipient_who_cannot_be_paid_is_written_down_until_it_can() {
    let scene = published().await;
    *scene.hand.unpayable.lock().unwrap() = Some("not me");
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.is_unpayable()), (OrderStatus::Published, true));
    assert_eq!(order.failure_reason.as_deref(), Some("The recipient cannot be paid: not me"));
    *scene.hand.unpayable.lock().unwrap() = None;
    scene.turn().await;
    assert_eq!(scene.order().await.failure_reason, None);
}

#[tokio::test]
async fn a_replica_whose_clock_is_behind_adds_its_lines_at_the_end_of_the_story() {
    let mut scene =
        Scene::with(|order| order.created_at = Timestamp::now() + SignedDuration::from_mins(2)).await;
    // Another process, with keys of its own.
    scene.row_keys = Arc::new(RowKeys::new(1));
    scene.show(scene.opened(10)).await;
    scene.turn().await;
    let story = scene.store.story(&scene.id).await.unwrap();
    let statuses: Vec<EventKind> = story.into_iter().map(|line| line.kind).collect();
    let expected = [OrderStatus::Created, OrderStatus::Deposited, OrderStatus::Published];
    assert_eq!(statuses, expected.map(EventKind::Status));
}
