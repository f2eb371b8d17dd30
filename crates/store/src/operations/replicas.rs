use std::time::Duration;

use causeway_domain::ports::StoreError;

use crate::database::engine::{Connection, Dialect as _};
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::store::Store;

/// Numbers are given from the highest down: processes of earlier versions, whose configuration names theirs, begin at zero.
const HIGHEST: i64 = 31;

const RENEW: &str = "UPDATE replicas SET lease_until = $1 WHERE holder = $2";

const MINE: &str = "SELECT number FROM replicas WHERE holder = $1";

const TAKEN: &str = "SELECT number FROM replicas WHERE lease_until > $1";

/// Changes nothing where another process was faster.
const TAKE: &str = "INSERT INTO replicas (number, holder, lease_until) VALUES ($1, $2, $3) \
     ON CONFLICT (number) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until \
     WHERE replicas.lease_until <= $4";

const RELEASE: &str = "DELETE FROM replicas WHERE holder = $1";

/// Leases the number of a replica to a process, or renews its lease.
struct LeaseReplica {
    holder: String,
    millis: i64,
}

struct ReleaseReplica(String);

for_each_engine! {
    impl WriteOp<Db> for LeaseReplica {
        type Outcome = Option<u8>;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Option<u8>, DbError> {
            // The database's own clock: those of the replicas may differ by more than a lease.
            let now: i64 = sqlx::query_scalar(Db::NOW_MILLIS).fetch_one(&mut *connection).await?;
            let until = now.saturating_add(self.millis);
            let renew = sqlx::query(RENEW).bind(until).bind(&self.holder);
            if renew.execute(&mut *connection).await?.rows_affected() > 0 {
                let mine: i64 = sqlx::query_scalar(MINE).bind(&self.holder).fetch_one(connection).await?;
                return Ok(u8::try_from(mine).ok());
            }
            let taken: Vec<i64> = sqlx::query_scalar(TAKEN).bind(now).fetch_all(&mut *connection).await?;
            for number in (0..=HIGHEST).rev().filter(|number| !taken.contains(number)) {
                let take = sqlx::query(TAKE).bind(number).bind(&self.holder).bind(until).bind(now);
                if take.execute(&mut *connection).await?.rows_affected() > 0 {
                    return Ok(u8::try_from(number).ok());
                }
            }
            Ok(None)
        }
    }

    impl WriteOp<Db> for ReleaseReplica {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(RELEASE).bind(&self.0).execute(connection).await?;
            Ok(())
        }
    }
}

impl Store {
    /// The number of this process among the replicas on one database, from 0 to 31, until the lease ends; the same one for as long
    /// as the process renews it in time. `None` while 32 others hold theirs.
    pub async fn lease_replica(&self, holder: &str, lease: Duration) -> Result<Option<u8>, StoreError> {
        let millis = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        self.write(LeaseReplica { holder: holder.to_owned(), millis }).await
    }

    /// Gives the number back at the end of the process.
    pub async fn release_replica(&self, holder: &str) -> Result<(), StoreError> {
        self.write(ReleaseReplica(holder.to_owned())).await
    }
}
