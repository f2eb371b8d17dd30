use crate::database::batch_order::Turn;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::OutgoingKey;

/// Records how a transaction ended, unless an end is recorded already; returns whether it was.
pub(crate) struct EndOutgoing {
    pub(crate) key: OutgoingKey,
    pub(crate) state: &'static str,
    pub(crate) ended_by: Option<String>,
}

const END: &str = "UPDATE outbox SET state = $1, ended_by = $2 \
     WHERE signer = $3 AND chain = $4 AND nonce = $5 AND state = 'open'";

for_each_engine! {
    impl WriteOp<Db> for EndOutgoing {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            self.key.turn()
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let ended = sqlx::query(END)
                .bind(self.state)
                .bind(&self.ended_by)
                .bind(&self.key.signer)
                .bind(self.key.chain)
                .bind(self.key.nonce)
                .execute(connection)
                .await?;
            Ok(ended.rows_affected() > 0)
        }
    }
}
