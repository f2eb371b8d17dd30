use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::FillerQuery;
use super::breaker::{Breaker, Ticket};
use super::outcome::Outcome;

/// The calls to one filler that are in flight. Identical asks share a call, which ends when no caller waits for it any more.
#[derive(Default)]
pub(super) struct Calls {
    in_flight: Mutex<InFlight>,
    /// How many there are, readable without the lock.
    count: AtomicUsize,
}

#[derive(Default)]
struct InFlight {
    calls: HashMap<Key, InFlightCall>,
    last_number: u64,
}

struct InFlightCall {
    number: u64,
    call: WeakShared<BoxFuture<'static, Outcome>>,
    ticket: Arc<TicketSlot>,
}

/// Two asks are identical when a filler receives the same request for both; the tokens follow from the ask.
struct Key(Arc<FillerQuery>);

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

/// A share in a call.
pub(super) struct Call {
    pub(super) outcome: Shared<BoxFuture<'static, Outcome>>,
    pub(super) ticket: Arc<TicketSlot>,
}

/// The result of joining a call.
pub(super) enum Joined {
    Call(Call),
    /// The filler answered immediately: there is nothing to share.
    Answered(Outcome),
}

impl Calls {
    /// Joins the call for an identical ask, or starts one with `begin`.
    pub(super) async fn join<F>(
        self: &Arc<Self>,
        query: &Arc<FillerQuery>,
        begin: impl FnOnce(Arc<TicketSlot>) -> F,
    ) -> Joined
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        if let Some(call) = self.find(query) {
            return Joined::Call(call);
        }
        let ticket: Arc<TicketSlot> = Arc::default();
        let mut work = begin(Arc::clone(&ticket)).boxed();
        match futures::poll!(&mut work) {
            Poll::Ready(outcome) => Joined::Answered(outcome),
            Poll::Pending => Joined::Call(self.register(query, work, ticket)),
        }
    }

    fn find(&self, query: &Arc<FillerQuery>) -> Option<Call> {
        // A call that starts concurrently is found again when this one is registered.
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let in_flight = self.in_flight.lock();
        let existing = in_flight.calls.get(&Key(Arc::clone(query)))?;
        Some(Call { outcome: existing.call.upgrade()?, ticket: Arc::clone(&existing.ticket) })
    }

    /// Registers a started call, unless an identical one was registered first.
    fn register(
        self: &Arc<Self>,
        query: &Arc<FillerQuery>,
        work: BoxFuture<'static, Outcome>,
        ticket: Arc<TicketSlot>,
    ) -> Call {
        let mut in_flight = self.in_flight.lock();
        let number = in_flight.last_number + 1;
        let entry = in_flight.calls.entry(Key(Arc::clone(query)));
        if let Entry::Occupied(existing) = &entry
            && let Some(outcome) = existing.get().call.upgrade()
        {
            return Call { outcome, ticket: Arc::clone(&existing.get().ticket) };
        }
        let guard = Deregister { calls: Arc::clone(self), key: Key(Arc::clone(query)), number };
        let outcome = async move {
            let _guard = guard;
            work.await
        };
        let outcome = outcome.boxed().shared();
        if let Some(call) = outcome.downgrade() {
            entry.insert_entry(InFlightCall { number, call, ticket: Arc::clone(&ticket) });
            in_flight.last_number = number;
            self.count.store(in_flight.calls.len(), Ordering::Relaxed);
        }
        Call { outcome, ticket }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.in_flight.lock().calls.len()
    }
}

/// Deregisters a call when it has ended or was cancelled.
struct Deregister {
    calls: Arc<Calls>,
    key: Key,
    number: u64,
}

impl Drop for Deregister {
    fn drop(&mut self) {
        let mut in_flight = self.calls.in_flight.lock();
        // An identical call may have been registered since.
        if in_flight.calls.get(&self.key).is_some_and(|existing| existing.number == self.number) {
            in_flight.calls.remove(&self.key);
            self.calls.count.store(in_flight.calls.len(), Ordering::Relaxed);
        }
    }
}

/// The breaker's ticket of a call. The first waiter that learns the outcome settles it, so that a shared call counts once.
#[derive(Debug, Default)]
pub(super) struct TicketSlot(Mutex<Option<(Ticket, Instant)>>);

impl TicketSlot {
    pub(super) fn put(&self, ticket: Ticket, asked_at: Instant) {
        *self.0.lock() = Some((ticket, asked_at));
    }

    pub(super) fn settle(&self, breaker: &Breaker, fault: bool) {
        let ticket = self.0.lock().take();
        if let Some((ticket, _)) = ticket {
            breaker.settle(ticket, fault);
        }
    }

    /// Counts a timeout as a fault if the filler itself had at least `min_time`. Time in our queue does not count.
    pub(super) fn time_out(&self, breaker: &Breaker, min_time: Duration) {
        if self.0.lock().as_ref().is_some_and(|(_, asked_at)| asked_at.elapsed() >= min_time) {
            self.settle(breaker, true);
        }
    }
}
