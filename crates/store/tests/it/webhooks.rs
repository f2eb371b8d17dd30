use std::collections::HashSet;
use std::sync::Arc;

use causeway_domain::ports::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryEnd, EndpointName, EndpointSource, OperatorStore as _,
    OrderStore as _, Subject, SubjectKind, Subscription, WebhookEndpoint, WebhookSecret, WebhookStore,
};
use causeway_domain::{EventKind, Order, OrderId, OrderStatus, RowKey};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::sample::{days_ago, event, key, now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    an_endpoint_is_added_changed_and_removed_with_its_deliveries,
    an_event_is_queued_once_per_subscribed_endpoint,
    an_endpoint_gets_only_new_events_of_its_integrators_orders,
    all_events_of_an_order_are_queued_once_it_is_announced,
    events_are_delivered_in_order_per_order_and_orders_are_independent,
    a_lease_keeps_replicas_from_sending_twice,
    a_late_acknowledgement_counts_as_delivered,
    after_giving_up_the_next_event_is_due,
    an_endpoint_that_failed_for_too_long_drops_its_old_deliveries,
    a_replay_requeues_events_after_a_cursor,
    the_delivery_log_lists_attempts_newest_first,
    the_webhook_cursor_is_the_lowest_of_all_enabled_endpoints,
    concurrent_enqueues_and_ends_leave_no_delivery_behind,
    deliveries_are_pruned_with_their_events,
);

fn name(text: &str) -> EndpointName {
    text.parse().unwrap()
}

fn endpoint(text: &str) -> WebhookEndpoint {
    WebhookEndpoint {
        name: name(text),
        url: format!("https://{text}.example/hook?key=‘1’"),
        secrets: vec![WebhookSecret::random().unwrap(), WebhookSecret::random().unwrap()],
        integrator: None,
        about: Subscription::Orders,
        source: EndpointSource::Operator,
        enabled: true,
        since: RowKey::new(0).unwrap(),
        created_at: now(),
    }
}

async fn with_endpoints(store: &Store, names: &[&str]) {
    for name in names {
        assert!(store.add_endpoint(&endpoint(name)).await.unwrap());
    }
}

/// Appends an event to an order.
async fn append_event(store: &Store, order: &mut Order) -> RowKey {
    let line = event(order, EventKind::Note, now());
    assert!(store.update_order(order, std::slice::from_ref(&line)).await.unwrap());
    order.version += 1;
    line.key
}

/// Queues all stored events.
async fn enqueue(store: &Store) -> u64 {
    let start = RowKey::new(0).unwrap();
    let lines = store.events_after(start, 10_000).await.unwrap();
    let to = lines.last().map_or(start, |(key, _)| *key);
    let orders: HashSet<OrderId> = lines.into_iter().map(|(_, order)| order).collect();
    store.enqueue_deliveries(&orders.into_iter().collect::<Vec<_>>(), (start, to), now()).await.unwrap()
}

async fn claim(store: &Store, endpoint: &str, at: Timestamp) -> Vec<Delivery> {
    store.claim_deliveries(&name(endpoint), at, at + seconds(30), 100).await.unwrap()
}

async fn claimed(store: &Store, endpoint: &str) -> Vec<RowKey> {
    claim(store, endpoint, now()).await.into_iter().map(|delivery| delivery.event).collect()
}

fn attempt(delivery: &Delivery, status: u16, end: DeliveryEnd) -> DeliveryAttempt {
    DeliveryAttempt {
        key: key(),
        endpoint: delivery.endpoint.clone(),
        event: delivery.event,
        subject: delivery.subject.clone(),
        number: delivery.attempts + 1,
        at: now(),
        status: Some(status),
        outcome: match end {
            DeliveryEnd::Delivered => AttemptOutcome::Delivered,
            DeliveryEnd::Later(_) => AttemptOutcome::Failed,
            DeliveryEnd::GivenUp => AttemptOutcome::GivenUp,
        },
        message: format!("it answered {status}\0"),
    }
}

async fn end(store: &Store, delivery: &Delivery, status: u16, end: DeliveryEnd) {
    store.end_delivery(delivery, &attempt(delivery, status, end), end, None).await.unwrap();
}

