use causeway_domain::ports::StoreError;
use causeway_domain::{Fact, FactPlace};
use sqlx::AssertSqlSafe;

use crate::database::error::store_error;
use crate::record::{FACT_COLUMNS, FactRecord, chain_number, count, read_count, text};
use crate::store::Store;

const WITHOUT_ROUTE: &str = "SELECT COUNT(*) FROM orders WHERE route_id <> $1";

pub(crate) const OPENINGS: &str = "FROM facts WHERE kind = 'opened' \
     AND (block_time, chain, block, log_index, tx) > ($1, $2, $3, $4, $5) \
     ORDER BY block_time, chain, block, log_index, tx LIMIT $6";

impl Store {
    async fn opening_rows(
        &self,
        (time, chain, block, index, tx): (i64, i64, i64, i64, String),
        limit: u32,
    ) -> Result<Vec<FactRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("SELECT {FACT_COLUMNS} {OPENINGS}"));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select)
                .bind(time)
                .bind(chain)
                .bind(block)
                .bind(index)
                .bind(tx)
                .bind(i64::from(limit))
                .fetch_all(&handles.readers)
                .await
        })
    }

    pub(crate) async fn count_orders_without(&self, route: &str) -> Result<u64, StoreError> {
        let orders: Result<i64, _> = on_engine!(self.engine, handles => {
            sqlx::query_scalar(WITHOUT_ROUTE).bind(route).fetch_one(&handles.readers).await
        });
        read_count("orders", orders.map_err(store_error)?)
    }

    pub(crate) async fn read_openings(
        &self,
        after: Option<&FactPlace>,
        limit: u32,
    ) -> Result<Vec<Fact>, StoreError> {
        let after = match after {
            Some(FactPlace { chain, tx, index, block, time }) => {
                (count(*time)?, chain_number(*chain), count(*block)?, count(*index)?, text(tx))
            }
            None => (-1, 0, 0, 0, String::new()),
        };
        let rows = self.opening_rows(after, limit).await.map_err(store_error)?;
        rows.into_iter().map(|row| row.into_fact().map(|(fact, _)| fact)).collect()
    }
}
