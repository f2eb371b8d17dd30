use causeway_domain::ports::{Creation, OrderStore, QuoteStore, StoreError};
use causeway_domain::{EventKind, QuoteId};

use crate::sample::{bare_route, event, now, order, quote, route};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_quote_round_trips,
    an_acknowledged_quote_is_visible_to_other_stores,
    a_route_added_later_comes_last,
    the_same_route_twice_is_written_once,
    an_unknown_quote_is_none,
    a_route_of_an_unknown_quote_is_rejected,
    a_quote_is_unchanged_by_orders_of_its_routes,
    rewriting_a_quote_is_allowed_and_a_conflicting_one_is_rejected,
    nul_characters_are_replaced,
    an_unreadable_quote_is_corrupt,
);

async fn a_quote_round_trips(database: &TestDatabase) {
    let store = database.store().await;
    let full = quote(&["a", "b-2", "c.3_x"]);
    let mut bare = quote(&[]);
    bare.integrator = None;
    bare.ask.slippage = None;
    bare.routes = vec![bare_route("only")];
    let empty = quote(&[]);
    for quote in [full, bare, empty] {
        store.put_quote(&quote).await.unwrap();
        assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
    }
}

async fn an_acknowledged_quote_is_visible_to_other_stores(database: &TestDatabase) {
    let (here, there) = (database.store().await, database.store().await);
    for _ in 0..20 {
        let quote = quote(&["a"]);
        here.put_quote(&quote).await.unwrap();
        assert_eq!(there.quote(&quote.id).await.unwrap(), Some(quote));
    }
}

async fn a_route_added_later_comes_last(database: &TestDatabase) {
    let store = database.store().await;
    let mut quote = quote(&["z", "m"]);
    store.put_quote(&quote).await.unwrap();
    for name in ["k", "a"] {
        store.add_route(&quote.id, &route(name)).await.unwrap();
    }
    quote = store.quote(&quote.id).await.unwrap().unwrap();
    let names: Vec<_> = quote.routes.iter().map(|route| route.id.as_str()).collect();
    assert_eq!(names, ["z", "m", "k", "a"]);
}

async fn the_same_route_twice_is_written_once(database: &TestDatabase) {
    let store = database.store().await;
    let quote = quote(&["a"]);
    store.put_quote(&quote).await.unwrap();
    store.add_route(&quote.id, &bare_route("a")).await.unwrap();
    store.add_route(&quote.id, &route("a")).await.unwrap();
    assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
}

async fn an_unknown_quote_is_none(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(store.quote(&QuoteId::random().unwrap()).await.unwrap(), None);
}

async fn a_route_of_an_unknown_quote_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let error = store.add_route(&QuoteId::random().unwrap(), &route("a")).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert!(!error.is_retryable());
}

async fn a_quote_is_unchanged_by_orders_of_its_routes(database: &TestDatabase) {
    let store = database.store().await;
    let mut quote = quote(&["a", "b"]);
    store.put_quote(&quote).await.unwrap();
    store.add_route(&quote.id, &route("c")).await.unwrap();
    quote = store.quote(&quote.id).await.unwrap().unwrap();
    for name in ["c", "b"] {
        let order = order(&quote, name);
        let created = store.create_order(&order, &event(&order, EventKind::Note, now())).await.unwrap();
        assert_eq!(created, Creation::Created);
    }
    assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
}

async fn rewriting_a_quote_is_allowed_and_a_conflicting_one_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let first = quote(&["a"]);
    store.put_quote(&first).await.unwrap();
    store.add_route(&first.id, &route("b")).await.unwrap();
    store.put_quote(&first).await.unwrap();
    assert_eq!(store.quote(&first.id).await.unwrap().unwrap().routes.len(), 2);

    let mut other = quote(&["c"]);
    other.id = first.id.clone();
    let error = store.put_quote(&other).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(store.quote(&first.id).await.unwrap().unwrap().key, first.key);
}

async fn nul_characters_are_replaced(database: &TestDatabase) {
    let store = database.store().await;
    let mut quote = quote(&["a"]);
    quote.routes[0].filler = String::from("no\0rth");
    store.put_quote(&quote).await.unwrap();
    assert_eq!(store.quote(&quote.id).await.unwrap().unwrap().routes[0].filler, "no\u{fffd}rth");
}

async fn an_unreadable_quote_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    for damage in [
        "UPDATE quotes SET amount = '-1' WHERE id = ",
        "UPDATE quotes SET created_at = 9223372036854775807 WHERE id = ",
        "UPDATE quotes SET slippage = 500001 WHERE id = ",
        "UPDATE quotes SET routes = '{' WHERE id = ",
        "UPDATE quotes SET routes = REPLACE(routes, 'TRANSFER', 'CASH') WHERE id = ",
        "UPDATE routes SET fees = '{' WHERE quote_id = ",
        "UPDATE routes SET deposit_methods = 'CASH' WHERE quote_id = ",
        "UPDATE routes SET expected_seconds = -1 WHERE quote_id = ",
    ] {
        let quote = quote(&["a"]);
        store.put_quote(&quote).await.unwrap();
        store.add_route(&quote.id, &route("b")).await.unwrap();
        database.raw().await.run(&format!("{damage} '{}'", quote.id)).await;
        let error = store.quote(&quote.id).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{damage}: {error:?}");
    }
}
