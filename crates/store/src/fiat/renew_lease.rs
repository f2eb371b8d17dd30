use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Keeps a purchase for the process that works on it.
pub(super) struct RenewLease {
    pub(super) id: String,
    pub(super) lease_until: i64,
}

const RENEW: &str = "UPDATE fiat_orders SET lease_until = $1 WHERE id = $2";

for_each_engine! {
    impl WriteOp<Db> for RenewLease {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(RENEW).bind(self.lease_until).bind(&self.id).execute(connection).await?;
            Ok(())
        }
    }
}
