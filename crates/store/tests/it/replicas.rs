use std::collections::HashSet;
use std::time::Duration;

use causeway_store::Store;
use tokio::task::JoinSet;

use crate::test_database::TestDatabase;

on_both_engines!(
    each_process_has_a_number_of_its_own_and_keeps_it,
    a_number_is_free_once_its_lease_has_ended_or_it_was_given_back,
);

const LEASE: Duration = Duration::from_mins(1);

async fn lease(store: &Store, holder: &str, lease: Duration) -> Option<u8> {
    store.lease_replica(holder, lease).await.unwrap()
}

async fn each_process_has_a_number_of_its_own_and_keeps_it(database: &TestDatabase) {
    let stores = [database.store().await, database.store().await].map(std::sync::Arc::new);
    let mut leasing = JoinSet::new();
    for number in 0..32 {
        let store = stores[number % 2].clone();
        leasing.spawn(
            async move { (number, lease(&store, &format!("process {number}"), LEASE).await.unwrap()) },
        );
    }
    let leased = leasing.join_all().await;
    let numbers: HashSet<u8> = leased.iter().map(|(_, number)| *number).collect();
    assert_eq!((numbers.len(), numbers.iter().max()), (32, Some(&31)));
    assert_eq!(lease(&stores[0], "one too many", LEASE).await, None);
    for (holder, number) in leased {
        assert_eq!(lease(&stores[1], &format!("process {holder}"), LEASE).await, Some(number), "renewed");
    }
}

async fn a_number_is_free_once_its_lease_has_ended_or_it_was_given_back(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(lease(&store, "killed", Duration::ZERO).await, Some(31));
    assert_eq!(lease(&store, "next", LEASE).await, Some(31), "its lease has ended");
    assert_eq!(lease(&store, "killed", LEASE).await, Some(30), "it woke up");
    store.release_replica("next").await.unwrap();
    assert_eq!(lease(&store, "last", LEASE).await, Some(31));
}
