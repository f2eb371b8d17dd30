use causeway_domain::RowKey;
use causeway_domain::fiat::{FiatOrder, FiatStatus};
use causeway_domain::ports::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryEnd, EndpointName, EndpointSource, FiatStore as _,
    OperatorStore as _, OrderStore as _, Subject, Subscription, WebhookEndpoint, WebhookSecret,
    WebhookStore as _,
};
use causeway_store::Store;

use crate::fiat_sample::{bought, fiat_event};
use crate::sample::{days_ago, key, now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    purchases_go_to_the_endpoints_that_ask_for_them,
    a_purchases_events_are_delivered_in_order_and_logged_with_those_of_orders,
    a_replay_sends_both_kinds_again_oldest_first,
    deliveries_of_a_purchase_are_pruned_with_its_events,
    an_endpoint_that_is_down_drops_its_old_purchases_too,
);

fn name(text: &str) -> EndpointName {
    text.parse().unwrap()
}

async fn with_endpoint(store: &Store, text: &str, about: Subscription, integrator: Option<&str>) {
    let endpoint = WebhookEndpoint {
        name: name(text),
        url: format!("https://{text}.example/hook"),
        secrets: vec![WebhookSecret::random().unwrap()],
        integrator: integrator.map(str::to_owned),
        about,
        source: EndpointSource::Operator,
        enabled: true,
        since: RowKey::new(0).unwrap(),
        created_at: now(),
    };
    assert!(store.add_endpoint(&endpoint).await.unwrap());
}

/// Queues all stored events; the count of those of purchases.
async fn enqueue(store: &Store) -> u64 {
    let start = RowKey::new(0).unwrap();
    let orders = store.events_after(start, 1_000).await.unwrap();
    let orders: Vec<_> = orders.into_iter().map(|(_, order)| order).collect();
    store.enqueue_deliveries(&orders, (start, start), now()).await.unwrap();
    let purchases = store.purchase_events_after(start, 1_000).await.unwrap();
    assert!(purchases.is_sorted_by_key(|(key, _)| *key));
    let purchases: Vec<_> = purchases.into_iter().map(|(_, purchase)| purchase).collect();
    store.enqueue_purchase_deliveries(&purchases, (start, start), now()).await.unwrap()
}

async fn claim(store: &Store, endpoint: &str) -> Vec<Delivery> {
    store.claim_deliveries(&name(endpoint), now(), now() + seconds(30), 100).await.unwrap()
}

async fn end(store: &Store, delivery: &Delivery, end: DeliveryEnd, outcome: AttemptOutcome) {
    let attempt = DeliveryAttempt {
        key: key(),
        endpoint: delivery.endpoint.clone(),
        event: delivery.event,
        subject: delivery.subject.clone(),
        number: delivery.attempts + 1,
        at: now(),
        status: Some(200),
        outcome,
        message: "it answered".to_owned(),
    };
    let give_up_before = (end == DeliveryEnd::GivenUp).then(|| now() + seconds(1));
    store.end_delivery(delivery, &attempt, end, give_up_before).await.unwrap();
}

async fn deliver(store: &Store, delivery: &Delivery) {
    end(store, delivery, DeliveryEnd::Delivered, AttemptOutcome::Delivered).await;
}

async fn append_event(store: &Store, purchase: &mut FiatOrder, status: FiatStatus) -> RowKey {
    let event = fiat_event(purchase, Some(status));
    purchase.status = status;
    assert!(store.update_fiat_order(purchase, std::slice::from_ref(&event)).await.unwrap());
    purchase.version += 1;
    event.key
}

async fn purchases_go_to_the_endpoints_that_ask_for_them(database: &TestDatabase) {
    let store = database.store().await;
    for (text, about, integrator) in [
        ("orders", Subscription::Orders, None),
        ("purchases", Subscription::Purchases, None),
        ("all", Subscription::All, None),
        ("mine", Subscription::All, Some("shop-00ff00ff")),
        ("theirs", Subscription::All, Some("other-00ff00ff")),
    ] {
        with_endpoint(&store, text, about, integrator).await;
    }
    let listed = store.endpoints().await.unwrap();
    let about: Vec<_> = listed.iter().map(|endpoint| (endpoint.name.as_str(), endpoint.about)).collect();
    assert_eq!(about[0], ("all", Subscription::All));
    assert_eq!(about[3], ("purchases", Subscription::Purchases));
    let order = placed(&store, |order| order.integrator = None).await;
    let purchase = bought(&store, |purchase| purchase.integrator = Some("shop-00ff00ff".to_owned())).await;
    assert_eq!(store.fiat_order(&purchase.id).await.unwrap().unwrap().integrator, purchase.integrator);
    assert_eq!(enqueue(&store).await, 3);
    assert_eq!(enqueue(&store).await, 0, "no event is queued twice");
    let (order, purchase) = (Subject::Order(order.id), Subject::Purchase(purchase.id));
    for (text, expected) in [
        ("orders", vec![&order]),
        ("purchases", vec![&purchase]),
        ("all", vec![&order, &purchase]),
        ("mine", vec![&purchase]),
        ("theirs", vec![]),
    ] {
        let claimed = claim(&store, text).await;
        assert_eq!(claimed.iter().map(|delivery| &delivery.subject).collect::<Vec<_>>(), expected, "{text}");
    }
}

