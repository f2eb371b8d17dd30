use std::sync::Mutex;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Arrival, ChainCursor, Creation, EventLog, FactStore, FinalityTier, OpenTransfer, OrderQuery, OrderStore,
    Owed, StoreError,
};
use causeway_domain::{Address, ChainId, Fact, Order, OrderEvent, OrderId, QuoteId, RouteId, RowKey};
use jiff::Timestamp;

type Entry = (Order, Vec<OrderEvent>);

/// Orders and arrivals in memory, oldest first.
#[derive(Debug, Default)]
pub(crate) struct FakeLedger {
    pub(crate) entries: Mutex<Vec<Entry>>,
    pub(crate) arrivals: Mutex<Vec<Arrival>>,
}

impl FakeLedger {
    pub(crate) fn with(entries: Vec<Entry>) -> Self {
        Self { entries: Mutex::new(entries), arrivals: Mutex::default() }
    }

    fn find(&self, is: impl Fn(&Order) -> bool) -> Option<Order> {
        self.entries.lock().unwrap().iter().map(|(order, _)| order).find(|order| is(order)).cloned()
    }

    /// Every order, newest first.
    fn all(&self, is: impl Fn(&Order) -> bool) -> Vec<Order> {
        let entries = self.entries.lock().unwrap();
        entries.iter().rev().map(|(order, _)| order).filter(|order| is(order)).cloned().collect()
    }
}

#[async_trait]
impl OrderStore for FakeLedger {
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError> {
        if let Some(existing) = self.order_of_route(&order.quote, &order.route).await? {
            return Ok(Creation::Existing(Box::new(existing)));
        }
        self.entries.lock().unwrap().push((order.clone(), vec![event.clone()]));
        Ok(Creation::Created)
    }

    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        Ok(self.find(|order| order.id == *id))
    }

    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError> {
        Ok(self.find(|order| order.quote == *quote && order.route == *route))
    }

    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError> {
        Ok(self.find(|order| order.intent_id == intent))
    }

    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError> {
        Ok(self.find(|order| order.from.chain() == chain && order.deposit_tx() == Some(tx)))
    }

    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError> {
        Ok(self.all(|order| order.deposit_address == Some(deposit_address)))
    }

    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError> {
        let mut orders = self.all(|order| {
            order.announced
                && order.author == query.author
                && (query.ids.is_empty() || query.ids.contains(&order.id))
                && query.from_chain.is_none_or(|chain| order.from.chain() == chain)
                && query.to_chain.is_none_or(|chain| order.to.chain() == chain)
                && query.before.is_none_or(|key| order.key < key)
        });
        orders.truncate(query.limit.try_into().unwrap());
        Ok(orders)
    }

    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let has_same_tx = |other: &Order| {
            other.id != order.id
                && other.from.chain() == order.from.chain()
                && other.submitted_tx.is_some()
                && other.submitted_tx == order.submitted_tx
        };
        if entries.iter().any(|(other, _)| has_same_tx(other)) {
            return Err(StoreError::Conflict("that transaction was submitted for another order"));
        }
        let (stored, history) = entries.iter_mut().find(|(stored, _)| stored.id == order.id).unwrap();
        if stored.version != order.version {
            return Ok(false);
        }
        *stored = Order { version: order.version + 1, ..order.clone() };
        history.extend_from_slice(events);
        Ok(true)
    }

    async fn claim_due(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        panic!("the HTTP API does not claim orders")
    }

    async fn order_events(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError> {
        let entries = self.entries.lock().unwrap();
        Ok(entries.iter().find(|(order, _)| order.id == *id).map(|(_, history)| history.clone()).unwrap())
    }

    async fn transfers(
        &self,
        _: ChainId,
        _: Option<Timestamp>,
        _: Option<RowKey>,
        _: u32,
    ) -> Result<Vec<OpenTransfer>, StoreError> {
        panic!("the HTTP API does not watch addresses")
    }

    async fn owed(&self) -> Result<Vec<Owed>, StoreError> {
        panic!("the HTTP API does not read unclaimed amounts")
    }
}

#[async_trait]
impl FactStore for FakeLedger {
    async fn record_facts(
        &self,
        _: ChainId,
        _: FinalityTier,
        _: ChainCursor,
        _: &[Fact],
        _: Timestamp,
    ) -> Result<(), StoreError> {
        panic!("the HTTP API does not follow chains")
    }

    async fn facts(&self, _: B256) -> Result<Vec<(Fact, FinalityTier)>, StoreError> {
        panic!("the HTTP API reads evidence from orders")
    }

    async fn cursor(&self, _: ChainId, _: FinalityTier) -> Result<Option<ChainCursor>, StoreError> {
        panic!("the HTTP API does not follow chains")
    }

    async fn record_arrival(&self, _: &Arrival, _: Timestamp) -> Result<(), StoreError> {
        panic!("the HTTP API does not watch addresses")
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        let arrivals = self.arrivals.lock().unwrap();
        Ok(arrivals.iter().filter(|arrival| arrival.address == address).cloned().collect())
    }
}

#[async_trait]
impl EventLog for FakeLedger {
    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        let entries = self.entries.lock().unwrap();
        let lines = entries.iter().flat_map(|(_, history)| history).filter(|line| line.key > after);
        Ok(lines.take(limit as usize).map(|line| (line.key, line.order.clone())).collect())
    }

    fn commits(&self) -> u64 {
        0
    }

    async fn wait_for_commit_after(&self, _: u64) {
        std::future::pending::<()>().await;
    }
}
