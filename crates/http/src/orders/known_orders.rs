use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{Order, OrderEvent, OrderId};
use parking_lot::Mutex;

/// How many orders are remembered; some kilobytes each.
const MAX_KNOWN: usize = 4_096;

/// An order and its history.
type Known = Arc<(Order, Vec<OrderEvent>)>;

/// Orders as they were last answered. Wallets poll an order many times for each of its changes, and the store then says only that
/// its version is the same.
#[derive(Default)]
pub struct KnownOrders(Mutex<HashMap<OrderId, Known>>);

impl fmt::Debug for KnownOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownOrders").field("known", &self.0.lock().len()).finish()
    }
}

impl KnownOrders {
    /// The order as it is stored now, with its events.
    pub(super) async fn get(
        &self,
        orders: &dyn OrderStore,
        id: &OrderId,
    ) -> Result<Option<Known>, StoreError> {
        let Some(version) = orders.order_version(id).await? else { return Ok(None) };
        if let Some(known) = self.0.lock().get(id).filter(|known| known.0.version == version) {
            return Ok(Some(Arc::clone(known)));
        }
        // In this order: events that came in between belong to a later version, which is read again.
        let Some(order) = orders.order(id).await? else { return Ok(None) };
        let events = orders.order_events(id).await?;
        let known = Arc::new((order, events));
        let mut all = self.0.lock();
        if all.len() >= MAX_KNOWN {
            all.clear();
        }
        all.insert(id.clone(), Arc::clone(&known));
        Ok(Some(known))
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::EventKind;
    use causeway_testing::MemoryStore;
    use causeway_testing::sample::order;

    use super::*;

    #[tokio::test]
    async fn an_order_is_read_again_only_when_its_version_has_changed() {
        let (known, order) = (KnownOrders::default(), order(1));
        let store = MemoryStore::with_orders(vec![(order.clone(), Vec::new())]);
        let get = async || known.get(&store, &order.id).await.unwrap().unwrap();
        let first = get().await;
        assert!(Arc::ptr_eq(&first, &get().await), "it is the one that is remembered");
        let event = OrderEvent {
            key: order.key,
            order: order.id.clone(),
            kind: EventKind::Note,
            detail: "It was submitted.".to_owned(),
            at: order.created_at,
        };
        assert!(store.update_order(&order, &[event]).await.unwrap());
        let second = get().await;
        assert_eq!((second.0.version, second.1.len()), (order.version + 1, 1));
        let nobody = OrderId::random().unwrap();
        assert!(known.get(&store, &nobody).await.unwrap().is_none());
    }
}
