use causeway_domain::ports::{Rent, StoreError};
use causeway_domain::{ChainId, Order, OrderId, RentedAccount};
use sqlx::{AssertSqlSafe, Database};

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::{Connection, Dialect};
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{chain_number, parse, parse_with};
use crate::store::Store;

/// A row of `rents`, apart from the order.
pub(crate) struct RentRecord {
    account: &'static str,
    chain: i64,
    due: i64,
}

impl RentRecord {
    /// The accounts that an order may open, each due when it may be closed; none where a provider settles it.
    pub(crate) fn for_order(order: &Order) -> Vec<Self> {
        if order.provider.is_some() {
            return Vec::new();
        }
        let record = |account: RentedAccount| {
            let chain = chain_number(account.chain(order)?);
            Some(Self { account: account.as_str(), chain, due: seconds(account.kept_until(&order.terms)) })
        };
        RentedAccount::ALL.into_iter().filter_map(record).collect()
    }
}

/// Times beyond the column's range never come due.
fn seconds(moment: u64) -> i64 {
    i64::try_from(moment).unwrap_or(i64::MAX)
}

const ADD: &str = "INSERT INTO rents (order_id, account, chain, due) VALUES ($1, $2, $3, $4)";

pub(crate) const DUE: &str =
    "SELECT order_id, account FROM rents WHERE chain = $1 AND due <= $2 ORDER BY due LIMIT $3";

pub(crate) const POSTPONE: &str = "UPDATE rents SET due = $1 WHERE order_id = $2 AND account = $3";

const DELETE: &str = "DELETE FROM rents WHERE order_id = $1 AND account = $2";

/// Writes an order's accounts in the transaction that creates it.
pub(crate) trait AddRents: Database {
    fn add_rents(
        connection: &mut Connection<Self>,
        order: &str,
        rents: &[RentRecord],
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

struct Claim {
    chain: i64,
    time: i64,
    again: i64,
    limit: u32,
}

struct Postpone {
    order: String,
    account: RentedAccount,
    until: i64,
}

struct Delete {
    order: String,
    account: RentedAccount,
}

for_each_engine! {
    impl AddRents for Db {
        async fn add_rents(
            connection: &mut Connection<Self>,
            order: &str,
            rents: &[RentRecord],
        ) -> Result<(), DbError> {
            for rent in rents {
                let add = sqlx::query(ADD).bind(order).bind(rent.account).bind(rent.chain).bind(rent.due);
                add.execute(&mut *connection).await?;
            }
            Ok(())
        }
    }

    impl WriteOp<Db> for Claim {
        type Outcome = Vec<(String, String)>;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Skipping, self.chain)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Self::Outcome, DbError> {
            let select = AssertSqlSafe(format!("{DUE}{}", Db::SKIP_LOCKED));
            let due: Vec<(String, String)> = sqlx::query_as(select)
                .bind(self.chain)
                .bind(self.time)
                .bind(i64::from(self.limit))
                .fetch_all(&mut *connection)
                .await?;
            for (order, account) in &due {
                let postpone = sqlx::query(POSTPONE).bind(self.again).bind(order).bind(account);
                postpone.execute(&mut *connection).await?;
            }
            Ok(due)
        }
    }

    impl WriteOp<Db> for Postpone {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let postpone = sqlx::query(POSTPONE).bind(self.until).bind(&self.order);
            postpone.bind(self.account.as_str()).execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for Delete {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(DELETE).bind(&self.order).bind(self.account.as_str()).execute(connection).await?;
            Ok(())
        }
    }
}

impl Store {
    async fn rent(&self, order: &str, account: &str) -> Result<Option<Rent>, StoreError> {
        let account = parse_with("rents.account", account, RentedAccount::parse)?;
        let order = self.order_by_id(&parse("rents.order_id", order)?).await?;
        Ok(order.map(|order| Rent { order, account }))
    }

    pub(crate) async fn claim_due_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError> {
        let (time, again) = (seconds(time), seconds(again));
        let due = self.write(Claim { chain: chain_number(chain), time, again, limit }).await?;
        let mut rents = Vec::new();
        for (order, account) in due {
            match self.rent(&order, &account).await {
                Ok(rent) => rents.extend(rent),
                Err(error) if error.is_retryable() => return Err(error),
                // Skips rents that cannot be read, so that they do not block the others.
                Err(error) => tracing::error!(order, %error, "unreadable rent skipped"),
            }
        }
        Ok(rents)
    }

    pub(crate) async fn write_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError> {
        self.write(Postpone { order: order.to_string(), account, until: seconds(until) }).await
    }

    pub(crate) async fn delete_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
    ) -> Result<(), StoreError> {
        self.write(Delete { order: order.to_string(), account }).await
    }
}
