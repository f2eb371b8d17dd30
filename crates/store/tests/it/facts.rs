use alloy_primitives::{B256, U256};
use causeway_domain::ports::{Arrival, ChainCursor, ChainStore, FinalityTier, StoreError};
use causeway_domain::{
    Address, Evidence, Fact, FactKind, FactPlace, Order, OrderId, RawAmount, RefundCause, SOLANA_CHAIN_ID,
    TokenId,
};
use causeway_store::Store;

use crate::outbox::chain;
use crate::sample::{AUTHOR, evm, now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    facts_round_trip_in_chain_order,
    a_repeated_fact_is_written_once,
    the_finality_tier_of_a_fact_never_decreases,
    a_cursor_never_moves_back,
    a_cursor_of_a_higher_tier_counts_for_lower_tiers,
    a_fact_of_another_chain_is_rejected_with_its_cursor,
    numbers_out_of_range_are_rejected,
    an_unreadable_fact_is_corrupt,
    stored_facts_are_the_evidence_of_their_order,
    an_arrival_round_trips_and_is_written_once,
    arrivals_of_an_address_are_listed_oldest_first,
    an_arrival_needs_its_order,
);

pub(crate) fn cursor_at(number: u64) -> ChainCursor {
    ChainCursor { number, hash: B256::with_last_byte(u8::try_from(number % 256).unwrap()), time: number * 12 }
}

pub(crate) fn fact(order: &Order, kind: FactKind, tx: &str, block: u64) -> Fact {
    let place = FactPlace { chain: chain(1), tx: tx.to_owned(), index: 3, block, time: block * 12 };
    Fact { intent_id: order.intent_id, kind, place }
}

pub(crate) fn opened(order: &Order, tx: &str, block: u64) -> Fact {
    fact(order, FactKind::Opened(Box::new(order.terms)), tx, block)
}

pub(crate) fn arrival(order: &Order, block: u64) -> Arrival {
    Arrival {
        order: order.id.clone(),
        address: order.deposit_address.unwrap(),
        token: order.from,
        balance: RawAmount::new(U256::MAX),
        gained: RawAmount::ZERO,
        block,
        tx: Some("0xbeef".to_owned()),
    }
}

pub(crate) async fn record(store: &Store, tier: FinalityTier, block: u64, facts: &[Fact]) {
    store.record_facts(chain(1), tier, cursor_at(block), facts, now()).await.unwrap();
}

async fn facts_round_trip_in_chain_order(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    let all = RawAmount::new(U256::MAX);
    let opened = opened(&order, "z", 10);
    let second = Fact { place: FactPlace { index: 4, ..opened.place.clone() }, ..opened.clone() };
    let mut filled = fact(&order, FactKind::Filled(all), "a", 10);
    filled.place = FactPlace { chain: SOLANA_CHAIN_ID, time: 125, ..filled.place };
    let claimed = fact(&order, FactKind::Claimed(RawAmount::ZERO), "b", 11);
    let refund =
        |to, cause, tx, block| fact(&order, FactKind::Refunded { to, amount: all, cause }, tx, block);
    let refunds = [
        refund(evm(AUTHOR), RefundCause::Waived, "e", 12),
        refund(Address::Solana([7; 32]), RefundCause::Unfilled, "d", 13),
        refund(evm(AUTHOR), RefundCause::Expired, "c", i64::MAX as u64 / 12),
    ];
    let stranger = Fact { intent_id: B256::ZERO, ..fact(&order, FactKind::Filled(all), "x", 10) };
    record(&store, FinalityTier::Large, 20, &[claimed.clone(), second.clone(), opened.clone(), stranger])
        .await;
    store
        .record_facts(
            SOLANA_CHAIN_ID,
            FinalityTier::Standard,
            cursor_at(20),
            std::slice::from_ref(&filled),
            now(),
        )
        .await
        .unwrap();
    record(&store, FinalityTier::Large, 20, &refunds).await;
    let mut expected = vec![
        (opened, FinalityTier::Large),
        (second, FinalityTier::Large),
        (filled, FinalityTier::Standard),
        (claimed, FinalityTier::Large),
    ];
    expected.extend(refunds.map(|refund| (refund, FinalityTier::Large)));
    assert_eq!(store.facts(order.intent_id).await.unwrap(), expected);
    assert_eq!(store.facts(B256::repeat_byte(1)).await.unwrap(), []);
}

