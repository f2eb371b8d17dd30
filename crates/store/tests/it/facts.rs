use alloy_primitives::{B256, U256};
use causeway_domain::ports::{Arrival, BlockMark, Care, FactStore, StoreError};
use causeway_domain::{
    Address, Evidence, Fact, FactKind, FactPlace, Order, OrderId, RawAmount, RefundCause, SOLANA_CHAIN_ID,
    TokenId,
};
use causeway_store::Store;

use crate::fresh::Fresh;
use crate::outbox::chain;
use crate::sample::{AUTHOR, evm, now, placed};

on_both_engines!(
    facts_read_back_exactly_as_they_were_written_in_the_order_of_the_chains,
    a_fact_told_again_is_written_once,
    the_care_of_a_fact_grows_and_never_shrinks,
    a_mark_never_goes_back,
    a_mark_for_more_care_stands_for_less,
    a_fact_of_another_chain_is_refused_with_its_mark,
    what_no_chain_counts_is_refused,
    a_fact_that_cannot_be_read_is_corrupt,
    stored_facts_are_the_evidence_of_their_order,
    an_arrival_reads_back_and_is_written_once,
    arrivals_come_oldest_first_and_by_address,
    an_arrival_needs_its_order,
);

pub(crate) fn mark(number: u64) -> BlockMark {
    BlockMark { number, hash: B256::with_last_byte(u8::try_from(number % 256).unwrap()), time: number * 12 }
}

