use std::sync::Arc;

use causeway_domain::fiat::{FiatOrder, FiatStatus, Strategy};
use causeway_domain::ports::{
    Erased, Erasure, FiatCreation, FiatLease, FiatOrderQuery, FiatStore, OperatorStore, Pruned, StoreError,
};
use causeway_domain::{Address, EventKind, FiatOrderId, FiatQuoteId};
use tokio::task::JoinSet;

use crate::fiat_sample::{
    bare_fiat_quote, bought, complete, fiat_event, fiat_order, fiat_quote, jump_plan, payout,
};
use crate::sample::{AUTHOR, days_ago, event, evm, now, order, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    provider_quotes_round_trip,
    a_purchase_is_created_once_per_quote,
    a_purchase_without_a_stored_quote_is_rejected,
    concurrent_purchases_of_one_quote_are_one,
    purchases_round_trip_with_all_fields_set,
    an_update_on_a_stale_version_is_rejected,
    rule_22_a_delivery_completes_one_purchase,
    rule_22_a_webhook_is_stored_once_and_makes_its_purchase_due,
    due_purchases_are_leased_to_one_worker,
    a_lease_is_renewed_by_its_holder_only,
    a_writer_takes_its_lease_up_again_unless_somebody_wrote_since,
    rule_21_of_processes_that_decide_together_one_creates_the_swap,
    purchases_by_and_to_an_address_are_listed_newest_first,
    unused_quotes_are_pruned_and_used_ones_kept,
    forgetting_chains_removes_purchases,
    purchases_without_progress_are_listed_longest_first,
    an_erased_purchase_has_no_personal_data_and_all_of_its_amounts,
    a_purchase_that_is_not_over_is_not_erased,
    the_terms_of_a_forwarding_order_outlive_an_erasure,
);

async fn purchases_without_progress_are_listed_longest_first(database: &TestDatabase) {
    let store = database.store().await;
    let old = |status, age: i64| {
        move |order: &mut FiatOrder| (order.status, order.updated_at) = (status, now() - seconds(age))
    };
    let pending = bought(&store, old(FiatStatus::Pending, 60)).await;
    let processing = bought(&store, old(FiatStatus::Processing, 90)).await;
    bought(&store, old(FiatStatus::Created, 5)).await;
    bought(&store, old(FiatStatus::Completed, 90)).await;
    let unmoved = store.unmoved_fiat(now() - seconds(30), 9).await.unwrap();
    assert_eq!(unmoved, [processing.clone(), pending]);
    assert_eq!(store.unmoved_fiat(now() - seconds(30), 1).await.unwrap(), [processing]);
}

fn over(order: &mut FiatOrder) {
    order.status = FiatStatus::Completed;
    order.due_at = None;
    "https://provider.example/checkout?email=ann@example.com".clone_into(&mut order.widget_url);
    order.origin = Some("https://shop.example".to_owned());
    order.metadata = Some("{\"customer\":\"Ann\"}".to_owned());
    order.provider_order = Some("their-id".to_owned());
    order.payout = Some(payout(order.id.as_str(), 1));
    order.fill_tx = Some("0xfilled".to_owned());
}

