use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::config::{SolanaConfig, SolanaError};
use super::genesis::Genesis;
use super::node::Node;

/// Programs call each other many frames deep on the stack of the thread that runs them.
const STACK: usize = 16 << 20;
/// A clock that is this many slots late starts anew instead of catching up.
const MAX_LATE: u32 = 10;

type Job = Box<dyn FnOnce(&mut Node) + Send>;

/// The way to the thread that owns the chain. One owner means no lock to hold across an execution and none
/// that a panic could poison; the thread sleeps between slots.
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
                // Nobody waits for the answer when the caller has gone; the closed inbox ends the loop.
                let _ = opened.send(Ok(()));
                work(node, &inbox, config.slot_time);
            }
            Err(error) => {
                let _ = opened.send(Err(error));
            }
        };
        let thread = thread::Builder::new().name("solana".to_owned()).stack_size(STACK).spawn(run);
        thread.map_err(|error| SolanaError::Refused(format!("no thread for the chain: {error}")))?;
        answer.recv().map_err(|_| SolanaError::Stopped)??;
        Ok(Self { jobs })
    }

    /// Has the thread do something with the chain.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Node) -> T + Send + 'static,
    ) -> Result<T, SolanaError> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |node| {
            // A caller that gave up does not need the answer.
            let _ = tell.send(job(node));
        });
        self.jobs.send(job).map_err(|_| SolanaError::Stopped)?;
        told.await.map_err(|_| SolanaError::Stopped)
    }
}

fn work(mut node: Node, inbox: &Receiver<Job>, slot_time: Duration) {
    let slot_time = slot_time.max(Duration::from_millis(1));
    let mut next = Instant::now() + slot_time;
    while !node.stopped {
        let job = if node.paused {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(next.saturating_duration_since(Instant::now()))
        };
        match job {
            Ok(job) => guarded(|| job(&mut node)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => node.stop(),
        }
        let now = Instant::now();
        if node.paused || now > next + slot_time * MAX_LATE {
            next = now + slot_time;
        } else if now >= next && !node.stopped {
            guarded(|| node.tick());
            next += slot_time;
        }
    }
}

/// A mistake in one answer must not end the chain.
fn guarded(work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("the Solana chain failed at a request and goes on");
    }
}
