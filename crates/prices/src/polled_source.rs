use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use crate::source::{PriceResults, PriceSource, ReadError, Reader, SourcePrice};

/// Maximum pause after errors.
const MAX_BACKOFF: Duration = Duration::from_mins(5);
/// Maximum pause that a source may request.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(15);

/// Statistics of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    pub reads: u64,
    pub errors: u64,
    /// Errors since the last successful read.
    pub consecutive_errors: u32,
    pub last_error: Option<ReadError>,
}

/// A source that is polled in the background, so that price lookups never block.
pub struct PolledSource {
    reader: Box<dyn Reader>,
    interval: Duration,
    coins: HashSet<String>,
    prices: RwLock<HashMap<String, SourcePrice>>,
    report: Mutex<SourceReport>,
}

impl fmt::Debug for PolledSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolledSource").field("name", &self.reader.name()).finish_non_exhaustive()
    }
}

impl PolledSource {
    /// Polls at `interval`, less often while the source fails.
    pub fn new(reader: impl Reader + 'static, interval: Duration) -> Self {
        Self {
            coins: reader.coins().into_iter().collect(),
            reader: Box::new(reader),
            interval,
            prices: RwLock::default(),
            report: Mutex::default(),
        }
    }

    /// Polls until the future is dropped.
    pub async fn run(&self) {
        loop {
            let error = self.poll().await.err();
            let consecutive_errors = self.report().consecutive_errors;
            tokio::time::sleep(pause(self.interval, consecutive_errors, error.as_ref())).await;
        }
    }

    /// Polls once. After an error the previous prices stay and age.
    pub async fn poll(&self) -> Result<(), ReadError> {
        let started = Instant::now();
        let answer = self.reader.read(Timestamp::now()).await;
        self.record_outcome(answer.as_ref().err());
        let results = answer?;
        self.store(results, started);
        Ok(())
    }

    pub fn report(&self) -> SourceReport {
        self.report.lock().clone()
    }

    fn store(&self, results: PriceResults, started: Instant) {
        let mut prices = self.prices.write();
        for (coin, result) in results.into_iter().filter(|(coin, _)| self.coins.contains(coin)) {
            prices.insert(coin, SourcePrice { result, read_at: Some(started) });
        }
    }

    fn record_outcome(&self, error: Option<&ReadError>) {
        let mut report = self.report.lock();
        report.reads = report.reads.saturating_add(1);
        let source = self.reader.name();
        if let Some(error) = error {
            if report.consecutive_errors == 0 {
                tracing::warn!(source, %error, "price source failed, retrying");
            }
            report.errors = report.errors.saturating_add(1);
            report.consecutive_errors = report.consecutive_errors.saturating_add(1);
        } else {
            if report.consecutive_errors > 0 {
                tracing::info!(source, after = report.consecutive_errors, "price source recovered");
            }
            report.consecutive_errors = 0;
        }
        report.last_error = error.cloned();
    }
}

impl PriceSource for PolledSource {
    fn name(&self) -> &str {
        self.reader.name()
    }

    fn latest(&self, coin: &str) -> Option<SourcePrice> {
        let prices = self.prices.read();
        if let Some(latest) = prices.get(coin) {
            return Some(latest.clone());
        }
        let reason = || match self.report().last_error {
            Some(error) => error.to_string(),
            None => "not read yet".to_owned(),
        };
        self.coins.contains(coin).then(|| SourcePrice { result: Err(reason()), read_at: None })
    }
}

/// The pause before the next poll.
fn pause(interval: Duration, consecutive_errors: u32, error: Option<&ReadError>) -> Duration {
    match error {
        None => interval,
        Some(ReadError::RateLimited(Some(retry_after))) => interval.max((*retry_after).min(MAX_RETRY_AFTER)),
        Some(_) => {
            let doubled = interval.saturating_mul(2_u32.saturating_pow(consecutive_errors.min(16)));
            interval.max(doubled.min(MAX_BACKOFF))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use async_trait::async_trait;

    use super::*;
    use crate::source::PriceObservation;

    #[test]
    fn a_failing_source_backs_off_and_a_rate_limited_one_waits_as_requested() {
        let interval = Duration::from_secs(10);
        let seconds = |consecutive_errors, error: Option<ReadError>| {
            pause(interval, consecutive_errors, error.as_ref()).as_secs()
        };
        assert_eq!(seconds(0, None), 10);
        let failing = || Some(ReadError::ServerError(503));
        assert_eq!([1, 2, 3, 9, u32::MAX].map(|row| seconds(row, failing())), [20, 40, 80, 300, 300]);
        let busy = |wait| Some(ReadError::RateLimited(Some(Duration::from_secs(wait))));
        assert_eq!([1, 45, 1_000_000].map(|wait| seconds(1, busy(wait))), [10, 45, 900]);
        assert_eq!(seconds(2, Some(ReadError::RateLimited(None))), 40);
        assert_eq!(pause(Duration::from_mins(10), 1, failing().as_ref()), Duration::from_mins(10));
    }

    /// Fails on every even read.
    struct FlakyReader(Arc<AtomicU32>);

    #[async_trait]
    impl Reader for FlakyReader {
        fn name(&self) -> &'static str {
            "flaky"
        }

        fn coins(&self) -> Vec<String> {
            vec!["ethereum".to_owned()]
        }

        async fn read(&self, now: Timestamp) -> Result<PriceResults, ReadError> {
            let read = self.0.fetch_add(1, Ordering::Relaxed);
            let price = match read {
                1 => "1",
                3 => "3",
                _ => return Err(ReadError::ServerError(500)),
            };
            let result = PriceObservation::new(price.parse().unwrap(), now, Duration::from_mins(1), now);
            Ok(PriceResults::from([("ethereum".to_owned(), result.clone()), ("unknown".to_owned(), result)]))
        }
    }

    #[tokio::test]
    async fn prices_stay_through_errors_and_unknown_coins_are_ignored() {
        let source = PolledSource::new(FlakyReader(Arc::default()), Duration::from_secs(1));
        let price =
            || source.latest("ethereum").unwrap().result.map(|observation| observation.price.to_string());
        assert!(price().unwrap_err().contains("not read yet"));
        assert_eq!(source.poll().await, Err(ReadError::ServerError(500)));
        assert!(price().unwrap_err().contains("HTTP 500"));
        source.poll().await.unwrap();
        assert_eq!(price().as_deref(), Ok("1"));
        assert!(source.poll().await.is_err());
        assert_eq!(price().as_deref(), Ok("1"));
        source.poll().await.unwrap();
        assert_eq!(price().as_deref(), Ok("3"));
        assert_eq!(source.latest("unknown"), None);
        let report = source.report();
        assert_eq!(
            (report.reads, report.errors, report.consecutive_errors, report.last_error),
            (4, 2, 0, None)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn it_polls_periodically() {
        let reads = Arc::<AtomicU32>::default();
        let source = PolledSource::new(FlakyReader(Arc::clone(&reads)), Duration::from_secs(1));
        // At once, 2 s after the error, 1 s after the success, 2 s after the next error.
        let _ = tokio::time::timeout(Duration::from_millis(5_500), source.run()).await;
        assert_eq!(reads.load(Ordering::Relaxed), 4);
    }
}
