use causeway_domain::RowKey;
use causeway_domain::ports::{
    AttemptOutcome, DeliveryAttempt, DeliveryCount, EndpointName, StoreError, SubjectKind,
};
use sqlx::AssertSqlSafe;

use super::tables::Tables;
use crate::database::error::store_error;
use crate::record::{key, parse, time};
use crate::store::Store;

pub(crate) fn log(kind: SubjectKind) -> String {
    format!(
        "SELECT row_key, event_key, endpoint, order_id, number, tried_at, status, outcome, message \
         FROM {} WHERE endpoint = $1 AND row_key < $2 ORDER BY row_key DESC LIMIT $3",
        Tables::of(kind).attempts
    )
}

// The second condition on the state makes SQLite use the index.
const COUNTS: &str = "SELECT name, \
     (SELECT COUNT(*) FROM webhook_deliveries WHERE endpoint = name AND state = 'waiting' AND state <> 'delivered') \
     + (SELECT COUNT(*) FROM purchase_deliveries WHERE endpoint = name AND state = 'waiting' AND state <> 'delivered'), \
     (SELECT COUNT(*) FROM webhook_deliveries WHERE endpoint = name AND state = 'given_up' AND state <> 'delivered') \
     + (SELECT COUNT(*) FROM purchase_deliveries WHERE endpoint = name AND state = 'given_up' AND state <> 'delivered') \
     FROM webhook_endpoints ORDER BY name";

struct AttemptRecord {
    row_key: i64,
    event_key: i64,
    endpoint: String,
    order_id: String,
    number: i64,
    tried_at: i64,
    status: Option<i64>,
    outcome: String,
    message: String,
}

impl_from_row!(AttemptRecord {
    row_key,
    event_key,
    endpoint,
    order_id,
    number,
    tried_at,
    status,
    outcome,
    message
});

impl AttemptRecord {
    fn into_attempt(self, kind: SubjectKind) -> Result<DeliveryAttempt, StoreError> {
        let unknown = || StoreError::Corrupt(format!("webhook_attempts.outcome holds `{}`", self.outcome));
        Ok(DeliveryAttempt {
            outcome: AttemptOutcome::parse(&self.outcome).ok_or_else(unknown)?,
            key: key("webhook_attempts.row_key", self.row_key)?,
            endpoint: parse("webhook_attempts.endpoint", &self.endpoint)?,
            event: key("webhook_attempts.event_key", self.event_key)?,
            subject: Tables::of(kind).subject(&self.order_id)?,
            number: u32::try_from(self.number).unwrap_or(u32::MAX),
            at: time("webhook_attempts.tried_at", self.tried_at)?,
            status: self.status.and_then(|status| u16::try_from(status).ok()),
            message: self.message,
        })
    }
}

impl Store {
    pub(super) async fn read_delivery_log(
        &self,
        endpoint: &EndpointName,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<DeliveryAttempt>, StoreError> {
        let before = before.map_or(i64::MAX, RowKey::get);
        let mut attempts = Vec::new();
        for kind in SubjectKind::ALL {
            let rows: Result<Vec<AttemptRecord>, _> = on_engine!(self.engine, handles => {
                sqlx::query_as(AssertSqlSafe(log(kind)))
                    .bind(endpoint.as_str())
                    .bind(before)
                    .bind(i64::from(limit))
                    .fetch_all(&handles.readers)
                    .await
            });
            for row in rows.map_err(store_error)? {
                attempts.push(row.into_attempt(kind)?);
            }
        }
        attempts.sort_unstable_by_key(|attempt| std::cmp::Reverse(attempt.key));
        attempts.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(attempts)
    }

    pub(super) async fn read_delivery_counts(&self) -> Result<Vec<DeliveryCount>, StoreError> {
        let rows: Result<Vec<(String, i64, i64)>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(COUNTS).fetch_all(&handles.readers).await
        });
        let read = |(name, waiting, given_up): (String, i64, i64)| {
            Ok(DeliveryCount {
                endpoint: parse("webhook_endpoints.name", &name)?,
                waiting: waiting.unsigned_abs(),
                given_up: given_up.unsigned_abs(),
            })
        };
        rows.map_err(store_error)?.into_iter().map(read).collect()
    }
}
