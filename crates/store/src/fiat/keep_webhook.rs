use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Stores a provider's webhook once, and makes its purchase due.
pub(super) struct KeepWebhook {
    pub(super) provider: String,
    pub(super) event: String,
    pub(super) order: String,
    pub(super) body: Vec<u8>,
    pub(super) now: i64,
}

const INSERT: &str = "INSERT INTO fiat_webhooks (provider, event, order_id, body, received_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (provider, event) DO NOTHING";

// A worker that holds the purchase has not seen the webhook, and loses its write by the version.
const WAKE: &str = "UPDATE fiat_orders SET due_at = $1, lease_until = 0, version = version + 1 WHERE id = $2";

for_each_engine! {
    impl WriteOp<Db> for KeepWebhook {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Purchases, &self.order)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let inserted = sqlx::query(INSERT)
                .bind(&self.provider)
                .bind(&self.event)
                .bind(&self.order)
                .bind(&self.body)
                .bind(self.now)
                .execute(&mut *connection)
                .await?;
            if inserted.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(WAKE).bind(self.now).bind(&self.order).execute(connection).await?;
            Ok(true)
        }
    }
}
