use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::OrderStatus;
use causeway_domain::ports::{OrderStore, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a count is cached: counting reads an index of all orders, and the endpoint is public.
const CACHE_TTL: Duration = Duration::from_secs(10);

/// A filler's orders by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fills {
    /// Neither filled nor refunded yet.
    pub open: u64,
    pub filled: u64,
    pub refunded: u64,
    /// No deposit arrived.
    pub failed: u64,
}

/// Counts by the filler's name.
pub type FillsByFiller = Arc<BTreeMap<String, Fills>>;

/// Counts the orders of every filler, with a short cache.
pub struct CountFills {
    store: Arc<dyn OrderStore>,
    last: Mutex<Option<(Instant, FillsByFiller)>>,
}

impl fmt::Debug for CountFills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountFills").finish_non_exhaustive()
    }
}

impl CountFills {
    pub fn new(store: Arc<dyn OrderStore>) -> Self {
        Self { store, last: Mutex::default() }
    }

    /// The counts by filler, at most a few seconds old; concurrent callers share one query.
    pub async fn count(&self) -> Result<FillsByFiller, StoreError> {
        let mut last = self.last.lock().await;
        if let Some((when, fills)) = last.as_ref()
            && when.elapsed() < CACHE_TTL
        {
            return Ok(Arc::clone(fills));
        }
        let mut fills: BTreeMap<String, Fills> = BTreeMap::new();
        for count in self.store.fill_counts().await? {
            let counts = fills.entry(count.filler).or_default();
            match count.status {
                OrderStatus::Filled => counts.filled += count.orders,
                OrderStatus::Refunded => counts.refunded += count.orders,
                OrderStatus::Failed => counts.failed += count.orders,
                OrderStatus::Created
                | OrderStatus::Deposited
                | OrderStatus::Published
                | OrderStatus::RefundPending => counts.open += count.orders,
            }
        }
        let fills = Arc::new(fills);
        *last = Some((Instant::now(), Arc::clone(&fills)));
        Ok(fills)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::Order;
    use causeway_testing::MemoryStore;
    use causeway_testing::sample::order;

    use super::*;

    fn order_of_north(n: u8, status: OrderStatus) -> (Order, Vec<causeway_domain::OrderEvent>) {
        (Order { filler: "north".to_owned(), status, ..order(n) }, Vec::new())
    }

    #[tokio::test(start_paused = true)]
    async fn orders_are_counted_by_filler_and_cached() {
        let (open, pending) = (OrderStatus::Created, OrderStatus::RefundPending);
        let statuses = [OrderStatus::Filled, open, open, pending, pending, pending];
        let orders = (1..).zip(statuses).map(|(n, status)| order_of_north(n, status)).collect();
        let store = Arc::new(MemoryStore::with_orders(orders));
        let counts = CountFills::new(store.clone());
        let expected = Fills { open: 5, filled: 1, refunded: 0, failed: 0 };
        assert_eq!(counts.count().await.unwrap()["north"], expected);
        store.orders.lock().unwrap().push(order_of_north(7, OrderStatus::Filled));
        assert_eq!(counts.count().await.unwrap()["north"].filled, 1);
        tokio::time::advance(CACHE_TTL).await;
        assert_eq!(counts.count().await.unwrap()["north"].filled, 2);
    }
}
