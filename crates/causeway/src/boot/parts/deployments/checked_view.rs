use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::{
    ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, FinalityTier, ObservedEvent,
};
use futures::future::BoxFuture;
use tokio::sync::Mutex;

use super::Checked;

/// How long a failed check counts before the next one.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

type Check = Box<dyn Fn() -> BoxFuture<'static, Checked> + Send + Sync>;

/// An attester's view of a chain that shows nothing until the contracts there are found to be those of the record.
pub(crate) struct CheckedView {
    view: Arc<dyn ChainView>,
    check: Check,
    is_right: AtomicBool,
    last: Mutex<Option<(Instant, Checked)>>,
}

impl fmt::Debug for CheckedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedView").field("is_right", &self.is_right).finish_non_exhaustive()
    }
}

impl CheckedView {
    pub(crate) fn new(
        view: Arc<dyn ChainView>,
        check: impl Fn() -> BoxFuture<'static, Checked> + Send + Sync + 'static,
    ) -> Self {
        Self { view, check: Box::new(check), is_right: AtomicBool::new(false), last: Mutex::default() }
    }

    /// What the contracts are; a chain that did not answer is asked again after a while.
    pub(crate) async fn look(&self) -> Checked {
        if self.is_right.load(Ordering::Acquire) {
            return Checked::Right;
        }
        let mut last = self.last.lock().await;
        let counts = |(at, checked): &&(Instant, Checked)| {
            !matches!(checked, Checked::Unknown(_)) || at.elapsed() < RETRY_INTERVAL
        };
        if let Some((_, checked)) = last.as_ref().filter(counts) {
            return checked.clone();
        }
        let checked = (self.check)().await;
        let chain = self.view.chain();
        match &checked {
            Checked::Right => self.is_right.store(true, Ordering::Release),
            Checked::Unknown(reason) => {
                tracing::warn!(%chain, reason, "contracts cannot be checked: nothing is signed about the chain until it answers");
            }
            Checked::Wrong(words) => {
                tracing::error!(%chain, words, "contracts are not those of the record: nothing is signed about the chain");
            }
        }
        *last = Some((Instant::now(), checked.clone()));
        checked
    }

    async fn checked(&self) -> Result<&dyn ChainView, ChainError> {
        let chain = self.view.chain();
        match self.look().await {
            Checked::Right => Ok(&*self.view),
            Checked::Unknown(_) => Err(ChainError::Unavailable(chain)),
            Checked::Wrong(words) => Err(ChainError::Disagreement(chain, words)),
        }
    }
}

#[async_trait]
impl ChainView for CheckedView {
    fn chain(&self) -> ChainId {
        self.view.chain()
    }

    fn span(&self) -> u64 {
        self.view.span()
    }

    async fn final_block(&self, tier: FinalityTier) -> Result<FinalBlock, ChainError> {
        self.checked().await?.final_block(tier).await
    }

    async fn escrow_state(
        &self,
        escrow: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<EscrowState, ChainError> {
        self.checked().await?.escrow_state(escrow, order, at).await
    }

    async fn fill_record(
        &self,
        settler: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError> {
        self.checked().await?.fill_record(settler, order, at).await
    }

    async fn observed_events(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<ObservedEvent>, ChainError> {
        self.checked().await?.observed_events(contracts, from, to).await
    }
}
