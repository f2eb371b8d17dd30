use std::collections::HashMap;
use std::pin::pin;

use causeway_domain::OrderId;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::MOST;

/// The orders that are worked on now, each once.
#[derive(Default)]
pub(super) struct Bench<'a> {
    looks: FuturesUnordered<BoxFuture<'a, OrderId>>,
    /// Whether it became due again while it was looked at.
    taken: HashMap<OrderId, bool>,
    /// Looks that have ended, of which nobody has been told yet.
    over: Vec<OrderId>,
}

impl<'a> Bench<'a> {
    /// How many more there is room for.
    pub(super) fn room(&self) -> usize {
        MOST.saturating_sub(self.looks.len())
    }

    /// Begins to look at an order. One that is looked at already is not looked at twice at once, but again afterwards.
    pub(super) fn take(&mut self, id: OrderId, look: impl FnOnce() -> BoxFuture<'a, OrderId>) {
        if let Some(again) = self.taken.get_mut(&id) {
            *again = true;
            return;
        }
        self.taken.insert(id, false);
        self.looks.push(look());
    }

    /// Waits for something else while the looks go on. They stand still when nobody waits for them, and would keep what they
    /// hold, such as the store's connections, from whatever is waited for instead.
    pub(super) async fn beside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                done = &mut other => return done,
                Some(id) = self.looks.next() => self.over.push(id),
            }
        }
    }

    /// Waits for the end of a look, and tells whether that order wants another one at once. Dropping this loses nothing; it
    /// never ends while nothing is looked at.
    pub(super) async fn ended(&mut self) -> (OrderId, bool) {
        let ended = match self.over.pop() {
            None => self.looks.next().await,
            over => over,
        };
        match ended {
            Some(id) => {
                let again = self.taken.remove(&id).unwrap_or(false);
                (id, again)
            }
            None => std::future::pending().await,
        }
    }

    /// Ends all looks that were begun.
    pub(super) async fn finish(mut self) {
        while self.looks.next().await.is_some() {}
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
    async fn looks_go_on_while_something_is_waited_for_that_they_hold() {
        let connections = Semaphore::new(1);
        let mut bench = Bench::default();
        bench.take(id("1"), || {
            async {
                let held = connections.acquire().await;
                tokio::task::yield_now().await;
                drop(held);
                id("1")
            }
            .boxed()
        });
        // The look has taken the connection and stands still.
        assert!(bench.ended().now_or_never().is_none());
        assert!(connections.try_acquire().is_err());
        assert!(bench.beside(connections.acquire()).await.is_ok());
        bench.take(id("1"), || panic!("it is not told yet that the first look has ended"));
        assert_eq!(bench.ended().await, (id("1"), true));
        assert!(bench.ended().now_or_never().is_none(), "told once");
    }
}
