use alloy_primitives::{B256, U256};
use causeway_domain::ports::{ClaimBatch, ClaimBatchPut, ClaimBatchStore as _};
use causeway_domain::{ChainId, IntentTerms};
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::test_database::TestDatabase;

on_both_engines!(
    rule_31_an_order_belongs_to_one_batch_for_ever,
    rule_31_a_batch_is_read_as_it_was_recorded,
    rule_31_concurrent_batches_never_share_an_order,
    the_sizes_of_the_newest_claims_of_a_chain_are_known,
);

fn terms(nonce: u64) -> IntentTerms {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
    IntentTerms { nonce: U256::from(nonce).into(), ..terms }
}

fn batch(id: u8, nonces: impl IntoIterator<Item = u64>) -> ClaimBatch {
    ClaimBatch {
        id: B256::repeat_byte(id),
        filler: "north".to_owned(),
        chain: ChainId::new(8_453).unwrap(),
        orders: nonces.into_iter().map(terms).collect(),
        created_at: Timestamp::from_second(1_800_000_000 + i64::from(id)).unwrap(),
        is_dissolved: false,
    }
}

async fn rule_31_an_order_belongs_to_one_batch_for_ever(database: &TestDatabase) {
    let store = database.store().await;
    let first = batch(1, [1, 2, 3]);
    for _ in 0..2 {
        assert_eq!(store.put_batch(&first).await.unwrap(), ClaimBatchPut::Written);
    }
    let taken = ClaimBatchPut::Taken(vec![terms(3).id(), terms(2).id()]);
    assert_eq!(store.put_batch(&batch(2, [3, 4, 2])).await.unwrap(), taken);
    assert_eq!(store.batch_of(terms(4).id()).await.unwrap(), None, "nothing of it was written");
    store.dissolve_batch(first.id).await.unwrap();
    let taken = ClaimBatchPut::Taken(vec![terms(1).id()]);
    assert_eq!(store.put_batch(&batch(3, [1])).await.unwrap(), taken, "after it was dissolved, too");
}

async fn rule_31_a_batch_is_read_as_it_was_recorded(database: &TestDatabase) {
    let store = database.store().await;
    let first = batch(1, [3, 1, 2]);
    store.put_batch(&first).await.unwrap();
    store.close().await;
    let store = database.store().await;
    for nonce in [1, 2, 3] {
        assert_eq!(store.batch_of(terms(nonce).id()).await.unwrap().as_ref(), Some(&first));
    }
    store.dissolve_batch(first.id).await.unwrap();
    let dissolved = ClaimBatch { is_dissolved: true, ..first };
    assert_eq!(store.batch_of(terms(1).id()).await.unwrap(), Some(dissolved));
}

async fn rule_31_concurrent_batches_never_share_an_order(database: &TestDatabase) {
    let mut writers = JoinSet::new();
    for id in 0..8_u8 {
        let store = database.store().await;
        writers.spawn(async move { store.put_batch(&batch(id, [7, u64::from(id) + 10])).await.unwrap() });
    }
    let outcomes = writers.join_all().await;
    let written = outcomes.iter().filter(|outcome| **outcome == ClaimBatchPut::Written).count();
    assert_eq!(written, 1, "{outcomes:?}");
}

async fn the_sizes_of_the_newest_claims_of_a_chain_are_known(database: &TestDatabase) {
    let store = database.store().await;
    store.put_batch(&batch(1, [1, 2, 3])).await.unwrap();
    store.put_batch(&batch(3, [5, 6])).await.unwrap();
    let (base, other) = (ChainId::new(8_453).unwrap(), ChainId::new(10).unwrap());
    let later = Timestamp::from_second(1_800_000_002).unwrap();
    for _ in 0..2 {
        store.put_single_claim("north", base, terms(4).id(), later).await.unwrap();
    }
    assert_eq!(store.claim_sizes("north", base, 10).await.unwrap(), [2, 1, 3]);
    assert_eq!(store.claim_sizes("north", base, 2).await.unwrap(), [2, 1]);
    assert_eq!(store.claim_sizes("north", other, 2).await.unwrap(), [0; 0]);
    assert_eq!(store.claim_sizes("south", base, 2).await.unwrap(), [0; 0]);
}
