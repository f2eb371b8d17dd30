use std::marker::PhantomData;

use causeway_domain::ports::StoreError;
use sqlx::{Database, FromRow, QueryBuilder};

use crate::engine::{Connection, Dialect};
use crate::fault::Fault;
use crate::job::Deed;

/// A row that somebody works on when it is due: it has `id`, `due_at`, `lease_until` and `row_key`.
pub(crate) trait Leased: Send + Sync + Unpin + 'static {
    type Read: Send + 'static;
    const TABLE: &'static str;
    const COLUMNS: &'static str;
    fn id(&self) -> &str;
    fn read(self) -> Result<Self::Read, StoreError>;
}

/// Takes rows that are due and that nobody holds.
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

/// More than this at once only makes the transaction long.
const MOST: u32 = 1_000;

pub(crate) fn select_due<R: Leased>() -> String {
    format!(
        "SELECT {} FROM {} WHERE due_at <= $1 AND lease_until <= $1 ORDER BY due_at, row_key LIMIT $2",
        R::COLUMNS,
        R::TABLE
    )
}

for_each_engine! {
    impl<R> Deed<Db> for ClaimDue<R>
    where
        R: Leased + for<'r> FromRow<'r, <Db as Database>::Row>,
    {
        type Outcome = Vec<R::Read>;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<R::Read>, Fault> {
            let select = format!("{}{}", select_due::<R>(), Db::SKIP_LOCKED);
            let due: Vec<R> = sqlx::query_as(sqlx::AssertSqlSafe(select))
                .bind(self.now)
                .bind(i64::from(self.limit.min(MOST)))
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

/// One row that cannot be read must not keep all the others from being worked on.
fn readable<R: Leased>(rows: Vec<R>) -> Vec<R::Read> {
    let read = |row: R| {
        let id = row.id().to_owned();
        row.read()
            .inspect_err(|error| tracing::error!(table = R::TABLE, id, %error, "a row is left alone"))
            .ok()
    };
    rows.into_iter().filter_map(read).collect()
}
