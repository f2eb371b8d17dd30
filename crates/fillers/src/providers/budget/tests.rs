use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use causeway_domain::ports::{Leased, StoreError};

use super::*;

/// A window that no test outlives.
const LONG: Duration = Duration::from_hours(100_000);

/// A store that counts as the real one does.
#[derive(Default)]
struct Store {
    taken: Mutex<HashMap<String, u32>>,
    paused: Mutex<HashMap<String, Timestamp>>,
    leases: AtomicU32,
    reads: AtomicU32,
    hangs: AtomicBool,
}

impl Store {
    async fn answer(&self) {
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    fn leases(&self) -> u32 {
        self.leases.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl RequestBudgets for Store {
    async fn lease(&self, lease: &BudgetLease) -> Result<Leased, StoreError> {
        self.answer().await;
        self.leases.fetch_add(1, Ordering::Relaxed);
        let mut all = self.taken.lock();
        let taken = all.entry(lease.budget.clone()).or_default();
        let before = *taken + lease.sent;
        *taken = before + lease.wanted;
        let granted = lease.limit.saturating_sub(before).min(lease.wanted);
        let paused_until = self.paused.lock().get(&lease.budget).copied();
        Ok(Leased { granted, paused_until })
    }

    async fn pause_budget(&self, budget: &str, until: Timestamp) -> Result<(), StoreError> {
        self.paused.lock().insert(budget.to_owned(), until);
        Ok(())
    }

    async fn budget_paused_until(&self, budget: &str) -> Result<Option<Timestamp>, StoreError> {
        self.answer().await;
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(self.paused.lock().get(budget).copied())
    }
}

fn shared(store: &Arc<Store>, limit: u32) -> Budget {
    let mut budget = Budget::new(limit, LONG);
    let budgets: Arc<dyn RequestBudgets> = store.clone();
    budget.share("relay quotes".to_owned(), budgets);
    budget
}

async fn sent(budget: &Budget, tries: u32) -> u32 {
    let mut sent = 0;
    for _ in 0..tries {
        sent += u32::from(budget.take().await.is_ok());
    }
    sent
}

#[test]
fn requests_beyond_the_budget_are_shed_until_the_window_ends() {
    let budget = Budget::new(2, Duration::from_secs(10));
    let start = Instant::now();
    let later = |seconds| start + Duration::from_secs(seconds);
    assert_eq!([budget.take_own(start).is_ok(), budget.take_own(later(9)).is_ok()], [true, true]);
    assert!(budget.take_own(later(9)).unwrap_err().contains("budget"));
    assert!(budget.take_own(later(10)).is_ok(), "a new window");
}

#[tokio::test]
async fn all_processes_together_send_the_limit_with_few_statements() {
    let store = Arc::new(Store::default());
    let processes = [shared(&store, 50), shared(&store, 50), shared(&store, 50)];
    let mut all = 0;
    for _ in 0..100 {
        for process in &processes {
            all += sent(process, 1).await;
        }
    }
    assert_eq!(all, 50);
    // Eight leases, and one for each process that learns that nothing is left.
    assert!(store.leases() <= 11, "{}", store.leases());
    let refused = processes[0].take().await.unwrap_err();
    assert!(refused.contains("budget of 50 requests"), "{refused}");
    assert!(store.leases() <= 11, "what is used up is not asked for again");
}

#[tokio::test]
async fn requests_at_once_share_a_lease() {
    let store = Arc::new(Store::default());
    let budget = Arc::new(shared(&store, 80));
    let takes = (0..10).map(|_| {
        let budget = Arc::clone(&budget);
        async move { budget.take().await.is_ok() }
    });
    assert!(futures::future::join_all(takes).await.into_iter().all(|taken| taken));
    assert_eq!(store.leases(), 1);
}

#[tokio::test]
async fn a_store_that_does_not_answer_leaves_each_process_its_share() {
    let store = Arc::new(Store::default());
    store.hangs.store(true, Ordering::Relaxed);
    let budget = shared(&store, 20);
    assert_eq!(sent(&budget, 30).await, 5);
    let refused = budget.take().await.unwrap_err();
    assert!(refused.contains("share of 5"), "{refused}");
    // It answers again, and is told what was sent meanwhile.
    store.hangs.store(false, Ordering::Relaxed);
    budget.state.lock().store_rests_until = None;
    assert_eq!(sent(&budget, 30).await, 15);
    assert_eq!(sent(&shared(&store, 20), 3).await, 0, "nothing is left for another process");
}

#[tokio::test]
async fn a_provider_that_asks_for_it_is_left_alone_by_all_processes() {
    let store = Arc::new(Store::default());
    let (one, two) = (shared(&store, 50), shared(&store, 50));
    assert!(two.take().await.is_ok(), "it has a lease in hand");
    one.pause(Duration::from_mins(1));
    assert!(one.take().await.unwrap_err().contains("left alone"));
    // What one is told, the store is told in the background.
    while store.paused.lock().is_empty() {
        tokio::task::yield_now().await;
    }
    two.state.lock().pauses_read = None;
    assert!(two.take().await.unwrap_err().contains("left alone"));
    let reads = store.reads.load(Ordering::Relaxed);
    assert!(two.take().await.is_err());
    assert_eq!(store.reads.load(Ordering::Relaxed), reads, "not for each request");
}

#[tokio::test]
async fn without_a_limit_only_pauses_are_shared() {
    let store = Arc::new(Store::default());
    let mut budget = Budget::unlimited();
    let budgets: Arc<dyn RequestBudgets> = store.clone();
    budget.share("relay others".to_owned(), budgets);
    assert_eq!(sent(&budget, 1_000).await, 1_000);
    assert_eq!(store.leases(), 0);
    budget.pause(Duration::from_mins(1));
    assert!(budget.take().await.unwrap_err().contains("left alone"));
}
