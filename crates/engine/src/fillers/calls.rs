use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use tokio::time::Instant;

use super::Asking;
use super::breaker::{Breaker, Ticket};
use super::outcome::Outcome;

/// The calls to one filler that are under way: whoever asks the same joins in. A call lives as long as somebody waits for it.
#[derive(Default)]
pub(super) struct Calls {
    in_flight: Mutex<InFlight>,
    /// How many there are, for who would only look whether there is any.
    count: AtomicUsize,
}

#[derive(Default)]
struct InFlight {
    calls: HashMap<Key, Entered>,
    last_number: u64,
}

struct Entered {
    number: u64,
    call: WeakShared<BoxFuture<'static, Outcome>>,
    ticket: Arc<TicketSlot>,
}

/// Two asks are the same when a filler cannot tell them apart; the tokens follow from the ask.
struct Key(Arc<Asking>);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.ask.ask == other.0.ask.ask
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.ask.ask.hash(state);
    }
}

/// One's share in a call.
pub(super) struct Call {
    pub(super) outcome: Shared<BoxFuture<'static, Outcome>>,
    pub(super) ticket: Arc<TicketSlot>,
}

/// What became of an attempt to join.
pub(super) enum Joined {
    Call(Call),
    /// The filler answered on the spot: there is nothing to share.
    Answered(Outcome),
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the call for the same ask, or makes one of `begin`.
    pub(super) async fn join<F>(
        self: &Arc<Self>,
        asking: &Arc<Asking>,
        begin: impl FnOnce(Arc<TicketSlot>) -> F,
    ) -> Joined
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        if let Some(call) = self.find(asking) {
            return Joined::Call(call);
        }
        let ticket: Arc<TicketSlot> = Arc::default();
        let mut work = begin(Arc::clone(&ticket)).boxed();
        match futures::poll!(&mut work) {
            Poll::Ready(outcome) => Joined::Answered(outcome),
            Poll::Pending => Joined::Call(self.enter(asking, work, ticket)),
        }
    }

    fn find(&self, asking: &Arc<Asking>) -> Option<Call> {
        // Who misses a call that begins at this moment meets it when it enters its own.
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let in_flight = self.lock();
        let entered = in_flight.calls.get(&Key(Arc::clone(asking)))?;
        Some(Call { outcome: entered.call.upgrade()?, ticket: Arc::clone(&entered.ticket) })
    }

    /// Puts a call that has begun on the list, unless somebody else was faster with the same.
    fn enter(
        self: &Arc<Self>,
        asking: &Arc<Asking>,
        work: BoxFuture<'static, Outcome>,
        ticket: Arc<TicketSlot>,
    ) -> Call {
        let mut in_flight = self.lock();
        let number = in_flight.last_number + 1;
        let entry = in_flight.calls.entry(Key(Arc::clone(asking)));
        if let Entry::Occupied(entered) = &entry
            && let Some(outcome) = entered.get().call.upgrade()
        {
            return Call { outcome, ticket: Arc::clone(&entered.get().ticket) };
        }
        let leaving = Leaving { calls: Arc::clone(self), key: Key(Arc::clone(asking)), number };
        let outcome = async move {
            let _leaving = leaving;
            work.await
        };
        let outcome = outcome.boxed().shared();
        if let Some(call) = outcome.downgrade() {
            entry.insert_entry(Entered { number, call, ticket: Arc::clone(&ticket) });
            in_flight.last_number = number;
            self.count.store(in_flight.calls.len(), Ordering::Relaxed);
        }
        Call { outcome, ticket }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().calls.len()
    }
}

/// Takes a call off the list when it has ended or everybody has left.
struct Leaving {
    calls: Arc<Calls>,
    key: Key,
    number: u64,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let mut in_flight = self.calls.lock();
        // Somebody may have begun the same call anew since the last one left.
        if in_flight.calls.get(&self.key).is_some_and(|entered| entered.number == self.number) {
            in_flight.calls.remove(&self.key);
            self.calls.count.store(in_flight.calls.len(), Ordering::Relaxed);
        }
    }
}

/// The breaker's ticket of a call once the filler is asked. The first to know the end settles it, so a call counts once
/// however many wait for it.
#[derive(Debug, Default)]
pub(super) struct TicketSlot(Mutex<Option<(Ticket, Instant)>>);

impl TicketSlot {
    fn lock(&self) -> MutexGuard<'_, Option<(Ticket, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, ticket: Ticket, asked_at: Instant) {
        *self.lock() = Some((ticket, asked_at));
    }

    pub(super) fn settle(&self, breaker: &Breaker, fault: bool) {
        let ticket = self.lock().take();
        if let Some((ticket, _)) = ticket {
            breaker.settle(ticket, fault);
        }
    }

    /// Somebody waited in vain: a fault if the filler itself had at least so much time. Time in our queue is not its own.
    pub(super) fn time_out(&self, breaker: &Breaker, fair: Duration) {
        if self.lock().as_ref().is_some_and(|(_, asked_at)| asked_at.elapsed() >= fair) {
            self.settle(breaker, true);
        }
    }
}
