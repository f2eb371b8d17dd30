use causeway_domain::Order;
use causeway_domain::RowKey;
use causeway_domain::ports::{OrderSearch, SearchTerm, StoreError};
use sqlx::AssertSqlSafe;

use crate::database::error::store_error;
use crate::record::{ORDER_COLUMNS, OrderRecord, Plain, text};
use crate::store::Store;

/// Submitted or observed as the deposit, emitted by our contracts (opening, fill, claim, refund), or a transfer that came in.
pub(crate) const BY_TRANSACTION: &str = "\
     SELECT row_key FROM orders WHERE submitted_tx = $1 \
     UNION SELECT row_key FROM orders WHERE deposit_tx = $1 \
     UNION SELECT o.row_key FROM facts f JOIN orders o ON o.intent_id = f.intent_id WHERE f.tx = $1 \
     UNION SELECT o.row_key FROM arrivals a JOIN orders o ON o.id = a.order_id WHERE a.tx = $1";

/// As author (whose spelling is `$4`), recipient, refund address or deposit address.
pub(crate) const BY_ADDRESS: &str = "\
     SELECT row_key FROM orders WHERE announced = 1 AND author = $4 AND row_key < $2 \
     UNION SELECT row_key FROM orders WHERE announced = 1 AND recipient = $1 AND row_key < $2 \
     UNION SELECT row_key FROM orders WHERE announced = 1 AND refund_to = $1 AND row_key < $2 \
     UNION SELECT row_key FROM orders WHERE deposit_address = $1 AND row_key < $2";

pub(crate) fn search(keys: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT {ORDER_COLUMNS} FROM orders WHERE announced = 1 AND row_key < $2 AND row_key IN ({keys}) \
         ORDER BY row_key DESC LIMIT $3"
    ))
}

impl Store {
    pub(crate) async fn searched(&self, query: &OrderSearch) -> Result<Vec<Order>, StoreError> {
        let before = query.before.map_or(i64::MAX, RowKey::get);
        let limit = i64::from(query.limit);
        let rows: Result<Vec<OrderRecord>, _> = match &query.term {
            SearchTerm::Transaction(tx) => {
                let tx = text(tx);
                on_engine!(self.engine, handles => {
                    sqlx::query_as(search(BY_TRANSACTION)).bind(tx).bind(before).bind(limit)
                        .fetch_all(&handles.readers).await
                })
            }
            SearchTerm::Address(address) => {
                let (plain, author) = (Plain(*address).to_string(), address.to_author());
                on_engine!(self.engine, handles => {
                    sqlx::query_as(search(BY_ADDRESS)).bind(plain).bind(before).bind(limit).bind(author)
                        .fetch_all(&handles.readers).await
                })
            }
        };
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }
}
