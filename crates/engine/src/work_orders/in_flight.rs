use std::collections::HashMap;
use std::pin::pin;

use causeway_domain::OrderId;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::MAX_IN_FLIGHT;

/// The orders that are being processed, each at most once.
#[derive(Default)]
pub(super) struct InFlightOrders<'a> {
    tasks: FuturesUnordered<BoxFuture<'a, OrderId>>,
    /// Whether the order became due again while it was being processed.
    started: HashMap<OrderId, bool>,
    /// Finished orders that were not reported yet.
    unreported: Vec<OrderId>,
}

impl<'a> InFlightOrders<'a> {
    /// How many more orders can be started.
    pub(super) fn capacity(&self) -> usize {
        MAX_IN_FLIGHT.saturating_sub(self.tasks.len())
    }

    /// Starts an order. One that is in flight already is started again after it has finished.
    pub(super) fn start(&mut self, id: OrderId, task: impl FnOnce() -> BoxFuture<'a, OrderId>) {
        if let Some(is_due_again) = self.started.get_mut(&id) {
            *is_due_again = true;
            return;
        }
        self.started.insert(id, false);
        self.tasks.push(task());
    }

    /// Awaits something else while the tasks make progress. Tasks that are not polled would keep what they hold, such as
    /// database connections, from whatever is awaited instead.
    pub(super) async fn while_running<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                done = &mut other => return done,
                Some(id) = self.tasks.next() => self.unreported.push(id),
            }
        }
    }

    /// Waits until an order has finished and returns whether it became due again. Cancel safe; pending while nothing is in
    /// flight.
    pub(super) async fn finished(&mut self) -> (OrderId, bool) {
        let finished = match self.unreported.pop() {
            None => self.tasks.next().await,
            unreported => unreported,
        };
        match finished {
            Some(id) => {
                let is_due_again = self.started.remove(&id).unwrap_or(false);
                (id, is_due_again)
            }
            None => std::future::pending().await,
        }
    }

    /// Waits for everything in flight.
    pub(super) async fn finish(mut self) {
        while self.tasks.next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::sync::Semaphore;

    use super::*;

    fn id(digit: &str) -> OrderId {
        digit.repeat(32).parse().unwrap()
    }

    #[tokio::test]
    async fn tasks_progress_while_a_resource_that_they_hold_is_awaited() {
        let connections = Semaphore::new(1);
        let mut in_flight = InFlightOrders::default();
        in_flight.start(id("1"), || {
            async {
                let held = connections.acquire().await;
                tokio::task::yield_now().await;
                drop(held);
                id("1")
            }
            .boxed()
        });
        // The task holds the connection and is not polled.
        assert!(in_flight.finished().now_or_never().is_none());
        assert!(connections.try_acquire().is_err());
        assert!(in_flight.while_running(connections.acquire()).await.is_ok());
        in_flight.start(id("1"), || panic!("the first task was not reported yet"));
        assert_eq!(in_flight.finished().await, (id("1"), true));
        assert!(in_flight.finished().now_or_never().is_none(), "reported once");
    }

    #[tokio::test]
    async fn what_is_in_flight_takes_one_place_until_it_is_done() {
        let mut in_flight = InFlightOrders::default();
        assert_eq!(in_flight.capacity(), MAX_IN_FLIGHT);
        in_flight.start(id("1"), || async { id("1") }.boxed());
        in_flight.start(id("1"), || panic!("it is in flight"));
        assert_eq!(in_flight.capacity(), MAX_IN_FLIGHT - 1);
        assert_eq!(in_flight.finished().await, (id("1"), true));
        assert_eq!(in_flight.capacity(), MAX_IN_FLIGHT);
    }
}
