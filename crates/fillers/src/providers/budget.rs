use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use causeway_domain::ports::{BudgetLease, RequestBudgets};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

/// For how long a provider is left alone at most.
const MAX_PAUSE: Duration = Duration::from_hours(2);

/// A lease is this part of the limit, within these bounds: a few for each statement, and little lost with a process.
const LEASES_IN_A_WINDOW: u32 = 8;
const MIN_LEASE: u32 = 2;
const MAX_LEASE: u32 = 64;

/// How long a request waits for the store, and for how long the store is not asked after it took longer.
const STORE_WAIT: Duration = Duration::from_millis(150);
const STORE_REST: Duration = Duration::from_secs(5);

/// How often the pauses of other processes are read.
const PAUSE_READ: Duration = Duration::from_secs(1);

/// What a process may send of a budget while the store does not answer: this part of the limit.
const SHARE: u32 = 4;

/// How many requests a provider is sent: requests are shed here before the provider refuses them, and while it has asked to
/// be left alone. With a store it is one budget for all processes, of which each takes several requests at once; while the
/// store does not answer in time, each sends its share.
pub struct Budget {
    per_window: u32,
    window: Duration,
    state: Mutex<State>,
    shared: Option<Shared>,
}

struct Shared {
    name: String,
    budgets: Arc<dyn RequestBudgets>,
    /// Held by whoever asks the store, so that others wait for the same answer.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    paused_until: Option<Timestamp>,
    /// Without a store: when the window began, and how many requests it has had.
    begun: Option<(Instant, u32)>,
    leases: Leases,
    /// When the pauses of other processes were read last.
    pauses_read: Option<Instant>,
    /// The store is not asked before.
    store_rests_until: Option<Instant>,
}

/// What this process has of the shared budget in a window.
#[derive(Debug, Default)]
struct Leases {
    /// In Unix milliseconds.
    window: i64,
    left: u32,
    sent: u32,
    /// Sent without a lease, and not yet told to the store.
    untold: u32,
    /// Nothing is left of the window for anybody.
    is_over: bool,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_shared = self.shared.is_some();
        f.debug_struct("Budget")
            .field("per_window", &self.per_window)
            .field("window", &self.window)
            .field("is_shared", &is_shared)
            .finish_non_exhaustive()
    }
}

impl Budget {
    pub fn new(per_window: u32, window: Duration) -> Self {
        Self { per_window, window, state: Mutex::default(), shared: None }
    }

    /// Without a limit: nothing is sent only while the provider asks to be left alone.
    pub(super) fn unlimited() -> Self {
        Self::new(u32::MAX, Duration::from_secs(1))
    }

    /// The same budget for all processes of the store, under that name.
    pub fn share(&mut self, name: String, budgets: Arc<dyn RequestBudgets>) {
        self.shared = Some(Shared { name, budgets, asking: tokio::sync::Mutex::default() });
    }

    /// Takes one request from the budget, or returns why there is none.
    pub async fn take(&self) -> Result<(), String> {
        let Some(shared) = &self.shared else {
            self.check_pause(Timestamp::now())?;
            return self.take_own(Instant::now());
        };
        self.read_pauses(shared).await;
        self.check_pause(Timestamp::now())?;
        if self.per_window == u32::MAX {
            return Ok(());
        }
        if let Some(taken) = self.take_leased() {
            return taken;
        }
        if let Ok(_turn) = tokio::time::timeout(STORE_WAIT, shared.asking.lock()).await {
            // Whoever asked before may have got enough for this one too.
            if let Some(taken) = self.take_leased() {
                return taken;
            }
            if self.asks_store() {
                self.lease(shared).await;
                self.check_pause(Timestamp::now())?;
                if let Some(taken) = self.take_leased() {
                    return taken;
                }
            }
        }
        self.take_share()
    }

    /// Leaves the provider alone for that time, in all processes.
    pub(super) fn pause(&self, time: Duration) {
        let time = SignedDuration::try_from(time.min(MAX_PAUSE)).unwrap_or_default();
        let Ok(until) = Timestamp::now().checked_add(time) else { return };
        self.pause_until(until);
        if let Some(Shared { name, budgets, .. }) = &self.shared {
            let (name, budgets) = (name.clone(), Arc::clone(budgets));
            tokio::spawn(async move {
                if let Err(error) = budgets.pause_budget(&name, until).await {
                    tracing::warn!(budget = name, %error, "other processes are not told to leave a provider alone");
                }
            });
        }
    }

    fn pause_until(&self, until: Timestamp) {
        let mut state = self.state.lock();
        state.paused_until = Some(state.paused_until.map_or(until, |known| known.max(until)));
    }

