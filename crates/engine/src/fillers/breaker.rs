use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Over how many of the last calls the share of faults is computed.
const WINDOW: u32 = 32;

/// Times this close together mean the same suspension: they come from two clocks.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);

/// When a failing filler is no longer called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Opens after this many faults in a row …
    pub faults_in_a_row: u32,
    /// … or when this percentage of the last 32 calls failed.
    pub fault_percent: u32,
    /// How long it stays open before a probe.
    pub cool_down: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { faults_in_a_row: 5, fault_percent: 50, cool_down: Duration::from_secs(10) }
    }
}

/// Which calls a breaker admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Every call.
    Closed,
    /// One probe.
    HalfOpen,
    /// No call.
    Open,
}

/// The health of a filler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillerHealth {
    Healthy,
    /// It is asked, and failed recently.
    Degraded,
    /// It is not asked for now.
    Open,
}

/// The circuit breaker of a filler. Refusals are not faults.
#[derive(Debug)]
pub(super) struct Breaker {
    policy: BreakerPolicy,
    /// The generation plus one while a success would change nothing, which is the common case; zero otherwise. Read without
    /// the lock.
    steady: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    phase: Phase,
    /// Increases whenever the breaker opens or closes: results of earlier calls are ignored.
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

/// An admitted call. Dropped unsettled, as when its caller is cancelled, it does not count.
#[derive(Debug)]
pub(super) struct Ticket {
    generation: u64,
    /// The breaker that it probes, if it is a probe.
    probe: Option<Arc<Breaker>>,
}

impl Breaker {
    pub(super) fn new(policy: BreakerPolicy) -> Arc<Self> {
        let inner = Inner { phase: Phase::Closed, generation: 0, faults_in_a_row: 0, window: 0, seen: 0 };
        Arc::new(Self { policy, steady: AtomicU64::new(0), inner: Mutex::new(inner) })
    }

    /// The generation in which a success would change nothing.
    fn steady(&self) -> Option<u64> {
        self.steady.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Runs `act` under the lock and publishes the lock-free state.
    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.inner.lock();
        let done = act(&mut inner);
        let steady = matches!(inner.phase, Phase::Closed) && inner.seen == WINDOW && inner.window == 0;
        self.steady.store(if steady { inner.generation + 1 } else { 0 }, Ordering::Relaxed);
        done
    }

    pub(super) fn state(&self) -> BreakerState {
        match self.inner.lock().phase {
            Phase::Closed => BreakerState::Closed,
            Phase::Open { until } if Instant::now() < until => BreakerState::Open,
            Phase::Open { .. } | Phase::Probing => BreakerState::HalfOpen,
        }
    }

    pub(super) fn health(&self) -> FillerHealth {
        match self.state() {
            BreakerState::Open => FillerHealth::Open,
            BreakerState::HalfOpen => FillerHealth::Degraded,
            BreakerState::Closed if self.inner.lock().window != 0 => FillerHealth::Degraded,
            BreakerState::Closed => FillerHealth::Healthy,
        }
    }

    /// Whether a call would be admitted now.
    pub(super) fn admits(&self) -> bool {
        if self.steady().is_some() {
            return true;
        }
        match self.inner.lock().phase {
            Phase::Closed => true,
            Phase::Open { until } => Instant::now() >= until,
            Phase::Probing => false,
        }
    }

    /// Admits a call, or not.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Ticket> {
        if let Some(generation) = self.steady() {
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

    /// Records the outcome of a call.
    pub(super) fn settle(&self, mut ticket: Ticket, fault: bool) {
        ticket.probe = None;
        if fault || self.steady() != Some(ticket.generation) {
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

    /// Opens until then, unless it is open for as long already; returns whether that is new.
    pub(super) fn open_until(&self, until: Instant) -> bool {
        self.with(|inner| {
            let is_known =
                matches!(inner.phase, Phase::Open { until: known } if known + CLOCK_TOLERANCE >= until);
            if !is_known {
                close(inner);
                inner.phase = Phase::Open { until };
            }
            !is_known
        })
    }

    /// Ignores a cancelled call. A cancelled probe admits the next one at once.
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
    async fn consecutive_faults_open_it_and_a_successful_probe_closes_it() {
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
    async fn failed_probe_opens_it_again() {
        let breaker = Breaker::new(POLICY);
        (0..3).for_each(|_| call(&breaker, true));
        tokio::time::advance(Duration::from_secs(10)).await;
        call(&breaker, true);
        assert_eq!(breaker.state(), BreakerState::Open);
        tokio::time::advance(Duration::from_secs(9)).await;
        assert!(breaker.admit().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_probe_admits_the_next_one() {
        let breaker = Breaker::new(POLICY);
        (0..3).for_each(|_| call(&breaker, true));
        tokio::time::advance(Duration::from_secs(10)).await;
        drop(breaker.admit().unwrap());
        call(&breaker, false);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn large_share_of_faults_opens_it_despite_successes() {
        let breaker = Breaker::new(POLICY);
        for n in 0..31 {
            call(&breaker, n % 2 == 0);
        }
        assert_eq!(breaker.state(), BreakerState::Closed, "too few calls");
        call(&breaker, false);
        call(&breaker, true);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    #[tokio::test(start_paused = true)]
    async fn suspension_starts_once_and_ends_with_a_probe() {
        let breaker = Breaker::new(POLICY);
        let until = Instant::now() + Duration::from_mins(1);
        assert!(breaker.open_until(until));
        assert!(!breaker.open_until(until + Duration::from_secs(1)), "the same suspension");
        assert_eq!(breaker.health(), FillerHealth::Open);
        tokio::time::advance(Duration::from_mins(1)).await;
        call(&breaker, false);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn call_from_before_it_opened_does_not_count_as_the_probe() {
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
    async fn faults_count_after_many_successful_calls() {
        let breaker = Breaker::new(POLICY);
        for n in 0..100 {
            assert_eq!(breaker.steady().is_some(), n >= 32, "after {n} calls");
            call(&breaker, false);
        }
        let old = breaker.admit().unwrap();
        (0..2).for_each(|_| call(&breaker, true));
        assert_eq!((breaker.steady(), breaker.state()), (None, BreakerState::Closed));
        breaker.settle(old, true);
        assert_eq!(breaker.state(), BreakerState::Open, "three in a row");
        assert!(breaker.admit().is_none() && !breaker.admits());
        tokio::time::advance(Duration::from_secs(10)).await;
        (0..33).for_each(|_| call(&breaker, false));
        let late = Ticket { generation: 0, probe: None };
        breaker.settle(late, true);
        assert_eq!(breaker.steady(), Some(2), "an earlier call is ignored");
        assert!(breaker.open_until(Instant::now() + Duration::from_mins(1)));
        assert!(breaker.admit().is_none() && !breaker.admits(), "a suspension ends the steady state");
    }
}
