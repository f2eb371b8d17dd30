use causeway_domain::ports::StoreError;

use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::orders::create_order::AddEvents;
use crate::record::{EventRecord, OrderIndex, OrderRecord};

/// Updates an order if its version is unchanged, and ends its lease.
pub(crate) struct UpdateOrder {
    pub(crate) order: OrderRecord,
    pub(crate) index: OrderIndex,
    pub(crate) events: Vec<EventRecord>,
}

// The quote, the tokens and the hashed terms never change after the first build.
const UPDATE: &str = "UPDATE orders SET status = $1, src_amount = $2, dest_amount = $3, author = $4, recipient = $5, \
     refund_to = $6, method = $7, deposit_address = $8, valid_before = $9, finality_tier = $10, announced = $11, \
     submitted_tx = $12, built = $13, signed_payload = $14, decision = $15, evidence = $16, failure_reason = $17, \
     due_at = $18, updated_at = $19, deposit_tx = $20, owed = $21, intent_state = $22, provider = $23, \
     joined = $24, version = version + 1, lease_until = 0 WHERE id = $25 AND version = $26";

for_each_engine! {
    impl WriteOp<Db> for UpdateOrder {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            rows.add(&self.order.id);
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let (row, index) = (&self.order, &self.index);
            if self.events.iter().any(|event| event.order_id != row.id) {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            let updated = sqlx::query(UPDATE)
                .bind(&row.status)
                .bind(&row.src_amount)
                .bind(&row.dest_amount)
                .bind(&row.author)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(&row.method)
                .bind(&row.deposit_address)
                .bind(row.valid_before)
                .bind(row.finality_tier)
                .bind(row.announced)
                .bind(&row.submitted_tx)
                .bind(&row.built)
                .bind(&row.signed_payload)
                .bind(&row.decision)
                .bind(&row.evidence)
                .bind(&row.failure_reason)
                .bind(row.due_at)
                .bind(row.updated_at)
                .bind(&index.deposit_tx)
                .bind(index.owed)
                .bind(index.intent_state)
                .bind(&row.provider)
                .bind(&row.joined)
                .bind(&row.id)
                .bind(row.version)
                .execute(&mut *connection)
                .await
                .map_err(duplicate_submitted_tx)?;
            if updated.rows_affected() == 0 {
                return Ok(false);
            }
            Db::add_events(connection, &self.events).await?;
            Ok(true)
        }
    }
}

/// The submitted transaction is the only unique column that an update writes.
fn duplicate_submitted_tx(error: sqlx::Error) -> DbError {
    match &error {
        sqlx::Error::Database(cause) if cause.is_unique_violation() => {
            StoreError::Conflict("this transaction was submitted for another order").into()
        }
        _ => error.into(),
    }
}
