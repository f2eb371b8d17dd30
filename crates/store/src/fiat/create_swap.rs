use causeway_domain::ports::{Creation, StoreError};
use causeway_domain::{FiatOrderId, OrderId};

use crate::database::batch_order::{Locked, OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::orders::create_order::CreateOrder;

/// Writes the swap of what arrived for a purchase or an order, if nobody has written that one since it was read.
pub(crate) struct CreateSwap {
    take: &'static str,
    owner: String,
    version: i64,
    swap: CreateOrder,
}

// Locks the row: a second process waits here, and then finds another version.
pub(crate) const TAKE_PURCHASE: &str =
    "UPDATE fiat_orders SET version = version + 1 WHERE id = $1 AND version = $2";
pub(crate) const TAKE_ORDER: &str = "UPDATE orders SET version = version + 1 WHERE id = $1 AND version = $2";

impl CreateSwap {
    pub(crate) fn of_purchase(purchase: &FiatOrderId, version: u32, swap: CreateOrder) -> Self {
        Self { take: TAKE_PURCHASE, owner: purchase.to_string(), version: version.into(), swap }
    }

    pub(crate) fn of_order(order: &OrderId, version: u32, swap: CreateOrder) -> Self {
        Self { take: TAKE_ORDER, owner: order.to_string(), version: version.into(), swap }
    }
}

for_each_engine! {
    impl WriteOp<Db> for CreateSwap {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            if self.take == TAKE_ORDER { Turn::orders() } else { Turn::of(Locked::Purchases, &self.owner) }
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            if self.take == TAKE_ORDER {
                rows.add(&self.owner);
            }
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let taken = sqlx::query(self.take).bind(&self.owner).bind(self.version).execute(&mut *connection).await?;
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