async fn a_repeated_fact_is_written_once(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let order = placed(&one, |_| ()).await;
    let fact = opened(&order, "a", 5);
    let twice = [fact.clone(), fact.clone()];
    tokio::join!(
        record(&one, FinalityTier::Standard, 5, &twice),
        record(&two, FinalityTier::Standard, 5, &twice),
        record(&two, FinalityTier::Standard, 6, &twice)
    );
    assert_eq!(one.facts(order.intent_id).await.unwrap(), [(fact, FinalityTier::Standard)]);
    assert_eq!(database.raw().await.count("facts").await, 1);
}

async fn the_finality_tier_of_a_fact_never_decreases(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    let fact = opened(&order, "a", 5);
    for (tier, expected) in [
        (FinalityTier::Standard, FinalityTier::Standard),
        (FinalityTier::Large, FinalityTier::Large),
        (FinalityTier::Standard, FinalityTier::Large),
    ] {
        record(&store, tier, 5, std::slice::from_ref(&fact)).await;
        assert_eq!(store.facts(order.intent_id).await.unwrap(), [(fact.clone(), expected)]);
    }
}

async fn a_cursor_never_moves_back(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    assert_eq!(one.cursor(chain(1), FinalityTier::Standard).await.unwrap(), None);
    record(&one, FinalityTier::Standard, 7, &[]).await;
    let other = ChainCursor { hash: B256::repeat_byte(0xaa), ..cursor_at(7) };
    one.record_facts(chain(1), FinalityTier::Standard, other, &[], now()).await.unwrap();
    record(&two, FinalityTier::Standard, 6, &[]).await;
    assert_eq!(one.cursor(chain(1), FinalityTier::Standard).await.unwrap(), Some(cursor_at(7)));
    // Facts of an older cursor are written nevertheless.
    let order = placed(&one, |_| ()).await;
    record(&two, FinalityTier::Standard, 5, &[opened(&order, "a", 5)]).await;
    assert_eq!(one.facts(order.intent_id).await.unwrap().len(), 1);
    let (a, b) =
        (record(&one, FinalityTier::Standard, 300, &[]), record(&two, FinalityTier::Standard, 200, &[]));
    tokio::join!(a, b);
    assert_eq!(two.cursor(chain(1), FinalityTier::Standard).await.unwrap(), Some(cursor_at(300)));
    assert_eq!(two.cursor(chain(10), FinalityTier::Standard).await.unwrap(), None);
}

async fn a_cursor_of_a_higher_tier_counts_for_lower_tiers(database: &TestDatabase) {
    let store = database.store().await;
    record(&store, FinalityTier::Large, 5, &[]).await;
    assert_eq!(store.cursor(chain(1), FinalityTier::Standard).await.unwrap(), Some(cursor_at(5)));
    record(&store, FinalityTier::Standard, 9, &[]).await;
    assert_eq!(store.cursor(chain(1), FinalityTier::Standard).await.unwrap(), Some(cursor_at(9)));
    assert_eq!(store.cursor(chain(1), FinalityTier::Large).await.unwrap(), Some(cursor_at(5)));
}

