use causeway_domain::ports::SubjectKind;
use sqlx::{AssertSqlSafe, QueryBuilder};

use super::step_up::StepUp as _;
use super::tables::Tables;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Queues the events of orders or purchases for every subscribed endpoint.
pub(super) struct Enqueue {
    pub(super) kind: SubjectKind,
    pub(super) orders: Vec<String>,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) now: i64,
}

// Runs first: the row locks serialize replicas. An endpoint whose cursor is behind the reader's start keeps it.
fn read(kind: SubjectKind) -> String {
    let column = Tables::of(kind).read_to;
    format!(
        "UPDATE webhook_endpoints SET {column} = CASE WHEN {column} >= $1 AND {column} < $2 THEN $2 \
         ELSE {column} END WHERE enabled = 1"
    )
}

for_each_engine! {
    impl WriteOp<Db> for Enqueue {
        type Outcome = u64;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<u64, DbError> {
            let Tables { deliveries, events, subscribed, .. } = Tables::of(self.kind);
            sqlx::query(AssertSqlSafe(read(self.kind))).bind(self.from).bind(self.to).execute(&mut *connection).await?;
            if self.orders.is_empty() {
                return Ok(0);
            }
            let mut insert = QueryBuilder::<Db>::new(format!(
                "INSERT INTO {deliveries} (event_key, endpoint, order_id, state, attempts, queued_at, due_at, \
                 lease_until) SELECT {events}.row_key, endpoints.name, {events}.order_id, 'waiting', 0, "
            ));
            insert.push_bind(self.now).push(", NULL, 0 ").push(subscribed);
            insert.push(format!(
                " AND endpoints.enabled = 1 AND {events}.row_key > endpoints.since AND {events}.order_id IN ("
            ));
            let mut list = insert.separated(", ");
            for order in &self.orders {
                list.push_bind(order.clone());
            }
            list.push_unseparated(") ON CONFLICT (event_key, endpoint) DO NOTHING");
            let added = insert.build().persistent(false).execute(&mut *connection).await?.rows_affected();
            if added > 0 {
                Db::step_up(connection, self.kind, &self.orders, self.now).await?;
            }
            Ok(added)
        }
    }
}