async fn an_erased_purchase_has_no_personal_data_and_all_of_its_amounts(database: &TestDatabase) {
    let (store, other) = (database.store().await, database.store().await);
    let bought_by_ann = bought(&store, over).await;
    let of_bob = bought(&store, |order| {
        over(order);
        (order.author, order.recipient) =
            (evm("0x00000000000000000000000000000000000000bb"), order.refund_to);
        order.refund_to = order.author;
    })
    .await;
    for (event, order) in [("e1", &bought_by_ann), ("e2", &of_bob)] {
        store.store_webhook("card", event, &order.id, b"{\"name\":\"Ann\"}", now()).await.unwrap();
        let mut settled = store.fiat_order(&order.id).await.unwrap().unwrap();
        settled.due_at = None;
        assert!(store.update_fiat_order(&settled, &[]).await.unwrap());
    }
    let before = store.fiat_order(&bought_by_ann.id).await.unwrap().unwrap();
    let erasure = Erasure::Address(bought_by_ann.recipient);
    let erased = other.erase_purchases(&erasure, now(), 9).await.unwrap();
    assert_eq!(erased, Erased { purchases: vec![bought_by_ann.id.clone()], unfinished: 0 });

    let nobody = |address: Address| Address::native(address.family());
    let after = store.fiat_order(&bought_by_ann.id).await.unwrap().unwrap();
    let expected = FiatOrder {
        author: nobody(before.author),
        recipient: nobody(before.recipient),
        refund_to: nobody(before.refund_to),
        widget_url: String::new(),
        origin: None,
        metadata: None,
        version: before.version + 1,
        ..before.clone()
    };
    assert_eq!(after, expected, "amounts, the provider's id and the transactions stay");
    assert!(!store.update_fiat_order(&before, &[]).await.unwrap(), "a stale worker does not bring it back");
    let ask = store.fiat_quote(&bought_by_ann.quote).await.unwrap().unwrap().ask;
    assert_eq!(
        (ask.recipient, ask.refund_to, ask.country, ask.method),
        (nobody(ask.recipient), None, None, None)
    );
    assert_eq!(database.raw().await.count("fiat_webhooks").await, 1, "that of the other purchase");
    let events = store.fiat_order_events(&bought_by_ann.id).await.unwrap();
    assert!(!events.is_empty() && events.iter().all(|event| event.detail.is_empty()), "{events:?}");
    let query = |address| FiatOrderQuery { address, status: None, before: None, limit: 9 };
    for address in [before.author, nobody(before.author)] {
        assert_eq!(store.fiat_orders(&query(address)).await.unwrap(), [], "it is nobody's");
    }
    assert_eq!(store.fiat_orders(&query(of_bob.author)).await.unwrap().len(), 1);
    assert_eq!(store.erase_purchases(&erasure, now(), 9).await.unwrap(), Erased::default(), "once");
    let young = Erasure::EndedBefore(days_ago(1));
    assert_eq!(store.erase_purchases(&young, now(), 9).await.unwrap(), Erased::default());
    let all = Erasure::EndedBefore(now() + seconds(60));
    assert_eq!(store.erase_purchases(&all, now(), 9).await.unwrap().purchases, [of_bob.id]);
}

async fn a_purchase_that_is_not_over_is_not_erased(database: &TestDatabase) {
    let store = database.store().await;
    let open = bought(&store, |order| order.status = FiatStatus::Pending).await;
    let watched = bought(&store, |order| order.status = FiatStatus::Expired).await;
    for order in [&open, &watched] {
        let erased = store.erase_purchases(&Erasure::Purchase(order.id.clone()), now(), 9).await.unwrap();
        assert_eq!(erased, Erased { purchases: Vec::new(), unfinished: 1 }, "{}", order.status);
        assert_eq!(store.fiat_order(&order.id).await.unwrap().as_ref(), Some(order));
    }
}

async fn the_terms_of_a_forwarding_order_outlive_an_erasure(database: &TestDatabase) {
    let store = database.store().await;
    let forwarded = bought(&store, |order| {
        over(order);
        order.strategy = Strategy::Forwarding(Box::new(jump_plan()));
    })
    .await;
    let erasure = Erasure::Purchase(forwarded.id.clone());
    assert_eq!(store.erase_purchases(&erasure, now(), 9).await.unwrap().purchases.len(), 1);
    let after = store.fiat_order(&forwarded.id).await.unwrap().unwrap();
    assert_eq!(after.strategy, forwarded.strategy, "late money at its address still has somewhere to go");
    assert_eq!((after.recipient, after.refund_to), (forwarded.recipient, forwarded.refund_to));
    assert_eq!((after.author, after.metadata), (Address::native(after.author.family()), None));
}

async fn provider_quotes_round_trip(database: &TestDatabase) {
    let store = database.store().await;
    let quotes = [fiat_quote(), bare_fiat_quote()];
    for _ in 0..2 {
        store.put_fiat_quotes(&quotes).await.unwrap();
    }
    for quote in quotes {
        assert_eq!(store.fiat_quote(&quote.id).await.unwrap(), Some(quote));
    }
    assert_eq!(store.fiat_quote(&FiatQuoteId::random().unwrap()).await.unwrap(), None);
}

async fn a_purchase_is_created_once_per_quote(database: &TestDatabase) {
    let store = database.store().await;
    let order = bought(&store, |_| {}).await;
    let again = FiatOrder { id: FiatOrderId::random().unwrap(), key: crate::sample::key(), ..order.clone() };
    let created = store.create_fiat_order(&again, &fiat_event(&again, None)).await.unwrap();
    assert_eq!(created, FiatCreation::Existing(Box::new(order.clone())));
    assert_eq!(store.fiat_order_of_quote(&order.quote).await.unwrap(), Some(order.clone()));
    assert_eq!(store.fiat_order_events(&order.id).await.unwrap().len(), 1);
}

