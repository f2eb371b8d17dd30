use causeway_domain::ports::{DeliveryAttempt, DeliveryEnd};

use super::step_up::StepUp as _;
use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;

/// Writes down how an attempt went, and lets the order's next event follow when it is over.
pub(super) struct End {
    pub(super) attempt: DeliveryAttempt,
    pub(super) lease: i64,
    pub(super) how: DeliveryEnd,
    pub(super) give_up_before: Option<i64>,
}

// First, so that replicas take turns.
pub(super) const TURN: &str = "UPDATE webhook_endpoints SET read_to = read_to WHERE name = $1";

// What a receiver has acknowledged is delivered, whoever holds it by now.
const DELIVERED: &str = "UPDATE webhook_deliveries SET state = 'delivered', attempts = $1, due_at = NULL, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting'";

const LATER: &str = "UPDATE webhook_deliveries SET attempts = $1, due_at = $5, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting' AND lease_until = $4";

const GIVEN_UP: &str = "UPDATE webhook_deliveries SET state = 'given_up', attempts = $1, due_at = NULL, lease_until = 0 \
     WHERE event_key = $2 AND endpoint = $3 AND state = 'waiting' AND lease_until = $4";

// What somebody is sending at this moment is for them to end. The second word on the state leads SQLite to the index.
pub(crate) const GIVE_UP: &str = "UPDATE webhook_deliveries SET state = 'given_up', due_at = NULL \
     WHERE endpoint = $1 AND state = 'waiting' AND state <> 'delivered' AND waits_since < $2 AND lease_until <= $3 RETURNING order_id";

const LOG: &str = "INSERT INTO webhook_attempts (row_key, event_key, endpoint, order_id, number, tried_at, status, \
     outcome, words) SELECT $1, event_key, endpoint, order_id, $2, $3, $4, $5, $6 FROM webhook_deliveries \
     WHERE event_key = $7 AND endpoint = $8";

for_each_engine! {
    impl Deed<Db> for End {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            let DeliveryAttempt { key, endpoint, event, order, number, at, status, outcome, words } = &self.attempt;
            let at = at.as_millisecond();
            sqlx::query(TURN).bind(endpoint.as_str()).execute(&mut *connection).await?;
            let ending = match self.how {
                DeliveryEnd::Delivered => sqlx::query(DELIVERED),
                DeliveryEnd::Later(_) => sqlx::query(LATER),
                DeliveryEnd::GivenUp => sqlx::query(GIVEN_UP),
            };
            let mut ending = ending.bind(i64::from(*number)).bind(event.get()).bind(endpoint.as_str());
            if self.how != DeliveryEnd::Delivered {
                ending = ending.bind(self.lease);
            }
            if let DeliveryEnd::Later(due) = self.how {
                ending = ending.bind(due.as_millisecond());
            }
            ending.execute(&mut *connection).await?;
            // Nothing is written where the event, or the endpoint, has gone meanwhile.
            sqlx::query(LOG)
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
            let mut moved = vec![order.to_string()];
            if let Some(before) = self.give_up_before {
                let given_up: Vec<String> = sqlx::query_scalar(GIVE_UP)
                    .bind(endpoint.as_str())
                    .bind(before)
                    .bind(at)
                    .fetch_all(&mut *connection)
                    .await?;
                moved.extend(given_up);
            }
            moved.sort_unstable();
            moved.dedup();
            Db::step_up(connection, &moved, at).await
        }
    }
}
