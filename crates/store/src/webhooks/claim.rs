use causeway_domain::ports::{Delivery, StoreError, SubjectKind};
use sqlx::{AssertSqlSafe, QueryBuilder};

use super::tables::Tables;
use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::{Connection, Dialect as _};
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{key, parse, time};
use crate::store::Store;

/// Leases deliveries that are due for an endpoint and not leased.
pub(super) struct Claim {
    pub(super) kind: SubjectKind,
    pub(super) endpoint: String,
    pub(super) now: i64,
    pub(super) lease_until: i64,
    pub(super) limit: i64,
}

struct DueRecord {
    event_key: i64,
    order_id: String,
    attempts: i64,
    queued_at: i64,
}

impl_from_row!(DueRecord { event_key, order_id, attempts, queued_at });

pub(crate) fn due(kind: SubjectKind) -> String {
    format!(
        "SELECT event_key, order_id, attempts, queued_at FROM {} \
         WHERE endpoint = $1 AND due_at <= $2 AND lease_until <= $2 ORDER BY due_at, event_key LIMIT $3",
        Tables::of(kind).deliveries
    )
}

impl Claim {
    fn read(&self, row: &DueRecord) -> Result<Delivery, StoreError> {
        Ok(Delivery {
            endpoint: parse("webhook_deliveries.endpoint", &self.endpoint)?,
            event: key("webhook_deliveries.event_key", row.event_key)?,
            subject: Tables::of(self.kind).subject(&row.order_id)?,
            attempts: u32::try_from(row.attempts).unwrap_or(u32::MAX),
            waits_since: time("webhook_deliveries.queued_at", row.queued_at)?,
            lease_until: time("webhook_deliveries.lease_until", self.lease_until)?,
        })
    }
}

for_each_engine! {
    impl WriteOp<Db> for Claim {
        type Outcome = Vec<Delivery>;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Skipping, &self.endpoint)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<Delivery>, DbError> {
            let due: Vec<DueRecord> = sqlx::query_as(AssertSqlSafe(format!("{}{}", due(self.kind), Db::SKIP_LOCKED)))
                .bind(&self.endpoint)
                .bind(self.now)
                .bind(self.limit)
                .fetch_all(&mut *connection)
                .await?;
            if due.is_empty() {
                return Ok(Vec::new());
            }
            let mut lease = QueryBuilder::<Db>::new("UPDATE ");
            lease.push(Tables::of(self.kind).deliveries).push(" SET lease_until = ");
            lease.push_bind(self.lease_until).push(" WHERE endpoint = ").push_bind(&self.endpoint);
            lease.push(" AND event_key IN (");
            let mut list = lease.separated(", ");
            for row in &due {
                list.push_bind(row.event_key);
            }
            list.push_unseparated(")");
            lease.build().persistent(false).execute(connection).await?;
            Ok(due.iter().map(|row| self.read(row)).collect::<Result<_, _>>()?)
        }
    }
}

impl Store {
    pub(super) async fn is_delivery_due(&self, claim: &Claim) -> Result<bool, StoreError> {
        let due: Result<Option<DueRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(AssertSqlSafe(due(claim.kind)))
                .bind(&claim.endpoint)
                .bind(claim.now)
                .bind(1_i64)
                .fetch_optional(&handles.readers)
                .await
        });
        Ok(due.map_err(store_error)?.is_some())
    }
}
