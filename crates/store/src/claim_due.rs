use causeway_domain::Order;
use sqlx::QueryBuilder;

use crate::engine::{Connection, Dialect};
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{ORDER_COLUMNS, OrderRecord};

/// Takes orders that are due and that nobody holds.
pub(crate) struct ClaimDue {
    pub(crate) now: i64,
    pub(crate) lease_until: i64,
    pub(crate) limit: u32,
}

/// More than this at once only makes the transaction long.
const MOST: u32 = 1_000;

pub(crate) const DUE: &str =
    "FROM orders WHERE due_at <= $1 AND lease_until <= $1 ORDER BY due_at, row_key LIMIT $2";

for_each_engine! {
    impl Deed<Db> for ClaimDue {
        type Outcome = Vec<Order>;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<Order>, Fault> {
            let select = format!("SELECT {ORDER_COLUMNS} {DUE}{}", Db::SKIP_LOCKED);
            let due: Vec<OrderRecord> = sqlx::query_as(sqlx::AssertSqlSafe(select))
                .bind(self.now)
                .bind(i64::from(self.limit.min(MOST)))
                .fetch_all(&mut *connection)
                .await?;
            if due.is_empty() {
                return Ok(Vec::new());
            }
            let mut lease = QueryBuilder::<Db>::new("UPDATE orders SET lease_until = ");
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
fn readable(rows: Vec<OrderRecord>) -> Vec<Order> {
    let read = |row: OrderRecord| {
        let id = row.id.clone();
        row.into_order()
            .inspect_err(|error| tracing::error!(order = id, %error, "an order is left alone"))
            .ok()
    };
    rows.into_iter().filter_map(read).collect()
}
