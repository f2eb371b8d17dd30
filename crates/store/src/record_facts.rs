use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{FACT_COLUMNS, FactRecord, MarkRecord};

/// Writes facts that stand, moves the mark up to which their chain was read, and wakes the orders that they are about.
pub(crate) struct RecordFacts {
    pub(crate) mark: MarkRecord,
    pub(crate) facts: Vec<FactRecord>,
    pub(crate) now: i64,
}

// Comes first: replicas that read the same chain take turns at this row.
const MARK: &str = "INSERT INTO marks (chain, care, block, hash, block_time) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (chain, care) DO UPDATE SET block = excluded.block, hash = excluded.hash, \
     block_time = excluded.block_time WHERE marks.block < excluded.block";

// Answers for what is new, or stands more firmly than before.
fn insert() -> String {
    format!(
        "INSERT INTO facts ({FACT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
         ON CONFLICT (tx, chain, log_index) DO UPDATE SET care = excluded.care \
         WHERE facts.care < excluded.care RETURNING intent_id"
    )
}

// Whoever works on the order has not seen what woke it: it loses its write, and its lease is over.
pub(crate) const WAKE: &str =
    "UPDATE orders SET due_at = $1, lease_until = 0, version = version + 1 WHERE intent_id = $2";

for_each_engine! {
    impl Deed<Db> for RecordFacts {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            sqlx::query(MARK)
                .bind(self.mark.chain)
                .bind(self.mark.care)
                .bind(self.mark.block)
                .bind(&self.mark.hash)
                .bind(self.mark.block_time)
                .execute(&mut *connection)
                .await?;
            // In one order for all, so that two who wake the same do not wait for each other.
            let mut told = BTreeSet::new();
            let insert = insert();
            for fact in &self.facts {
                let intent: Option<String> = sqlx::query_scalar(AssertSqlSafe(insert.as_str()))
                    .bind(&fact.tx)
                    .bind(fact.chain)
                    .bind(fact.log_index)
                    .bind(&fact.intent_id)
                    .bind(&fact.kind)
                    .bind(fact.block)
                    .bind(fact.block_time)
                    .bind(fact.care)
                    .bind(&fact.terms)
                    .bind(&fact.amount)
                    .bind(&fact.paid_to)
                    .bind(&fact.cause)
                    .fetch_optional(&mut *connection)
                    .await?;
                told.extend(intent);
            }
            for intent in told {
                sqlx::query(WAKE).bind(self.now).bind(intent).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}
