use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{OrderStore, QuoteStore, StoreError};
use causeway_domain::{Order, QuoteId};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::score::{compare, score};
use crate::fillers::Fillers;
use crate::ticker::Ticker;

/// How often reputations are updated.
const UPDATE_INTERVAL: Duration = Duration::from_secs(15);

/// How far back orders count …
const MAX_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// … and how many of them at most.
const MAX_ORDERS: u32 = 1_000;

/// How each quote's offers compare, by the quote's id.
type Comparisons = HashMap<QuoteId, Vec<(String, i32)>>;

/// Computes reputations from the stored orders, periodically and never on the path of a request.
#[derive(Clone)]
pub struct UpdateReputation {
    orders: Arc<dyn OrderStore>,
    quotes: Arc<dyn QuoteStore>,
    fillers: Fillers,
    /// Cached, because a quote with an order never changes.
    comparisons: Arc<Mutex<Comparisons>>,
}

impl fmt::Debug for UpdateReputation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateReputation").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

impl UpdateReputation {
    pub fn new(orders: Arc<dyn OrderStore>, quotes: Arc<dyn QuoteStore>, fillers: Fillers) -> Self {
        Self { orders, quotes, fillers, comparisons: Arc::default() }
    }

    /// Updates all reputations now.
    pub async fn run_once(&self, now: Timestamp) -> Result<(), StoreError> {
        let since = now.checked_sub(MAX_AGE).unwrap_or(now);
        let orders = self.orders.ended(since, MAX_ORDERS).await?;
        let prices = self.prices(&orders).await?;
        self.fillers.set_reputations(score(&orders, &prices), now);
        Ok(())
    }

    async fn prices(&self, orders: &[Order]) -> Result<Vec<(String, i32)>, StoreError> {
        let mut comparisons = self.comparisons.lock().await;
        let mut kept = Comparisons::with_capacity(orders.len());
        for order in orders {
            if kept.contains_key(&order.quote) {
                continue;
            }
            let prices = match comparisons.remove(&order.quote) {
                Some(prices) => prices,
                None => {
                    self.quotes.quote(&order.quote).await?.map(|quote| compare(&quote)).unwrap_or_default()
                }
            };
            kept.insert(order.quote.clone(), prices);
        }
        *comparisons = kept;
        Ok(comparisons.values().flatten().cloned().collect())
    }

    /// Updates reputations periodically until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let mut ticker = Ticker::new(UPDATE_INTERVAL, stop);
        while ticker.next().await {
            if let Err(error) = self.run_once(Timestamp::now()).await {
                tracing::debug!(%error, "updating reputations failed");
            }
        }
    }
}
