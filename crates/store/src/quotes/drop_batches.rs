use sqlx::{Database, QueryBuilder};

use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Removes whole batches whose newest quote is old.
pub(crate) trait DropBatches: Database {
    /// Returns how many quotes were removed with them. Quotes with rows of their own are not counted; they are pruned
    /// separately. Stops once `limit` quotes are removed.
    fn drop_batches(
        connection: &mut Connection<Self>,
        before: i64,
        limit: u32,
    ) -> impl Future<Output = Result<u32, DbError>> + Send;
}

pub(crate) const OLD: &str = "SELECT row_key, size - (SELECT COUNT(*) FROM quotes WHERE quotes.batch = quote_batches.row_key) \
     FROM quote_batches WHERE newest < $1 ORDER BY newest LIMIT $2";

for_each_engine! {
    impl DropBatches for Db {
        async fn drop_batches(
            connection: &mut Connection<Self>,
            before: i64,
            limit: u32,
        ) -> Result<u32, DbError> {
            let old: Vec<(i64, i64)> =
                sqlx::query_as(OLD).bind(before).bind(i64::from(limit)).fetch_all(&mut *connection).await?;
            if old.is_empty() {
                return Ok(0);
            }
            let mut removed = 0_u32;
            let mut drop = QueryBuilder::<Db>::new("DELETE FROM quote_batches WHERE row_key IN (");
            let mut list = drop.separated(", ");
            for (key, quotes) in old {
                if removed >= limit {
                    break;
                }
                list.push_bind(key);
                removed = removed.saturating_add(u32::try_from(quotes).unwrap_or_default());
            }
            list.push_unseparated(")");
            drop.build().persistent(false).execute(connection).await?;
            Ok(removed)
        }
    }
}
