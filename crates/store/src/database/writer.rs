use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use causeway_domain::ports::StoreError;
use sqlx::{Connection as _, Pool};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::{Connection, Dialect};
use crate::database::error::{DbError, is_outage, is_serialization_failure, timed_out, unavailable};
use crate::database::options::Options;
use crate::database::readers::{from_now_on, has_moved};
use crate::database::write_op::{Job, PendingWrite, WriteOp};

/// How long a batch may take before its callers get an outage error.
const BATCH_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a write is tried that fails by a serialization conflict.
const MAX_ATTEMPTS: u32 = 5;

/// Commits writes in groups: while one commit runs, the next group gathers.
pub(crate) struct Writer<DB: Dialect> {
    pool: Pool<DB>,
    queue: mpsc::Sender<Job<DB>>,
    counters: Arc<Counters>,
    /// Whether new writes are refused.
    closed: AtomicBool,
    closing: CancellationToken,
    task: TaskTracker,
    committed: watch::Receiver<()>,
}

#[derive(Default)]
struct Counters {
    commits: AtomicU64,
    writes: AtomicU64,
}

impl<DB: Dialect> Writer<DB> {
    /// `moved` changes when another server has taken over; what the one before it was asked is then given up.
    pub(crate) fn start(pool: Pool<DB>, options: &Options, moved: Option<watch::Receiver<u64>>) -> Self {
        let (queue, waiting) = mpsc::channel(options.queue.max(1));
        let (counters, closing, task) = (Arc::default(), CancellationToken::new(), TaskTracker::new());
        let (notify, committed) = watch::channel(());
        let work =
            Committer { pool: pool.clone(), counters: Arc::clone(&counters), committed: notify, moved };
        task.spawn(work.serve(waiting, options.max_batch.max(1), closing.clone()));
        task.close();
        Self { pool, queue, counters, closed: AtomicBool::new(false), closing, task, committed }
    }

    /// Notifies of every commit; closes with the writer.
    pub(crate) fn committed(&self) -> watch::Receiver<()> {
        self.committed.clone()
    }

