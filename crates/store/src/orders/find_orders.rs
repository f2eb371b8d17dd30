use causeway_domain::ports::{OrderQuery, StoreError};
use causeway_domain::{Address, ChainId, Order, OrderId, QuoteId, RouteId, RowKey};
use sqlx::{AssertSqlSafe, QueryBuilder};

use crate::database::error::store_error;
use crate::record::{ORDER_COLUMNS, OrderRecord, Plain, chain_number, text};
use crate::store::Store;

pub(crate) const BY_ID: &str = "id = $1";
pub(crate) const BY_ROUTE: &str = "quote_id = $1 AND route_id = $2";
pub(crate) const BY_INTENT: &str = "intent_id = $1";
// One transaction may open several orders.
pub(crate) const BY_OBSERVED_DEPOSIT: &str = "deposit_tx = $1 AND from_chain = $2 ORDER BY row_key LIMIT 1";
pub(crate) const BY_SUBMITTED_TX: &str = "submitted_tx = $1 AND from_chain = $2";
pub(crate) const BY_DEPOSIT_ADDRESS: &str = "deposit_address = $1 ORDER BY row_key DESC";
pub(crate) const BY_AUTHOR: &str = "announced = 1 AND author = ";
const VISIBLE: &str = "announced = 1";

pub(crate) fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!("SELECT {ORDER_COLUMNS} FROM orders WHERE {condition}"))
}

type Row = Result<Option<OrderRecord>, sqlx::Error>;

fn read(row: Row) -> Result<Option<Order>, StoreError> {
    row.map_err(store_error)?.map(OrderRecord::into_order).transpose()
}

impl Store {
    pub(crate) async fn order_by_id(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        read(on_engine!(self.engine, handles => {
            sqlx::query_as(select(BY_ID)).bind(id.as_str()).fetch_optional(&handles.readers).await
        }))
    }

    pub(crate) async fn order_by_route(
        &self,
        quote: &QuoteId,
        route: &RouteId,
    ) -> Result<Option<Order>, StoreError> {
        let (quote, route) = (quote.as_str(), route.as_str());
        read(on_engine!(self.engine, handles => {
            sqlx::query_as(select(BY_ROUTE)).bind(quote).bind(route).fetch_optional(&handles.readers).await
        }))
    }

    pub(crate) async fn order_by_intent(&self, intent: &str) -> Result<Option<Order>, StoreError> {
        read(on_engine!(self.engine, handles => {
            sqlx::query_as(select(BY_INTENT)).bind(intent).fetch_optional(&handles.readers).await
        }))
    }

    /// Finds the order of a deposit transaction by one of the two conditions.
    pub(crate) async fn order_by_deposit(
        &self,
        condition: &str,
        chain: ChainId,
        tx: &str,
    ) -> Result<Option<Order>, StoreError> {
        let (tx, chain) = (text(tx), chain_number(chain));
        read(on_engine!(self.engine, handles => {
            sqlx::query_as(select(condition)).bind(tx).bind(chain).fetch_optional(&handles.readers).await
        }))
    }

    pub(crate) async fn orders_by_address(&self, address: Address) -> Result<Vec<Order>, StoreError> {
        let address = Plain(address).to_string();
        let rows: Result<Vec<OrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(BY_DEPOSIT_ADDRESS)).bind(address).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }

    pub(crate) async fn order_page(&self, query: &OrderQuery) -> Result<Vec<OrderRecord>, sqlx::Error> {
        let before = query.before.map_or(i64::MAX, RowKey::get);
        on_engine!(self.engine, handles => {
            let mut page = QueryBuilder::new(select(query.author.map_or(VISIBLE, |_| BY_AUTHOR)).0);
            if let Some(author) = &query.author {
                page.push_bind(author.to_author());
            }
            page.push(" AND row_key < ").push_bind(before);
            if let Some(status) = query.status {
                page.push(" AND status = ").push_bind(status.as_str());
            }
            for (column, chain) in [("from_chain", query.from_chain), ("to_chain", query.to_chain)] {
                if let Some(chain) = chain {
                    page.push(" AND ").push(column).push(" = ").push_bind(chain_number(chain));
                }
            }
            if !query.ids.is_empty() {
                page.push(" AND id IN (");
                let mut ids = page.separated(", ");
                for id in &query.ids {
                    ids.push_bind(id.as_str());
                }
                ids.push_unseparated(")");
            }
            page.push(" ORDER BY row_key DESC LIMIT ").push_bind(i64::from(query.limit));
            page.build_query_as().persistent(query.ids.is_empty()).fetch_all(&handles.readers).await
        })
    }
}
