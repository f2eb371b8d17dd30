mod context;
mod in_flight;
mod process;
mod swap;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{FiatLease, FiatStore, PayoutWatch, StoreError};
use causeway_domain::{ChainId, RowKeys};
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{FiatSignal, Ramps};
use crate::chain_cursors::ChainCursors;
use crate::forwarding::ForwardFunds;
use in_flight::InFlightPurchases;

/// How many purchases are processed concurrently.
const MAX_IN_FLIGHT: usize = 64;

/// How long a claimed purchase is reserved for one process; if that process dies, another one continues afterwards.
const LEASE: SignedDuration = SignedDuration::from_secs(45);

/// How often the lease is renewed while the purchase is processed: a slow provider or chain does not let another process in.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(15);

/// How often due purchases are polled when there is no signal, and how often after this many empty polls.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(2);
const IDLE_AFTER: u32 = 20;

/// What [`WorkFiat`] works with.
pub struct WorkFiatParts {
    pub store: Arc<dyn FiatStore>,
    pub ramps: Ramps,
    pub forwarding: Arc<ForwardFunds>,
    /// Where providers deliver, by chain.
    pub payouts: HashMap<ChainId, Arc<dyn PayoutWatch>>,
    pub row_keys: Arc<RowKeys>,
    pub cursors: Arc<ChainCursors>,
    pub signal: Arc<FiatSignal>,
    pub provider_timeout: Duration,
}

impl fmt::Debug for WorkFiatParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkFiatParts").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}

/// Completes purchases in the background. Any number of processes can do so concurrently.
#[derive(Debug)]
pub struct WorkFiat {
    parts: WorkFiatParts,
    in_flight: InFlightPurchases,
}

impl WorkFiat {
    pub fn new(parts: WorkFiatParts) -> Self {
        Self { parts, in_flight: InFlightPurchases::default() }
    }

    /// Processes due purchases until `stop`, then finishes those in flight. A slow provider does not delay other purchases.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        let (mut is_reachable, mut empty_polls) = (true, 0_u32);
        loop {
            let interval = if empty_polls < IDLE_AFTER { POLL_INTERVAL } else { IDLE_POLL_INTERVAL };
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.parts.signal.notified() => empty_polls = 0,
                () = tokio::time::sleep(interval) => {}
            }
            while tasks.try_join_next().is_some() {}
            match self.due(Timestamp::now(), MAX_IN_FLIGHT.saturating_sub(tasks.len())).await {
                Ok((due, lease)) => {
                    is_reachable = true;
                    empty_polls = if due.is_empty() { empty_polls.saturating_add(1) } else { 0 };
                    for order in due {
                        let work = Arc::clone(&self);
                        tasks.spawn(async move { work.process_exclusively(order, lease).await });
                    }
                }
                Err(error) => {
                    if std::mem::take(&mut is_reachable) {
                        tracing::warn!(%error, "reading due purchases failed");
                    }
                }
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Processes every due purchase once, one after the other, and returns how many there were.
    pub async fn run_once(&self, now: Timestamp) -> Result<usize, StoreError> {
        let (due, lease) = self.due(now, MAX_IN_FLIGHT).await?;
        let count = due.len();
        for order in due {
            self.process_exclusively(order, lease).await;
        }
        Ok(count)
    }

    /// Due purchases, and the lease that this process has on each.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<(Vec<FiatOrder>, FiatLease), StoreError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let until = now.checked_add(LEASE).unwrap_or(now);
        let due = match limit {
            0 => Vec::new(),
            limit => self.parts.store.claim_due_fiat(now, until, limit).await?,
        };
        Ok((due, FiatLease::Until(until)))
    }

    async fn process_exclusively(&self, order: FiatOrder, lease: FiatLease) {
        let id = order.id.clone();
        if !self.in_flight.begin(&id, lease) {
            return;
        }
        let work = async {
            let mut result = self.process(order).await;
            while self.in_flight.end(&id) {
                result = match self.parts.store.fiat_order(&id).await {
                    Ok(Some(order)) => self.process(order).await,
                    gone => gone.map(drop),
                };
            }
            result
        };
        let renew = async {
            loop {
                tokio::time::sleep(RENEWAL_INTERVAL).await;
                let Some(lease) = self.in_flight.lease(&id) else { continue };
                match self.renew_lease(&id, lease).await {
                    Ok(true) => {}
                    // Whatever this process still does about it is taken once, and its writes only at their version.
                    Ok(false) => tracing::debug!(order = %id, "another process has this purchase by now"),
                    Err(error) => tracing::debug!(order = %id, %error, "lease of a purchase not renewed"),
                }
            }
        };
        let result = tokio::select! {
            result = work => result,
            () = renew => Ok(()),
        };
        if let Err(error) = result {
            // It is retried when its lease expires.
            tracing::warn!(order = %id, %error, "processing a purchase failed");
        }
    }
}