    /// Cancelled when the writer begins to close.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Spawns work that ends with the writer; closing waits for it.
    pub(crate) fn spawn_alongside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.task.spawn(work);
    }

    /// Completes when the write is durable.
    pub(crate) async fn write<D: WriteOp<DB>>(&self, op: D) -> Result<D::Outcome, StoreError> {
        let (reply, answer) = oneshot::channel();
        // The queue itself closes only after the current batch.
        if self.closed.load(Ordering::Relaxed) {
            return Err(closed());
        }
        let job: Job<DB> = Box::new(PendingWrite::new(op, reply));
        self.queue.send(job).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    pub(crate) fn commits(&self) -> u64 {
        self.counters.commits.load(Ordering::Relaxed)
    }

    pub(crate) fn writes(&self) -> u64 {
        self.counters.writes.load(Ordering::Relaxed)
    }

    pub(crate) fn queued(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Refuses new writes, and returns once the queued ones are done.
    pub(crate) async fn drain(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.closing.cancel();
        self.task.wait().await;
    }

    pub(crate) async fn close(&self) {
        self.drain().await;
        self.pool.close().await;
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".into())
}

struct Committer<DB: Dialect> {
    pool: Pool<DB>,
    counters: Arc<Counters>,
    committed: watch::Sender<()>,
    moved: Option<watch::Receiver<u64>>,
}

impl<DB: Dialect> Committer<DB> {
    async fn serve(self, mut waiting: mpsc::Receiver<Job<DB>>, max_batch: usize, closing: CancellationToken) {
        loop {
            let mut jobs = Vec::new();
            tokio::select! {
                taken = waiting.recv_many(&mut jobs, max_batch) => if taken == 0 { break },
                () = closing.cancelled(), if !waiting.is_closed() => {
                    waiting.close();
                    continue;
                }
            }
            self.commit(jobs).await;
        }
    }

    /// Commits all together, or each alone if one of them fails the batch.
    async fn commit(&self, mut jobs: Vec<Job<DB>>) {
        // Nobody waited for one of them before another one was asked for, so any order is right.
        jobs.sort_by_cached_key(|job| job.turn());
        if jobs.len() > 1 {
            match self.attempt(&mut jobs).await {
                Ok(()) => return jobs.into_iter().for_each(|job| job.finish(None)),
                Err(DbError::Engine(error)) if is_outage(&error) => return refuse(jobs, error),
                Err(error) => tracing::debug!(?error, "batch failed, writes retried one by one"),
            }
        }
        self.commit_each(jobs).await;
    }

    async fn commit_each(&self, jobs: Vec<Job<DB>>) {
        let mut jobs = jobs.into_iter();
        while let Some(mut job) = jobs.next() {
            match self.attempt_alone(&mut job).await {
                Ok(()) => job.finish(None),
                Err(DbError::Engine(error)) if is_outage(&error) => {
                    // The engine became unavailable: waiting for it once per job would take minutes.
                    return refuse(std::iter::once(job).chain(jobs), error);
                }
                Err(error) => job.finish(Some(error.into())),
            }
        }
    }

    async fn attempt_alone(&self, job: &mut Job<DB>) -> Result<(), DbError> {
        for attempt in 1..MAX_ATTEMPTS {
            match self.attempt(slice::from_mut(job)).await {
                Err(DbError::Engine(error)) if is_serialization_failure(&error) => {
                    time::sleep(Duration::from_millis(5) * attempt * attempt).await;
                }
                result => return result,
            }
        }
        self.attempt(slice::from_mut(job)).await
    }

    async fn attempt(&self, jobs: &mut [Job<DB>]) -> Result<(), DbError> {
        let moved = self.moved.as_ref().map(from_now_on);
        let mut connection = self.pool.acquire().await?;
        let given_up = async {
            match moved {
                Some(moved) => has_moved(moved).await,
                None => std::future::pending().await,
            }
        };
        let result = tokio::select! {
            biased;
            result = time::timeout(BATCH_TIMEOUT, transact::<DB>(&mut connection, jobs)) => result.ok(),
            () = given_up => None,
        };
        let Some(result) = result else {
            connection.close_on_drop();
            return Err(timed_out().into());
        };
        if result.is_ok() {
            self.counters.commits.fetch_add(1, Ordering::Relaxed);
            self.counters.writes.fetch_add(jobs.len() as u64, Ordering::Relaxed);
            self.committed.send_replace(());
        } else if connection.is_in_transaction() {
            // Neither commit nor rollback succeeded (a full SQLite rolls back by itself, which the driver does not
            // see): the next transaction needs a connection with a known state.
            connection.close_on_drop();
        }
        result
    }
}

async fn transact<DB: Dialect>(connection: &mut Connection<DB>, jobs: &mut [Job<DB>]) -> Result<(), DbError> {
    let mut transaction = connection.begin_with(DB::BEGIN).await?;
    match run_all::<DB>(&mut transaction, jobs).await {
        Ok(()) => Ok(transaction.commit().await?),
        Err(cause) => {
            if let Err(error) = transaction.rollback().await {
                tracing::debug!(%error, "rollback failed");
            }
            Err(cause)
        }
    }
}

async fn run_all<DB: Dialect>(connection: &mut Connection<DB>, jobs: &mut [Job<DB>]) -> Result<(), DbError> {
    let mut orders = OrderRows::default();
    for job in jobs.iter() {
        job.add_orders(&mut orders);
    }
    let turns: Vec<Turn> = jobs.iter().map(|job| job.turn()).collect();
    if orders.need_lock(&turns) {
        DB::lock_orders(connection, &orders).await?;
    }
    for job in jobs {
        job.run(connection).await?;
    }
    Ok(())
}

fn refuse<DB: Dialect>(jobs: impl IntoIterator<Item = Job<DB>>, error: sqlx::Error) {
    tracing::error!(%error, "store write failed");
    let error = Arc::new(error);
    for job in jobs {
        job.finish(Some(unavailable(&error)));
    }
}
