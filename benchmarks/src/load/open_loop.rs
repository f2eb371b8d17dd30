use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// More requests under way than this, and the service has fallen behind for good.
const MAX_UNDER_WAY: usize = 4_000;
/// How often requests begin.
const TICK: Duration = Duration::from_millis(5);

/// What one step of an open loop has measured.
pub(crate) struct Step {
    /// Sorted; from when a request was due, not from when it was sent.
    pub(crate) times: Vec<Duration>,
    pub(crate) failed: u64,
    /// Requests that were not sent, because too many were under way.
    pub(crate) left_out: u64,
    pub(crate) elapsed: Duration,
}

/// Sends `rate` requests a second for so long, whether the earlier ones were answered or not.
pub(crate) async fn run<F>(rate: u64, length: Duration, request: impl Fn(u64) -> F) -> Step
where
    F: Future<Output = bool> + Send + 'static,
{
    let (times, failed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let (mut begun, mut left_out, started) = (0, 0, Instant::now());
    let mut tasks = JoinSet::new();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    while started.elapsed() < length {
        ticks.tick().await;
        while tasks.try_join_next().is_some() {}
        let due = rate * u64::try_from(started.elapsed().as_millis()).unwrap_or(0) / 1_000;
        while begun < due {
            let due_at = started + Duration::from_secs_f64(begun as f64 / rate as f64);
            begun += 1;
            if tasks.len() >= MAX_UNDER_WAY {
                left_out += 1;
                continue;
            }
            let (answer, times, failed) = (request(begun), Arc::clone(&times), Arc::clone(&failed));
            tasks.spawn(async move {
                if answer.await {
                    times.lock().push(due_at.elapsed());
                } else {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }
    let elapsed = started.elapsed();
    while tasks.join_next().await.is_some() {}
    let mut times = std::mem::take(&mut *times.lock());
    times.sort_unstable();
    Step { times, failed: failed.load(Ordering::Relaxed), left_out, elapsed }
}
