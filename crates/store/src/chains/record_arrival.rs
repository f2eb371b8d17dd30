use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::ArrivalRecord;

/// Writes a balance change of a deposit address once, and makes its order due.
pub(crate) struct RecordArrival {
    pub(crate) arrival: ArrivalRecord,
    pub(crate) now: i64,
}

const INSERT: &str = "INSERT INTO arrivals (order_id, block, token, address, balance, gained, tx) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (order_id, block, token) DO NOTHING";

// As for facts.
pub(crate) const WAKE: &str =
    "UPDATE orders SET due_at = $1, lease_until = 0, version = version + 1 WHERE id = $2";

for_each_engine! {
    impl WriteOp<Db> for RecordArrival {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            rows.add(&self.arrival.order_id);
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let row = &self.arrival;
            let written = sqlx::query(INSERT)
                .bind(&row.order_id)
                .bind(row.block)
                .bind(&row.token)
                .bind(&row.address)
                .bind(&row.balance)
                .bind(&row.gained)
                .bind(&row.tx)
                .execute(&mut *connection)
                .await?;
            if written.rows_affected() == 1 {
                sqlx::query(WAKE).bind(self.now).bind(&row.order_id).execute(connection).await?;
            }
            Ok(())
        }
    }
}
