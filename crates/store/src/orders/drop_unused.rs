use sqlx::Database;

use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Removes orders that were built but never announced and failed without a deposit, and transfers that nobody paid.
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

/// Transfers that nobody paid. Their addresses are watched for seven days, so nothing can come of them any more; whoever pays
/// later has the terms, and needs no service to get the money back.
pub(crate) const UNPAID: &str = "DELETE FROM orders \
     WHERE announced = 1 AND status = 'failed' AND due_at IS NULL AND deposit_tx IS NULL AND id IN (SELECT id FROM orders \
     WHERE announced = 1 AND status = 'failed' AND due_at IS NULL AND deposit_address IS NOT NULL \
     AND deposit_tx IS NULL AND forwarding_order IS NULL AND created_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM arrivals WHERE arrivals.order_id = orders.id) \
     ORDER BY created_at LIMIT $2)";

/// Longer than any address is watched: seven days after its order was created.
const UNPAID_KEPT: i64 = 8 * 24 * 60 * 60 * 1_000;

for_each_engine! {
    impl DropUnused for Db {
        async fn drop_unused(connection: &mut Connection<Self>, before: i64, limit: i64) -> Result<u64, DbError> {
            let unused = sqlx::query(UNUSED).bind(before).bind(limit).execute(&mut *connection).await?;
            let unpaid = sqlx::query(UNPAID).bind(before.saturating_sub(UNPAID_KEPT)).bind(limit);
            let unpaid = unpaid.execute(connection).await?;
            Ok(unused.rows_affected().saturating_add(unpaid.rows_affected()))
        }
    }
}
