use async_trait::async_trait;
use causeway_domain::ports::StoreError;
use tokio::sync::oneshot;

use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::{Connection, Dialect};
use crate::database::error::DbError;

/// Delivers the result of a write to its caller.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// One write of a group commit.
pub(crate) trait WriteOp<DB: Dialect>: Send + Sync + 'static {
    type Outcome: Send + 'static;

    /// When it runs among the writes of its batch.
    fn turn(&self) -> Turn {
        Turn::default()
    }

    /// Adds the orders whose rows it changes, apart from those that it creates.
    fn add_orders(&self, _: &mut OrderRows) {}

    /// Runs inside the open transaction; may be called again after a rollback.
    fn run(
        &self,
        connection: &mut Connection<DB>,
    ) -> impl Future<Output = Result<Self::Outcome, DbError>> + Send;
}

/// A write in the queue.
pub(crate) type Job<DB> = Box<dyn DynWriteOp<DB>>;

/// A write with its outcome type erased.
#[async_trait]
pub(crate) trait DynWriteOp<DB: Dialect>: Send {
    fn turn(&self) -> Turn;

    fn add_orders(&self, rows: &mut OrderRows);

    async fn run(&mut self, connection: &mut Connection<DB>) -> Result<(), DbError>;

    /// Replies to the caller after the commit, or with the error.
    fn finish(self: Box<Self>, error: Option<StoreError>);
}

pub(crate) struct PendingWrite<D, T> {
    op: D,
    outcome: Option<T>,
    reply: Reply<T>,
}

impl<D, T> PendingWrite<D, T> {
    pub(crate) fn new(op: D, reply: Reply<T>) -> Self {
        Self { op, outcome: None, reply }
    }
}

#[async_trait]
impl<DB: Dialect, D: WriteOp<DB>> DynWriteOp<DB> for PendingWrite<D, D::Outcome> {
    fn turn(&self) -> Turn {
        self.op.turn()
    }

    fn add_orders(&self, rows: &mut OrderRows) {
        self.op.add_orders(rows);
    }

    async fn run(&mut self, connection: &mut Connection<DB>) -> Result<(), DbError> {
        self.outcome = Some(self.op.run(connection).await?);
        Ok(())
    }

    fn finish(self: Box<Self>, error: Option<StoreError>) {
        let answer = match (error, self.outcome) {
            (None, Some(outcome)) => Ok(outcome),
            (Some(error), _) => Err(error),
            (None, None) => Err(StoreError::Conflict("the write was acknowledged before it ran")),
        };
        // The caller may be gone; its write stays.
        let _ = self.reply.send(answer);
    }
}
