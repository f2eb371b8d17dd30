use sqlx::Database;

use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Removes orders that were built but never announced and failed without a deposit.
pub(crate) trait DropUnused: Database {
    /// Returns how many were removed.
    fn drop_unused(
        connection: &mut Connection<Self>,
        before: i64,
        limit: i64,
    ) -> impl Future<Output = Result<u64, DbError>> + Send;
}

// The condition is repeated because an order may change between the two reads.
pub(crate) const UNUSED: &str = "DELETE FROM orders \
     WHERE announced = 0 AND status = 'failed' AND due_at IS NULL AND id IN (SELECT id FROM orders \
     WHERE announced = 0 AND status = 'failed' AND due_at IS NULL AND updated_at < $1 ORDER BY updated_at LIMIT $2)";

for_each_engine! {
    impl DropUnused for Db {
        async fn drop_unused(connection: &mut Connection<Self>, before: i64, limit: i64) -> Result<u64, DbError> {
            let dropped = sqlx::query(UNUSED).bind(before).bind(limit).execute(connection).await?;
            Ok(dropped.rows_affected())
        }
    }
}
