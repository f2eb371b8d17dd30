use causeway_domain::ports::{Creation, StoreError};

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::orders::create_order::CreateOrder;

/// Writes the swap of a purchase if nobody has written the purchase since it was read.
pub(super) struct CreateSwap {
    pub(super) purchase: String,
    pub(super) version: i64,
    pub(super) swap: CreateOrder,
}

// Locks the row: a second process waits here, and then finds another version.
const TAKE: &str = "UPDATE fiat_orders SET version = version + 1 WHERE id = $1 AND version = $2";

for_each_engine! {
    impl WriteOp<Db> for CreateSwap {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let taken = sqlx::query(TAKE).bind(&self.purchase).bind(self.version).execute(&mut *connection).await?;
            if taken.rows_affected() == 0 {
                return Ok(false);
            }
            match WriteOp::<Db>::run(&self.swap, connection).await? {
                Creation::Created => Ok(true),
                Creation::Existing(_) => Err(StoreError::Conflict("the route has an order already").into()),
            }
        }
    }
}
