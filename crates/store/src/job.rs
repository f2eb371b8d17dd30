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

/// A write in the queue.
pub(crate) enum Job<DB: Dialect> {
    /// Quotes are written many at a time, and are most of what is written.
    Quote(PutQuote),
    Other(Box<dyn Work<DB>>),
}

impl<DB: Dialect> Job<DB> {
    pub(crate) fn quote(&self) -> Option<&Entry> {
        match self {
            Self::Quote(put) => Some(&put.entry),
            Self::Other(_) => None,
        }
    }

    /// Answers the caller after the commit, or with the reason why there was none.
    pub(crate) fn finish(self, error: Option<StoreError>) {
        match self {
            // A caller that has gone away wanted no answer; its write stands.
            Self::Quote(put) => drop(put.reply.send(error.map_or(Ok(()), Err))),
            Self::Other(work) => work.finish(error),
        }
    }
}

pub(crate) struct PutQuote {
    pub(crate) entry: Entry,
    pub(crate) reply: Reply<()>,
}

/// A write that is no quote, whatever it answers.
#[async_trait]
pub(crate) trait Work<DB: Dialect>: Send {
    async fn run(&mut self, connection: &mut Connection<DB>) -> Result<(), Fault>;

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
impl<DB: Dialect, D: Deed<DB>> Work<DB> for Pending<D, D::Outcome> {
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
        let _ = self.reply.send(answer);
    }
}
