use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Pausable, Pause, PauseStore, StoreError};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::Pauses;
use crate::turns::{ToldOnce, Turns};

/// How often what other replicas have paused is looked for.
const EVERY: Duration = Duration::from_secs(1);

/// The longest reason; clients read it.
const LONGEST_REASON: usize = 200;

/// Why something is not paused.
#[derive(Debug, Error)]
pub enum PauseError {
    #[error("the reason must have at most {LONGEST_REASON} characters and nothing invisible")]
    Reason,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Pauses and resumes, durably and for every replica: at once in this one, within about a second in the others.
pub struct OperatePauses {
    pauses: Arc<Pauses>,
    store: Arc<dyn PauseStore>,
    /// A look that began before a change must not undo it.
    turn: Mutex<()>,
}

impl fmt::Debug for OperatePauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatePauses").field("pauses", &self.pauses).finish_non_exhaustive()
    }
}

impl OperatePauses {
    /// With what is paused already.
    pub async fn open(pauses: Arc<Pauses>, store: Arc<dyn PauseStore>) -> Result<Self, StoreError> {
        let operate = Self { pauses, store, turn: Mutex::default() };
        operate.refresh().await?;
        Ok(operate)
    }

    pub fn pauses(&self) -> &Arc<Pauses> {
        &self.pauses
    }

    /// Lets nothing new begin with that part from now on.
    pub async fn pause(&self, what: Pausable, reason: &str) -> Result<Pause, PauseError> {
        let reason = reason.trim();
        if reason.chars().count() > LONGEST_REASON || reason.chars().any(char::is_control) {
            return Err(PauseError::Reason);
        }
        let pause = Pause { what, reason: reason.to_owned(), since: Timestamp::now() };
        self.store.pause(&pause).await?;
        self.refresh().await?;
        tracing::warn!(what = %pause.what, reason, "paused");
        Ok(pause)
    }

    /// Ends a pause; `false` where there was none.
    pub async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        let resumed = self.store.resume(what).await?;
        self.refresh().await?;
        if resumed {
            tracing::warn!(%what, "resumed");
        }
        Ok(resumed)
    }

    /// Reads what is paused now.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        self.pauses.set(self.store.pauses().await?);
        Ok(())
    }

    /// Follows what other replicas do, until `stop`. While the store does not answer, what was known holds.
    pub async fn keep(&self, stop: CancellationToken) {
        let (mut turns, mut told) = (Turns::new(EVERY, stop), ToldOnce::default());
        while turns.next().await {
            told.note(self.refresh().await, "what is paused cannot be read; what was known holds");
        }
    }
}
