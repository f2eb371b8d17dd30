use async_trait::async_trait;
use causeway_domain::ports::{IdempotencyStore, KeptAnswer, KeyUse, KeyedRequest, StoreError};
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::store::Store;

// An attempt takes over what the same request left without an answer, and any key that has expired.
const CLAIM: &str = "INSERT INTO idempotency_keys (key_hash, request_hash, attempt, claimed_at) \
     VALUES ($1, $2, $3, $4) ON CONFLICT (key_hash) DO UPDATE SET request_hash = excluded.request_hash, \
     attempt = excluded.attempt, claimed_at = excluded.claimed_at, status = NULL, answer = NULL \
     WHERE idempotency_keys.claimed_at < $5 OR (idempotency_keys.status IS NULL \
     AND idempotency_keys.claimed_at < $6 AND idempotency_keys.request_hash = excluded.request_hash)";

const READ: &str = "SELECT request_hash, status, answer FROM idempotency_keys WHERE key_hash = $1";

const KEEP: &str = "UPDATE idempotency_keys SET status = $1, answer = $2 WHERE key_hash = $3 AND attempt = $4 AND status IS NULL";

const RELEASE: &str = "DELETE FROM idempotency_keys WHERE key_hash = $1 AND attempt = $2 AND status IS NULL";

pub(super) const EXPIRED: &str = "DELETE FROM idempotency_keys WHERE key_hash IN \
     (SELECT key_hash FROM idempotency_keys WHERE claimed_at < $1 ORDER BY claimed_at LIMIT $2)";

/// How many keys are kept. Anybody can use keys, and a request whose key was removed can be repeated without harm.
pub(super) const MAX_KEYS: i64 = 200_000;

pub(super) const EXCESS: &str = "DELETE FROM idempotency_keys WHERE key_hash IN \
     (SELECT key_hash FROM idempotency_keys ORDER BY claimed_at DESC LIMIT $1 OFFSET $2)";

struct Claim {
    request: KeyedRequest,
    abandoned_before: i64,
    expired_before: i64,
}

struct Keep {
    request: KeyedRequest,
    answer: KeptAnswer,
}

struct Release(KeyedRequest);

type Row = (String, Option<i64>, Option<Vec<u8>>);

/// What the row says to another attempt.
fn known(request: &KeyedRequest, row: Option<Row>) -> KeyUse {
    match row {
        Some((hash, ..)) if hash != request.request.to_string() => KeyUse::OtherRequest,
        Some((_, Some(status), Some(body))) => match u16::try_from(status) {
            Ok(status) => KeyUse::Answered(KeptAnswer { status, body }),
            Err(_) => KeyUse::InProgress,
        },
        // Another attempt has just released it: the next one claims it.
        _ => KeyUse::InProgress,
    }
}

for_each_engine! {
    impl WriteOp<Db> for Claim {
        type Outcome = KeyUse;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<KeyUse, DbError> {
            let KeyedRequest { key, request, attempt, at } = &self.request;
            let claim = sqlx::query(CLAIM)
                .bind(key.to_string())
                .bind(request.to_string())
                .bind(attempt.to_string())
                .bind(at.as_millisecond())
                .bind(self.expired_before)
                .bind(self.abandoned_before);
            if claim.execute(&mut *connection).await?.rows_affected() > 0 {
                return Ok(KeyUse::Claimed);
            }
            let row: Option<Row> =
                sqlx::query_as(READ).bind(key.to_string()).fetch_optional(connection).await?;
            Ok(known(&self.request, row))
        }
    }

    impl WriteOp<Db> for Keep {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let keep = sqlx::query(KEEP)
                .bind(i64::from(self.answer.status))
                .bind(&self.answer.body)
                .bind(self.request.key.to_string())
                .bind(self.request.attempt.to_string());
            keep.execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for Release {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let release = sqlx::query(RELEASE).bind(self.0.key.to_string()).bind(self.0.attempt.to_string());
            release.execute(connection).await?;
            Ok(())
        }
    }
}

#[async_trait]
impl IdempotencyStore for Store {
    async fn claim_request(
        &self,
        request: &KeyedRequest,
        abandoned_before: Timestamp,
        expired_before: Timestamp,
    ) -> Result<KeyUse, StoreError> {
        self.write(Claim {
            request: *request,
            abandoned_before: abandoned_before.as_millisecond(),
            expired_before: expired_before.as_millisecond(),
        })
        .await
    }

    async fn keep_answer(&self, request: &KeyedRequest, answer: &KeptAnswer) -> Result<(), StoreError> {
        self.write(Keep { request: *request, answer: answer.clone() }).await
    }

    async fn release_request(&self, request: &KeyedRequest) -> Result<(), StoreError> {
        self.write(Release(*request)).await
    }
}
