use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{ActionError, OrderStore as _, Progress};
use causeway_domain::{Decision, EventKind, OrderStatus, RowKeys};
use jiff::{SignedDuration, Timestamp};

use crate::scene::{DESTINATION, OPEN_UNTIL, ORIGIN, Scene, chain, later, show};

async fn deposited() -> Scene {
    let scene = Scene::new().await;
    scene.show(scene.opened(10)).await;
    scene
}

/// An order that its filler has accepted.
async fn published() -> Scene {
    let scene = deposited().await;
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Published);
    scene.executor.calls.lock().unwrap().clear();
    scene
}

#[tokio::test]
async fn filler_decides_once_and_the_decision_is_stored_before_the_fill() {
    let scene = deposited().await;
    for _ in 0..3 {
        scene.run_once().await;
    }
    let calls = scene.executor.calls();
    assert_eq!(calls[..2], ["decide (deposited undecided)", "fill (published fill)"]);
    assert!(calls[2..].iter().all(|call| call == "fill (published fill)"), "{calls:?}");
}

#[tokio::test]
async fn open_order_registers_demand_for_its_chains() {
    let scene = deposited().await;
    let demand = scene.cursors.demand();
    let awaited = || [ORIGIN, DESTINATION].map(|id| demand.is_awaited(chain(id)));
    assert_eq!(awaited(), [false; 2]);
    scene.run_once().await;
    assert_eq!(awaited(), [true; 2]);
    assert!(!demand.is_awaited(chain(10)), "nobody waits for others");
}

/// The process dies while the filler does that.
async fn dies_during(scene: &Scene, call: &'static str) {
    let (asked, is_asked) = tokio::sync::oneshot::channel();
    scene.executor.during(call, async {
        asked.send(()).unwrap();
        std::future::pending::<()>().await;
    });
    tokio::select! {
        () = scene.run_once() => panic!("it never ends"),
        asked = is_asked => asked.unwrap(),
    }
}

#[tokio::test]
async fn crash_before_the_decision_is_stored_asks_the_filler_again() {
    let scene = deposited().await;
    dies_during(&scene, "decide").await;
    assert_eq!(scene.executor.calls(), ["decide (deposited undecided)"]);
    scene.run_once().await;
    assert_eq!(scene.executor.calls()[1..], ["decide (deposited undecided)", "fill (published fill)"]);
}

#[tokio::test]
async fn crash_during_the_fill_resumes_it_without_asking_again() {
    let scene = deposited().await;
    dies_during(&scene, "fill").await;
    // Whatever it would decide now.
    scene.executor.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    scene.run_once().await;
    assert_eq!(
        scene.executor.calls(),
        ["decide (deposited undecided)", "fill (published fill)", "fill (published fill)"]
    );
    assert_eq!(scene.order().await.decision, Some(Decision::Fill));
}

#[tokio::test]
async fn undecided_filler_is_asked_again() {
    let scene = deposited().await;
    scene.executor.decisions.lock().unwrap().push_back(Err(ActionError::Temporary("no price".to_owned())));
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::Deposited, None));
    assert!(order.due_at.is_some_and(|due| due < later()));
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Published);
}

#[tokio::test]
async fn stale_worker_does_not_overwrite_newer_facts() {
    let scene = deposited().await;
    let (store, refunded) = (scene.store.clone(), scene.refunded());
    // The payer withdraws the deposit while the filler decides.
    scene.executor.during("decide", async move { show(&store, refunded).await });
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!(order.status, OrderStatus::Refunded);
    assert!(order.evidence.refund.is_some());
    let calls = scene.executor.calls();
    assert!(!calls.iter().any(|call| call.starts_with("fill")), "{calls:?}");
}

#[tokio::test]
async fn submission_during_processing_is_kept() {
    let scene = deposited().await;
    let (store, id) = (scene.store.clone(), scene.id.clone());
    scene.executor.during("decide", async move {
        let mut order = store.order(&id).await.unwrap().unwrap();
        order.submitted_tx = Some("0xabc".to_owned());
        assert!(store.update_order(&order, &[]).await.unwrap());
    });
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.submitted_tx.as_deref()), (OrderStatus::Published, Some("0xabc")));
    assert_eq!(order.decision, Some(Decision::Fill));
}

