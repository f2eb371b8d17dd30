use causeway_domain::ports::{Creation, OrderQuery, OrderStore, StoreError};
use causeway_domain::{
    Address, ChainId, EventKind, Order, OrderId, OrderStatus, QuoteId, RouteId, RowKey, SOLANA_CHAIN_ID,
    TokenId,
};
use causeway_store::Store;

use crate::sample::{AUTHOR, complete, event, evm, now, order_of, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    an_order_round_trips,
    a_route_is_ordered_once_and_repeats_return_the_same_order,
    concurrent_creations_agree_on_one_order,
    nul_characters_are_replaced,
    an_event_of_another_order_is_rejected,
    an_update_writes_every_mutable_field,
    an_update_on_a_stale_version_writes_nothing,
    concurrent_updates_on_one_version_have_one_winner,
    pages_are_newest_first_and_stable_while_orders_are_added,
    authors_are_compared_as_addresses,
    only_requested_ids_of_the_author_are_listed,
    events_of_an_order_are_listed_in_order,
    an_unreadable_order_is_corrupt,
    orders_are_counted_by_filler_and_status,
    fields_fixed_by_the_first_build_never_change,
    an_unannounced_order_is_not_listed_or_counted,
    orders_are_listed_by_their_chains,
    versions_are_read_together_in_any_number,
);

fn all_of(author: Address) -> OrderQuery {
    OrderQuery {
        author: Some(author),
        ids: Vec::new(),
        status: None,
        from_chain: None,
        to_chain: None,
        before: None,
        limit: 100,
    }
}

async fn listed(store: &Store, query: &OrderQuery) -> Vec<RowKey> {
    store.orders(query).await.unwrap().iter().map(|order| order.key).collect()
}

async fn orders_are_counted_by_filler_and_status(database: &TestDatabase) {
    let store = database.store().await;
    for status in [OrderStatus::Filled, OrderStatus::Created, OrderStatus::Filled] {
        placed(&store, |order| order.status = status).await;
    }
    let mut counts: Vec<_> = (store.fill_counts().await.unwrap().into_iter())
        .map(|count| (count.filler, count.status.as_str(), count.orders))
        .collect();
    counts.sort();
    let filler = "inventory ‘north’".to_owned();
    assert_eq!(counts, [(filler.clone(), "created", 1), (filler, "filled", 2)]);
}

async fn versions_are_read_together_in_any_number(database: &TestDatabase) {
    let store = database.store().await;
    let mut expected = Vec::new();
    for number in 0..5 {
        let mut order = placed(&store, |_| ()).await;
        for _ in 0..number {
            assert!(store.update_order(&order, &[]).await.unwrap());
            order.version += 1;
        }
        expected.push((order.id, number));
    }
    let ids: Vec<OrderId> = expected.iter().map(|(id, _)| id.clone()).collect();
    let nobody: Vec<OrderId> = (0..300).map(|_| OrderId::random().unwrap()).collect();
    for count in 0..=ids.len() {
        let mut versions = store.order_versions(&[&nobody, &ids[..count]].concat()).await.unwrap();
        versions.sort_by_key(|(_, version)| *version);
        assert_eq!(versions, expected[..count]);
    }
    assert!(store.order_versions(&[]).await.unwrap().is_empty());
    // An id that is asked for twice has one row.
    let twice = store.order_versions(&[ids[3].clone(), ids[3].clone()]).await.unwrap();
    assert!(twice.iter().all(|row| *row == (ids[3].clone(), 3)) && !twice.is_empty());
}

async fn an_order_round_trips(database: &TestDatabase) {
    let store = database.store().await;
    let full = placed(&store, complete).await;
    let bare = placed(&store, |order| order.due_at = None).await;
    for order in [full, bare] {
        assert_eq!(store.order(&order.id).await.unwrap(), Some(order));
    }
    assert_eq!(store.order(&OrderId::random().unwrap()).await.unwrap(), None);
}

async fn a_route_is_ordered_once_and_repeats_return_the_same_order(database: &TestDatabase) {
    let store = database.store().await;
    // As long as a sealed route may be.
    let route = "a".repeat(RouteId::MAX_LENGTH);
    let quote = QuoteId::random().unwrap();
    let (first, second, other) =
        (order_of(&quote, &route), order_of(&quote, &route), order_of(&quote, &route[1..]));
    let note = |order: &Order| event(order, EventKind::Status(OrderStatus::Created), now());
    assert_eq!(store.create_order(&first, &note(&first)).await.unwrap(), Creation::Created);
    let again = store.create_order(&second, &note(&second)).await.unwrap();
    assert_eq!(again, Creation::Existing(Box::new(first.clone())));
    assert_eq!(store.order(&second.id).await.unwrap(), None);
    assert_eq!(store.order_events(&first.id).await.unwrap().len(), 1);
    assert_eq!(store.create_order(&other, &note(&other)).await.unwrap(), Creation::Created);
}

