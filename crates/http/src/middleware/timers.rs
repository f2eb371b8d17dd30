use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep_until};

/// Idle timers that are kept.
const MAX_IDLE: usize = 1_024;

/// A pool of timers. Creating one for each request would be the largest cost of the middleware; resetting one allocates
/// nothing and usually keeps its slot in the runtime's timer wheel.
#[derive(Debug, Default)]
pub(crate) struct TimerPool(Mutex<Vec<Pin<Box<Sleep>>>>);

impl TimerPool {
    /// The output of `work`, or `None` if it takes longer than `limit`.
    pub(crate) async fn timeout<F: Future>(&self, limit: Duration, work: F) -> Option<F::Output> {
        let (mut work, mut timer) = (pin!(work), None);
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            // Work that completes on the first poll needs no timer.
            Poll::Pending => timer.get_or_insert_with(|| self.acquire(limit)).poll(context).map(|()| None),
        })
        .await
    }

    fn acquire(&self, limit: Duration) -> PooledTimer<'_> {
        let deadline = Instant::now() + limit;
        let idle = self.0.lock().pop();
        let timer = match idle {
            Some(mut timer) => {
                timer.as_mut().reset(deadline);
                timer
            }
            None => Box::pin(sleep_until(deadline)),
        };
        PooledTimer { timer: Some(timer), timers: self }
    }
}

/// A timer that returns to the pool on drop, also when its request is cancelled.
struct PooledTimer<'a> {
    timer: Option<Pin<Box<Sleep>>>,
    timers: &'a TimerPool,
}

impl PooledTimer<'_> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.timer.as_mut().map_or(Poll::Pending, |timer| timer.as_mut().poll(context))
    }
}

impl Drop for PooledTimer<'_> {
    fn drop(&mut self) {
        let mut idle = self.timers.0.lock();
        if idle.len() < MAX_IDLE {
            idle.extend(self.timer.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::time::{advance, sleep};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn work_times_out_at_the_limit_and_not_before() {
        let timers = TimerPool::default();
        for _ in 0..3 {
            let start = Instant::now();
            assert_eq!(timers.timeout(LIMIT, sleep(LIMIT * 2)).await, None);
            assert!((LIMIT..LIMIT + Duration::from_millis(2)).contains(&start.elapsed()));
            assert_eq!(timers.timeout(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        }
        assert_eq!(timers.0.lock().len(), 1, "all calls shared one timer");
    }

    #[tokio::test(start_paused = true)]
    async fn timer_that_expired_in_the_pool_is_reset_for_the_next_use() {
        let timers = TimerPool::default();
        assert_eq!(timers.timeout(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        advance(LIMIT * 3).await;
        assert_eq!(timers.timeout(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        assert_eq!(timers.timeout(LIMIT, sleep(LIMIT * 2)).await, None);
    }

    #[tokio::test]
    async fn immediate_work_takes_no_timer_and_cancelled_work_returns_its_timer() {
        let timers = TimerPool::default();
        assert_eq!(timers.timeout(LIMIT, async { 7 }).await, Some(7));
        assert!(timers.0.lock().is_empty());
        assert!(timers.timeout(LIMIT, std::future::pending::<()>()).now_or_never().is_none());
        assert_eq!(timers.0.lock().len(), 1);
    }
}