#[tokio::test]
async fn fact_during_the_fill_is_processed_in_the_same_run_or_due_at_once() {
    let scene = published().await;
    let (store, filled) = (scene.store.clone(), scene.filled());
    scene.executor.during("fill", async move { show(&store, filled).await });
    scene.run_once().await;
    let order = scene.order().await;
    let is_due = order.due_at.is_some_and(|due| due <= Timestamp::now());
    assert!(order.status == OrderStatus::Filled || is_due, "{order:?}");
}

#[tokio::test]
async fn order_whose_transaction_is_sent_is_left_to_the_chain_and_one_that_waits_for_us_is_not() {
    for (progress, is_left) in [(Progress::Sent("0xf1".to_owned()), true), (Progress::Waiting, false)] {
        let scene = published().await;
        let before = scene.order().await;
        *scene.executor.fill.lock().unwrap() = progress;
        let began = Timestamp::now();
        scene.run_once().await;
        let order = scene.order().await;
        let due = order.due_at.unwrap();
        let wait = due.duration_since(if is_left { began } else { Timestamp::now() });
        // Stored times have no fractions of a millisecond.
        assert_eq!(wait >= SignedDuration::from_millis(4_999), is_left, "{wait}");
        assert_eq!(order.version, before.version, "nothing else has changed");
        scene.show(scene.filled()).await;
        assert!(scene.order().await.due_at.is_some_and(|due| due <= Timestamp::now()), "the chain wakes it");
    }
}

#[tokio::test]
async fn reverted_fill_becomes_a_waiver() {
    let scene = published().await;
    *scene.executor.fill.lock().unwrap() = Progress::Reverted("0xdead".to_owned());
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::RefundPending, Some(Decision::Waive)));
    assert_eq!(order.failure_reason.as_deref(), Some("The filler's delivery failed on the chain."));
    assert_eq!(scene.executor.calls(), ["fill (published fill)", "waive (refund_pending waive)"]);
    scene.run_once().await;
    assert_eq!(
        scene.executor.calls().last().unwrap(),
        "waive (refund_pending waive)",
        "until the chain shows it"
    );
    scene.show(scene.refunded()).await;
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Refunded, None));
}

#[tokio::test]
async fn declining_filler_gives_a_reason_and_waives() {
    let scene = deposited().await;
    let reason = "The price has moved too far since the quote.".to_owned();
    scene.executor.decisions.lock().unwrap().push_back(Ok((Decision::Waive, Some(reason.clone()))));
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.failure_reason), (OrderStatus::RefundPending, Some(reason)));
    assert_eq!(scene.executor.calls(), ["decide (deposited undecided)", "waive (refund_pending waive)"]);
}

#[tokio::test]
async fn reservation_is_released_after_the_fill_and_the_order_completes_after_the_claim() {
    let scene = published().await;
    scene.show(scene.filled()).await;
    scene.run_once().await;
    assert_eq!(scene.executor.calls(), ["release (filled fill)", "claim (filled fill)"]);
    assert!(scene.order().await.due_at.is_some(), "the filler is not paid yet");
    scene.show(scene.claimed()).await;
    // A failed release is retried.
    *scene.executor.refuses_to.lock().unwrap() = Some("release");
    scene.run_once().await;
    assert!(scene.order().await.due_at.is_some());
    *scene.executor.refuses_to.lock().unwrap() = None;
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Filled, None));
    assert_eq!(scene.executor.calls().last().unwrap(), "release (filled fill)");
}

#[tokio::test]
async fn fill_confirmed_before_the_decision_counts() {
    let scene = deposited().await;
    scene.show(scene.filled()).await;
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Filled);
    let kinds: Vec<_> =
        scene.store.order_events(&scene.id).await.unwrap().into_iter().map(|event| event.kind).collect();
    let all = [OrderStatus::Created, OrderStatus::Deposited, OrderStatus::Published, OrderStatus::Filled];
    assert_eq!(kinds, all.map(EventKind::Status), "no transition is skipped");
    let calls = scene.executor.calls();
    assert!(!calls.iter().any(|call| call.starts_with("decide") || call.starts_with("fill (")), "{calls:?}");
}