    fn check_pause(&self, now: Timestamp) -> Result<(), String> {
        let until = self.state.lock().paused_until.filter(|until| *until > now);
        let Some(until) = until else { return Ok(()) };
        let seconds = until.duration_since(now).as_secs().saturating_add(1);
        Err(format!("it asked to be left alone for another {seconds} s"))
    }

    fn used_up(&self) -> String {
        format!("its budget of {} requests in {} s is used up", self.per_window, self.window.as_secs())
    }

    /// Takes one where this process is the only one.
    fn take_own(&self, now: Instant) -> Result<(), String> {
        let mut state = self.state.lock();
        let (begun, used) = match state.begun {
            Some((begun, used)) if now.duration_since(begun) < self.window => (begun, used),
            _ => (now, 0),
        };
        if used >= self.per_window {
            return Err(self.used_up());
        }
        state.begun = Some((begun, used.saturating_add(1)));
        Ok(())
    }

    /// When the present window began.
    fn begun(&self) -> i64 {
        let window = i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX).max(1);
        let now = Timestamp::now().as_millisecond();
        now.saturating_sub(now.rem_euclid(window))
    }

    /// Takes one of a lease; `None` if the store has to be asked.
    fn take_leased(&self) -> Option<Result<(), String>> {
        let begun = self.begun();
        let leases = &mut self.state.lock().leases;
        leases.roll(begun);
        if leases.left > 0 {
            leases.left = leases.left.saturating_sub(1);
            leases.sent = leases.sent.saturating_add(1);
            return Some(Ok(()));
        }
        leases.is_over.then(|| Err(self.used_up()))
    }

    /// Takes one of the part that this process may send without the store.
    fn take_share(&self) -> Result<(), String> {
        let begun = self.begun();
        let leases = &mut self.state.lock().leases;
        leases.roll(begun);
        let share = self.per_window.div_ceil(SHARE);
        if leases.sent >= share {
            return Err(format!("its share of {share} requests in {} s is used up", self.window.as_secs()));
        }
        leases.sent = leases.sent.saturating_add(1);
        leases.untold = leases.untold.saturating_add(1);
        Ok(())
    }

    fn asks_store(&self) -> bool {
        let now = Instant::now();
        self.state.lock().store_rests_until.is_none_or(|until| until <= now)
    }

    fn rest_store(&self) {
        self.state.lock().store_rests_until = Instant::now().checked_add(STORE_REST);
    }

    /// Asks the store for several requests at once, and tells it what was sent without it.
    async fn lease(&self, shared: &Shared) {
        let begun = self.begun();
        let untold = {
            let leases = &mut self.state.lock().leases;
            leases.roll(begun);
            std::mem::take(&mut leases.untold)
        };
        let Ok(at) = Timestamp::from_millisecond(begun) else { return };
        let wanted = self.per_window.div_ceil(LEASES_IN_A_WINDOW).clamp(MIN_LEASE, MAX_LEASE);
        let lease = BudgetLease {
            budget: shared.name.clone(),
            begun: at,
            window: self.window,
            limit: self.per_window,
            wanted,
            sent: untold,
        };
        let answer = tokio::time::timeout(STORE_WAIT, shared.budgets.lease(&lease)).await;
        let Ok(Ok(got)) = answer else {
            tracing::debug!(budget = shared.name, "the store leases nothing in time");
            self.rest_store();
            let leases = &mut self.state.lock().leases;
            if leases.window == begun {
                leases.untold = leases.untold.saturating_add(untold);
            }
            return;
        };
        if let Some(until) = got.paused_until {
            self.pause_until(until);
        }
        let leases = &mut self.state.lock().leases;
        if leases.window == begun {
            leases.left = leases.left.saturating_add(got.granted.min(wanted));
            leases.is_over = got.granted == 0;
        }
    }

    /// Reads the pauses that other processes have heard of, now and then.
    async fn read_pauses(&self, shared: &Shared) {
        {
            let mut state = self.state.lock();
            let now = Instant::now();
            let is_due = state.pauses_read.is_none_or(|read| now.duration_since(read) >= PAUSE_READ);
            if !is_due || state.store_rests_until.is_some_and(|until| until > now) {
                return;
            }
            state.pauses_read = Some(now);
        }
        match tokio::time::timeout(STORE_WAIT, shared.budgets.budget_paused_until(&shared.name)).await {
            Ok(Ok(Some(until))) => self.pause_until(until),
            Ok(Ok(None)) => {}
            Ok(Err(_)) | Err(_) => self.rest_store(),
        }
    }
}

impl Leases {
    /// Begins a new window, if it is one: what was leased for the last one is gone.
    fn roll(&mut self, begun: i64) {
        if self.window != begun {
            *self = Self { window: begun, ..Self::default() };
        }
    }
}

#[cfg(test)]
mod tests;
