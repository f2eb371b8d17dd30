use causeway_domain::ports::{FillCount, StoreError};
use causeway_domain::{ChainId, OrderStatus, RowKey};
use jiff::Timestamp;

use crate::database::error::store_error;
use crate::record::{OwedRecord, TransferRecord, chain_number, parse};
use crate::store::Store;

pub(crate) const TRANSFERS: &str = "SELECT id, row_key, deposit_address, from_token FROM orders \
     WHERE deposit_address IS NOT NULL AND status = 'created' AND from_chain = $1 AND row_key > $2 \
     ORDER BY row_key LIMIT $3";

pub(crate) const ENDED_TRANSFERS: &str = "SELECT id, row_key, deposit_address, from_token FROM orders \
     WHERE deposit_address IS NOT NULL AND status <> 'created' AND from_chain = $1 AND row_key > $2 \
     AND created_at >= $4 ORDER BY row_key LIMIT $3";

pub(crate) const OWED: &str =
    "SELECT filler, from_token, terms, evidence FROM orders WHERE owed = 1 ORDER BY row_key";

pub(crate) const FILLS: &str =
    "SELECT filler, status, COUNT(*) FROM orders WHERE announced = 1 GROUP BY filler, status";

impl Store {
    pub(crate) async fn transfer_rows(
        &self,
        chain: ChainId,
        ended: Option<Timestamp>,
        after: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<TransferRecord>, sqlx::Error> {
        let (chain, limit) = (chain_number(chain), i64::from(limit));
        let after = after.map_or(-1, RowKey::get);
        let Some(since) = ended else {
            return on_engine!(self.engine, handles => {
                sqlx::query_as(TRANSFERS).bind(chain).bind(after).bind(limit).fetch_all(&handles.readers).await
            });
        };
        // A key is never older than its order, so older keys need not be scanned.
        let after = after.max(RowKey::floor_at(since).get() - 1);
        on_engine!(self.engine, handles => {
            sqlx::query_as(ENDED_TRANSFERS)
                .bind(chain)
                .bind(after)
                .bind(limit)
                .bind(since.as_millisecond())
                .fetch_all(&handles.readers)
                .await
        })
    }

    pub(crate) async fn owed_rows(&self) -> Result<Vec<OwedRecord>, sqlx::Error> {
        on_engine!(self.engine, handles => sqlx::query_as(OWED).fetch_all(&handles.readers).await)
    }

    pub(super) async fn read_fill_counts(&self) -> Result<Vec<FillCount>, StoreError> {
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