async fn a_purchases_events_are_delivered_in_order_and_logged_with_those_of_orders(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoint(&store, "all", Subscription::All, None).await;
    let mut purchase = bought(&store, |_| ()).await;
    let second = append_event(&store, &mut purchase, FiatStatus::Pending).await;
    placed(&store, |_| ()).await;
    assert_eq!(enqueue(&store).await, 2);
    assert_eq!(store.delivery_counts().await.unwrap()[0].waiting, 3);
    let first = claim(&store, "all").await;
    assert_eq!(first.len(), 2, "the oldest of each");
    assert_eq!(claim(&store, "all").await, [], "they are leased");
    for delivery in &first {
        deliver(&store, delivery).await;
    }
    let last = claim(&store, "all").await;
    assert_eq!(last.iter().map(|delivery| delivery.event).collect::<Vec<_>>(), [second]);
    end(&store, &last[0], DeliveryEnd::Later(now() + seconds(60)), AttemptOutcome::Failed).await;
    let log = store.delivery_log(&name("all"), None, 10).await.unwrap();
    assert_eq!(log.len(), 3);
    assert!(log.is_sorted_by_key(|attempt| std::cmp::Reverse(attempt.key)));
    assert_eq!((&log[0].subject, log[0].outcome), (&Subject::Purchase(purchase.id), AttemptOutcome::Failed));
    assert_eq!(store.delivery_log(&name("all"), Some(log[0].key), 1).await.unwrap(), log[1..2]);
}

async fn a_replay_sends_both_kinds_again_oldest_first(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoint(&store, "all", Subscription::All, None).await;
    let mut purchase = bought(&store, |_| ()).await;
    placed(&store, |_| ()).await;
    append_event(&store, &mut purchase, FiatStatus::Pending).await;
    enqueue(&store).await;
    for _ in 0..2 {
        for delivery in claim(&store, "all").await {
            deliver(&store, &delivery).await;
        }
    }
    assert_eq!(store.delivery_counts().await.unwrap()[0].waiting, 0);
    let (mut after, mut pages) = (RowKey::new(0).unwrap(), Vec::new());
    while let (count, Some(last)) = store.replay_deliveries(&name("all"), after, 2, now()).await.unwrap() {
        pages.push(count);
        after = last;
    }
    assert_eq!(pages, [2, 1]);
    assert_eq!(store.delivery_counts().await.unwrap()[0].waiting, 3);
    assert_eq!(claim(&store, "all").await.len(), 2, "the oldest of each");
}

async fn deliveries_of_a_purchase_are_pruned_with_its_events(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoint(&store, "all", Subscription::All, None).await;
    bought(&store, |purchase| (purchase.status, purchase.due_at) = (FiatStatus::Completed, None)).await;
    enqueue(&store).await;
    let delivery = claim(&store, "all").await.remove(0);
    deliver(&store, &delivery).await;
    assert_eq!(database.raw().await.count("purchase_attempts").await, 1);
    store.prune(days_ago(1), now() + seconds(60), 100).await.unwrap();
    for table in ["fiat_events", "purchase_deliveries", "purchase_attempts"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
}

async fn an_endpoint_that_is_down_drops_its_old_purchases_too(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoint(&store, "all", Subscription::All, None).await;
    placed(&store, |_| ()).await;
    for _ in 0..2 {
        bought(&store, |_| ()).await;
    }
    enqueue(&store).await;
    let probe = store.claim_deliveries(&name("all"), now(), now() + seconds(30), 1).await.unwrap().remove(0);
    end(&store, &probe, DeliveryEnd::GivenUp, AttemptOutcome::GivenUp).await;
    let counts = store.delivery_counts().await.unwrap();
    assert_eq!((counts[0].waiting, counts[0].given_up), (0, 3));
}
