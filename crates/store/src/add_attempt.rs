use causeway_domain::ports::StoreError;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::put_outgoing::OutboxRows;
use crate::record::{AttemptRecord, OutgoingKey};

/// Puts an attempt behind those that its transaction has.
pub(crate) struct AddAttempt {
    pub(crate) key: OutgoingKey,
    pub(crate) attempt: AttemptRecord,
}

// Holds the row until the commit: an end that another replica records meanwhile waits, or is seen here.
const PLACE: &str = "UPDATE outbox SET last_place = last_place + 1 \
     WHERE signer = $1 AND chain = $2 AND nonce = $3 AND state = 'open' RETURNING last_place";

for_each_engine! {
    impl Deed<Db> for AddAttempt {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            let place: Option<i64> = sqlx::query_scalar(PLACE)
                .bind(&self.key.signer)
                .bind(self.key.chain)
                .bind(self.key.nonce)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(place) = place else {
                return Err(StoreError::Conflict("the transaction has ended, or was never written").into());
            };
            Db::insert_attempt(connection, &self.key, place, &self.attempt).await
        }
    }
}
