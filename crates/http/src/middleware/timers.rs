use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// So many are kept for later.
const KEPT: usize = 1_024;

/// Timers that requests lend each other, because a new one for each costs more than anything else around a request: one that
/// is set again needs no memory and mostly no place in the runtime's list.
#[derive(Debug, Default)]
pub(crate) struct Timers(Mutex<Vec<Pin<Box<Sleep>>>>);

impl Timers {
    /// What `work` comes to; `None` where it takes longer than `limit`.
    pub(crate) async fn within<F: Future>(&self, limit: Duration, work: F) -> Option<F::Output> {
        let (mut work, mut timer) = (pin!(work), None);
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            // Who is done at once needs no timer.
            Poll::Pending => timer.get_or_insert_with(|| self.lend(limit)).poll(context).map(|()| None),
        })
        .await
    }

    fn lend(&self, limit: Duration) -> Lent<'_> {
        let deadline = Instant::now() + limit;
        let kept = self.lock().pop();
        let timer = match kept {
            Some(mut timer) => {
                timer.as_mut().reset(deadline);
                timer
            }
            None => Box::pin(sleep_until(deadline)),
        };
        Lent { timer: Some(timer), timers: self }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Pin<Box<Sleep>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A timer that goes back to the others, also when its request is given up.
struct Lent<'a> {
    timer: Option<Pin<Box<Sleep>>>,
    timers: &'a Timers,
}

impl Lent<'_> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.timer.as_mut().map_or(Poll::Pending, |timer| timer.as_mut().poll(context))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut kept = self.timers.lock();
        if kept.len() < KEPT {
            kept.extend(self.timer.take());
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
    async fn work_is_given_up_at_the_limit_and_not_before() {
        let timers = Timers::default();
        for _ in 0..3 {
            let start = Instant::now();
            assert_eq!(timers.within(LIMIT, sleep(LIMIT * 2)).await, None);
            assert!((LIMIT..LIMIT + Duration::from_millis(2)).contains(&start.elapsed()));
            assert_eq!(timers.within(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        }
        assert_eq!(timers.lock().len(), 1, "one timer served them all");
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_ran_out_while_nobody_had_it_counts_anew_for_the_next() {
        let timers = Timers::default();
        assert_eq!(timers.within(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        advance(LIMIT * 3).await;
        assert_eq!(timers.within(LIMIT, sleep(LIMIT / 2)).await, Some(()));
        assert_eq!(timers.within(LIMIT, sleep(LIMIT * 2)).await, None);
    }

    #[tokio::test]
    async fn who_is_done_at_once_takes_none_and_who_goes_away_gives_its_own_back() {
        let timers = Timers::default();
        assert_eq!(timers.within(LIMIT, async { 7 }).await, Some(7));
        assert!(timers.lock().is_empty());
        assert!(timers.within(LIMIT, std::future::pending::<()>()).now_or_never().is_none());
        assert_eq!(timers.lock().len(), 1);
    }
}
