use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::config::{SolanaConfig, SolanaError};
use super::genesis::Genesis;
use super::node::Node;

/// Programs call each other many frames deep on the stack of the thread that runs them.
const STACK_BYTES: usize = 16 << 20;
/// A clock that is this many slots late is reset instead of catching up.
const MAX_LATE_SLOTS: u32 = 10;

type Job = Box<dyn FnOnce(&mut Node) + Send>;

/// A handle to the thread that owns the chain. A single owner needs no lock across an execution, and none that a panic
/// could poison. The thread sleeps between slots.
#[derive(Debug)]
pub(super) struct NodeThread {
    jobs: Sender<Job>,
}

impl NodeThread {
    pub(super) fn start(config: SolanaConfig, genesis: Genesis) -> Result<Self, SolanaError> {
        let (jobs, inbox) = channel::<Job>();
        let (opened, answer) = channel();
        let run = move || match Node::open(&config, &genesis) {
            Ok(node) => {
                drop(genesis);
                // The caller may have gone; the closed inbox ends the loop.
                let _ = opened.send(Ok(()));
                run_loop(node, &inbox, config.slot_time);
            }
            Err(error) => {
                let _ = opened.send(Err(error));
            }
        };
        let thread = thread::Builder::new().name("solana".to_owned()).stack_size(STACK_BYTES).spawn(run);
        thread.map_err(|error| SolanaError::Refused(format!("cannot start the chain's thread: {error}")))?;
        answer.recv().map_err(|_| SolanaError::Stopped)??;
        Ok(Self { jobs })
    }

    /// Runs a job on the thread that owns the chain.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Node) -> T + Send + 'static,
    ) -> Result<T, SolanaError> {
        let (reply, result) = oneshot::channel();
        let job: Job = Box::new(move |node| {
            // A caller that gave up does not need the result.
            let _ = reply.send(job(node));
        });
        self.jobs.send(job).map_err(|_| SolanaError::Stopped)?;
        result.await.map_err(|_| SolanaError::Stopped)
    }
}

fn run_loop(mut node: Node, inbox: &Receiver<Job>, slot_time: Duration) {
    let slot_time = slot_time.max(Duration::from_millis(1));
    let mut next = Instant::now() + slot_time;
    while !node.stopped {
        let job = if node.paused {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(next.saturating_duration_since(Instant::now()))
        };
        match job {
            Ok(job) => catch_panic(|| job(&mut node)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => node.stop(),
        }
        let now = Instant::now();
        if node.paused || now > next + slot_time * MAX_LATE_SLOTS {
            next = now + slot_time;
        } else if now >= next && !node.stopped {
            catch_panic(|| node.tick());
            next += slot_time;
        }
    }
}

/// A panic in one request must not end the chain.
fn catch_panic(job: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(job)).is_err() {
        tracing::error!("Solana sandbox request panicked");
    }
}
