use async_trait::async_trait;
use causeway_domain::ports::StoreError;
use tokio::sync::oneshot;

use crate::engine::{Connection, Dialect};
use crate::fault::Fault;
use crate::record::Entry;

/// A caller who waits for what became of a write.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// One write, as its file describes it.
pub(crate) trait Deed<DB: Dialect>: Send + Sync + 'static {
    type Outcome: Send + 'static;

    /// Works inside the open transaction; may be called again after a rollback.
    fn run(
        &self,
        connection: &mut Connection<DB>,
    ) -> impl Future<Output = Result<Self::Outcome, Fault>> + Send;
}

/// A write in the queue, whatever it answers.
#[async_trait]
pub(crate) trait Job<DB: Dialect>: Send {
    /// The quote, when that is all there is to write: quotes are written many at a time.
    fn quote(&self) -> Option<&Entry> {
        None
    }

    async fn run(&mut self, connection: &mut Connection<DB>) -> Result<(), Fault>;

    /// Answers the caller after the commit, or with the reason why there was none.
    fn finish(self: Box<Self>, error: Option<StoreError>);
}

pub(crate) struct Pending<D, T> {
    deed: D,
    outcome: Option<T>,
    reply: Reply<T>,
}

impl<D, T> Pending<D, T> {
    pub(crate) fn new(deed: D, reply: Reply<T>) -> Self {
        Self { deed, outcome: None, reply }
    }
}

#[async_trait]
impl<DB: Dialect, D: Deed<DB>> Job<DB> for Pending<D, D::Outcome> {
    async fn run(&mut self, connection: &mut Connection<DB>) -> Result<(), Fault> {
        self.outcome = Some(self.deed.run(connection).await?);
        Ok(())
    }

    fn finish(self: Box<Self>, error: Option<StoreError>) {
        let answer = match (error, self.outcome) {
            (None, Some(outcome)) => Ok(outcome),
            (Some(error), _) => Err(error),
            (None, None) => Err(StoreError::Conflict("the write was acknowledged before it ran")),
        };
        // A caller that has gone away wanted no answer; its write stands.
        let _ = self.reply.send(answer);
    }
}

pub(crate) struct PutQuote {
    pub(crate) entry: Entry,
    pub(crate) reply: Reply<()>,
}

#[async_trait]
impl<DB: Dialect> Job<DB> for PutQuote {
    fn quote(&self) -> Option<&Entry> {
        Some(&self.entry)
    }

    async fn run(&mut self, _connection: &mut Connection<DB>) -> Result<(), Fault> {
        Ok(())
    }

    fn finish(self: Box<Self>, error: Option<StoreError>) {
        let _ = self.reply.send(error.map_or(Ok(()), Err));
    }
}
