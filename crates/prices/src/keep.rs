use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::source::{Heard, PriceSource, ReadFault, Reader, Words};

/// The longest pause after faults of a source's own …
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// … and the longest that a source may ask for.
const LONGEST_WISH: Duration = Duration::from_mins(15);

/// How a source does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    pub reads: u64,
    pub faults: u64,
    /// Faults since the last good read.
    pub in_a_row: u32,
    pub last_fault: Option<ReadFault>,
}

/// A source that is asked in the background, so that looking a price up waits for nobody.
pub struct KeptSource {
    reader: Box<dyn Reader>,
    every: Duration,
    coins: HashSet<String>,
    heard: RwLock<HashMap<String, Heard>>,
    report: Mutex<SourceReport>,
}

impl fmt::Debug for KeptSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptSource").field("name", &self.reader.name()).finish_non_exhaustive()
    }
}

impl KeptSource {
    /// Asks `every` so often, less often while the source has faults.
    pub fn new(reader: impl Reader + 'static, every: Duration) -> Self {
        Self {
            coins: reader.coins().into_iter().collect(),
            reader: Box::new(reader),
            every,
            heard: RwLock::default(),
            report: Mutex::default(),
        }
    }

    /// Asks again and again until it is dropped.
    pub async fn keep(&self) {
        loop {
            let fault = self.ask().await.err();
            let in_a_row = self.report().in_a_row;
            tokio::time::sleep(pause(self.every, in_a_row, fault.as_ref())).await;
        }
    }

    /// Asks once. What was heard before stays where the source has a fault, and grows old.
    pub async fn ask(&self) -> Result<(), ReadFault> {
        let began = Instant::now();
        let answer = self.reader.read(Timestamp::now()).await;
        self.note(answer.as_ref().err());
        let words = answer?;
        self.hear(words, began);
        Ok(())
    }

    pub fn report(&self) -> SourceReport {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hear(&self, words: Words, began: Instant) {
        let mut heard = self.heard.write().unwrap_or_else(PoisonError::into_inner);
        for (coin, word) in words.into_iter().filter(|(coin, _)| self.coins.contains(coin)) {
            heard.insert(coin, Heard { word, read: Some(began) });
        }
    }

    fn note(&self, fault: Option<&ReadFault>) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.reads = report.reads.saturating_add(1);
        let source = self.reader.name();
        if let Some(fault) = fault {
            if report.in_a_row == 0 {
                tracing::warn!(source, %fault, "a price source tells nothing, trying again");
            }
            report.faults = report.faults.saturating_add(1);
            report.in_a_row = report.in_a_row.saturating_add(1);
        } else {
            if report.in_a_row > 0 {
                tracing::info!(source, after = report.in_a_row, "a price source tells again");
            }
            report.in_a_row = 0;
        }
        report.last_fault = fault.cloned();
    }
}

impl PriceSource for KeptSource {
    fn name(&self) -> &str {
        self.reader.name()
    }

    fn heard(&self, coin: &str) -> Option<Heard> {
        let heard = self.heard.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(heard) = heard.get(coin) {
            return Some(heard.clone());
        }
        let silent = || match self.report().last_fault {
            Some(fault) => fault.to_string(),
            None => "has not told yet".to_owned(),
        };
        self.coins.contains(coin).then(|| Heard { word: Err(silent()), read: None })
    }
}

/// How long to wait before asking again.
fn pause(every: Duration, in_a_row: u32, fault: Option<&ReadFault>) -> Duration {
    match fault {
        None => every,
        Some(ReadFault::Busy(Some(wish))) => every.max((*wish).min(LONGEST_WISH)),
        Some(_) => {
            let doubled = every.saturating_mul(2_u32.saturating_pow(in_a_row.min(16)));
            every.max(doubled.min(LONGEST_PAUSE))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use async_trait::async_trait;

    use super::*;
    use crate::source::Sighting;

    #[test]
    fn a_faulty_source_is_asked_less_and_less_often_and_a_busy_one_as_it_wishes() {
        let every = Duration::from_secs(10);
        let seconds = |in_a_row, fault: Option<ReadFault>| pause(every, in_a_row, fault.as_ref()).as_secs();
        assert_eq!(seconds(0, None), 10);
        let failing = || Some(ReadFault::Failing(503));
        assert_eq!([1, 2, 3, 9, u32::MAX].map(|row| seconds(row, failing())), [20, 40, 80, 300, 300]);
        let busy = |wish| Some(ReadFault::Busy(Some(Duration::from_secs(wish))));
        assert_eq!([1, 45, 1_000_000].map(|wish| seconds(1, busy(wish))), [10, 45, 900]);
        assert_eq!(seconds(2, Some(ReadFault::Busy(None))), 40);
        assert_eq!(pause(Duration::from_mins(10), 1, failing().as_ref()), Duration::from_mins(10));
    }

    /// Tells a price the first time, then nothing, then another.
    struct Moody(Arc<AtomicU32>);

    #[async_trait]
    impl Reader for Moody {
        fn name(&self) -> &'static str {
            "moody"
        }

        fn coins(&self) -> Vec<String> {
            vec!["ethereum".to_owned()]
        }

        async fn read(&self, now: Timestamp) -> Result<Words, ReadFault> {
            let turn = self.0.fetch_add(1, Ordering::Relaxed);
            let price = match turn {
                1 => "1",
                3 => "3",
                _ => return Err(ReadFault::Failing(500)),
            };
            let word = Sighting::new(price.parse().unwrap(), now, Duration::from_mins(1), now);
            Ok(Words::from([("ethereum".to_owned(), word.clone()), ("unasked".to_owned(), word)]))
        }
    }

    #[tokio::test]
    async fn what_was_heard_stays_through_faults_and_nothing_unasked_is_taken() {
        let source = KeptSource::new(Moody(Arc::default()), Duration::from_secs(1));
        let price = || source.heard("ethereum").unwrap().word.map(|sighting| sighting.price.to_string());
        assert!(price().unwrap_err().contains("has not told yet"));
        assert_eq!(source.ask().await, Err(ReadFault::Failing(500)));
        assert!(price().unwrap_err().contains("HTTP 500"));
        source.ask().await.unwrap();
        assert_eq!(price().as_deref(), Ok("1"));
        assert!(source.ask().await.is_err());
        assert_eq!(price().as_deref(), Ok("1"));
        source.ask().await.unwrap();
        assert_eq!(price().as_deref(), Ok("3"));
        assert_eq!(source.heard("unasked"), None);
        let report = source.report();
        assert_eq!((report.reads, report.faults, report.in_a_row, report.last_fault), (4, 2, 0, None));
    }

    #[tokio::test(start_paused = true)]
    async fn it_asks_by_itself() {
        let turns = Arc::<AtomicU32>::default();
        let source = KeptSource::new(Moody(Arc::clone(&turns)), Duration::from_secs(1));
        // At once, after 2 s for the fault, after 1 s for the answer, after 2 s for the next fault.
        let _ = tokio::time::timeout(Duration::from_millis(5_500), source.keep()).await;
        assert_eq!(turns.load(Ordering::Relaxed), 4);
    }
}
