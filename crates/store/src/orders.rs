use async_trait::async_trait;
use causeway_domain::ports::{Creation, FillCount, FillStatistics, OrderQuery, OrderStore, StoreError};
use causeway_domain::{Order, OrderEvent, OrderId, OrderStatus, RowKey};
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, QueryBuilder};

use crate::claim_due::ClaimDue;
use crate::create_order::CreateOrder;
use crate::fault::store_error;
use crate::record::{EventRecord, ORDER_COLUMNS, OrderRecord, parse};
use crate::store::Store;
use crate::update_order::UpdateOrder;

pub(crate) const STORY: &str = "SELECT row_key, order_id, kind, status, detail, happened_at FROM events \
     WHERE order_id = $1 ORDER BY row_key";

const FILLS: &str = "SELECT routes.filler, orders.status, COUNT(*) FROM orders \
     JOIN routes ON routes.quote_id = orders.quote_id AND routes.route_id = orders.route_id \
     GROUP BY routes.filler, orders.status";

impl Store {
    async fn order_row(&self, id: &OrderId) -> Result<Option<OrderRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("SELECT {ORDER_COLUMNS} FROM orders WHERE id = $1"));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select).bind(id.as_str()).fetch_optional(&handles.readers).await
        })
    }

    async fn order_rows(&self, query: &OrderQuery) -> Result<Vec<OrderRecord>, sqlx::Error> {
        let before = query.before.map_or(i64::MAX, RowKey::get);
        on_engine!(self.engine, handles => {
            let mut select = QueryBuilder::new(format!("SELECT {ORDER_COLUMNS} FROM orders WHERE author = "));
            select.push_bind(query.author.to_author()).push(" AND row_key < ").push_bind(before);
            if !query.ids.is_empty() {
                select.push(" AND id IN (");
                let mut ids = select.separated(", ");
                for id in &query.ids {
                    ids.push_bind(id.as_str());
                }
                ids.push_unseparated(")");
            }
            select.push(" ORDER BY row_key DESC LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().persistent(query.ids.is_empty()).fetch_all(&handles.readers).await
        })
    }

    async fn event_rows(&self, id: &OrderId) -> Result<Vec<EventRecord>, sqlx::Error> {
        on_engine!(self.engine, handles => {
            sqlx::query_as(STORY).bind(id.as_str()).fetch_all(&handles.readers).await
        })
    }
}

#[async_trait]
impl OrderStore for Store {
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError> {
        self.write(CreateOrder { order: order.into(), event: event.into() }).await
    }

    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        let row = self.order_row(id).await.map_err(store_error)?;
        row.map(OrderRecord::into_order).transpose()
    }

    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError> {
        let rows = self.order_rows(query).await.map_err(store_error)?;
        rows.into_iter().map(OrderRecord::into_order).collect()
    }

    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError> {
        self.write(UpdateOrder { order: order.into(), events: events.iter().map(Into::into).collect() }).await
    }

    async fn claim_due(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError> {
        let (now, lease_until) = (now.as_millisecond(), lease_until.as_millisecond());
        self.write(ClaimDue { now, lease_until, limit }).await
    }

    async fn story(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError> {
        let rows = self.event_rows(id).await.map_err(store_error)?;
        rows.into_iter().map(EventRecord::into_event).collect()
    }
}

#[async_trait]
impl FillStatistics for Store {
    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError> {
        let rows: Result<Vec<(String, String, i64)>, sqlx::Error> = on_engine!(self.engine, handles => {
            sqlx::query_as(FILLS).fetch_all(&handles.readers).await
        });
        let count = |(filler, status, orders): (String, String, i64)| {
            let status: OrderStatus = parse("orders.status", &status)?;
            Ok(FillCount { filler, status, orders: u64::try_from(orders).unwrap_or(0) })
        };
        rows.map_err(store_error)?.into_iter().map(count).collect()
    }
}
