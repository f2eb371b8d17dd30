use causeway_domain::ports::{Pruned, StoreError};
use jiff::{SignedDuration, Timestamp};

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::fiat::PruneFiat as _;
use crate::operations::fees;
use crate::operations::idempotency::{EXCESS, EXPIRED, MAX_KEYS};
use crate::orders::drop_unused::DropUnused as _;
use crate::store::Store;

/// How long the answers to requests with idempotency keys are kept.
const ANSWERS_KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Removes unused orders, providers' quotes, events and kept answers that are past their retention and unreferenced.
struct Prune {
    answers_before: i64,
    quotes_before: i64,
    events_before: i64,
    limit: u32,
}

pub(crate) const EVENTS: &str = "DELETE FROM events WHERE row_key IN (SELECT events.row_key FROM events \
     JOIN orders ON orders.id = events.order_id \
     WHERE events.happened_at < $1 AND orders.status IN ('filled', 'refunded', 'failed') \
     ORDER BY events.happened_at LIMIT $2)";

for_each_engine! {
    impl WriteOp<Db> for Prune {
        type Outcome = Pruned;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Pruned, DbError> {
            let limit = i64::from(self.limit);
            let expired =
                sqlx::query(EXPIRED).bind(self.answers_before).bind(limit).execute(&mut *connection).await?;
            let excess = sqlx::query(EXCESS).bind(limit).bind(MAX_KEYS).execute(&mut *connection).await?;
            let answers = expired.rows_affected() + excess.rows_affected();
            let orders = Db::drop_unused(connection, self.quotes_before, limit).await?;
            let events =
                sqlx::query(EVENTS).bind(self.events_before).bind(limit).execute(&mut *connection).await?;
            let fees =
                sqlx::query(fees::DROP).bind(self.events_before).bind(limit).execute(&mut *connection).await?;
            let (quotes, fiat_events) =
                Db::prune_fiat(connection, (self.quotes_before, limit), (self.events_before, limit)).await?;
            Ok(Pruned { orders, quotes, events: events.rows_affected() + fees.rows_affected() + fiat_events, answers })
        }
    }
}

impl Store {
    pub(super) async fn prune_expired(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError> {
        let (quotes_before, events_before) = (quotes_before.as_millisecond(), events_before.as_millisecond());
        let answers_before = (Timestamp::now() - ANSWERS_KEPT).as_millisecond();
        self.write(Prune { answers_before, quotes_before, events_before, limit }).await
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::OrderStatus;

    use super::*;

    #[test]
    fn only_events_of_terminal_orders_are_pruned() {
        for status in OrderStatus::ALL {
            assert_eq!(EVENTS.contains(&format!("'{status}'")), status.is_terminal(), "{status}");
        }
    }
}
