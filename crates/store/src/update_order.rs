use causeway_domain::ports::StoreError;

use crate::create_order::AddEvents;
use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{EventRecord, OrderRecord};

/// Writes an order over the version that its writer saw, and ends the lease on it.
pub(crate) struct UpdateOrder {
    pub(crate) order: OrderRecord,
    pub(crate) events: Vec<EventRecord>,
}

const UPDATE: &str = "UPDATE orders SET status = $1, trade_type = $2, from_token = $3, to_token = $4, \
     src_amount = $5, dest_amount = $6, author = $7, recipient = $8, refund_to = $9, deposit_tx = $10, \
     failure_reason = $11, due_at = $12, updated_at = $13, version = version + 1, lease_until = 0 \
     WHERE id = $14 AND version = $15";

for_each_engine! {
    impl Deed<Db> for UpdateOrder {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, Fault> {
            let row = &self.order;
            if self.events.iter().any(|event| event.order_id != row.id) {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            let updated = sqlx::query(UPDATE)
                .bind(&row.status)
                .bind(&row.trade_type)
                .bind(&row.from_token)
                .bind(&row.to_token)
                .bind(&row.src_amount)
                .bind(&row.dest_amount)
                .bind(&row.author)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(&row.deposit_tx)
                .bind(&row.failure_reason)
                .bind(row.due_at)
                .bind(row.updated_at)
                .bind(&row.id)
                .bind(row.version)
                .execute(&mut *connection)
                .await?;
            if updated.rows_affected() == 0 {
                return Ok(false);
            }
            Db::add_events(connection, &self.events).await?;
            Ok(true)
        }
    }
}
