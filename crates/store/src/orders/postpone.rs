use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Moves when an order is due, if its version is unchanged, and ends its lease. Most passes over an order change nothing else.
pub(crate) struct Postpone {
    pub(crate) order: String,
    pub(crate) version: i64,
    pub(crate) due_at: Option<i64>,
}

pub(crate) const POSTPONE: &str =
    "UPDATE orders SET due_at = $1, lease_until = 0 WHERE id = $2 AND version = $3";

for_each_engine! {
    impl WriteOp<Db> for Postpone {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            rows.add(&self.order);
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let postponed = sqlx::query(POSTPONE)
                .bind(self.due_at)
                .bind(&self.order)
                .bind(self.version)
                .execute(connection)
                .await?;
            Ok(postponed.rows_affected() > 0)
        }
    }
}
