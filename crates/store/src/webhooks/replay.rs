use causeway_domain::RowKey;
use causeway_domain::ports::StoreError;
use sqlx::AssertSqlSafe;

use super::end::LOCK_ENDPOINT;
use super::enqueue::SUBSCRIBED;
use super::step_up::StepUp as _;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::key;

/// Queues events for an endpoint again, delivered or not.
pub(super) struct Replay {
    pub(super) endpoint: String,
    pub(super) after: i64,
    pub(super) limit: i64,
    pub(super) now: i64,
}

// Queued deliveries stay as they are.
const REQUEUE: &str = "INSERT INTO webhook_deliveries (event_key, endpoint, order_id, state, attempts, queued_at, due_at, \
     lease_until) VALUES ($1, $2, $3, 'waiting', 0, $4, NULL, 0) \
     ON CONFLICT (event_key, endpoint) DO UPDATE SET state = 'waiting', attempts = 0, due_at = NULL, lease_until = 0, \
     queued_at = excluded.queued_at WHERE webhook_deliveries.state <> 'waiting'";

fn page() -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT events.row_key, events.order_id {SUBSCRIBED} AND endpoints.name = $1 AND events.row_key > $2 \
         ORDER BY events.row_key LIMIT $3"
    ))
}

for_each_engine! {
    impl WriteOp<Db> for Replay {
        type Outcome = (u64, Option<RowKey>);

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Self::Outcome, DbError> {
            let found = sqlx::query(LOCK_ENDPOINT).bind(&self.endpoint).execute(&mut *connection).await?;
            if found.rows_affected() == 0 {
                return Err(StoreError::Conflict("there is no such endpoint").into());
            }
            let events: Vec<(i64, String)> = sqlx::query_as(page())
                .bind(&self.endpoint)
                .bind(self.after)
                .bind(self.limit)
                .fetch_all(&mut *connection)
                .await?;
            for (event, order) in &events {
                sqlx::query(REQUEUE)
                    .bind(event)
                    .bind(&self.endpoint)
                    .bind(order)
                    .bind(self.now)
                    .execute(&mut *connection)
                    .await?;
            }
            let last = events.last().map(|(event, _)| key("events.row_key", *event)).transpose()?;
            let count = events.len() as u64;
            let mut orders: Vec<_> = events.into_iter().map(|(_, order)| order).collect();
            orders.sort_unstable();
            orders.dedup();
            Db::step_up(connection, &orders, self.now).await?;
            Ok((count, last))
        }
    }
}
