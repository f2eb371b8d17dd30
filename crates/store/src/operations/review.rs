use causeway_domain::ports::{StoreError, StuckKind, StuckReason};
use causeway_domain::{Order, OrderId};
use jiff::Timestamp;

use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::orders::find_orders::select;
use crate::record::{OrderRecord, parse_with, text, time};
use crate::store::Store;

// A deposit that was built but never submitted is not waited for, nor is what may still come to the forwarding address of a joined
// order that is over.
pub(crate) const UNMOVED: &str = "due_at IS NOT NULL AND updated_at <= $1 AND (status <> 'created' \
     OR submitted_tx IS NOT NULL OR signed_payload IS NOT NULL \
     OR EXISTS (SELECT 1 FROM arrivals WHERE order_id = orders.id AND balance <> '0')) \
     AND (joined IS NULL OR status NOT IN ('filled', 'refunded', 'failed')) \
     ORDER BY updated_at LIMIT $2";

pub(crate) const ENDED: &str =
    "status IN ('filled', 'refunded') AND updated_at >= $1 ORDER BY updated_at DESC LIMIT $2";

const BY_ORDER: &str = "SELECT kind, message, since FROM stuck_reasons WHERE order_id = $1";

// `since` stays for as long as the message is the same.
const WRITE: &str = "INSERT INTO stuck_reasons (order_id, kind, message, since) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (order_id) DO UPDATE SET kind = excluded.kind, message = excluded.message, \
     since = CASE WHEN stuck_reasons.message = excluded.message THEN stuck_reasons.since ELSE excluded.since END";

const REMOVE: &str = "DELETE FROM stuck_reasons WHERE order_id = $1";

struct RecordStuckReason {
    order: String,
    reason: Option<(&'static str, String, i64)>,
}

for_each_engine! {
    impl WriteOp<Db> for RecordStuckReason {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            rows.add(&self.order);
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            match &self.reason {
                Some((kind, message, since)) => {
                    let write = sqlx::query(WRITE).bind(&self.order).bind(kind).bind(message).bind(since);
                    write.execute(connection).await?;
                }
                None => {
                    sqlx::query(REMOVE).bind(&self.order).execute(connection).await?;
                }
            }
            Ok(())
        }
    }
}

impl Store {
    async fn reviewed(
        &self,
        condition: &str,
        moment: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError> {
        let (moment, limit) = (moment.as_millisecond(), i64::from(limit));
        let rows: Result<Vec<OrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(condition)).bind(moment).bind(limit).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }

    pub(crate) async fn read_unmoved(
        &self,
        unmoved_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError> {
        self.reviewed(UNMOVED, unmoved_since, limit).await
    }

    pub(crate) async fn read_ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.reviewed(ENDED, since, limit).await
    }

    pub(crate) async fn write_stuck_reason(
        &self,
        order: &OrderId,
        reason: Option<&StuckReason>,
    ) -> Result<(), StoreError> {
        let reason =
            reason.map(|reason| (reason.kind.as_str(), text(&reason.message), reason.since.as_millisecond()));
        self.write(RecordStuckReason { order: order.to_string(), reason }).await
    }

    pub(crate) async fn read_stuck_reason(&self, order: &OrderId) -> Result<Option<StuckReason>, StoreError> {
        let row: Option<(String, String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(BY_ORDER).bind(order.as_str()).fetch_optional(&handles.readers).await
        })
        .map_err(store_error)?;
        let read = |(kind, words, since): (String, String, i64)| {
            Ok(StuckReason {
                kind: parse_with("stuck_reasons.kind", &kind, StuckKind::parse)?,
                message: words,
                since: time("stuck_reasons.since", since)?,
            })
        };
        row.map(read).transpose()
    }
}
