use causeway_domain::ports::{OrderStore, Pruned, QuoteStore, Retention};
use causeway_domain::{EventKind, OrderStatus};

use crate::fresh::Fresh;
use crate::sample::{days_ago, event, now, placed, quote, route};

on_both_engines!(
    old_quotes_go_with_their_routes_and_young_ones_stay,
    a_quote_that_an_order_came_from_stays,
    the_story_of_an_open_order_stays,
    a_sweep_removes_no_more_than_its_limit,
);

async fn old_quotes_go_with_their_routes_and_young_ones_stay(fresh: &Fresh) {
    let store = fresh.store().await;
    let (mut old, young) = (quote(&["a", "b"]), quote(&["a"]));
    old.created_at = days_ago(3);
    store.put_quote(&old).await.unwrap();
    store.put_quote(&young).await.unwrap();
    store.add_route(&old.id, &route("c")).await.unwrap();
    let pruned = store.prune(days_ago(2), days_ago(2), 100).await.unwrap();
    assert_eq!(pruned, Pruned { quotes: 1, events: 0 });
    assert_eq!(store.quote(&old.id).await.unwrap(), None);
    assert_eq!(store.quote(&young.id).await.unwrap(), Some(young));
    assert_eq!(fresh.raw().await.count("routes").await, 0);
    assert_eq!(store.prune(days_ago(2), days_ago(2), 100).await.unwrap(), Pruned::default());
}

async fn a_quote_that_an_order_came_from_stays(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    fresh.raw().await.run("UPDATE quotes SET created_at = 0").await;
    assert_eq!(store.prune(now(), days_ago(2), 100).await.unwrap(), Pruned::default());
    assert!(store.quote(&order.quote).await.unwrap().is_some());
}

async fn the_story_of_an_open_order_stays(fresh: &Fresh) {
    let store = fresh.store().await;
    let open = placed(&store, |order| order.created_at = days_ago(9)).await;
    let mut closed = Vec::new();
    for status in [OrderStatus::Filled, OrderStatus::Refunded, OrderStatus::Failed] {
        let order = placed(&store, |order| {
            order.created_at = days_ago(9);
            order.status = status;
        })
        .await;
        assert!(store.update_order(&order, &[event(&order, EventKind::Note, now())]).await.unwrap());
        closed.push(order);
    }
    let pruned = store.prune(days_ago(9), days_ago(8), 100).await.unwrap();
    assert_eq!(pruned, Pruned { quotes: 0, events: 3 });
    assert_eq!(store.story(&open.id).await.unwrap().len(), 1);
    for order in closed {
        assert_eq!(store.story(&order.id).await.unwrap().len(), 1);
        assert!(store.order(&order.id).await.unwrap().is_some());
    }
}

async fn a_sweep_removes_no_more_than_its_limit(fresh: &Fresh) {
    let store = fresh.store().await;
    for days in [5, 4, 6] {
        let mut quote = quote(&["a"]);
        quote.created_at = days_ago(days);
        store.put_quote(&quote).await.unwrap();
        placed(&store, |order| {
            order.created_at = days_ago(days);
            order.status = OrderStatus::Filled;
        })
        .await;
    }
    let mut swept = Vec::new();
    for _ in 0..3 {
        swept.push(store.prune(days_ago(2), days_ago(2), 2).await.unwrap());
    }
    let of = |count| Pruned { quotes: count, events: count };
    assert_eq!(swept, [of(2), of(1), of(0)]);
}