async fn a_purchase_without_a_stored_quote_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let order = fiat_order(&fiat_quote());
    let refused = store.create_fiat_order(&order, &fiat_event(&order, None)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Conflict("the quote is not stored")), "{refused}");
}

async fn concurrent_purchases_of_one_quote_are_one(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    let quote = bare_fiat_quote();
    stores[0].put_fiat_quotes(std::slice::from_ref(&quote)).await.unwrap();
    let mut making = JoinSet::new();
    for number in 0..8 {
        let (store, order) = (Arc::clone(&stores[number % 2]), fiat_order(&quote));
        making
            .spawn(async move { store.create_fiat_order(&order, &fiat_event(&order, None)).await.unwrap() });
    }
    let made = making.join_all().await;
    assert_eq!(made.iter().filter(|made| **made == FiatCreation::Created).count(), 1);
    assert_eq!(database.raw().await.count("fiat_orders").await, 1);
}

async fn purchases_round_trip_with_all_fields_set(database: &TestDatabase) {
    let store = database.store().await;
    for strategy in [Strategy::Direct, Strategy::Forwarding(Box::new(jump_plan()))] {
        let mut order = bought(&store, |order| {
            order.strategy = strategy;
            order.origin = Some("https://shop.example".to_owned());
            order.metadata = Some(r#"{"cart":"‘7’"}"#.to_owned());
        })
        .await;
        assert_eq!(store.fiat_order(&order.id).await.unwrap(), Some(order.clone()));
        complete(&mut order);
        let note = fiat_event(&order, None);
        assert!(store.update_fiat_order(&order, std::slice::from_ref(&note)).await.unwrap());
        order.version = 1;
        assert_eq!(store.fiat_order(&order.id).await.unwrap(), Some(order.clone()));
        assert_eq!(store.fiat_order_events(&order.id).await.unwrap().last(), Some(&note));
    }
}

async fn an_update_on_a_stale_version_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let order = bought(&store, |_| {}).await;
    assert!(store.update_fiat_order(&order, &[]).await.unwrap());
    let late = FiatOrder { status: FiatStatus::Expired, ..order.clone() };
    assert!(!store.update_fiat_order(&late, &[fiat_event(&order, None)]).await.unwrap());
    assert_eq!(store.fiat_order(&order.id).await.unwrap().unwrap().status, FiatStatus::Created);
    assert_eq!(
        store.fiat_order_events(&order.id).await.unwrap().len(),
        1,
        "its lines are not written either"
    );
}

async fn rule_22_a_delivery_completes_one_purchase(database: &TestDatabase) {
    let store = database.store().await;
    let (one, other) = (bought(&store, |_| {}).await, bought(&store, |_| {}).await);
    let paid = |order: &FiatOrder, tx, index| FiatOrder { payout: Some(payout(tx, index)), ..order.clone() };
    assert_eq!(store.fiat_order_of_payout(&payout("0xa", 1)).await.unwrap(), None);
    assert!(store.update_fiat_order(&paid(&one, "0xa", 1), &[]).await.unwrap());
    assert_eq!(store.fiat_order_of_payout(&payout("0xa", 1)).await.unwrap(), Some(one.id));
    let twice = store.update_fiat_order(&paid(&other, "0xa", 1), &[]).await.unwrap_err();
    assert!(matches!(twice, StoreError::Conflict("this delivery completed another purchase")), "{twice}");
    assert!(store.update_fiat_order(&paid(&other, "0xa", 2), &[]).await.unwrap(), "another transfer in it");
}