async fn a_fact_of_another_chain_is_rejected_with_its_cursor(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    let facts = [opened(&order, "a", 5)];
    let error =
        store.record_facts(chain(10), FinalityTier::Standard, cursor_at(5), &facts, now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(store.cursor(chain(10), FinalityTier::Standard).await.unwrap(), None);
}

async fn numbers_out_of_range_are_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let mut fact = opened(&order, "a", 5);
    fact.place.index = u64::MAX;
    let errors = [
        store.record_facts(chain(1), FinalityTier::Standard, cursor_at(5), &[fact], now()).await,
        store
            .record_facts(
                chain(1),
                FinalityTier::Standard,
                ChainCursor { time: u64::MAX, ..cursor_at(1) },
                &[],
                now(),
            )
            .await,
        store.record_arrival(&arrival(&order, u64::MAX), now()).await,
    ];
    assert!(errors.iter().all(|error| matches!(error, Err(StoreError::Conflict(_)))), "{errors:?}");
    assert_eq!(store.cursor(chain(1), FinalityTier::Standard).await.unwrap(), None);
}

async fn an_unreadable_fact_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    let mut raw = database.raw().await;
    for damage in [
        "kind = 'unknown'",
        "kind = 'filled'",
        "terms = SUBSTR(terms, 2)",
        "terms = NULL",
        "finality_tier = 2",
        "chain = 0",
    ] {
        let order = placed(&store, |_| ()).await;
        record(&store, FinalityTier::Standard, 5, &[opened(&order, order.id.as_str(), 5)]).await;
        raw.run(&format!("UPDATE facts SET {damage} WHERE intent_id = '{}'", order.intent_id)).await;
        let error = store.facts(order.intent_id).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{damage}: {error:?}");
    }
    raw.run("UPDATE chain_cursors SET hash = 'x'").await;
    assert!(matches!(store.cursor(chain(1), FinalityTier::Standard).await, Err(StoreError::Corrupt(_))));
}

async fn stored_facts_are_the_evidence_of_their_order(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    record(&store, FinalityTier::Standard, 5, &[opened(&order, "a", 5)]).await;
    let facts = store.facts(order.intent_id).await.unwrap();
    assert_eq!(Evidence::from_facts(&order.terms, FinalityTier::Large, &facts), Evidence::default());
    record(&store, FinalityTier::Large, 5, &[opened(&order, "a", 5)]).await;
    let facts = store.facts(order.intent_id).await.unwrap();
    assert_eq!(Evidence::from_facts(&order.terms, FinalityTier::Large, &facts).deposit.unwrap().tx, "a");
}

async fn an_arrival_round_trips_and_is_written_once(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let came = arrival(&order, 5);
    let coin = Arrival { token: TokenId::native(chain(1)), tx: None, gained: came.balance, ..came.clone() };
    for _ in 0..2 {
        store.record_arrival(&came, now()).await.unwrap();
        store.record_arrival(&coin, now()).await.unwrap();
    }
    let mut stored = store.arrivals(evm(AUTHOR)).await.unwrap();
    stored.sort_by_key(|arrival| arrival.token.is_native());
    assert_eq!(stored, [came, coin]);
}

async fn arrivals_of_an_address_are_listed_oldest_first(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let elsewhere = placed(&store, |order| order.deposit_address = Some(Address::Solana([7; 32]))).await;
    for block in [10, 9, 100, 11] {
        store.record_arrival(&arrival(&order, block), now()).await.unwrap();
    }
    store.record_arrival(&arrival(&elsewhere, 1), now()).await.unwrap();
    let blocks = |arrivals: Vec<Arrival>| arrivals.iter().map(|arrival| arrival.block).collect::<Vec<_>>();
    assert_eq!(blocks(store.arrivals(evm(&AUTHOR.to_lowercase())).await.unwrap()), [9, 10, 11, 100]);
    assert_eq!(blocks(store.arrivals(Address::Solana([7; 32])).await.unwrap()), [1]);
    assert_eq!(store.arrivals(Address::Solana([8; 32])).await.unwrap(), []);
}

async fn an_arrival_needs_its_order(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let lost = Arrival { order: OrderId::random().unwrap(), ..arrival(&order, 5) };
    let error = store.record_arrival(&lost, now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(database.raw().await.count("arrivals").await, 0);
}
