use causeway_domain::ports::{DeliveryAttempt, DeliveryEnd, SubjectKind};
use sqlx::AssertSqlSafe;

use super::step_up::StepUp as _;
use super::tables::Tables;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Records the result of an attempt, and makes the order's next event due once this one is done.
pub(super) struct End {
    pub(super) attempt: DeliveryAttempt,
    pub(super) lease: i64,
    pub(super) result: DeliveryEnd,
    pub(super) give_up_before: Option<i64>,
}

// Runs first: the row lock serializes replicas.
pub(super) const LOCK_ENDPOINT: &str = "UPDATE webhook_endpoints SET read_to = read_to WHERE name = $1";

// An acknowledged event is delivered, whoever holds its lease by now.
const DELIVERED: &str = "state = 'delivered', attempts = $1, due_at = NULL, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting'";

const LATER: &str = "attempts = $1, due_at = $5, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting' AND lease_until = $4";

const GIVEN_UP: &str = "state = 'given_up', attempts = $1, due_at = NULL, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting' AND lease_until = $4";

fn change(kind: SubjectKind, end: DeliveryEnd) -> String {
    let change = match end {
        DeliveryEnd::Delivered => DELIVERED,
        DeliveryEnd::Later(_) => LATER,
        DeliveryEnd::GivenUp => GIVEN_UP,
    };
    format!("UPDATE {} SET {change}", Tables::of(kind).deliveries)
}

// A leased delivery is left to its holder. The second condition on the state makes SQLite use the index.
pub(crate) fn give_up(kind: SubjectKind) -> String {
    format!(
        "UPDATE {} SET state = 'given_up', due_at = NULL WHERE endpoint = $1 AND state = 'waiting' \
         AND state <> 'delivered' AND queued_at < $2 AND lease_until <= $3 RETURNING order_id",
        Tables::of(kind).deliveries
    )
}

fn log(kind: SubjectKind) -> String {
    let Tables { attempts, deliveries, .. } = Tables::of(kind);
    format!(
        "INSERT INTO {attempts} (row_key, event_key, endpoint, order_id, number, tried_at, status, outcome, message) \
         SELECT $1, event_key, endpoint, order_id, $2, $3, $4, $5, $6 FROM {deliveries} \
         WHERE event_key = $7 AND endpoint = $8"
    )
}

for_each_engine! {
    impl WriteOp<Db> for End {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let DeliveryAttempt { key, endpoint, event, subject, number, at, status, outcome, message: words } =
                &self.attempt;
            let kind = subject.kind();
            let at = at.as_millisecond();
            sqlx::query(LOCK_ENDPOINT).bind(endpoint.as_str()).execute(&mut *connection).await?;
            let ending = sqlx::query(AssertSqlSafe(change(kind, self.result)));
            let mut ending = ending.bind(i64::from(*number)).bind(event.get()).bind(endpoint.as_str());
            if self.result != DeliveryEnd::Delivered {
                ending = ending.bind(self.lease);
            }
            if let DeliveryEnd::Later(due) = self.result {
                ending = ending.bind(due.as_millisecond());
            }
            ending.execute(&mut *connection).await?;
            // Writes nothing if the event or the endpoint was removed in the meantime.
            sqlx::query(AssertSqlSafe(log(kind)))
                .bind(key.get())
                .bind(i64::from(*number))
                .bind(at)
                .bind(status.map(i64::from))
                .bind(outcome.as_str())
                .bind(words)
                .bind(event.get())
                .bind(endpoint.as_str())
                .execute(&mut *connection)
                .await?;
            for of in SubjectKind::ALL {
                let mut affected = Vec::new();
                if of == kind {
                    affected.push(subject.as_str().to_owned());
                }
                if let Some(before) = self.give_up_before {
                    let given_up: Vec<String> = sqlx::query_scalar(AssertSqlSafe(give_up(of)))
                        .bind(endpoint.as_str())
                        .bind(before)
                        .bind(at)
                        .fetch_all(&mut *connection)
                        .await?;
                    affected.extend(given_up);
                }
                affected.sort_unstable();
                affected.dedup();
                Db::step_up(connection, of, &affected, at).await?;
            }
            Ok(())
        }
    }
}
