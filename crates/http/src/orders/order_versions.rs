use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::OrderId;
use causeway_domain::ports::{OrderStore, StoreError};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// Reads the versions that are asked for at the same time together: while one read runs, the next one gathers its orders.
pub(super) struct OrderVersions(Arc<Inner>);

struct Inner {
    orders: Arc<dyn OrderStore>,
    /// One read at a time.
    turn: tokio::sync::Mutex<()>,
    gathering: Mutex<Option<Gathering>>,
}

/// A read that has not begun.
struct Gathering {
    ids: Vec<OrderId>,
    read: Shared<BoxFuture<'static, Versions>>,
}

type Versions = Result<Arc<HashMap<OrderId, u32>>, Arc<StoreError>>;

impl OrderVersions {
    pub(super) fn new(orders: Arc<dyn OrderStore>) -> Self {
        Self(Arc::new(Inner { orders, turn: tokio::sync::Mutex::default(), gathering: Mutex::default() }))
    }

    /// The version as it is stored now, or was after the call.
    pub(super) async fn get(&self, id: &OrderId) -> Result<Option<u32>, StoreError> {
        let versions = self.join(id).await.map_err(|error| StoreError::shared(&error))?;
        Ok(versions.get(id).copied())
    }

    fn join(&self, id: &OrderId) -> Shared<BoxFuture<'static, Versions>> {
        let mut gathering = self.0.gathering.lock();
        let next = gathering.get_or_insert_with(|| {
            let read = Arc::clone(&self.0).read().boxed().shared();
            Gathering { ids: Vec::new(), read }
        });
        next.ids.push(id.clone());
        next.read.clone()
    }
}

impl Inner {
    /// Polled by everybody who waits for it, so that a caller who goes away holds nobody up.
    async fn read(self: Arc<Self>) -> Versions {
        let _turn = self.turn.lock().await;
        let gathered = self.gathering.lock().take();
        let ids = gathered.map(|gathering| gathering.ids).unwrap_or_default();
        let versions = self.orders.order_versions(&ids).await.map_err(Arc::new)?;
        Ok(Arc::new(versions.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::Order;
    use causeway_testing::MemoryStore;
    use causeway_testing::sample::order;
    use futures::future::join_all;

    use super::*;

    fn versions_of(orders: &[Order]) -> (Arc<MemoryStore>, OrderVersions) {
        let stored = orders.iter().map(|order| (order.clone(), Vec::new())).collect();
        let store = Arc::new(MemoryStore::with_orders(stored));
        (store.clone(), OrderVersions::new(store))
    }

    #[tokio::test]
    async fn what_is_asked_for_while_a_read_runs_is_read_together() {
        let orders: Vec<Order> = (1..=50).map(order).collect();
        let (store, versions) = versions_of(&orders);
        let running = versions.0.turn.lock().await;
        let mut asked = Box::pin(join_all(orders.iter().map(|order| versions.get(&order.id))));
        assert!(futures::poll!(&mut asked).is_pending(), "another read runs");
        drop(running);
        for (order, version) in orders.iter().zip(asked.await) {
            assert_eq!(version.unwrap(), Some(order.version));
        }
        assert_eq!(store.calls("order_versions"), 1);
    }

    #[tokio::test]
    async fn a_version_is_never_older_than_the_question() {
        let order = order(1);
        let (store, versions) = versions_of(std::slice::from_ref(&order));
        let running = versions.0.turn.lock().await;
        let mut first = Box::pin(versions.get(&order.id));
        assert!(futures::poll!(&mut first).is_pending());
        causeway_domain::ports::OrderStore::update_order(store.as_ref(), &order, &[]).await.unwrap();
        let second = versions.get(&order.id);
        drop(running);
        let (first, second) = futures::join!(first, second);
        assert_eq!((first.unwrap(), second.unwrap()), (Some(order.version + 1), Some(order.version + 1)));
    }

    #[tokio::test]
    async fn everybody_who_shares_a_failed_read_fails_and_the_next_one_reads_again() {
        let orders = [order(1), order(2)];
        let (store, versions) = versions_of(&orders);
        store.set_unavailable(true);
        let running = versions.0.turn.lock().await;
        let mut asked = Box::pin(join_all(orders.iter().map(|order| versions.get(&order.id))));
        assert!(futures::poll!(&mut asked).is_pending());
        drop(running);
        for failed in asked.await {
            assert!(failed.is_err_and(|error| error.is_retryable()));
        }
        assert_eq!(store.calls("order_versions"), 1);
        store.set_unavailable(false);
        assert_eq!(versions.get(&orders[1].id).await.unwrap(), Some(orders[1].version));
    }

    #[tokio::test]
    async fn who_gives_up_waiting_holds_nobody_up() {
        let order = order(1);
        let (_, versions) = versions_of(std::slice::from_ref(&order));
        let running = versions.0.turn.lock().await;
        let mut given_up = Box::pin(versions.get(&order.id));
        assert!(futures::poll!(&mut given_up).is_pending());
        // The read that nobody polls any more is next in turn.
        drop(given_up);
        drop(running);
        assert_eq!(versions.get(&order.id).await.unwrap(), Some(order.version));
    }
}
