use causeway_domain::ports::StoreError;

use crate::database::batch_order::Turn;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::outbox::put_outgoing::OutboxRows;
use crate::record::{AttemptRecord, OutgoingKey};

/// Appends an attempt to a transaction.
pub(crate) struct AddAttempt {
    pub(crate) key: OutgoingKey,
    pub(crate) attempt: AttemptRecord,
}

// Locks the row until the commit, so that an end which another replica records at the same time is not missed.
const NEXT_ATTEMPT: &str = "UPDATE outbox SET last_attempt = last_attempt + 1 \
     WHERE signer = $1 AND chain = $2 AND nonce = $3 AND state = 'open' RETURNING last_attempt";

for_each_engine! {
    impl WriteOp<Db> for AddAttempt {
        type Outcome = ();

        fn turn(&self) -> Turn {
            self.key.turn()
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let attempt_index: Option<i64> = sqlx::query_scalar(NEXT_ATTEMPT)
                .bind(&self.key.signer)
                .bind(self.key.chain)
                .bind(self.key.nonce)
                .fetch_optional(&mut *connection)
                .await?;
            let Some(attempt_index) = attempt_index else {
                return Err(StoreError::Conflict("the transaction has ended, or was never written").into());
            };
            Db::insert_attempt(connection, &self.key, attempt_index, &self.attempt).await
        }
    }
}
