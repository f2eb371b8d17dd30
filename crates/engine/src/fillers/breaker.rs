use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How many of the last calls the share of faults is taken over.
const WINDOW: u32 = 32;

/// Moments that are no further apart mean the same rest: they were read from two clocks.
const SAME_REST: Duration = Duration::from_secs(2);

/// When a filler that fails is left alone for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Opens after this many faults in a row …
    pub faults_in_a_row: u32,
    /// … or when this many in a hundred of the last 32 calls failed.
    pub fault_percent: u32,
    /// How long nobody asks before one call tries again.
    pub cool_down: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { faults_in_a_row: 5, fault_percent: 50, cool_down: Duration::from_secs(10) }
    }
}

/// What a breaker lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Every call.
    Closed,
    /// One call that tries whether the filler is back.
    HalfOpen,
    /// No call.
    Open,
}

/// How a filler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillerHealth {
    Healthy,
    /// It is asked, and failed lately.
    Degraded,
    /// It is not asked for now.
    Open,
}

/// Keeps calls away from a filler that fails again and again. Refusing is not failing.
#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    /// One more than the generation while a success would change nothing, which is most of the time; zero otherwise. Reading
    /// it keeps nobody waiting.
    calm: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    phase: Phase,
    /// Grows whenever the breaker opens or closes: results of calls from before then count no more.
    generation: u64,
    faults_in_a_row: u32,
    /// The last calls, the latest in the lowest bit; a set bit is a fault.
    window: u32,
    seen: u32,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Closed,
    Open { until: Instant },
    Probing,
}

/// One call that the breaker let through. Dropped unsettled, as when its caller went away, it says nothing of the filler.
#[derive(Debug)]
pub(super) struct Ticket {
    generation: u64,
    /// Whose probe it is, if it is one.
    probe: Option<Arc<Breaker>>,
}

impl Breaker {
    pub(super) fn new(policy: BreakerPolicy) -> Arc<Self> {
        let inner = Inner { phase: Phase::Closed, generation: 0, faults_in_a_row: 0, window: 0, seen: 0 };
        Arc::new(Self { policy, calm: AtomicU64::new(0), inner: Mutex::new(inner) })
    }

    /// The generation of whose calls a success would change nothing.
    fn calm(&self) -> Option<u64> {
        self.calm.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Looks or changes; what others may read without waiting is told before they can look.
    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        let done = act(&mut inner);
        let calm = matches!(inner.phase, Phase::Closed) && inner.seen == WINDOW && inner.window == 0;
        self.calm.store(if calm { inner.generation + 1 } else { 0 }, Ordering::Relaxed);
        done
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> BreakerState {
        match self.lock().phase {
            Phase::Closed => BreakerState::Closed,
            Phase::Open { until } if Instant::now() < until => BreakerState::Open,
            Phase::Open { .. } | Phase::Probing => BreakerState::HalfOpen,
        }
    }

    pub(super) fn health(&self) -> FillerHealth {
        match self.state() {
            BreakerState::Open => FillerHealth::Open,
            BreakerState::HalfOpen => FillerHealth::Degraded,
            BreakerState::Closed if self.lock().window != 0 => FillerHealth::Degraded,
            BreakerState::Closed => FillerHealth::Healthy,
        }
    }

    /// Whether a call would be let through now.
    pub(super) fn admits(&self) -> bool {
        if self.calm().is_some() {
            return true;
        }
        match self.lock().phase {
            Phase::Closed => true,
            Phase::Open { until } => Instant::now() >= until,
            Phase::Probing => false,
        }
    }

    /// Lets a call through, or not.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Ticket> {
        if let Some(generation) = self.calm() {
            return Some(Ticket { generation, probe: None });
        }
        self.with(|inner| {
            let probe = match inner.phase {
                Phase::Closed => None,
                Phase::Open { until } if Instant::now() >= until => {
                    inner.phase = Phase::Probing;
                    Some(Arc::clone(self))
                }
                Phase::Open { .. } | Phase::Probing => return None,
            };
            Some(Ticket { generation: inner.generation, probe })
        })
    }

    /// What became of a call.
    pub(super) fn settle(&self, mut ticket: Ticket, fault: bool) {
        ticket.probe = None;
        if fault || self.calm() != Some(ticket.generation) {
            self.with(|inner| self.record(inner, ticket.generation, fault));
        }
    }

    fn record(&self, inner: &mut Inner, generation: u64, fault: bool) {
        if inner.generation != generation {
            return;
        }
        match inner.phase {
            Phase::Probing if fault => self.open(inner),
            Phase::Probing => close(inner),
            Phase::Closed => {
                inner.window = inner.window << 1 | u32::from(fault);
                inner.seen = (inner.seen + 1).min(WINDOW);
                inner.faults_in_a_row = if fault { inner.faults_in_a_row + 1 } else { 0 };
                let too_many = inner.seen == WINDOW
                    && inner.window.count_ones() * 100 >= self.policy.fault_percent * WINDOW;
                if fault && (inner.faults_in_a_row >= self.policy.faults_in_a_row || too_many) {
                    self.open(inner);
                }
            }
            Phase::Open { .. } => {}
        }
    }

