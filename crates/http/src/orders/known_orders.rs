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
}
