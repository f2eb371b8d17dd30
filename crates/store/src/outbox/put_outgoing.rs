use causeway_domain::ports::{OutboxPut, Outgoing};
use sqlx::{AssertSqlSafe, Database};

use crate::database::batch_order::Turn;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{AttemptRecord, OutgoingKey, OutgoingRows, SENT, SentRecord, gather};

/// Writes a transaction with its attempts if its nonce and its purpose are unused.
pub(crate) struct PutOutgoing(pub(crate) OutgoingRows);

pub(crate) const FOR_PURPOSE: &str =
    "WHERE purpose = $1 AND chain = $2 AND state <> 'superseded' ORDER BY attempt";

// Names no index: the nonce and the purpose each have a unique index, and either may conflict.
const PUT: &str = "INSERT INTO outbox (signer, chain, nonce, purpose, last_attempt) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT DO NOTHING";

const ATTEMPT: &str = "INSERT INTO attempts (signer, chain, nonce, attempt, hash, raw, max_fee_per_gas, \
     priority_fee_per_gas, made_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (nonce, chain, signer, hash) DO NOTHING";

/// Reads and writes the outbox inside a transaction.
pub(crate) trait OutboxRows: Database {
    fn for_purpose(
        connection: &mut Connection<Self>,
        chain: i64,
        purpose: &str,
    ) -> impl Future<Output = Result<Option<Outgoing>, DbError>> + Send;

    /// Writes an attempt once.
    fn insert_attempt(
        connection: &mut Connection<Self>,
        key: &OutgoingKey,
        attempt_index: i64,
        attempt: &AttemptRecord,
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

for_each_engine! {
    impl OutboxRows for Db {
        async fn for_purpose(
            connection: &mut Connection<Self>,
            chain: i64,
            purpose: &str,
        ) -> Result<Option<Outgoing>, DbError> {
            let rows: Vec<SentRecord> = sqlx::query_as(AssertSqlSafe(format!("{SENT} {FOR_PURPOSE}")))
                .bind(purpose)
                .bind(chain)
                .fetch_all(connection)
                .await?;
            Ok(gather(rows)?.pop())
        }

        async fn insert_attempt(
            connection: &mut Connection<Self>,
            key: &OutgoingKey,
            attempt_index: i64,
            attempt: &AttemptRecord,
        ) -> Result<(), DbError> {
            sqlx::query(ATTEMPT)
                .bind(&key.signer)
                .bind(key.chain)
                .bind(key.nonce)
                .bind(attempt_index)
                .bind(&attempt.hash)
                .bind(&attempt.raw)
                .bind(&attempt.max_fee_per_gas)
                .bind(&attempt.priority_fee_per_gas)
                .bind(attempt.made_at)
                .execute(connection)
                .await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for PutOutgoing {
        type Outcome = OutboxPut;

        fn turn(&self) -> Turn {
            self.0.key.turn()
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<OutboxPut, DbError> {
            let OutgoingRows { key, purpose, attempts } = &self.0;
            if let Some(existing) = Db::for_purpose(connection, key.chain, purpose).await? {
                return Ok(OutboxPut::Existing(Box::new(existing)));
            }
            let indexed = (0..).zip(attempts);
            let written = sqlx::query(PUT)
                .bind(&key.signer)
                .bind(key.chain)
                .bind(key.nonce)
                .bind(purpose)
                .bind(indexed.clone().map(|(attempt_index, _)| attempt_index).last().unwrap_or(0))
                .execute(&mut *connection)
                .await?;
            if written.rows_affected() == 1 {
                for (attempt_index, attempt) in indexed {
                    Db::insert_attempt(connection, key, attempt_index, attempt).await?;
                }
                return Ok(OutboxPut::Written);
            }
            // Another replica may have taken the purpose, not the nonce, since the check above.
            let existing = Db::for_purpose(connection, key.chain, purpose).await?;
            Ok(existing.map_or(OutboxPut::NonceTaken, |existing| OutboxPut::Existing(Box::new(existing))))
        }
    }
}
