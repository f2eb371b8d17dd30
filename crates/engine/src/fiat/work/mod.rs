mod busy;
mod give_back;
mod look;
mod swap;
mod world;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{
    AddressWatch, Carrier, FactStore, FiatStore, GasFeed, JumpDesk, OrderStore, PayoutWatch, PriceFeed,
    StoreError,
};
use causeway_domain::{ChainId, RowKeys};
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use busy::Busy;
use give_back::Returns;

use super::{FiatBell, Ramps};
use crate::build_deposit::BuildDeposit;
use crate::marks::Marks;
use crate::request_quote::RequestQuote;

/// How many purchases are worked on side by side.
const MOST: usize = 64;

/// For so long nobody else looks at a purchase that was taken; whoever took it and died is then followed by another.
const LEASE: SignedDuration = SignedDuration::from_secs(45);

/// How often due purchases are looked for when nothing rings, and how often once so many looks have found none.
const PATIENCE: Duration = Duration::from_millis(500);
const IDLE_PATIENCE: Duration = Duration::from_secs(2);
const IDLE_AFTER: u32 = 20;

/// What purchases are worked on with.
pub struct WorkFiatParts {
    pub store: Arc<dyn FiatStore>,
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn FactStore>,
    pub ramps: Ramps,
    pub request_quote: RequestQuote,
    pub build: BuildDeposit,
    /// Where providers deliver, by chain.
    pub payouts: HashMap<ChainId, Arc<dyn PayoutWatch>>,
    /// Where jumps start, by chain.
    pub watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
    pub jump_desks: HashMap<ChainId, Arc<dyn JumpDesk>>,
    pub relayers: HashMap<ChainId, Arc<dyn Carrier>>,
    pub prices: Arc<dyn PriceFeed>,
    pub gas: Arc<dyn GasFeed>,
    pub catalog: Arc<Catalog>,
    pub row_keys: Arc<RowKeys>,
    pub marks: Arc<Marks>,
    pub bell: Arc<FiatBell>,
    pub provider_timeout: Duration,
    /// How long money that came waits for a route, before it goes back.
    pub swap_within: SignedDuration,
}

impl fmt::Debug for WorkFiatParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkFiatParts").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}

/// Takes purchases to their end, with every browser closed. Any number of processes may do so at once.
#[derive(Debug)]
pub struct WorkFiat {
    parts: WorkFiatParts,
    busy: Busy,
    returns: Returns,
}

impl WorkFiat {
    pub fn new(parts: WorkFiatParts) -> Self {
        Self { parts, busy: Busy::default(), returns: Returns::default() }
    }

    /// Works until `stop`, and then finishes what was begun. A provider that is slow keeps no other purchase waiting.
    pub async fn work(self: Arc<Self>, stop: CancellationToken) {
        let mut looks = JoinSet::new();
        let (mut answered, mut idle) = (true, 0_u32);
        loop {
            let patience = if idle < IDLE_AFTER { PATIENCE } else { IDLE_PATIENCE };
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.parts.bell.rung() => idle = 0,
                () = tokio::time::sleep(patience) => {}
            }
            while looks.try_join_next().is_some() {}
            match self.due(Timestamp::now(), MOST.saturating_sub(looks.len())).await {
                Ok(due) => {
                    answered = true;
                    idle = if due.is_empty() { idle.saturating_add(1) } else { 0 };
                    for order in due {
                        let work = Arc::clone(&self);
                        looks.spawn(async move { work.look_at(order).await });
                    }
                }
                Err(error) => {
                    if std::mem::take(&mut answered) {
                        tracing::warn!(%error, "purchases cannot be read and wait");
                    }
                }
            }
        }
        while looks.join_next().await.is_some() {}
    }

    /// Looks at every purchase that is due, one after the other, and tells how many there were.
    pub async fn turn(&self, now: Timestamp) -> Result<usize, StoreError> {
        let due = self.due(now, MOST).await?;
        let count = due.len();
        for order in due {
            self.look_at(order).await;
        }
        Ok(count)
    }

    async fn due(&self, now: Timestamp, most: usize) -> Result<Vec<FiatOrder>, StoreError> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        if most == 0 {
            return Ok(Vec::new());
        }
        let lease = now.checked_add(LEASE).unwrap_or(now);
        self.parts.store.claim_due_fiat(now, lease, most).await
    }

    async fn look_at(&self, order: FiatOrder) {
        let id = order.id.clone();
        if !self.busy.begin(&id) {
            return;
        }
        let mut looked = self.look(order).await;
        while self.busy.end(&id) {
            looked = match self.parts.store.fiat_order(&id).await {
                Ok(Some(order)) => self.look(order).await,
                gone => gone.map(drop),
            };
        }
        if let Err(error) = looked {
            // Its lease passes, and it is looked at again.
            tracing::warn!(order = %id, %error, "a purchase could not be worked on");
        }
    }
}
