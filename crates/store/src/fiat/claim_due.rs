use causeway_domain::fiat::FiatOrder;
use sqlx::QueryBuilder;

use crate::engine::{Connection, Dialect};
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{FIAT_COLUMNS, FiatOrderRecord};

/// Takes purchases that are due and that nobody holds.
pub(super) struct ClaimDueFiat {
    pub(super) now: i64,
    pub(super) lease_until: i64,
    pub(super) limit: u32,
}

/// More than this at once only makes the transaction long.
const MOST: u32 = 1_000;

const DUE: &str =
    "FROM fiat_orders WHERE due_at <= $1 AND lease_until <= $1 ORDER BY due_at, row_key LIMIT $2";

for_each_engine! {
    impl Deed<Db> for ClaimDueFiat {
        type Outcome = Vec<FiatOrder>;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<FiatOrder>, Fault> {
            let select = format!("SELECT {FIAT_COLUMNS} {DUE}{}", Db::SKIP_LOCKED);
            let due: Vec<FiatOrderRecord> = sqlx::query_as(sqlx::AssertSqlSafe(select))
                .bind(self.now)
                .bind(i64::from(self.limit.min(MOST)))
                .fetch_all(&mut *connection)
                .await?;
            if due.is_empty() {
                return Ok(Vec::new());
            }
            let mut lease = QueryBuilder::<Db>::new("UPDATE fiat_orders SET lease_until = ");
            lease.push_bind(self.lease_until).push(" WHERE id IN (");
            let mut ids = lease.separated(", ");
            for row in &due {
                ids.push_bind(&row.id);
            }
            ids.push_unseparated(")");
            lease.build().persistent(false).execute(connection).await?;
            Ok(readable(due))
        }
    }
}

/// One row that cannot be read must not keep all the others from being worked on.
fn readable(rows: Vec<FiatOrderRecord>) -> Vec<FiatOrder> {
    let read = |row: FiatOrderRecord| {
        let id = row.id.clone();
        row.into_order()
            .inspect_err(|error| tracing::error!(order = id, %error, "a purchase is left alone"))
            .ok()
    };
    rows.into_iter().filter_map(read).collect()
}