pub(crate) fn fact(order: &Order, kind: FactKind, tx: &str, block: u64) -> Fact {
    let place = FactPlace { chain: chain(1), tx: tx.to_owned(), index: 3, block, time: block * 12 };
    Fact { intent: order.intent, kind, place }
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

pub(crate) async fn record(store: &Store, care: Care, block: u64, facts: &[Fact]) {
    store.record_facts(chain(1), care, mark(block), facts, now()).await.unwrap();
}

async fn facts_read_back_exactly_as_they_were_written_in_the_order_of_the_chains(fresh: &Fresh) {
    let store = fresh.store().await;
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
    let stranger = Fact { intent: B256::ZERO, ..fact(&order, FactKind::Filled(all), "x", 10) };
    record(&store, Care::Large, 20, &[claimed.clone(), second.clone(), opened.clone(), stranger]).await;
    store
        .record_facts(SOLANA_CHAIN_ID, Care::Usual, mark(20), std::slice::from_ref(&filled), now())
        .await
        .unwrap();
    record(&store, Care::Large, 20, &refunds).await;
    let mut expected =
        vec![(opened, Care::Large), (second, Care::Large), (filled, Care::Usual), (claimed, Care::Large)];
    expected.extend(refunds.map(|refund| (refund, Care::Large)));
    assert_eq!(store.facts(order.intent).await.unwrap(), expected);
    assert_eq!(store.facts(B256::repeat_byte(1)).await.unwrap(), []);
}

async fn a_fact_told_again_is_written_once(fresh: &Fresh) {
    let (one, two) = (fresh.store().await, fresh.store().await);
    let order = placed(&one, |_| ()).await;
    let told = opened(&order, "a", 5);
    let twice = [told.clone(), told.clone()];
    tokio::join!(
        record(&one, Care::Usual, 5, &twice),
        record(&two, Care::Usual, 5, &twice),
        record(&two, Care::Usual, 6, &twice)
    );
    assert_eq!(one.facts(order.intent).await.unwrap(), [(told, Care::Usual)]);
    assert_eq!(fresh.raw().await.count("facts").await, 1);
}

async fn the_care_of_a_fact_grows_and_never_shrinks(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    let told = opened(&order, "a", 5);
    for (care, stands) in [(Care::Usual, Care::Usual), (Care::Large, Care::Large), (Care::Usual, Care::Large)]
    {
        record(&store, care, 5, std::slice::from_ref(&told)).await;
        assert_eq!(store.facts(order.intent).await.unwrap(), [(told.clone(), stands)]);
    }
}

async fn a_mark_never_goes_back(fresh: &Fresh) {
    let (one, two) = (fresh.store().await, fresh.store().await);
    assert_eq!(one.mark(chain(1), Care::Usual).await.unwrap(), None);
    record(&one, Care::Usual, 7, &[]).await;
    let other = BlockMark { hash: B256::repeat_byte(0xaa), ..mark(7) };
    one.record_facts(chain(1), Care::Usual, other, &[], now()).await.unwrap();
    record(&two, Care::Usual, 6, &[]).await;
    assert_eq!(one.mark(chain(1), Care::Usual).await.unwrap(), Some(mark(7)));
    // An older mark brings its facts nevertheless.
    let order = placed(&one, |_| ()).await;
    record(&two, Care::Usual, 5, &[opened(&order, "a", 5)]).await;
    assert_eq!(one.facts(order.intent).await.unwrap().len(), 1);
    let (a, b) = (record(&one, Care::Usual, 300, &[]), record(&two, Care::Usual, 200, &[]));
    tokio::join!(a, b);
    assert_eq!(two.mark(chain(1), Care::Usual).await.unwrap(), Some(mark(300)));
    assert_eq!(two.mark(chain(10), Care::Usual).await.unwrap(), None);
}

async fn a_mark_for_more_care_stands_for_less(fresh: &Fresh) {
    let store = fresh.store().await;
    record(&store, Care::Large, 5, &[]).await;
    assert_eq!(store.mark(chain(1), Care::Usual).await.unwrap(), Some(mark(5)));
    record(&store, Care::Usual, 9, &[]).await;
    assert_eq!(store.mark(chain(1), Care::Usual).await.unwrap(), Some(mark(9)));
    assert_eq!(store.mark(chain(1), Care::Large).await.unwrap(), Some(mark(5)));
}

async fn a_fact_of_another_chain_is_refused_with_its_mark(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    let told = [opened(&order, "a", 5)];
    let error = store.record_facts(chain(10), Care::Usual, mark(5), &told, now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(store.mark(chain(10), Care::Usual).await.unwrap(), None);
}

async fn what_no_chain_counts_is_refused(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let mut told = opened(&order, "a", 5);
    told.place.index = u64::MAX;
    let errors = [
        store.record_facts(chain(1), Care::Usual, mark(5), &[told], now()).await,
        store.record_facts(chain(1), Care::Usual, BlockMark { time: u64::MAX, ..mark(1) }, &[], now()).await,
        store.record_arrival(&arrival(&order, u64::MAX), now()).await,
    ];
    assert!(errors.iter().all(|error| matches!(error, Err(StoreError::Conflict(_)))), "{errors:?}");
    assert_eq!(store.mark(chain(1), Care::Usual).await.unwrap(), None);
}

async fn a_fact_that_cannot_be_read_is_corrupt(fresh: &Fresh) {
    let store = fresh.store().await;
    let mut raw = fresh.raw().await;
    for damage in [
        "kind = 'sung'",
        "kind = 'filled'",
        "terms = SUBSTR(terms, 2)",
        "terms = NULL",
        "care = 2",
        "chain = 0",
    ] {
        let order = placed(&store, |_| ()).await;
        record(&store, Care::Usual, 5, &[opened(&order, order.id.as_str(), 5)]).await;
        raw.run(&format!("UPDATE facts SET {damage} WHERE intent_id = '{}'", order.intent)).await;
        let error = store.facts(order.intent).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{damage}: {error:?}");
    }
    raw.run("UPDATE marks SET hash = 'x'").await;
    assert!(matches!(store.mark(chain(1), Care::Usual).await, Err(StoreError::Corrupt(_))));
}

async fn stored_facts_are_the_evidence_of_their_order(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    record(&store, Care::Usual, 5, &[opened(&order, "a", 5)]).await;
    let facts = store.facts(order.intent).await.unwrap();
    assert_eq!(Evidence::of(&order.terms, Care::Large, &facts), Evidence::default());
    record(&store, Care::Large, 5, &[opened(&order, "a", 5)]).await;
    let facts = store.facts(order.intent).await.unwrap();
    assert_eq!(Evidence::of(&order.terms, Care::Large, &facts).deposit.unwrap().tx, "a");
}

async fn an_arrival_reads_back_and_is_written_once(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn arrivals_come_oldest_first_and_by_address(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn an_arrival_needs_its_order(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    let lost = Arrival { order: OrderId::random().unwrap(), ..arrival(&order, 5) };
    let error = store.record_arrival(&lost, now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(fresh.raw().await.count("arrivals").await, 0);
}
