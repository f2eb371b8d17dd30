use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{OrderReview, QuoteStore, StoreError};
use causeway_domain::{Order, QuoteId};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::judge::{compare, judge};
use crate::fillers::Fillers;
use crate::turns::Turns;

/// How often names are judged anew.
const EVERY: Duration = Duration::from_secs(15);

/// What lies further back speaks neither for nor against anybody …
const SINCE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// … nor does what came before so many orders.
const ORDERS: u32 = 1_000;

/// How a quote's offers compared, by its id.
type Compared = HashMap<QuoteId, Vec<(String, i32)>>;

/// Judges fillers by what the store knows of their orders, every now and then and never while somebody waits.
#[derive(Clone)]
pub struct KeepReputation {
    review: Arc<dyn OrderReview>,
    quotes: Arc<dyn QuoteStore>,
    fillers: Fillers,
    /// A quote that an order came from changes no more.
    compared: Arc<Mutex<Compared>>,
}

impl fmt::Debug for KeepReputation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeepReputation").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

impl KeepReputation {
    pub fn new(review: Arc<dyn OrderReview>, quotes: Arc<dyn QuoteStore>, fillers: Fillers) -> Self {
        Self { review, quotes, fillers, compared: Arc::default() }
    }

    /// Judges now.
    pub async fn turn(&self, now: Timestamp) -> Result<(), StoreError> {
        let since = now.checked_sub(SINCE).unwrap_or(now);
        let orders = self.review.ended(since, ORDERS).await?;
        let prices = self.prices(&orders).await?;
        self.fillers.judge(judge(&orders, &prices), now);
        Ok(())
    }

    async fn prices(&self, orders: &[Order]) -> Result<Vec<(String, i32)>, StoreError> {
        let mut compared = self.compared.lock().await;
        let mut kept = Compared::with_capacity(orders.len());
        for order in orders {
            if kept.contains_key(&order.quote) {
                continue;
            }
            let prices = match compared.remove(&order.quote) {
                Some(prices) => prices,
                None => {
                    self.quotes.quote(&order.quote).await?.map(|quote| compare(&quote)).unwrap_or_default()
                }
            };
            kept.insert(order.quote.clone(), prices);
        }
        *compared = kept;
        Ok(compared.values().flatten().cloned().collect())
    }

    /// Judges again and again, until `stop`.
    pub async fn keep(&self, stop: CancellationToken) {
        let mut turns = Turns::new(EVERY, stop);
        while turns.next().await {
            if let Err(error) = self.turn(Timestamp::now()).await {
                tracing::debug!(%error, "what became of the fillers' orders cannot be read");
            }
        }
    }
}
