use causeway_domain::ports::StoreError;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::store::Store;

/// Removes what is true of one run of the chains only.
struct ForgetChains;

// The attempts go with their transactions. A book that stays keeps its version, which means nothing by itself.
const FORGET: [&str; 2] = ["DELETE FROM outbox", "DELETE FROM reservations"];

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
    /// Empties the outbox and the reservations, for chains that begin anew: their nonces and deposits are gone.
    /// Quotes and orders stay, as a record of what happened.
    pub async fn forget_chains(&self) -> Result<(), StoreError> {
        self.write(ForgetChains).await
    }
}
