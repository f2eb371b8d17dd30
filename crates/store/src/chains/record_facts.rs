use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use crate::database::batch_order::{Locked, OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{CursorRecord, FACT_COLUMNS, FactRecord};

/// Writes final facts, advances the chain's cursor, and makes the orders of the facts due.
pub(crate) struct RecordFacts {
    pub(crate) cursor: CursorRecord,
    pub(crate) facts: Vec<FactRecord>,
    pub(crate) now: i64,
}

// Runs first: this row serializes replicas that read the same chain.
const CURSOR: &str = "INSERT INTO chain_cursors (chain, finality_tier, block, hash, block_time) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (chain, finality_tier) DO UPDATE SET block = excluded.block, hash = excluded.hash, \
     block_time = excluded.block_time WHERE chain_cursors.block < excluded.block";

// Returns the intent if the fact is new or has a higher finality tier than before.
fn insert() -> String {
    format!(
        "INSERT INTO facts ({FACT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
         ON CONFLICT (tx, chain, log_index) DO UPDATE SET finality_tier = excluded.finality_tier \
         WHERE facts.finality_tier < excluded.finality_tier RETURNING intent_id"
    )
}

// A worker that holds the order has not seen the new fact: it loses its write by the version, and its lease ends.
pub(crate) const WAKE: &str =
    "UPDATE orders SET due_at = $1, lease_until = 0, version = version + 1 WHERE intent_id = $2";

for_each_engine! {
    impl WriteOp<Db> for RecordFacts {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::Cursors, (self.cursor.chain, self.cursor.finality_tier))
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            for fact in &self.facts {
                rows.add_intent(&fact.intent_id);
            }
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(CURSOR)
                .bind(self.cursor.chain)
                .bind(self.cursor.finality_tier)
                .bind(self.cursor.block)
                .bind(&self.cursor.hash)
                .bind(self.cursor.block_time)
                .execute(&mut *connection)
                .await?;
            // Sorted, so that two writers that update the same orders do not deadlock.
            let mut affected = BTreeSet::new();
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
                    .bind(fact.finality_tier)
                    .bind(&fact.terms)
                    .bind(&fact.amount)
                    .bind(&fact.paid_to)
                    .bind(&fact.cause)
                    .fetch_optional(&mut *connection)
                    .await?;
                affected.extend(intent);
            }
            for intent in affected {
                sqlx::query(WAKE).bind(self.now).bind(intent).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}