async fn rule_22_a_webhook_is_stored_once_and_makes_its_purchase_due(database: &TestDatabase) {
    let store = database.store().await;
    let order = bought(&store, |order| order.due_at = Some(now() + seconds(3_600))).await;
    let later = now() + seconds(5);
    assert_eq!(store.claim_due_fiat(later, later, 9).await.unwrap(), []);
    let keep = |provider: &'static str, event: &'static str| {
        let (store, id) = (&store, order.id.clone());
        async move { store.store_webhook(provider, event, &id, &[0, 255], now()).await.unwrap() }
    };
    assert!(keep("card", "e1").await);
    assert_eq!(store.claim_due_fiat(later, later + seconds(9), 9).await.unwrap().len(), 1);
    let stale = store.update_fiat_order(&order, &[]).await.unwrap();
    assert!(!stale, "whoever looked before it has not seen it");
    assert!(!keep("card", "e1").await);
    assert_eq!(store.claim_due_fiat(later, later, 9).await.unwrap(), [], "the same again wakes nobody");
    assert!(keep("bank", "e1").await, "another provider's names are its own");
}

async fn due_purchases_are_leased_to_one_worker(database: &TestDatabase) {
    let store = database.store().await;
    let first = bought(&store, |order| order.due_at = Some(now() - seconds(5))).await;
    let second = bought(&store, |order| order.due_at = Some(now() - seconds(1))).await;
    bought(&store, |order| order.due_at = None).await;
    let lease = now() + seconds(20);
    let taken = store.claim_due_fiat(now(), lease, 1).await.unwrap();
    assert_eq!(taken, std::slice::from_ref(&first), "the oldest first");
    assert_eq!(store.claim_due_fiat(now(), lease, 9).await.unwrap(), [second]);
    assert_eq!(store.claim_due_fiat(now(), lease, 9).await.unwrap(), []);
    let again = store.claim_due_fiat(lease, lease, 1).await.unwrap();
    assert_eq!(again, std::slice::from_ref(&first), "the lease is over");
    assert!(store.update_fiat_order(&first, &[]).await.unwrap());
    assert_eq!(store.claim_due_fiat(now(), lease, 1).await.unwrap().len(), 1, "a write ends the lease");
}

async fn a_lease_is_renewed_by_its_holder_only(database: &TestDatabase) {
    let (stopped, other) = (database.store().await, database.store().await);
    let purchase = bought(&stopped, |order| order.due_at = Some(now())).await;
    let (first, second) = (now() + seconds(45), now() + seconds(90));
    stopped.claim_due_fiat(now(), first, 1).await.unwrap();
    assert!(stopped.renew_fiat_lease(&purchase.id, FiatLease::Until(first), second).await.unwrap());
    assert_eq!(other.claim_due_fiat(first, second, 1).await.unwrap(), [], "it is worked on for longer");

    // It stops for longer than that, and another process takes the purchase over.
    let theirs = second + seconds(45);
    assert_eq!(other.claim_due_fiat(second, theirs, 1).await.unwrap().len(), 1);
    let later = second + seconds(600);
    for lease in [FiatLease::Until(first), FiatLease::Until(second)] {
        assert!(!stopped.renew_fiat_lease(&purchase.id, lease, later).await.unwrap());
    }
    let unwritten = FiatLease::EndedByWrite { version: purchase.version };
    assert!(!stopped.renew_fiat_lease(&purchase.id, unwritten, later).await.unwrap());
    assert!(other.renew_fiat_lease(&purchase.id, FiatLease::Until(theirs), theirs).await.unwrap());
    let due = other.claim_due_fiat(theirs, later, 1).await.unwrap();
    assert_eq!(due.len(), 1, "the late renewals have changed nothing");
}

async fn a_writer_takes_its_lease_up_again_unless_somebody_wrote_since(database: &TestDatabase) {
    let (ours, other) = (database.store().await, database.store().await);
    let purchase = bought(&ours, |order| order.due_at = Some(now())).await;
    let (lease, later) = (now() + seconds(45), now() + seconds(90));
    let held = FiatLease::Until(lease);
    ours.claim_due_fiat(now(), lease, 1).await.unwrap();
    assert!(ours.update_fiat_order(&purchase, &[]).await.unwrap());
    assert!(!ours.renew_fiat_lease(&purchase.id, held, later).await.unwrap(), "the write has ended it");
    let written = |version: u32| FiatLease::EndedByWrite { version };
    let version = purchase.version + 1;
    assert!(ours.renew_fiat_lease(&purchase.id, written(version), later).await.unwrap());
    assert_eq!(other.claim_due_fiat(lease, later, 1).await.unwrap(), []);

    // After its next write another process is faster.
    let current = FiatOrder { version, ..purchase.clone() };
    assert!(ours.update_fiat_order(&current, &[]).await.unwrap());
    let current = FiatOrder { version: version + 1, ..purchase.clone() };
    assert!(other.update_fiat_order(&current, &[]).await.unwrap());
    assert!(!ours.renew_fiat_lease(&purchase.id, written(version + 1), later).await.unwrap());
    assert_eq!(other.claim_due_fiat(now(), later, 1).await.unwrap().len(), 1, "nobody holds it");
}

