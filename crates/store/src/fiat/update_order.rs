use causeway_domain::ports::StoreError;

use super::create_order::AddFiatEvents;
use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{FiatEventRecord, FiatOrderRecord};

/// Updates a purchase if its version is unchanged, and ends its lease.
pub(super) struct UpdateFiatOrder {
    pub(super) order: FiatOrderRecord,
    pub(super) events: Vec<FiatEventRecord>,
}

// The owner, what is bought, and what a forwarding address commits to never change.
const UPDATE: &str = "UPDATE fiat_orders SET provider_order = $1, status = $2, swap_id = $3, returned_tx = $4, \
     widget_url = $5, payout_tx = $6, payout_index = $7, payout_amount = $8, output = $9, fill_tx = $10, \
     failure_code = $11, failure_source = $12, failure_message = $13, due_at = $14, updated_at = $15, \
     version = version + 1, lease_until = 0 WHERE id = $16 AND version = $17";

for_each_engine! {
    impl WriteOp<Db> for UpdateFiatOrder {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Purchases, &self.order.id)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let row = &self.order;
            if self.events.iter().any(|event| event.order_id != row.id) {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            let updated = sqlx::query(UPDATE)
                .bind(&row.provider_order)
                .bind(&row.status)
                .bind(&row.swap_id)
                .bind(&row.returned_tx)
                .bind(&row.widget_url)
                .bind(&row.payout_tx)
                .bind(row.payout_index)
                .bind(&row.payout_amount)
                .bind(&row.output)
                .bind(&row.fill_tx)
                .bind(&row.failure_code)
                .bind(&row.failure_source)
                .bind(&row.failure_message)
                .bind(row.due_at)
                .bind(row.updated_at)
                .bind(&row.id)
                .bind(row.version)
                .execute(&mut *connection)
                .await
                .map_err(duplicate_payout)?;
            if updated.rows_affected() == 0 {
                return Ok(false);
            }
            Db::add_fiat_events(connection, &self.events).await?;
            Ok(true)
        }
    }
}

/// The payout is the only unique column that an update writes.
fn duplicate_payout(error: sqlx::Error) -> DbError {
    match &error {
        sqlx::Error::Database(cause) if cause.is_unique_violation() => {
            StoreError::Conflict("this delivery completed another purchase").into()
        }
        _ => error.into(),
    }
}
