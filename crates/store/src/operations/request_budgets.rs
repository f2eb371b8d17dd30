use async_trait::async_trait;
use causeway_domain::ports::{BudgetLease, Leased, RequestBudgets, StoreError};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::time;
use crate::store::Store;

/// Adds to the window, or begins the next one. More than the limit may be counted, and nobody is granted it.
const LEASE: &str = "INSERT INTO request_budgets (name, begun, taken, paused_until) VALUES ($1, $2, $3, 0) \
     ON CONFLICT (name) DO UPDATE SET \
         taken = CASE WHEN excluded.begun > request_budgets.begun OR request_budgets.begun > $4 \
             THEN excluded.taken ELSE request_budgets.taken + excluded.taken END, \
         begun = CASE WHEN excluded.begun > request_budgets.begun OR request_budgets.begun > $4 \
             THEN excluded.begun ELSE request_budgets.begun END \
     RETURNING taken, paused_until";

const PAUSE: &str = "INSERT INTO request_budgets (name, begun, taken, paused_until) VALUES ($1, 0, 0, $2) \
     ON CONFLICT (name) DO UPDATE SET paused_until = excluded.paused_until \
     WHERE excluded.paused_until > request_budgets.paused_until";

const PAUSED: &str = "SELECT paused_until FROM request_budgets WHERE name = $1";

struct Lease {
    name: String,
    begun: i64,
    /// What is wanted, and what was sent without a lease.
    taken: i64,
    /// Windows that begin later are a clock's mistake.
    latest: i64,
}

struct PauseBudget {
    name: String,
    until: i64,
}

for_each_engine! {
    impl WriteOp<Db> for Lease {
        type Outcome = (i64, i64);

        fn turn(&self) -> Turn {
            Turn::of(Locked::Other, &self.name)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(i64, i64), DbError> {
            let Self { name, begun, taken, latest } = self;
            let row = sqlx::query_as(LEASE).bind(name).bind(begun).bind(taken).bind(latest);
            Ok(row.fetch_one(connection).await?)
        }
    }

    impl WriteOp<Db> for PauseBudget {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::Other, &self.name)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(PAUSE).bind(&self.name).bind(self.until).execute(connection).await?;
            Ok(())
        }
    }
}

/// Zero stands for no pause.
fn paused(until: i64) -> Result<Option<Timestamp>, StoreError> {
    if until == 0 { Ok(None) } else { time("request_budgets.paused_until", until).map(Some) }
}

#[async_trait]
impl RequestBudgets for Store {
    async fn lease(&self, lease: &BudgetLease) -> Result<Leased, StoreError> {
        let begun = lease.begun.as_millisecond();
        let window = i64::try_from(lease.window.as_millis()).unwrap_or(i64::MAX);
        let (taken, until) = self
            .write(Lease {
                name: lease.budget.clone(),
                begun,
                taken: i64::from(lease.wanted).saturating_add(i64::from(lease.sent)),
                latest: begun.saturating_add(window),
            })
            .await?;
        // What others had taken before this lease.
        let before = taken.saturating_sub(i64::from(lease.wanted));
        let left = i64::from(lease.limit).saturating_sub(before).clamp(0, i64::from(lease.wanted));
        Ok(Leased { granted: u32::try_from(left).unwrap_or(0), paused_until: paused(until)? })
    }

    async fn pause_budget(&self, budget: &str, until: Timestamp) -> Result<(), StoreError> {
        self.write(PauseBudget { name: budget.to_owned(), until: until.as_millisecond() }).await
    }

    async fn budget_paused_until(&self, budget: &str) -> Result<Option<Timestamp>, StoreError> {
        let until: Option<(i64,)> = on_engine!(self.engine, handles => {
            sqlx::query_as(PAUSED).bind(budget).fetch_optional(&handles.readers).await
        })
        .map_err(store_error)?;
        until.map_or(Ok(None), |(until,)| paused(until))
    }
}
