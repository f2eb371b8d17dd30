use std::marker::PhantomData;

use causeway_domain::ports::StoreError;
use sqlx::{Database, FromRow, QueryBuilder};

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::{Connection, Dialect};
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// A row that is processed when due; its table has `id`, `due_at`, `lease_until` and `row_key`.
pub(crate) trait Leased: Send + Sync + Unpin + 'static {
    type Read: Send + 'static;
    const TABLE: &'static str;
    const COLUMNS: &'static str;
    fn id(&self) -> &str;
    fn read(self) -> Result<Self::Read, StoreError>;
}

/// Leases rows that are due and not leased.
pub(crate) struct ClaimDue<R> {
    now: i64,
    lease_until: i64,
    limit: u32,
    rows: PhantomData<R>,
}

impl<R: Leased> ClaimDue<R> {
    pub(crate) const fn new(now: i64, lease_until: i64, limit: u32) -> Self {
        Self { now, lease_until, limit, rows: PhantomData }
    }
}

/// A larger batch only makes the transaction longer.
const MAX_CLAIMED: u32 = 1_000;

pub(crate) fn select_due<R: Leased>() -> String {
    format!(
        "SELECT {} FROM {} WHERE due_at <= $1 AND lease_until <= $1 ORDER BY due_at, row_key LIMIT $2",
        R::COLUMNS,
        R::TABLE
    )
}

for_each_engine! {
    impl<R> WriteOp<Db> for ClaimDue<R>
    where
        R: Leased + for<'r> FromRow<'r, <Db as Database>::Row>,
    {
        type Outcome = Vec<R::Read>;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Skipping, R::TABLE)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<R::Read>, DbError> {
            let select = format!("{}{}", select_due::<R>(), Db::SKIP_LOCKED);
            let due: Vec<R> = sqlx::query_as(sqlx::AssertSqlSafe(select))
                .bind(self.now)
                .bind(i64::from(self.limit.min(MAX_CLAIMED)))
                .fetch_all(&mut *connection)
                .await?;
            if due.is_empty() {
                return Ok(Vec::new());
            }
            let mut lease = QueryBuilder::<Db>::new(format!("UPDATE {} SET lease_until = ", R::TABLE));
            lease.push_bind(self.lease_until).push(" WHERE id IN (");
            let mut ids = lease.separated(", ");
            for row in &due {
                ids.push_bind(row.id());
            }
            ids.push_unseparated(")");
            lease.build().persistent(false).execute(connection).await?;
            Ok(readable(due))
        }
    }
}

/// Skips rows that cannot be read, so that they do not block the others.
fn readable<R: Leased>(rows: Vec<R>) -> Vec<R::Read> {
    let read = |row: R| {
        let id = row.id().to_owned();
        row.read()
            .inspect_err(|error| tracing::error!(table = R::TABLE, id, %error, "unreadable row skipped"))
            .ok()
    };
    rows.into_iter().filter_map(read).collect()
}
