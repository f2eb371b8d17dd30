use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::OutgoingKey;

/// Records that transactions below the nonce may be unknown to the outbox.
pub(crate) struct RecordUnknown(pub(crate) OutgoingKey);

/// Records that all of them are final or gone.
pub(crate) struct ForgetUnknown(pub(crate) OutgoingKey);

const RECORD: &str = "INSERT INTO unknown_transactions (signer, chain, below_nonce) VALUES ($1, $2, $3) \
     ON CONFLICT (signer, chain) DO UPDATE SET below_nonce = excluded.below_nonce \
     WHERE unknown_transactions.below_nonce < excluded.below_nonce";

const FORGET: &str =
    "DELETE FROM unknown_transactions WHERE signer = $1 AND chain = $2 AND below_nonce <= $3";

for_each_engine! {
    impl WriteOp<Db> for RecordUnknown {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let OutgoingKey { signer, chain, nonce } = &self.0;
            sqlx::query(RECORD).bind(signer).bind(*chain).bind(*nonce).execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for ForgetUnknown {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let OutgoingKey { signer, chain, nonce } = &self.0;
            sqlx::query(FORGET).bind(signer).bind(*chain).bind(*nonce).execute(connection).await?;
            Ok(())
        }
    }
}
