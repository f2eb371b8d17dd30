use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::{BreakerState, FillerHealth};
use crate::reputation::Reputation;
use crate::striped::Striped;

/// Upper bounds of the latency histogram, in microseconds; a last bucket has no bound.
const BOUNDS: [u32; 13] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000];

/// How many of the latest answers per stripe the median covers.
const RECENT: usize = 256;

/// The outcome of one ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Offered,
    Refused,
    Faulted,
    TimedOut,
    /// It was not asked: its queue was full or its breaker open.
    Skipped,
}

/// Counts the asks and answers of a filler.
#[derive(Debug, Default)]
pub(super) struct Tally(Striped<Counts>);

#[derive(Debug)]
struct Counts {
    asked: AtomicU64,
    offered: AtomicU64,
    refused: AtomicU64,
    faulted: AtomicU64,
    timed_out: AtomicU64,
    skipped: AtomicU64,
    won: AtomicU64,
    /// Of how far its offers were above the median offer, in basis points.
    price_sum: AtomicI64,
    prices: AtomicU64,
    /// One more than the bounds, for slower answers.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
    answers: AtomicU64,
    recent: [AtomicU32; RECENT],
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            asked: AtomicU64::default(),
            offered: AtomicU64::default(),
            refused: AtomicU64::default(),
            faulted: AtomicU64::default(),
            timed_out: AtomicU64::default(),
            skipped: AtomicU64::default(),
            won: AtomicU64::default(),
            price_sum: AtomicI64::default(),
            prices: AtomicU64::default(),
            buckets: std::array::from_fn(|_| AtomicU64::default()),
            sum_micros: AtomicU64::default(),
            answers: AtomicU64::default(),
            recent: std::array::from_fn(|_| AtomicU32::default()),
        }
    }
}

fn add(counter: &AtomicU64, by: u64) -> u64 {
    counter.fetch_add(by, Ordering::Relaxed)
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Counts {
    /// How long the latest answers took.
    fn recent(&self) -> impl Iterator<Item = u32> {
        let count = usize::try_from(read(&self.answers)).unwrap_or(RECENT).min(RECENT);
        self.recent.iter().take(count).map(|slot| slot.load(Ordering::Relaxed))
    }
}

impl Tally {
    pub(super) fn ask(&self) {
        add(&self.0.local().asked, 1);
    }

    pub(super) fn count(&self, count: Count) {
        let local = self.0.local();
        let counter = match count {
            Count::Offered => &local.offered,
            Count::Refused => &local.refused,
            Count::Faulted => &local.faulted,
            Count::TimedOut => &local.timed_out,
            Count::Skipped => &local.skipped,
        };
        add(counter, 1);
    }

    pub(super) fn win(&self) {
        add(&self.0.local().won, 1);
    }

    pub(super) fn price(&self, bps: i32) {
        let local = self.0.local();
        local.price_sum.fetch_add(bps.into(), Ordering::Relaxed);
        add(&local.prices, 1);
    }

    pub(super) fn prices(&self) -> (i64, u64) {
        let sum = self.0.all().map(|counts| counts.price_sum.load(Ordering::Relaxed)).sum();
        (sum, self.sum(|counts| &counts.prices))
    }

    /// Records how long one call took to be answered.
    pub(super) fn observe(&self, elapsed: Duration) {
        let local = self.0.local();
        let micros = u32::try_from(elapsed.as_micros()).unwrap_or(u32::MAX);
        let place = BOUNDS.partition_point(|bound| *bound < micros);
        if let Some(bucket) = local.buckets.get(place) {
            add(bucket, 1);
        }
        add(&local.sum_micros, u64::from(micros));
        let turn = add(&local.answers, 1) % RECENT as u64;
        if let Some(slot) = usize::try_from(turn).ok().and_then(|turn| local.recent.get(turn)) {
            slot.store(micros, Ordering::Relaxed);
        }
    }

    fn median(&self) -> Option<Duration> {
        let mut recent: Vec<u32> = self.0.all().flat_map(Counts::recent).collect();
        recent.sort_unstable();
        recent.get(recent.len() / 2).map(|micros| Duration::from_micros(u64::from(*micros)))
    }

    fn sum(&self, part: impl Fn(&Counts) -> &AtomicU64) -> u64 {
        self.0.all().map(|counts| read(part(counts))).sum()
    }

    pub(super) fn report(
        &self,
        name: &str,
        kind: &str,
        health: FillerHealth,
        breaker: BreakerState,
    ) -> FillerReport {
        let bounds = BOUNDS.iter().map(|bound| Some(Duration::from_micros(u64::from(*bound))));
        let in_bucket = |place: usize| -> u64 {
            self.0.all().filter_map(|counts| counts.buckets.get(place)).map(read).sum()
        };
        let buckets =
            bounds.chain([None]).enumerate().map(|(place, bound)| (bound, in_bucket(place))).collect();
        FillerReport {
            name: name.to_owned(),
            kind: kind.to_owned(),
            health,
            breaker,
            asked: self.sum(|counts| &counts.asked),
            offered: self.sum(|counts| &counts.offered),
            refused: self.sum(|counts| &counts.refused),
            faulted: self.sum(|counts| &counts.faulted),
            timed_out: self.sum(|counts| &counts.timed_out),
            skipped: self.sum(|counts| &counts.skipped),
            won: self.sum(|counts| &counts.won),
            median: self.median(),
            latency: FillerLatency {
                buckets,
                sum: Duration::from_micros(self.sum(|counts| &counts.sum_micros)),
            },
            paused: None,
            reputation: None,
        }
    }
}

/// A filler's statistics since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillerReport {
    pub name: String,
    pub kind: String,
    pub health: FillerHealth,
    pub breaker: BreakerState,
    /// Quotes that asked it; the next five add up to this, except for asks in flight or cancelled.
    pub asked: u64,
    pub offered: u64,
    pub refused: u64,
    pub faulted: u64,
    pub timed_out: u64,
    /// Not asked, because its queue was full or its breaker open.
    pub skipped: u64,
    /// Quotes in which its offer ranked first.
    pub won: u64,
    /// Of its latest answers.
    pub median: Option<Duration>,
    pub latency: FillerLatency,
    /// Why an operator has paused it.
    pub paused: Option<String>,
    /// Its reputation; `None` until one of its orders has ended.
    pub reputation: Option<Reputation>,
}

/// A filler's latency histogram; a shared call counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillerLatency {
    /// How many answers are within each bound and above the previous one; the last has no bound.
    pub buckets: Vec<(Option<Duration>, u64)>,
    pub sum: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(tally: &Tally) -> FillerReport {
        tally.report("house", "native-filler", FillerHealth::Healthy, BreakerState::Closed)
    }

    #[test]
    fn answers_are_counted_in_the_first_bucket_whose_bound_they_do_not_exceed() {
        let tally = Tally::default();
        for micros in [0, 250, 251, 2_500_000, 2_500_001, u64::MAX] {
            tally.observe(Duration::from_micros(micros));
        }
        let counts: Vec<u64> = report(&tally).latency.buckets.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    }

    #[test]
    fn median_covers_the_latest_answers() {
        let tally = Tally::default();
        assert_eq!(report(&tally).median, None);
        tally.observe(Duration::from_micros(7));
        assert_eq!(report(&tally).median, Some(Duration::from_micros(7)));
        (0..RECENT).for_each(|_| tally.observe(Duration::from_micros(90)));
        assert_eq!(report(&tally).median, Some(Duration::from_micros(90)));
    }
}