    fn open(&self, inner: &mut Inner) {
        close(inner);
        inner.phase = Phase::Open { until: Instant::now() + self.policy.cool_down };
    }

    /// Opens until then, unless it is open for as long already; tells whether that is news.
    pub(super) fn rest_until(&self, until: Instant) -> bool {
        self.with(|inner| {
            let rests = matches!(inner.phase, Phase::Open { until: known } if known + SAME_REST >= until);
            if !rests {
                close(inner);
                inner.phase = Phase::Open { until };
            }
            !rests
        })
    }

    /// The call told nothing. A probe gives its place to the next one, at once.
    fn abandon(&self, generation: u64) {
        self.with(|inner| {
            if inner.generation == generation && matches!(inner.phase, Phase::Probing) {
                inner.phase = Phase::Open { until: Instant::now() };
            }
        });
    }
}

fn close(inner: &mut Inner) {
    *inner = Inner {
        phase: Phase::Closed,
        generation: inner.generation + 1,
        faults_in_a_row: 0,
        window: 0,
        seen: 0,
    };
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(breaker) = self.probe.take() {
            breaker.abandon(self.generation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: BreakerPolicy =
        BreakerPolicy { faults_in_a_row: 3, fault_percent: 50, cool_down: Duration::from_secs(10) };

    fn call(breaker: &Arc<Breaker>, fault: bool) {
        breaker.settle(breaker.admit().unwrap(), fault);
    }

    #[tokio::test(start_paused = true)]
    async fn faults_in_a_row_open_it_and_a_good_probe_closes_it() {
        let breaker = Breaker::new(POLICY);
        for fault in [true, true, false, true, true] {
            call(&breaker, fault);
        }
        assert_eq!((breaker.state(), breaker.health()), (BreakerState::Closed, FillerHealth::Degraded));
        call(&breaker, true);
        assert_eq!((breaker.state(), breaker.health()), (BreakerState::Open, FillerHealth::Open));
        assert!(breaker.admit().is_none());
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        let probe = breaker.admit().unwrap();
        assert!(breaker.admit().is_none() && !breaker.admits(), "one probe at a time");
        breaker.settle(probe, false);
        assert_eq!((breaker.state(), breaker.health()), (BreakerState::Closed, FillerHealth::Healthy));
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_probe_opens_it_again() {
        let breaker = Breaker::new(POLICY);
        (0..3).for_each(|_| call(&breaker, true));
        tokio::time::advance(Duration::from_secs(10)).await;
        call(&breaker, true);
        assert_eq!(breaker.state(), BreakerState::Open);
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(breaker.admit().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_whose_caller_went_away_leaves_its_place_to_the_next() {
        let breaker = Breaker::new(POLICY);
        (0..3).for_each(|_| call(&breaker, true));
        tokio::time::advance(Duration::from_secs(10)).await;
        drop(breaker.admit().unwrap());
        call(&breaker, false);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_share_of_faults_opens_it_even_with_successes_between() {
        let breaker = Breaker::new(POLICY);
        for n in 0..31 {
            call(&breaker, n % 2 == 0);
        }
        assert_eq!(breaker.state(), BreakerState::Closed, "too few calls to tell");
        call(&breaker, false);
        call(&breaker, true);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rest_is_begun_once_and_ends_with_a_probe() {
        let breaker = Breaker::new(POLICY);
        let until = Instant::now() + Duration::from_mins(1);
        assert!(breaker.rest_until(until));
        assert!(!breaker.rest_until(until + Duration::from_secs(1)), "the same rest");
        assert_eq!(breaker.health(), FillerHealth::Open);
        tokio::time::advance(Duration::from_mins(1)).await;
        call(&breaker, false);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_from_before_it_opened_says_nothing_of_the_probe() {
        let breaker = Breaker::new(POLICY);
        let old = breaker.admit().unwrap();
        (0..3).for_each(|_| call(&breaker, true));
        tokio::time::advance(Duration::from_secs(10)).await;
        let probe = breaker.admit().unwrap();
        breaker.settle(old, false);
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        breaker.settle(probe, true);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    #[tokio::test(start_paused = true)]
    async fn after_many_good_calls_a_fault_counts_as_it_always_does() {
        let breaker = Breaker::new(POLICY);
        for n in 0..100 {
            assert_eq!(breaker.calm().is_some(), n >= 32, "after {n} calls");
            call(&breaker, false);
        }
        let old = breaker.admit().unwrap();
        (0..2).for_each(|_| call(&breaker, true));
        assert_eq!((breaker.calm(), breaker.state()), (None, BreakerState::Closed));
        breaker.settle(old, true);
        assert_eq!(breaker.state(), BreakerState::Open, "three in a row");
        assert!(breaker.admit().is_none() && !breaker.admits());
        tokio::time::advance(Duration::from_secs(10)).await;
        (0..33).for_each(|_| call(&breaker, false));
        let late = Ticket { generation: 0, probe: None };
        breaker.settle(late, true);
        assert_eq!(breaker.calm(), Some(2), "a call from before says nothing");
        assert!(breaker.rest_until(Instant::now() + Duration::from_mins(1)));
        assert!(breaker.admit().is_none() && !breaker.admits(), "a rest ends the calm");
    }
}