async fn concurrent_creations_agree_on_one_order(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let quote = QuoteId::random().unwrap();
    let take = async |store: &Store| {
        let order = order_of(&quote, "a");
        let event = event(&order, EventKind::Status(OrderStatus::Created), now());
        match store.create_order(&order, &event).await.unwrap() {
            Creation::Created => order.id,
            Creation::Existing(existing) => existing.id,
        }
    };
    let (a, b, c, d) = tokio::join!(take(&one), take(&two), take(&one), take(&two));
    assert!([b, c, d].iter().all(|id| *id == a));
}

async fn nul_characters_are_replaced(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.filler_quote = Some("no\0rth".to_owned())).await;
    let stored = store.order(&order.id).await.unwrap().unwrap();
    assert_eq!(stored.filler_quote.as_deref(), Some("no\u{fffd}rth"));
}

async fn an_event_of_another_order_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let (one, two) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let error = store.update_order(&one, &[event(&two, EventKind::Note, now())]).await;
    assert!(matches!(error, Err(StoreError::Conflict(_))), "{error:?}");
    assert_eq!(store.order(&one.id).await.unwrap(), Some(one));
}

async fn an_update_writes_every_mutable_field(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, |_| ()).await;
    complete(&mut order);
    order.forwarding = None;
    let event = event(&order, EventKind::Status(order.status), now());
    assert!(store.update_order(&order, std::slice::from_ref(&event)).await.unwrap());
    order.version = 1;
    assert_eq!(store.order(&order.id).await.unwrap(), Some(order.clone()));
    assert_eq!(store.order_events(&order.id).await.unwrap().last(), Some(&event));
}

async fn fields_fixed_by_the_first_build_never_change(database: &TestDatabase) {
    let store = database.store().await;
    let (order, other) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let changed = Order { id: order.id.clone(), status: OrderStatus::Failed, announced: true, ..other };
    assert!(store.update_order(&changed, &[]).await.unwrap());
    let stored = store.order(&order.id).await.unwrap().unwrap();
    assert_eq!((stored.terms, stored.intent_id), (order.terms, order.intent_id));
    assert_eq!((stored.key, stored.quote, stored.route), (order.key, order.quote, order.route));
    assert_eq!(stored.status, OrderStatus::Failed);
}

async fn an_unannounced_order_is_not_listed_or_counted(database: &TestDatabase) {
    let store = database.store().await;
    let mut hidden = placed(&store, |order| order.announced = false).await;
    let asked = OrderQuery { ids: vec![hidden.id.clone()], ..all_of(evm(AUTHOR)) };
    for query in [&all_of(evm(AUTHOR)), &asked] {
        assert_eq!(listed(&store, query).await, []);
    }
    assert_eq!(store.fill_counts().await.unwrap(), []);
    assert_eq!(store.order(&hidden.id).await.unwrap().as_ref(), Some(&hidden));
    hidden.announced = true;
    assert!(store.update_order(&hidden, &[]).await.unwrap());
    for query in [&all_of(evm(AUTHOR)), &asked] {
        assert_eq!(listed(&store, query).await, [hidden.key]);
    }
    assert_eq!(store.fill_counts().await.unwrap().len(), 1);
}

async fn orders_are_listed_by_their_chains(database: &TestDatabase) {
    let store = database.store().await;
    let [one, ten, solana] = [ChainId::new(1).unwrap(), ChainId::new(10).unwrap(), SOLANA_CHAIN_ID];
    let away = placed(&store, |_| ()).await;
    let back = placed(&store, |order| (order.from, order.to) = (TokenId::native(ten), order.from)).await;
    for (from_chain, to_chain, expected) in [
        (None, None, vec![back.key, away.key]),
        (Some(one), None, vec![away.key]),
        (Some(ten), None, vec![back.key]),
        (None, Some(solana), vec![away.key]),
        (Some(ten), Some(one), vec![back.key]),
        (Some(one), Some(one), vec![]),
    ] {
        let query = OrderQuery { from_chain, to_chain, ..all_of(evm(AUTHOR)) };
        assert_eq!(listed(&store, &query).await, expected, "{from_chain:?} {to_chain:?}");
    }
    let everybody = OrderQuery { author: None, ..all_of(evm(AUTHOR)) };
    assert_eq!(listed(&store, &everybody).await, [back.key, away.key]);
    let created =
        OrderQuery { status: Some(OrderStatus::Created), from_chain: Some(one), ..everybody.clone() };
    assert_eq!(listed(&store, &created).await, [away.key]);
    let failed = OrderQuery { status: Some(OrderStatus::Failed), ..everybody };
    assert!(listed(&store, &failed).await.is_empty());
}

async fn an_update_on_a_stale_version_writes_nothing(database: &TestDatabase) {
    let store = database.store().await;
    let seen = placed(&store, |_| ()).await;
    let deposited = seen.clone().transition_to(OrderStatus::Deposited, now()).unwrap();
    assert!(store.update_order(&deposited, &[]).await.unwrap());

    let failed = seen.clone().transition_to(OrderStatus::Failed, now()).unwrap();
    assert!(!store.update_order(&failed, &[event(&seen, EventKind::Note, now())]).await.unwrap());
    assert_eq!(store.order(&seen.id).await.unwrap().unwrap().status, OrderStatus::Deposited);
    assert_eq!(store.order_events(&seen.id).await.unwrap().len(), 1);

    let mut unknown = seen;
    unknown.id = OrderId::random().unwrap();
    assert!(!store.update_order(&unknown, &[]).await.unwrap());
}

