use causeway_domain::ports::StoreError;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::store::Store;

/// Removes all data that depends on one run of the chains.
struct ForgetChains;

// Attempts are deleted with their transactions, events and arrivals with their orders. A remaining book keeps its version,
// which has no meaning of its own.
const DELETIONS: [&str; 13] = [
    "DELETE FROM outbox",
    "DELETE FROM unknown_transactions",
    "DELETE FROM reservations",
    "DELETE FROM losses",
    "DELETE FROM loss_totals",
    "DELETE FROM outflows",
    "DELETE FROM claim_batch_orders",
    "DELETE FROM claim_batches",
    "DELETE FROM facts",
    "DELETE FROM chain_cursors",
    "DELETE FROM orders",
    "DELETE FROM fiat_orders",
    "UPDATE fiat_quotes SET taken = 0 WHERE taken = 1",
];

for_each_engine! {
    impl WriteOp<Db> for ForgetChains {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            for statement in DELETIONS {
                sqlx::query(statement).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}

impl Store {
    /// Removes all data that depends on the chains, for sandbox chains that start anew: sent transactions, reservations,
    /// contract events, orders and purchases.
    pub async fn forget_chains(&self) -> Result<(), StoreError> {
        self.write(ForgetChains).await
    }
}
