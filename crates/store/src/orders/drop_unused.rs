use sqlx::{Database, QueryBuilder};

use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Removes orders that were built but never announced and failed without a deposit, and transfers that nobody paid, and
/// frees their quotes.
pub(crate) trait DropUnused: Database {
    fn drop_unused(
        connection: &mut Connection<Self>,
        before: i64,
        limit: u32,
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

/// A larger batch only makes the transaction longer.
const MAX_DROPPED: u32 = 1_000;

pub(crate) const UNUSED: &str = "SELECT id, quote_id FROM orders \
     WHERE announced = 0 AND status = 'failed' AND due_at IS NULL AND updated_at < $1 ORDER BY updated_at LIMIT $2";

/// Transfers that nobody paid. Their addresses are watched for seven days, so nothing can come of them any more; whoever pays
/// later has the terms, and needs no service to get the money back.
pub(crate) const UNPAID: &str = "SELECT id, quote_id FROM orders \
     WHERE announced = 1 AND status = 'failed' AND due_at IS NULL AND deposit_address IS NOT NULL \
     AND deposit_tx IS NULL AND forwarding_order IS NULL AND created_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM arrivals WHERE arrivals.order_id = orders.id) \
     ORDER BY created_at LIMIT $2";

/// Longer than any address is watched: seven days after its order was created.
const UNPAID_KEPT: i64 = 8 * 24 * 60 * 60 * 1_000;

for_each_engine! {
    /// Continues a statement with a list of ids.
    fn with_ids<'a>(start: &str, ids: impl Iterator<Item = &'a str>) -> QueryBuilder<Db> {
        let mut statement = QueryBuilder::<Db>::new(start);
        let mut list = statement.separated(", ");
        for id in ids {
            list.push_bind(id.to_owned());
        }
        list.push_unseparated(")");
        statement
    }

    impl DropUnused for Db {
        async fn drop_unused(
            connection: &mut Connection<Self>,
            before: i64,
            limit: u32,
        ) -> Result<(), DbError> {
            let unused: Vec<(String, String)> = sqlx::query_as(UNUSED)
                .bind(before)
                .bind(i64::from(limit.min(MAX_DROPPED)))
                .fetch_all(&mut *connection)
                .await?;
            let unpaid: Vec<(String, String)> = sqlx::query_as(UNPAID)
                .bind(before.saturating_sub(UNPAID_KEPT))
                .bind(i64::from(limit.min(MAX_DROPPED)))
                .fetch_all(&mut *connection)
                .await?;
            let unused: Vec<(String, String)> = unused.into_iter().chain(unpaid).collect();
            if unused.is_empty() {
                return Ok(());
            }
            let orders = || unused.iter().map(|(order, _)| order.as_str());
            let quotes = || unused.iter().map(|(_, quote)| quote.as_str());
            // Locks the quotes first, as creating an order does, so that the statements below see every order of a quote.
            let mut hold = with_ids("UPDATE quotes SET taken = 1 WHERE id IN (", quotes());
            hold.build().persistent(false).execute(&mut *connection).await?;
            // The condition is repeated because the order may have changed in the meantime.
            let mut drop = with_ids(
                "DELETE FROM orders WHERE (announced = 0 OR deposit_address IS NOT NULL) AND status = 'failed' \
                 AND due_at IS NULL AND deposit_tx IS NULL AND id IN (",
                orders(),
            );
            drop.build().persistent(false).execute(&mut *connection).await?;
            let mut free = with_ids(
                "UPDATE quotes SET taken = 0 WHERE NOT EXISTS \
                 (SELECT 1 FROM orders WHERE orders.quote_id = quotes.id) AND id IN (",
                quotes(),
            );
            free.build().persistent(false).execute(connection).await?;
            Ok(())
        }
    }
}
