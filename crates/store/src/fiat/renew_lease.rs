use causeway_domain::ports::FiatLease;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Keeps a purchase for the process that works on it, unless that is another one by now.
pub(super) struct RenewLease {
    pub(super) id: String,
    pub(super) lease: FiatLease,
    pub(super) lease_until: i64,
}

const HELD: &str = "UPDATE fiat_orders SET lease_until = $1 WHERE id = $2 AND lease_until = $3";

const ENDED_BY_WRITE: &str =
    "UPDATE fiat_orders SET lease_until = $1 WHERE id = $2 AND lease_until = 0 AND version = $3";

for_each_engine! {
    impl WriteOp<Db> for RenewLease {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Purchases, &self.id)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let (renew, known) = match self.lease {
                FiatLease::Until(end) => (HELD, end.as_millisecond()),
                FiatLease::EndedByWrite { version } => (ENDED_BY_WRITE, version.into()),
            };
            let renew = sqlx::query(renew).bind(self.lease_until).bind(&self.id).bind(known);
            Ok(renew.execute(connection).await?.rows_affected() > 0)
        }
    }
}
