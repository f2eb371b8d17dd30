use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;

/// Keeps what a provider sent, once, and wakes its purchase.
pub(super) struct KeepWebhook {
    pub(super) provider: String,
    pub(super) event: String,
    pub(super) order: String,
    pub(super) body: Vec<u8>,
    pub(super) now: i64,
}

const KEEP: &str = "INSERT INTO fiat_webhooks (provider, event, order_id, body, received_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (provider, event) DO NOTHING";

// Whoever looks at the purchase at this moment has not seen it, and loses.
const WAKE: &str = "UPDATE fiat_orders SET due_at = $1, lease_until = 0, version = version + 1 WHERE id = $2";

for_each_engine! {
    impl Deed<Db> for KeepWebhook {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, Fault> {
            let kept = sqlx::query(KEEP)
                .bind(&self.provider)
                .bind(&self.event)
                .bind(&self.order)
                .bind(&self.body)
                .bind(self.now)
                .execute(&mut *connection)
                .await?;
            if kept.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(WAKE).bind(self.now).bind(&self.order).execute(connection).await?;
            Ok(true)
        }
    }
}