async fn an_endpoint_is_added_changed_and_removed_with_its_deliveries(database: &TestDatabase) {
    let store = database.store().await;
    let mut shop = endpoint("shop");
    assert!(store.add_endpoint(&shop).await.unwrap());
    assert!(!store.add_endpoint(&endpoint("shop")).await.unwrap(), "the name is taken");
    assert!(!store.change_endpoint(&endpoint("other")).await.unwrap());
    "https://elsewhere.example/".clone_into(&mut shop.url);
    shop.secrets.truncate(1);
    (shop.integrator, shop.enabled, shop.source) =
        (Some("wallet-00ff00ff".to_owned()), false, EndpointSource::Config);
    assert!(store.change_endpoint(&shop).await.unwrap());
    with_endpoints(&store, &["a"]).await;
    let all = store.endpoints().await.unwrap();
    assert_eq!((all.len(), &all[1]), (2, &shop), "by name");
    placed(&store, |_| ()).await;
    assert_eq!(enqueue(&store).await, 1);
    let delivery = claim(&store, "a", now()).await.remove(0);
    end(&store, &delivery, 200, DeliveryEnd::Delivered).await;
    assert!(store.remove_endpoint(&name("a")).await.unwrap());
    assert!(!store.remove_endpoint(&name("a")).await.unwrap());
    for table in ["webhook_deliveries", "webhook_attempts"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
}

async fn an_event_is_queued_once_per_subscribed_endpoint(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one", "two"]).await;
    assert!(store.add_endpoint(&WebhookEndpoint { enabled: false, ..endpoint("disabled") }).await.unwrap());
    placed(&store, |_| ()).await;
    placed(&store, |_| ()).await;
    assert_eq!(enqueue(&store).await, 4);
    assert_eq!(enqueue(&store).await, 0, "no event is queued twice");
    let first = claimed(&store, "one").await;
    assert_eq!((first.len(), claimed(&store, "two").await), (2, first));
    assert_eq!(claimed(&store, "disabled").await, []);
}

async fn an_endpoint_gets_only_new_events_of_its_integrators_orders(database: &TestDatabase) {
    let store = database.store().await;
    // The sample's quotes are asked for by `wallet-00ff00ff`.
    for (text, integrator, since) in [
        ("mine", Some("wallet-00ff00ff"), 0),
        ("theirs", Some("other-00ff00ff"), 0),
        ("late", None, (1_i64 << 53) - 1),
    ] {
        let since = RowKey::new(since).unwrap();
        let integrator = integrator.map(str::to_owned);
        store.add_endpoint(&WebhookEndpoint { integrator, since, ..endpoint(text) }).await.unwrap();
    }
    let order = placed(&store, |_| ()).await;
    assert_eq!(enqueue(&store).await, 1);
    assert_eq!(claim(&store, "mine", now()).await[0].subject, Subject::Order(order.id));
}

async fn all_events_of_an_order_are_queued_once_it_is_announced(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    let mut order = placed(&store, |order| order.announced = false).await;
    assert_eq!(enqueue(&store).await, 0);
    order.announced = true;
    append_event(&store, &mut order).await;
    let announced = std::slice::from_ref(&order.id);
    let start = RowKey::new(0).unwrap();
    assert_eq!(store.enqueue_deliveries(announced, (start, start), now()).await.unwrap(), 2);
}

async fn events_are_delivered_in_order_per_order_and_orders_are_independent(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    let (mut stuck, mut quick) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    for order in [&mut stuck, &mut quick] {
        append_event(&store, order).await;
    }
    assert_eq!(enqueue(&store).await, 4);
    let first = claim(&store, "one", now()).await;
    assert_eq!(first.len(), 2, "the oldest of each");
    for delivery in first {
        let later = now() + seconds(60);
        let result = if delivery.subject.as_str() == stuck.id.as_str() {
            DeliveryEnd::Later(later)
        } else {
            DeliveryEnd::Delivered
        };
        end(&store, &delivery, 200, result).await;
    }
    let second = claim(&store, "one", now()).await;
    assert_eq!(second.len(), 1);
    assert_eq!((second[0].subject.as_str(), second[0].attempts), (quick.id.as_str(), 0));
    let third = append_event(&store, &mut quick).await;
    assert_eq!(enqueue(&store).await, 1);
    assert_eq!(claimed(&store, "one").await, [], "the one before is still on its way");
    end(&store, &second[0], 200, DeliveryEnd::Delivered).await;
    assert_eq!(claimed(&store, "one").await, [third]);
    let again = claim(&store, "one", now() + seconds(60)).await;
    assert_eq!(
        again.iter().find(|delivery| delivery.subject.as_str() == stuck.id.as_str()).unwrap().attempts,
        1
    );
}

async fn a_lease_keeps_replicas_from_sending_twice(database: &TestDatabase) {
    let (mine, theirs) = (database.store().await, database.store().await);
    with_endpoints(&mine, &["one"]).await;
    placed(&mine, |_| ()).await;
    enqueue(&mine).await;
    let at = now();
    let held = claim(&mine, "one", at).await.remove(0);
    assert_eq!(claim(&theirs, "one", at + seconds(29)).await, []);
    let taken = claim(&theirs, "one", at + seconds(30)).await.remove(0);
    assert_eq!(taken.event, held.event);
    // A worker that lost its lease cannot change what another one is sending.
    end(&mine, &held, 500, DeliveryEnd::Later(at + seconds(3_600))).await;
    end(&mine, &held, 500, DeliveryEnd::GivenUp).await;
    end(&theirs, &taken, 500, DeliveryEnd::Later(at)).await;
    assert_eq!(claim(&mine, "one", at).await.len(), 1);
}

async fn a_late_acknowledgement_counts_as_delivered(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    placed(&store, |_| ()).await;
    enqueue(&store).await;
    let at = now();
    let held = claim(&store, "one", at).await.remove(0);
    claim(&store, "one", at + seconds(30)).await;
    end(&store, &held, 200, DeliveryEnd::Delivered).await;
    assert_eq!(claim(&store, "one", at + seconds(90)).await, []);
}

async fn after_giving_up_the_next_event_is_due(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    let mut order = placed(&store, |_| ()).await;
    let second = append_event(&store, &mut order).await;
    enqueue(&store).await;
    let first = claim(&store, "one", now()).await.remove(0);
    end(&store, &first, 500, DeliveryEnd::GivenUp).await;
    assert_eq!(claimed(&store, "one").await, [second]);
    let counts = store.delivery_counts().await.unwrap();
    assert_eq!((counts[0].waiting, counts[0].given_up), (1, 1));
}

async fn an_endpoint_that_failed_for_too_long_drops_its_old_deliveries(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one", "two"]).await;
    for _ in 0..3 {
        let mut order = placed(&store, |_| ()).await;
        append_event(&store, &mut order).await;
    }
    enqueue(&store).await;
    let probe = store.claim_deliveries(&name("one"), now(), now() + seconds(30), 1).await.unwrap().remove(0);
    let failed = attempt(&probe, 500, DeliveryEnd::GivenUp);
    store.end_delivery(&probe, &failed, DeliveryEnd::GivenUp, Some(now() + seconds(1))).await.unwrap();
    let counts = store.delivery_counts().await.unwrap();
    assert_eq!((counts[0].waiting, counts[0].given_up), (0, 6));
    assert_eq!((counts[1].waiting, counts[1].given_up), (6, 0), "other endpoints are not affected");
    let mut order = placed(&store, |_| ()).await;
    append_event(&store, &mut order).await;
    enqueue(&store).await;
    assert_eq!(claimed(&store, "one").await.len(), 1, "later events are delivered again");
}

async fn a_replay_requeues_events_after_a_cursor(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    let mut order = placed(&store, |_| ()).await;
    let (second, third) = (append_event(&store, &mut order).await, append_event(&store, &mut order).await);
    enqueue(&store).await;
    for _ in 0..3 {
        let delivery = claim(&store, "one", now()).await.remove(0);
        end(&store, &delivery, 200, DeliveryEnd::Delivered).await;
    }
    assert_eq!(claimed(&store, "one").await, []);
    let one = name("one");
    let first = store.events_after(RowKey::new(0).unwrap(), 1).await.unwrap()[0].0;
    let page = store.replay_deliveries(&one, first, 1, now()).await.unwrap();
    assert_eq!(page, (1, Some(second)));
    assert_eq!(store.replay_deliveries(&one, second, 10, now()).await.unwrap(), (1, Some(third)));
    assert_eq!(store.replay_deliveries(&one, third, 10, now()).await.unwrap(), (0, None));
    let again = claim(&store, "one", now()).await.remove(0);
    assert_eq!((again.event, again.attempts), (second, 0));
    end(&store, &again, 200, DeliveryEnd::Delivered).await;
    assert_eq!(claimed(&store, "one").await, [third]);
    assert!(store.replay_deliveries(&name("none"), first, 10, now()).await.is_err());
}

async fn the_delivery_log_lists_attempts_newest_first(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one", "two"]).await;
    let order = placed(&store, |_| ()).await;
    enqueue(&store).await;
    let delivery = claim(&store, "one", now()).await.remove(0);
    let mut failed = attempt(&delivery, 503, DeliveryEnd::Later(now()));
    failed.status = None;
    store.end_delivery(&delivery, &failed, DeliveryEnd::Later(now()), None).await.unwrap();
    let again = claim(&store, "one", now()).await.remove(0);
    let delivered = attempt(&again, 204, DeliveryEnd::Delivered);
    store.end_delivery(&again, &delivered, DeliveryEnd::Delivered, None).await.unwrap();
    let log = store.delivery_log(&name("one"), None, 10).await.unwrap();
    let attempts: Vec<_> = log.iter().map(|line| (line.number, line.status, line.outcome)).collect();
    assert_eq!(attempts, [(2, Some(204), AttemptOutcome::Delivered), (1, None, AttemptOutcome::Failed)]);
    assert_eq!(
        (log[0].subject.as_str(), log[0].message.as_str()),
        (order.id.as_str(), "it answered 204\u{fffd}")
    );
    assert_eq!(store.delivery_log(&name("one"), Some(log[0].key), 10).await.unwrap(), log[1..]);
    assert_eq!(store.delivery_log(&name("two"), None, 10).await.unwrap(), []);
}

async fn the_webhook_cursor_is_the_lowest_of_all_enabled_endpoints(database: &TestDatabase) {
    let store = database.store().await;
    let at = |key: i64| RowKey::new(key).unwrap();
    assert_eq!(store.webhook_cursor(SubjectKind::Order).await.unwrap(), None);
    store.add_endpoint(&WebhookEndpoint { since: at(50), ..endpoint("young") }).await.unwrap();
    store.add_endpoint(&WebhookEndpoint { since: at(10), ..endpoint("old") }).await.unwrap();
    store.add_endpoint(&WebhookEndpoint { since: at(1), enabled: false, ..endpoint("off") }).await.unwrap();
    assert_eq!(store.webhook_cursor(SubjectKind::Order).await.unwrap(), Some(at(10)));
    store.enqueue_deliveries(&[], (at(40), at(90)), now()).await.unwrap();
    assert_eq!(
        store.webhook_cursor(SubjectKind::Order).await.unwrap(),
        Some(at(10)),
        "it was not read from there"
    );
    store.enqueue_deliveries(&[], (at(5), at(60)), now()).await.unwrap();
    assert_eq!(store.webhook_cursor(SubjectKind::Order).await.unwrap(), Some(at(60)));
    // Purchases are read apart, and for the endpoints that receive them alone.
    assert_eq!(store.webhook_cursor(SubjectKind::Purchase).await.unwrap(), None);
    let both = WebhookEndpoint { since: at(20), about: Subscription::All, ..endpoint("both") };
    store.add_endpoint(&both).await.unwrap();
    assert_eq!(store.webhook_cursor(SubjectKind::Purchase).await.unwrap(), Some(at(20)));
    store.enqueue_purchase_deliveries(&[], (at(15), at(80)), now()).await.unwrap();
    assert_eq!(store.webhook_cursor(SubjectKind::Purchase).await.unwrap(), Some(at(80)));
    assert_eq!(store.webhook_cursor(SubjectKind::Order).await.unwrap(), Some(at(20)));
}

async fn concurrent_enqueues_and_ends_leave_no_delivery_behind(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    with_endpoints(&stores[0], &["one"]).await;
    let mut work = JoinSet::new();
    for number in 0..4 {
        let store = Arc::clone(&stores[number % 2]);
        work.spawn(async move {
            let mut order = placed(&store, |_| ()).await;
            for _ in 0..15 {
                append_event(&store, &mut order).await;
                enqueue(&store).await;
            }
            0
        });
        let store = Arc::clone(&stores[(number + 1) % 2]);
        work.spawn(async move {
            let (mut delivered, mut idle) = (0, 0);
            while idle < 60 {
                let due = claim(&store, "one", now()).await;
                idle = if due.is_empty() { idle + 1 } else { 0 };
                for delivery in due {
                    end(&store, &delivery, 200, DeliveryEnd::Delivered).await;
                    delivered += 1;
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            delivered
        });
    }
    let delivered: i32 = work.join_all().await.into_iter().sum();
    assert_eq!(delivered, 4 * 16, "each once, and none is left behind");
}

async fn deliveries_are_pruned_with_their_events(database: &TestDatabase) {
    let store = database.store().await;
    with_endpoints(&store, &["one"]).await;
    placed(&store, |order| {
        order.created_at = days_ago(9);
        order.status = OrderStatus::Filled;
    })
    .await;
    enqueue(&store).await;
    let delivery = claim(&store, "one", now()).await.remove(0);
    store.prune(days_ago(9), days_ago(8), 100).await.unwrap();
    end(&store, &delivery, 200, DeliveryEnd::Delivered).await;
    for table in ["events", "webhook_deliveries", "webhook_attempts"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
}
