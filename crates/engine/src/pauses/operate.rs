use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{OperatorStore, Pausable, Pause, StoreError};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::Pauses;
use crate::ticker::{LogOnce, Ticker};

/// How often pauses of other replicas are polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The longest reason in characters; clients read it.
const MAX_REASON_CHARS: usize = 200;

/// Why a pause was rejected.
#[derive(Debug, Error)]
pub enum PauseError {
    #[error("the reason must have at most {MAX_REASON_CHARS} characters and nothing invisible")]
    Reason,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Pauses and resumes durably: at once on this replica, within about a second on the others.
pub struct OperatePauses {
    pauses: Arc<Pauses>,
    store: Arc<dyn OperatorStore>,
    /// A refresh that started before a change must not undo it.
    refreshing: Mutex<()>,
}

impl fmt::Debug for OperatePauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatePauses").field("pauses", &self.pauses).finish_non_exhaustive()
    }
}

impl OperatePauses {
    /// Loads the stored pauses.
    pub async fn open(pauses: Arc<Pauses>, store: Arc<dyn OperatorStore>) -> Result<Self, StoreError> {
        let operate = Self { pauses, store, refreshing: Mutex::default() };
        operate.refresh().await?;
        Ok(operate)
    }

    pub fn pauses(&self) -> &Arc<Pauses> {
        &self.pauses
    }

    /// Lets nothing new start with this component.
    pub async fn pause(&self, what: Pausable, reason: &str) -> Result<Pause, PauseError> {
        let reason = reason.trim();
        if reason.chars().count() > MAX_REASON_CHARS || reason.chars().any(char::is_control) {
            return Err(PauseError::Reason);
        }
        let pause = Pause { what, reason: reason.to_owned(), since: Timestamp::now() };
        self.store.pause(&pause).await?;
        self.refresh().await?;
        tracing::warn!(what = %pause.what, reason, "paused");
        Ok(pause)
    }

    /// Ends a pause; `false` if there was none.
    pub async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        let resumed = self.store.resume(what).await?;
        self.refresh().await?;
        if resumed {
            tracing::warn!(%what, "resumed");
        }
        Ok(resumed)
    }

    /// Reloads the stored pauses.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let _refreshing = self.refreshing.lock().await;
        self.pauses.set(self.store.pauses().await?);
        Ok(())
    }

    /// Follows the changes of other replicas until `stop`. The last known pauses hold while the store is unavailable.
    pub async fn run(&self, stop: CancellationToken) {
        let (mut ticker, mut log_once) = (Ticker::new(POLL_INTERVAL, stop), LogOnce::default());
        while ticker.next().await {
            log_once.record(self.refresh().await, "reading pauses failed; the last known pauses hold");
        }
    }
}