async fn rule_21_of_processes_that_decide_together_one_creates_the_swap(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    let purchase = bought(&stores[0], |_| {}).await;
    let mut work = JoinSet::new();
    for turn in 0..20 {
        let (store, purchase) = (Arc::clone(&stores[turn % 2]), purchase.clone());
        work.spawn(async move {
            let swap = order();
            let built = event(&swap, EventKind::Status(swap.status), swap.created_at);
            store.create_swap(&purchase.id, purchase.version, &swap, &built).await.unwrap()
        });
    }
    let winners = work.join_all().await.into_iter().filter(|created| *created).count();
    assert_eq!(winners, 1);
    assert_eq!(database.raw().await.count("orders").await, 1);
    let current = stores[1].fiat_order(&purchase.id).await.unwrap().unwrap();
    assert_eq!(current.version, purchase.version + 1, "whoever decided before decides again");
    assert!(!stores[0].update_fiat_order(&purchase, &[]).await.unwrap());
}

async fn purchases_by_and_to_an_address_are_listed_newest_first(database: &TestDatabase) {
    let store = database.store().await;
    let author = evm(AUTHOR);
    let made = bought(&store, |_| {}).await;
    let mine = |order: &mut FiatOrder| (order.author, order.recipient) = (order.recipient, author);
    let sent = bought(&store, mine).await;
    let done = bought(&store, |order| order.status = FiatStatus::Completed).await;
    bought(&store, |order| order.author = order.recipient).await;
    let query = FiatOrderQuery { address: author, status: None, before: None, limit: 9 };
    let all = store.fiat_orders(&query).await.unwrap();
    assert_eq!(all, [done.clone(), sent.clone(), made.clone()]);
    let page = FiatOrderQuery { before: Some(done.key), limit: 1, ..query.clone() };
    assert_eq!(store.fiat_orders(&page).await.unwrap(), [sent]);
    let completed = FiatOrderQuery { status: Some(FiatStatus::Completed), ..query };
    assert_eq!(store.fiat_orders(&completed).await.unwrap(), [done]);
}

async fn unused_quotes_are_pruned_and_used_ones_kept(database: &TestDatabase) {
    let store = database.store().await;
    let mut old = fiat_quote();
    old.created_at = days_ago(3);
    let young = fiat_quote();
    store.put_fiat_quotes(&[old.clone(), young.clone()]).await.unwrap();
    let open = bought(&store, |_| {}).await;
    let over = bought(&store, |order| order.status = FiatStatus::Expired).await;
    for order in [&open, &over] {
        store.store_webhook("card", order.id.as_str(), &order.id, b"{}", now()).await.unwrap();
    }
    let pruned = store.prune(days_ago(1), now() + seconds(9), 10).await.unwrap();
    assert_eq!(pruned, Pruned { quotes: 1, events: 1, ..Pruned::default() });
    assert_eq!(store.fiat_quote(&old.id).await.unwrap(), None);
    for quote in [&young.id, &open.quote, &over.quote] {
        assert!(store.fiat_quote(quote).await.unwrap().is_some());
    }
    assert_eq!(database.raw().await.count("fiat_webhooks").await, 1, "what is over needs no webhooks");
    assert_eq!(store.fiat_order_events(&open.id).await.unwrap().len(), 1);
    let all = store.prune(now() + seconds(9), now() + seconds(9), 10).await.unwrap();
    assert_eq!(all, Pruned { quotes: 1, ..Pruned::default() }, "a quote that was taken stays");
}

async fn forgetting_chains_removes_purchases(database: &TestDatabase) {
    let store = database.store().await;
    let order = bought(&store, |_| {}).await;
    store.store_webhook("card", "e1", &order.id, b"{}", now()).await.unwrap();
    store.forget_chains().await.unwrap();
    assert_eq!(store.fiat_order(&order.id).await.unwrap(), None);
    for table in ["fiat_orders", "fiat_events", "fiat_webhooks"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
    assert!(store.fiat_quote(&order.quote).await.unwrap().is_some());
}
