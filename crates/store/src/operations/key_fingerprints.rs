use causeway_domain::ports::StoreError;
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::store::Store;

const ADD: &str = "INSERT INTO key_fingerprints (role, fingerprint, since) VALUES ($1, $2, $3) \
     ON CONFLICT (role) DO NOTHING";

const READ: &str = "SELECT fingerprint FROM key_fingerprints WHERE role = $1";

const REPLACE: &str =
    "UPDATE key_fingerprints SET fingerprint = $1, since = $2 WHERE role = $3 AND fingerprint = $4";

const FORGET: &str = "DELETE FROM key_fingerprints WHERE role = $1";

/// The key that a process has in a role, as the store may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyClaim {
    /// Such as `quote` or `relayer`.
    pub role: String,
    pub fingerprint: String,
    /// Fingerprints of keys that this one follows: a process that knows them may replace them.
    pub replaces: Vec<String>,
}

struct Claim {
    claim: KeyClaim,
    now: i64,
}

struct Forget(String);

for_each_engine! {
    impl WriteOp<Db> for Claim {
        type Outcome = String;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<String, DbError> {
            let KeyClaim { role, fingerprint, replaces } = &self.claim;
            sqlx::query(ADD).bind(role).bind(fingerprint).bind(self.now).execute(&mut *connection).await?;
            let (known,): (String,) = sqlx::query_as(READ).bind(role).fetch_one(&mut *connection).await?;
            if known == *fingerprint || !replaces.contains(&known) {
                return Ok(known);
            }
            let replace = sqlx::query(REPLACE).bind(fingerprint).bind(self.now).bind(role).bind(&known);
            replace.execute(connection).await?;
            Ok(fingerprint.clone())
        }
    }

    impl WriteOp<Db> for Forget {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let done = sqlx::query(FORGET).bind(&self.0).execute(connection).await?;
            Ok(done.rows_affected() > 0)
        }
    }
}

impl Store {
    /// Records the key unless the role has one; returns the fingerprint that the processes on this database have to have.
    pub async fn claim_key(&self, claim: KeyClaim) -> Result<String, StoreError> {
        self.write(Claim { claim, now: Timestamp::now().as_millisecond() }).await
    }

    /// Forgets the key of a role, so that the next start records the one that it has.
    pub async fn forget_key(&self, role: &str) -> Result<bool, StoreError> {
        self.write(Forget(role.to_owned())).await
    }
}
