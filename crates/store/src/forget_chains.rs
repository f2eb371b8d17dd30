use causeway_domain::ports::StoreError;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::store::Store;

/// Removes what is true of one run of the chains only.
struct ForgetChains;

// The attempts go with their transactions, events and arrivals with their orders. A book that stays keeps its version,
// which means nothing by itself.
const FORGET: [&str; 9] = [
    "DELETE FROM outbox",
    "DELETE FROM reservations",
    "DELETE FROM losses",
    "DELETE FROM facts",
    "DELETE FROM marks",
    "DELETE FROM orders",
    "UPDATE quotes SET taken = 0 WHERE taken = 1",
    "DELETE FROM fiat_orders",
    "UPDATE fiat_quotes SET taken = 0 WHERE taken = 1",
];

for_each_engine! {
    impl Deed<Db> for ForgetChains {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            for statement in FORGET {
                sqlx::query(statement).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}

impl Store {
    /// Removes all that hangs on the chains, for chains that begin anew: what was sent and reserved, what they have shown,
    /// and the orders and purchases, whose deposits are gone. Quotes stay.
    pub async fn forget_chains(&self) -> Result<(), StoreError> {
        self.write(ForgetChains).await
    }
}
