use causeway_domain::ports::StoreError;

use crate::create_order::AddEvents;
use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{EventRecord, OrderIndex, OrderRecord};

/// Writes an order over the version that its writer saw, and ends the lease on it.
pub(crate) struct UpdateOrder {
    pub(crate) order: OrderRecord,
    pub(crate) index: OrderIndex,
    pub(crate) events: Vec<EventRecord>,
}

// Where it came from, what it swaps, and the terms that the chains hash are as the first build froze them.
const UPDATE: &str = "UPDATE orders SET status = $1, src_amount = $2, dest_amount = $3, author = $4, recipient = $5, \
     refund_to = $6, method = $7, deposit_address = $8, valid_before = $9, care = $10, announced = $11, \
     told_tx = $12, built = $13, handed = $14, decision = $15, evidence = $16, failure_reason = $17, due_at = $18, \
     updated_at = $19, deposit_tx = $20, owed = $21, intent_state = $22, version = version + 1, \
     lease_until = 0 WHERE id = $23 AND version = $24";

for_each_engine! {
    impl Deed<Db> for UpdateOrder {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, Fault> {
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
                .bind(row.care)
                .bind(row.announced)
                .bind(&row.told_tx)
                .bind(&row.built)
                .bind(&row.handed)
                .bind(&row.decision)
                .bind(&row.evidence)
                .bind(&row.failure_reason)
                .bind(row.due_at)
                .bind(row.updated_at)
                .bind(&index.deposit_tx)
                .bind(index.owed)
                .bind(index.intent_state)
                .bind(&row.id)
                .bind(row.version)
                .execute(&mut *connection)
                .await
                .map_err(told_twice)?;
            if updated.rows_affected() == 0 {
                return Ok(false);
            }
            Db::add_events(connection, &self.events).await?;
            Ok(true)
        }
    }
}

/// Of what an update writes, the told transaction alone must be nobody else's.
fn told_twice(error: sqlx::Error) -> Fault {
    match &error {
        sqlx::Error::Database(cause) if cause.is_unique_violation() => {
            StoreError::Conflict("another order was told of this transaction").into()
        }
        _ => error.into(),
    }
}
