//! Orders, their events and what is derived from them.

pub(crate) mod create_order;
pub(crate) mod drop_unused;
mod event_log;
pub(crate) mod find_orders;
pub(crate) mod intent_book;
pub(crate) mod list_orders;
pub(crate) mod postpone;
pub(crate) mod recovery;
pub(crate) mod rents;
pub(crate) mod search_orders;
pub(crate) mod take_payout;
pub(crate) mod update_order;
pub(crate) mod versions;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    Creation, FillCount, OpenTransfer, OrderQuery, OrderSearch, OrderStore, Owed, StoreError, StuckReason,
};
use causeway_domain::{Address, ChainId, Order, OrderEvent, OrderId, QuoteId, RouteId, RowKey};
use jiff::Timestamp;

use crate::database::claim_due::ClaimDue;
use crate::database::error::store_error;
use crate::fiat::CreateSwap;
use crate::orders::create_order::CreateOrder;
use crate::orders::find_orders::{BY_OBSERVED_DEPOSIT, BY_SUBMITTED_TX};
use crate::orders::postpone::Postpone;
use crate::orders::take_payout::TakePayout;
use crate::orders::update_order::UpdateOrder;
use crate::record::{EventRecord, OrderRecord, OwedRecord, TransferRecord, chain_number};
use crate::store::Store;

pub(crate) const EVENTS: &str = "SELECT row_key, order_id, kind, status, detail, happened_at FROM events \
     WHERE order_id = $1 ORDER BY row_key";

impl Store {
    async fn event_rows(&self, id: &OrderId) -> Result<Vec<EventRecord>, sqlx::Error> {
        on_engine!(self.engine, handles => {
            sqlx::query_as(EVENTS).bind(id.as_str()).fetch_all(&handles.readers).await
        })
    }
}

#[async_trait]
impl OrderStore for Store {
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError> {
        self.write(CreateOrder::new(order, event)).await
    }

    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        self.order_by_id(id).await
    }

    async fn order_versions(&self, ids: &[OrderId]) -> Result<Vec<(OrderId, u32)>, StoreError> {
        self.versions(ids).await
    }

    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError> {
        self.order_by_route(quote, route).await
    }

    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError> {
        self.order_by_intent(&intent.to_string()).await
    }

    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError> {
        match self.order_by_deposit(BY_OBSERVED_DEPOSIT, chain, tx).await? {
            Some(order) => Ok(Some(order)),
            None => self.order_by_deposit(BY_SUBMITTED_TX, chain, tx).await,
        }
    }

    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError> {
        self.orders_by_address(deposit_address).await
    }

    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError> {
        let rows = self.order_page(query).await.map_err(store_error)?;
        rows.into_iter().map(OrderRecord::into_order).collect()
    }

    async fn search_orders(&self, query: &OrderSearch) -> Result<Vec<Order>, StoreError> {
        self.searched(query).await
    }

    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError> {
        let events = events.iter().map(Into::into).collect();
        self.write(UpdateOrder { order: order.into(), index: order.into(), events }).await
    }

    async fn create_second_swap(
        &self,
        order: &OrderId,
        version: u32,
        swap: &Order,
        event: &OrderEvent,
    ) -> Result<bool, StoreError> {
        self.write(CreateSwap::of_order(order, version, CreateOrder::new(swap, event))).await
    }

    async fn postpone(&self, order: &Order) -> Result<bool, StoreError> {
        let due_at = order.due_at.map(Timestamp::as_millisecond);
        self.write(Postpone { order: order.id.to_string(), version: order.version.into(), due_at }).await
    }

    async fn claim_due(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError> {
        let (now, lease_until) = (now.as_millisecond(), lease_until.as_millisecond());
        self.write(ClaimDue::<OrderRecord>::new(now, lease_until, limit)).await
    }

    async fn order_events(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError> {
        let rows = self.event_rows(id).await.map_err(store_error)?;
        rows.into_iter().map(EventRecord::into_event).collect()
    }

    async fn transfers(
        &self,
        chain: ChainId,
        ended: Option<Timestamp>,
        after: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<OpenTransfer>, StoreError> {
        let rows = self.transfer_rows(chain, ended, after, limit).await.map_err(store_error)?;
        rows.into_iter().map(TransferRecord::into_transfer).collect()
    }

    async fn owed(&self) -> Result<Vec<Owed>, StoreError> {
        let rows = self.owed_rows().await.map_err(store_error)?;
        rows.into_iter().map(OwedRecord::into_owed).collect()
    }

    async fn count_orders_except_route(&self, route: &str) -> Result<u64, StoreError> {
        self.count_orders_without(route).await
    }

    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError> {
        self.read_fill_counts().await
    }

    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        self.read_events_after(after, limit).await
    }

    fn commits(&self) -> u64 {
        Self::commits(self)
    }

    async fn wait_for_commit_after(&self, seen: u64) {
        self.wait_for_next_commit(seen).await;
    }

    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.read_unmoved(unmoved_since, limit).await
    }

    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.read_ended(since, limit).await
    }

    async fn record_stuck_reason(
        &self,
        order: &OrderId,
        reason: Option<&StuckReason>,
    ) -> Result<(), StoreError> {
        self.write_stuck_reason(order, reason).await
    }

    async fn take_payout(&self, order: &OrderId, payout: &Payout) -> Result<bool, StoreError> {
        let index = i64::try_from(payout.index);
        let index = index.map_err(|_| StoreError::Conflict("a log index that no chain has"))?;
        let chain = chain_number(payout.token.chain());
        self.write(TakePayout { order: order.to_string(), tx: payout.tx.clone(), chain, index }).await
    }

    async fn stuck_reason(&self, order: &OrderId) -> Result<Option<StuckReason>, StoreError> {
        self.read_stuck_reason(order).await
    }
}