#[tokio::test]
async fn order_without_a_deposit_fails_by_the_chains_time() {
    let scene = Scene::new().await;
    scene.worker().run_once(Timestamp::now() + jiff::SignedDuration::from_hours(48)).await.unwrap();
    assert_eq!(scene.status().await, OrderStatus::Created, "no chain time is known");
    scene.pass(OPEN_UNTIL);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Created, "the last second counts");
    scene.pass(OPEN_UNTIL + 1);
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Failed, None));
    assert!(!order.announced);
    assert_eq!(scene.executor.calls(), ["release (failed undecided)"]);
}

#[tokio::test]
async fn orders_of_a_halted_chain_are_left_unchanged() {
    for halted in [ORIGIN, DESTINATION] {
        let scene = deposited().await;
        scene.cursors.halt(chain(halted));
        scene.run_once().await;
        let order = scene.order().await;
        assert_eq!(order.status, OrderStatus::Created, "although its deposit was shown");
        assert!(order.due_at.is_some_and(|due| due > Timestamp::now()), "it is checked again later");
        assert_eq!(scene.executor.calls(), Vec::<String>::new());
    }
    let scene = deposited().await;
    scene.cursors.halt(chain(10));
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Published, "another chain does not matter");
}

#[tokio::test]
async fn rule_29_what_a_halted_chain_owes_is_claimed() {
    for halted in [ORIGIN, DESTINATION] {
        let scene = published().await;
        scene.show(scene.filled()).await;
        scene.cursors.halt(chain(halted));
        scene.run_once().await;
        assert_eq!(scene.status().await, OrderStatus::Filled);
        assert_eq!(scene.executor.calls(), ["release (filled fill)", "claim (filled fill)"]);
    }
}

#[tokio::test]
async fn order_whose_filler_is_missing_waits() {
    let scene = Scene::with(|order| order.filler = "gone".to_owned()).await;
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.decision), (OrderStatus::Deposited, None));
    assert!(order.due_at.is_some());
}

#[tokio::test]
async fn unpayable_recipient_is_recorded_until_it_can_be_paid() {
    let scene = published().await;
    *scene.executor.unpayable.lock().unwrap() = Some("not me");
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.is_unpayable()), (OrderStatus::Published, true));
    assert_eq!(order.failure_reason.as_deref(), Some("The recipient cannot be paid: not me"));
    *scene.executor.unpayable.lock().unwrap() = None;
    scene.run_once().await;
    assert_eq!(scene.order().await.failure_reason, None);
}

#[tokio::test]
async fn replica_with_a_slow_clock_appends_its_events_at_the_end() {
    let mut scene =
        Scene::with(|order| order.created_at = Timestamp::now() + SignedDuration::from_mins(2)).await;
    // Another process, with keys of its own.
    scene.row_keys = Arc::new(RowKeys::new(1));
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    let events = scene.store.order_events(&scene.id).await.unwrap();
    let statuses: Vec<EventKind> = events.into_iter().map(|event| event.kind).collect();
    let expected = [OrderStatus::Created, OrderStatus::Deposited, OrderStatus::Published];
    assert_eq!(statuses, expected.map(EventKind::Status));
}

#[tokio::test]
async fn nothing_is_taken_on_with_a_chain_that_is_not_read() {
    let scene = deposited().await;
    scene.pass(20);
    scene.cursors.set_max_age(Duration::ZERO);
    scene.run_once().await;
    assert_eq!(scene.executor.calls(), Vec::<String>::new());
    assert_eq!(scene.status().await, OrderStatus::Deposited);
    scene.cursors.set_max_age(Duration::from_mins(10));
    scene.pass(21);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Published);
}

#[tokio::test]
async fn a_fill_without_its_event_is_claimed_when_the_chain_is_not_read() {
    let scene = published().await;
    scene.pass(20);
    *scene.executor.fill.lock().unwrap() = Progress::Succeeded("0xf1".to_owned());
    scene.run_once().await;
    assert_eq!(scene.executor.calls(), ["fill (published fill)"], "its event may come");
    scene.cursors.set_max_age(Duration::ZERO);
    scene.executor.calls.lock().unwrap().clear();
    scene.run_once().await;
    assert_eq!(scene.executor.calls(), ["fill (published fill)", "claim (published fill)"]);
}
