use std::time::Duration;

use causeway_domain::OrderStatus;
use causeway_domain::ports::{
    FiatStore as _, FillerProtocol, FillerRecord, OperatorStore, OrderStore, Pausable, Pause, RampToken,
    StuckKind, StuckReason,
};
use causeway_store::Store;

use crate::sample::{days_ago, now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_pause_is_visible_to_every_process_until_it_is_resumed,
    a_pause_keeps_its_first_time_and_its_newest_reason,
    a_filler_record_round_trips,
    a_removed_filler_is_kept_until_its_orders_are_over,
    stuck_orders_are_listed_longest_first,
    an_order_whose_deposit_was_never_submitted_is_not_stuck,
    ended_orders_are_listed_newest_first,
    an_order_has_one_stuck_reason_that_keeps_its_first_time,
    a_provider_token_is_the_last_one_stored_by_any_process,
);

async fn a_provider_token_is_the_last_one_stored_by_any_process(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let token = |text: &str, ends| RampToken { text: text.to_owned(), ends };
    assert_eq!(one.ramp_token("transak").await.unwrap(), None);
    one.put_ramp_token("transak", &token("first", 5)).await.unwrap();
    two.put_ramp_token("other", &token("theirs", 6)).await.unwrap();
    two.put_ramp_token("transak", &token("second", 7)).await.unwrap();
    assert_eq!(one.ramp_token("transak").await.unwrap(), Some(token("second", 7)));
    assert_eq!(format!("{:?}", token("second", 7)), "RampToken(…)", "it reaches no log");
}

fn pause(kind: &str, name: &str, reason: &str) -> Pause {
    Pause { what: Pausable::parse(kind, name).unwrap(), reason: reason.to_owned(), since: now() }
}

