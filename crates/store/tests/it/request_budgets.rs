use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{BudgetLease, Leased, RequestBudgets as _};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::sample::seconds;
use crate::test_database::TestDatabase;

on_both_engines!(
    two_processes_together_get_the_limit_and_no_more,
    the_next_window_begins_anew_for_all,
    what_was_sent_without_a_lease_counts,
    a_clock_that_is_wrong_takes_nothing_from_the_others,
    a_pause_is_seen_by_all_and_only_grows,
    budgets_do_not_share,
);

fn start() -> Timestamp {
    "2026-11-19T12:00:00Z".parse().unwrap()
}

fn lease(budget: &str, begun: Timestamp, wanted: u32) -> BudgetLease {
    let window = Duration::from_mins(1);
    BudgetLease { budget: budget.to_owned(), begun, window, limit: 50, wanted, sent: 0 }
}

async fn granted(store: &Store, lease: &BudgetLease) -> u32 {
    store.lease(lease).await.unwrap().granted
}

async fn two_processes_together_get_the_limit_and_no_more(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    let mut leases = JoinSet::new();
    for turn in 0..20 {
        let store = Arc::clone(&stores[turn % 2]);
        leases.spawn(async move { granted(&store, &lease("relay", start(), 7)).await });
    }
    let got = leases.join_all().await;
    assert_eq!(got.iter().sum::<u32>(), 50, "{got:?}");
    assert!(got.iter().all(|got| [0, 1, 7].contains(got)), "seven times seven and the rest: {got:?}");
}

async fn the_next_window_begins_anew_for_all(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    assert_eq!(granted(&one, &lease("relay", start(), 60)).await, 50);
    assert_eq!(granted(&two, &lease("relay", start(), 1)).await, 0);
    let next = start() + seconds(60);
    assert_eq!(granted(&two, &lease("relay", next, 30)).await, 30);
    // A process whose clock is behind takes from the newest window.
    assert_eq!(granted(&one, &lease("relay", start(), 30)).await, 20);
    assert_eq!(granted(&two, &lease("relay", next, 1)).await, 0);
}

async fn what_was_sent_without_a_lease_counts(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let told = BudgetLease { sent: 45, ..lease("relay", start(), 10) };
    assert_eq!(granted(&one, &told).await, 5);
    assert_eq!(granted(&two, &lease("relay", start(), 10)).await, 0);
    // The same in the lease that begins a window.
    let next = start() + seconds(60);
    assert_eq!(granted(&two, &BudgetLease { begun: next, ..told }).await, 5);
}

async fn a_clock_that_is_wrong_takes_nothing_from_the_others(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let hours_ahead = start() + seconds(7_200);
    assert_eq!(granted(&one, &lease("relay", hours_ahead, 50)).await, 50);
    assert_eq!(granted(&two, &lease("relay", start(), 50)).await, 50);
    assert_eq!(granted(&two, &lease("relay", start(), 1)).await, 0);
}

async fn a_pause_is_seen_by_all_and_only_grows(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    assert_eq!(two.budget_paused_until("relay").await.unwrap(), None);
    let until = start() + seconds(90);
    one.pause_budget("relay", until).await.unwrap();
    assert_eq!(two.budget_paused_until("relay").await.unwrap(), Some(until));
    two.pause_budget("relay", start() + seconds(5)).await.unwrap();
    assert_eq!(one.budget_paused_until("relay").await.unwrap(), Some(until), "the longer one");
    let leased = two.lease(&lease("relay", start(), 3)).await.unwrap();
    assert_eq!(leased, Leased { granted: 3, paused_until: Some(until) });
    // A pause leaves what was taken.
    one.pause_budget("relay", until + seconds(1)).await.unwrap();
    assert_eq!(granted(&one, &lease("relay", start(), 50)).await, 47);
}

async fn budgets_do_not_share(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(granted(&store, &lease("relay", start(), 50)).await, 50);
    assert_eq!(granted(&store, &lease("lifi", start(), 50)).await, 50);
    store.pause_budget("relay", start()).await.unwrap();
    assert_eq!(store.budget_paused_until("lifi").await.unwrap(), None);
}
