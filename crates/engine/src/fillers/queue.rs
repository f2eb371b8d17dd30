use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Limits concurrent calls and waiting calls; further calls are rejected.
#[derive(Debug)]
// Every call writes here: on its own cache lines, away from read-only data.
#[repr(align(128))]
pub(super) struct Queue {
    slots: Semaphore,
    waiting: AtomicUsize,
    max_waiting: usize,
}

impl Queue {
    pub(super) fn new(calls: usize, max_waiting: usize) -> Self {
        Self {
            slots: Semaphore::new(calls.clamp(1, Semaphore::MAX_PERMITS)),
            waiting: AtomicUsize::new(0),
            max_waiting,
        }
    }

    /// A slot in order of arrival; `None` when the queue is full.
    pub(super) async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(slot) = self.slots.try_acquire() {
            return Some(slot);
        }
        let _place = Place::take(self)?;
        self.slots.acquire().await.ok()
    }
}

/// A place in the queue, released when its holder gets a slot or is cancelled.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(queue: &'a Queue) -> Option<Self> {
        let room = |waiting| (waiting < queue.max_waiting).then_some(waiting + 1);
        queue.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).ok()?;
        Some(Self(&queue.waiting))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn full_queue_rejects_and_a_cancelled_waiter_frees_its_place() {
        let queue = Arc::new(Queue::new(1, 1));
        let slot = queue.enter().await.unwrap();
        let mut second = Box::pin(queue.enter());
        assert!((&mut second).now_or_never().is_none(), "the second waits");
        assert!(queue.enter().await.is_none(), "no room for a third");
        drop(second);
        let mut fourth = Box::pin(queue.enter());
        assert!((&mut fourth).now_or_never().is_none(), "there is room again");
        drop(slot);
        assert!(fourth.await.is_some());
    }
}
