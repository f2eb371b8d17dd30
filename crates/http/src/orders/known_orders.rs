use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use axum::body::Bytes;
use causeway_catalog::Snapshot;
use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{Order, OrderEvent, OrderId};
use parking_lot::Mutex;

use super::map_order::map_order;
use super::order_versions::OrderVersions;

/// How many orders are remembered; some kilobytes each.
const MAX_KNOWN: usize = 4_096;

/// Orders as they were last answered. Wallets poll an order many times for each of its changes, and the store then says only that
/// its version is the same.
pub struct KnownOrders {
    orders: Arc<dyn OrderStore>,
    versions: OrderVersions,
    known: Mutex<HashMap<OrderId, Arc<KnownOrder>>>,
}

/// An order with its history, as of one version.
pub(super) struct KnownOrder {
    pub(super) order: Order,
    events: Vec<OrderEvent>,
    /// The JSON of the order, and the catalog that its tokens are from.
    answer: Mutex<Option<(Weak<Snapshot>, Bytes)>>,
}

impl fmt::Debug for KnownOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownOrders").field("known", &self.known.lock().len()).finish_non_exhaustive()
    }
}

impl KnownOrders {
    pub fn new(orders: Arc<dyn OrderStore>) -> Self {
        Self { versions: OrderVersions::new(Arc::clone(&orders)), orders, known: Mutex::default() }
    }

    /// The order as it is stored now, with its events.
    pub(super) async fn get(&self, id: &OrderId) -> Result<Option<Arc<KnownOrder>>, StoreError> {
        let Some(version) = self.versions.get(id).await? else { return Ok(None) };
        if let Some(known) = self.known.lock().get(id).filter(|known| known.order.version == version) {
            return Ok(Some(Arc::clone(known)));
        }
        // In this order: events that came in between belong to a later version, which is read again.
        let Some(order) = self.orders.order(id).await? else { return Ok(None) };
        let events = self.orders.order_events(id).await?;
        let known = Arc::new(KnownOrder { order, events, answer: Mutex::default() });
        let mut all = self.known.lock();
        if all.len() >= MAX_KNOWN {
            all.clear();
        }
        all.insert(id.clone(), Arc::clone(&known));
        Ok(Some(known))
    }
}

impl KnownOrder {
    /// The JSON of the order, which is written once for every version and catalog.
    pub(super) fn answer(&self, snapshot: &Arc<Snapshot>) -> serde_json::Result<Bytes> {
        let mut answer = self.answer.lock();
        if let Some((_, body)) = answer.as_ref().filter(|(of, _)| of.as_ptr() == Arc::as_ptr(snapshot)) {
            return Ok(body.clone());
        }
        let body = Bytes::from(serde_json::to_vec(&map_order(&self.order, &self.events, snapshot))?);
        *answer = Some((Arc::downgrade(snapshot), body.clone()));
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::EventKind;
    use causeway_testing::MemoryStore;
    use causeway_testing::sample::order;
    use futures::future::join_all;

    use super::*;

    fn note(order: &Order) -> OrderEvent {
        OrderEvent {
            key: order.key,
            order: order.id.clone(),
            kind: EventKind::Note,
            detail: "It was submitted.".to_owned(),
            at: order.created_at,
        }
    }

    #[tokio::test]
    async fn an_order_is_read_again_only_when_its_version_has_changed() {
        let order = order(1);
        let store = Arc::new(MemoryStore::with_orders(vec![(order.clone(), Vec::new())]));
        let known = KnownOrders::new(store.clone());
        let get = async || known.get(&order.id).await.unwrap().unwrap();
        let first = get().await;
        assert!(Arc::ptr_eq(&first, &get().await), "it is the one that is remembered");
        assert!(store.update_order(&order, &[note(&order)]).await.unwrap());
        let second = get().await;
        assert_eq!((second.order.version, second.events.len()), (order.version + 1, 1));
        let nobody = OrderId::random().unwrap();
        assert!(known.get(&nobody).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn polls_at_the_same_time_read_the_versions_together() {
        let orders: Vec<Order> = (1..=50).map(order).collect();
        let stored = orders.iter().map(|order| (order.clone(), Vec::new())).collect();
        let store = Arc::new(MemoryStore::with_orders(stored));
        let known = KnownOrders::new(store.clone());
        let polls = join_all(orders.iter().map(|order| known.get(&order.id))).await;
        for (order, polled) in orders.iter().zip(polls) {
            assert_eq!(polled.unwrap().unwrap().order, *order);
        }
        let reads = store.calls("order_versions");
        assert!(reads <= 2, "{reads} reads for {} polls", orders.len());
    }

    #[tokio::test]
    async fn each_poll_that_shares_a_failed_read_fails_and_the_next_one_reads_again() {
        let (first, second) = (order(1), order(2));
        let stored = vec![(first.clone(), Vec::new()), (second.clone(), Vec::new())];
        let store = Arc::new(MemoryStore::with_orders(stored));
        let known = KnownOrders::new(store.clone());
        store.set_unavailable(true);
        for failed in join_all([known.get(&first.id), known.get(&second.id)]).await {
            assert!(failed.is_err_and(|error| error.is_retryable()));
        }
        store.set_unavailable(false);
        assert!(known.get(&second.id).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_poll_that_is_given_up_holds_no_other_up() {
        let order = order(1);
        let store = Arc::new(MemoryStore::with_orders(vec![(order.clone(), Vec::new())]));
        let known = KnownOrders::new(store);
        {
            let mut given_up = Box::pin(known.get(&order.id));
            let mut never_polled = Box::pin(known.get(&order.id));
            let _ = futures::poll!(&mut given_up);
            let _ = futures::poll!(&mut never_polled);
        }
        assert!(known.get(&order.id).await.unwrap().is_some());
    }
}
