use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{OrderStore, StoreError};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::score::score;
use crate::fillers::Fillers;
use crate::ticker::Ticker;

/// How often reputations are updated.
const UPDATE_INTERVAL: Duration = Duration::from_secs(15);

/// How far back orders count …
const MAX_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// … and how many of them at most.
const MAX_ORDERS: u32 = 1_000;

/// After so many prices of a filler, all of them weigh half.
const MAX_PRICES: u64 = 10_000;

/// Computes reputations from the stored orders and from the prices that this process has quoted, periodically and never
/// on the path of a request.
#[derive(Clone)]
pub struct UpdateReputation {
    orders: Arc<dyn OrderStore>,
    fillers: Fillers,
    prices: Arc<Mutex<HashMap<String, Average>>>,
}

/// The average of a filler's prices, in which newer ones weigh more.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    sum: i64,
    count: u64,
    /// The filler's counters when they were last read.
    seen: (i64, u64),
}

impl Average {
    fn update(&mut self, counted: (i64, u64)) {
        // The counters begin anew when a filler is replaced.
        let seen = if counted.1 < self.seen.1 { (0, 0) } else { self.seen };
        self.sum = self.sum.saturating_add(counted.0.saturating_sub(seen.0));
        self.count = self.count.saturating_add(counted.1.saturating_sub(seen.1));
        self.seen = counted;
        while self.count > MAX_PRICES {
            (self.sum, self.count) = (self.sum / 2, self.count / 2);
        }
    }

    /// Rounded towards zero; `None` without a price.
    fn bps(self) -> Option<i32> {
        let count = i64::try_from(self.count).ok()?;
        i32::try_from(self.sum.checked_div(count)?).ok()
    }
}

impl fmt::Debug for UpdateReputation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateReputation").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

impl UpdateReputation {
    pub fn new(orders: Arc<dyn OrderStore>, fillers: Fillers) -> Self {
        Self { orders, fillers, prices: Arc::default() }
    }

    /// Updates all reputations now.
    pub async fn run_once(&self, now: Timestamp) -> Result<(), StoreError> {
        let since = now.checked_sub(MAX_AGE).unwrap_or(now);
        let orders = self.orders.ended(since, MAX_ORDERS).await?;
        self.fillers.set_reputations(score(&orders, &self.prices()), now);
        Ok(())
    }

    /// The average price of every filler that has one.
    fn prices(&self) -> HashMap<String, i32> {
        let mut prices = self.prices.lock();
        let counted = self.fillers.prices();
        prices.retain(|filler, _| counted.iter().any(|(name, _)| name == filler));
        let update = |(filler, counted): (String, (i64, u64))| {
            let average = prices.entry(filler.clone()).or_default();
            average.update(counted);
            Some((filler, average.bps()?))
        };
        counted.into_iter().filter_map(update).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_prices_weigh_more_and_new_counters_are_noticed() {
        let mut average = Average::default();
        assert_eq!(average.bps(), None);
        average.update((-50, 10));
        assert_eq!(average.bps(), Some(-5));
        average.update((-50 + 95, 10 + 9));
        assert_eq!(average.bps(), Some(2), "45 over 19");
        average.update((0, 0));
        assert_eq!((average.sum, average.count), (45, 19), "the filler was replaced");
        average.update((20_000, 20_000));
        assert!(average.count <= MAX_PRICES && average.bps() == Some(1), "{average:?}");
        average.update((20_000 + 5_000 * 100, 25_000));
        assert!(average.bps().unwrap() >= 33, "{average:?}");
    }
}
