use causeway_domain::RowKey;
use causeway_domain::ports::{StoreError, SubjectKind};
use sqlx::AssertSqlSafe;

use super::end::LOCK_ENDPOINT;
use super::step_up::StepUp as _;
use super::tables::Tables;
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
fn requeue(kind: SubjectKind) -> AssertSqlSafe<String> {
    let deliveries = Tables::of(kind).deliveries;
    AssertSqlSafe(format!(
        "INSERT INTO {deliveries} (event_key, endpoint, order_id, state, attempts, queued_at, due_at, lease_until) \
         VALUES ($1, $2, $3, 'waiting', 0, $4, NULL, 0) \
         ON CONFLICT (event_key, endpoint) DO UPDATE SET state = 'waiting', attempts = 0, due_at = NULL, \
         lease_until = 0, queued_at = excluded.queued_at WHERE {deliveries}.state <> 'waiting'"
    ))
}

fn page(kind: SubjectKind) -> AssertSqlSafe<String> {
    let Tables { events, subscribed, .. } = Tables::of(kind);
    AssertSqlSafe(format!(
        "SELECT {events}.row_key, {events}.order_id {subscribed} AND endpoints.name = $1 AND {events}.row_key > $2 \
         ORDER BY {events}.row_key LIMIT $3"
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
            let mut events = Vec::new();
            for kind in SubjectKind::ALL {
                let page: Vec<(i64, String)> = sqlx::query_as(page(kind))
                    .bind(&self.endpoint)
                    .bind(self.after)
                    .bind(self.limit)
                    .fetch_all(&mut *connection)
                    .await?;
                events.extend(page.into_iter().map(|(event, order)| (event, kind, order)));
            }
            // The oldest of both kinds; the others come with the next page.
            events.sort_unstable_by_key(|(event, ..)| *event);
            events.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
            for (event, kind, order) in &events {
                sqlx::query(requeue(*kind))
                    .bind(event)
                    .bind(&self.endpoint)
                    .bind(order)
                    .bind(self.now)
                    .execute(&mut *connection)
                    .await?;
            }
            let last = events.last().map(|(event, ..)| key("events.row_key", *event)).transpose()?;
            let count = events.len() as u64;
            for of in SubjectKind::ALL {
                let of_kind = events.iter().filter(|(_, kind, _)| *kind == of);
                let mut orders: Vec<_> = of_kind.map(|(.., order)| order.clone()).collect();
                orders.sort_unstable();
                orders.dedup();
                Db::step_up(connection, of, &orders, self.now).await?;
            }
            Ok((count, last))
        }
    }
}