async fn concurrent_updates_on_one_version_have_one_winner(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let order = placed(&one, |_| ()).await;
    let update = async |store: &Store| {
        let event = event(&order, EventKind::Note, now());
        u8::from(store.update_order(&order, &[event]).await.unwrap())
    };
    let (a, b, c, d) = tokio::join!(update(&one), update(&two), update(&one), update(&two));
    assert_eq!(a + b + c + d, 1);
    assert_eq!(one.order(&order.id).await.unwrap().unwrap().version, 1);
    assert_eq!(one.order_events(&order.id).await.unwrap().len(), 2);
}

async fn pages_are_newest_first_and_stable_while_orders_are_added(database: &TestDatabase) {
    let store = database.store().await;
    let mut keys = Vec::new();
    for _ in 0..7 {
        keys.push(placed(&store, |_| ()).await.key);
    }
    keys.reverse();
    let mut query = OrderQuery { limit: 3, ..all_of(evm(AUTHOR)) };
    let mut seen = Vec::new();
    loop {
        let page = listed(&store, &query).await;
        let Some(last) = page.last() else { break };
        query.before = Some(*last);
        seen.extend(page);
        placed(&store, |_| ()).await;
    }
    assert_eq!(seen, keys);
}

async fn authors_are_compared_as_addresses(database: &TestDatabase) {
    let store = database.store().await;
    // The same letters in another case are another address on Solana, and the same on EVM.
    let capital = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";
    let small = "9wzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";
    let [capital, small] = [capital, small].map(|text| Address::parse_any(text).unwrap());
    let on_evm = placed(&store, |_| ()).await;
    let on_solana = placed(&store, |order| order.author = capital).await;
    for text in [AUTHOR.to_lowercase(), AUTHOR.to_uppercase(), AUTHOR.to_owned()] {
        assert_eq!(listed(&store, &all_of(evm(&text))).await, [on_evm.key]);
    }
    assert_eq!(listed(&store, &all_of(capital)).await, [on_solana.key]);
    assert_eq!(listed(&store, &all_of(small)).await, []);
    assert_eq!(store.orders(&all_of(capital)).await.unwrap()[0].author, capital);
}

async fn only_requested_ids_of_the_author_are_listed(database: &TestDatabase) {
    let store = database.store().await;
    let stranger = evm("0x00000000000000000000000000000000000000aa");
    let (one, two, three) =
        (placed(&store, |_| ()).await, placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let theirs = placed(&store, |order| order.author = stranger).await;
    let ids = vec![three.id, theirs.id, one.id.clone(), OrderId::random().unwrap()];
    let query = OrderQuery { ids, ..all_of(evm(AUTHOR)) };
    assert_eq!(listed(&store, &query).await, [three.key, one.key]);
    let older = OrderQuery { before: Some(two.key), ..query };
    assert_eq!(listed(&store, &older).await, [one.key]);
}

async fn events_of_an_order_are_listed_in_order(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, |_| ()).await;
    let mut expected = store.order_events(&order.id).await.unwrap();
    for status in [OrderStatus::Deposited, OrderStatus::Published, OrderStatus::Filled] {
        let events = [event(&order, EventKind::Note, now()), event(&order, EventKind::Status(status), now())];
        order = order.transition_to(status, now()).unwrap();
        assert!(store.update_order(&order, &events).await.unwrap());
        order.version += 1;
        expected.extend(events);
    }
    assert_eq!(expected.len(), 7);
    assert_eq!(store.order_events(&order.id).await.unwrap(), expected);
    assert_eq!(store.order_events(&OrderId::random().unwrap()).await.unwrap(), []);
}

async fn an_unreadable_order_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    let mut raw = database.raw().await;
    for damage in [
        "status = 'stolen'",
        "method = 'CHEQUE'",
        "terms = SUBSTR(terms, 2)",
        "finality_tier = 2",
        "decision = 'maybe'",
        "evidence = '{\"deposit\":{}}'",
        "intent_id = '0x12'",
        "deposit_address = 'here'",
    ] {
        let order = placed(&store, |_| ()).await;
        raw.run(&format!("UPDATE orders SET {damage} WHERE id = '{}'", order.id)).await;
        let error = store.order(&order.id).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{damage}: {error:?}");
        assert!(matches!(store.orders(&all_of(order.author)).await, Err(StoreError::Corrupt(_))));
    }
    let order = placed(&store, |_| ()).await;
    raw.run("UPDATE events SET kind = 'unknown'").await;
    assert!(matches!(store.order_events(&order.id).await, Err(StoreError::Corrupt(_))));
}