async fn a_pause_is_visible_to_every_process_until_it_is_resumed(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let all = [
        pause("chain", "8453", "maintenance"),
        pause("filler", "north", "it is asleep"),
        pause("onramp", "sandbox-card", "a\0b"),
        pause("token", "eip155:1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "depegged"),
    ];
    for pause in &all {
        one.pause(pause).await.unwrap();
    }
    let seen = two.pauses().await.unwrap();
    assert_eq!(seen.len(), all.len());
    assert!(seen.iter().zip(&all).all(|(seen, pause)| seen.what == pause.what && seen.since == pause.since));
    for pause in &all {
        assert!(two.resume(&pause.what).await.unwrap());
        assert!(!one.resume(&pause.what).await.unwrap(), "it is over");
    }
    assert_eq!(one.pauses().await.unwrap(), []);
}

async fn a_pause_keeps_its_first_time_and_its_newest_reason(database: &TestDatabase) {
    let store = database.store().await;
    let first = pause("chain", "1", "one");
    store.pause(&first).await.unwrap();
    let later = Pause { reason: "two".to_owned(), since: first.since + seconds(60), ..first.clone() };
    store.pause(&later).await.unwrap();
    assert_eq!(store.pauses().await.unwrap(), [Pause { since: first.since, ..later }]);
}

fn filler(name: &str) -> FillerRecord {
    FillerRecord {
        name: name.to_owned(),
        protocol: FillerProtocol::Remote,
        url: "https://far.example/fill".to_owned(),
        secret: Some("hush".to_owned()),
        deadline: Some(Duration::from_millis(750)),
        added_at: now(),
        removed_at: None,
    }
}

async fn a_filler_record_round_trips(database: &TestDatabase) {
    let store = database.store().await;
    let bare = FillerRecord { protocol: FillerProtocol::Oif, secret: None, deadline: None, ..filler("bare") };
    let full = FillerRecord { removed_at: Some(now()), ..filler("full") };
    for record in [&full, &bare, &bare] {
        store.put_filler(record).await.unwrap();
    }
    assert_eq!(database.store().await.filler_records().await.unwrap(), [bare, full]);
}

async fn a_removed_filler_is_kept_until_its_orders_are_over(database: &TestDatabase) {
    let store = database.store().await;
    let there = filler("far");
    store.put_filler(&there).await.unwrap();
    assert!(!store.forget_filler("far").await.unwrap(), "it was not removed");
    store.put_filler(&FillerRecord { removed_at: Some(now()), ..there }).await.unwrap();
    let mut order = placed(&store, |order| {
        "far".clone_into(&mut order.filler);
        order.due_at = Some(now());
    })
    .await;
    assert!(!store.forget_filler("far").await.unwrap(), "somebody may still deposit");
    order.due_at = None;
    assert!(store.update_order(&order, &[]).await.unwrap());
    assert!(store.forget_filler("far").await.unwrap());
    assert_eq!(store.filler_records().await.unwrap(), []);
}

async fn stuck_orders_are_listed_longest_first(database: &TestDatabase) {
    let store = database.store().await;
    let place = async |status, age: i64, due| {
        placed(&store, |order| {
            order.status = status;
            order.updated_at = now() - seconds(age);
            order.due_at = due;
        })
        .await
        .id
    };
    let younger = place(OrderStatus::Published, 100, Some(now())).await;
    let oldest = place(OrderStatus::Filled, 200, Some(now())).await;
    place(OrderStatus::Published, 10, Some(now())).await;
    place(OrderStatus::Refunded, 300, None).await;
    let listed: Vec<_> = unmoved(&store, 50).await;
    assert_eq!(listed, [oldest, younger]);
}

async fn unmoved(store: &Store, age: i64) -> Vec<causeway_domain::OrderId> {
    let orders = store.unmoved(now() - seconds(age), 10).await.unwrap();
    orders.into_iter().map(|order| order.id).collect()
}

async fn an_order_whose_deposit_was_never_submitted_is_not_stuck(database: &TestDatabase) {
    let store = database.store().await;
    let old = |order: &mut causeway_domain::Order| {
        (order.updated_at, order.due_at) = (now() - seconds(100), Some(now()));
    };
    placed(&store, old).await;
    let submitted = placed(&store, |order| {
        old(order);
        order.submitted_tx = Some("0xab".to_owned());
    })
    .await;
    assert_eq!(unmoved(&store, 50).await, [submitted.id]);
}

async fn ended_orders_are_listed_newest_first(database: &TestDatabase) {
    let store = database.store().await;
    let mut ids = Vec::new();
    for (status, days) in [
        (OrderStatus::Filled, 3),
        (OrderStatus::Refunded, 2),
        (OrderStatus::Failed, 1),
        (OrderStatus::Published, 1),
        (OrderStatus::Filled, 1),
    ] {
        ids.push(
            placed(&store, |order| (order.status, order.updated_at) = (status, days_ago(days))).await.id,
        );
    }
    let ended = async |days, limit| {
        let orders = store.ended(days_ago(days), limit).await.unwrap();
        orders.into_iter().map(|order| order.id).collect::<Vec<_>>()
    };
    assert_eq!(ended(10, 10).await, [ids[4].clone(), ids[1].clone(), ids[0].clone()]);
    assert_eq!(ended(10, 1).await, [ids[4].clone()]);
    assert_eq!(ended(2, 10).await.len(), 1);
}

async fn an_order_has_one_stuck_reason_that_keeps_its_first_time(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| {}).await.id;
    assert_eq!(store.stuck_reason(&order).await.unwrap(), None);
    let first = StuckReason { kind: StuckKind::Attesters, message: "1 of 2 signed".to_owned(), since: now() };
    let later = StuckReason { since: first.since + seconds(60), ..first.clone() };
    store.record_stuck_reason(&order, Some(&first)).await.unwrap();
    store.record_stuck_reason(&order, Some(&later)).await.unwrap();
    assert_eq!(store.stuck_reason(&order).await.unwrap(), Some(first));
    let other = StuckReason { kind: StuckKind::Chain, message: "no answer".to_owned(), ..later };
    store.record_stuck_reason(&order, Some(&other)).await.unwrap();
    assert_eq!(store.stuck_reason(&order).await.unwrap(), Some(other));
    store.record_stuck_reason(&order, None).await.unwrap();
    assert_eq!(store.stuck_reason(&order).await.unwrap(), None);
}
