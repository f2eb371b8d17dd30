use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use sqlx::pool::PoolConnection;
use sqlx::{Database, Either, Error, Execute, Executor, Pool, SqlStr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::database::error::timed_out;

/// How long a read waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection is kept before the pool sees it again, which renews old ones.
const KEPT_FOR: Duration = Duration::from_mins(1);
/// How long a read from a server may take. Longer than the server itself lets a statement run.
const READ_TIMEOUT: Duration = Duration::from_secs(15);

/// Connections for reading.
///
/// The pool asks the engine before and after every use of a connection, in a task of its own: three times the work of a small
/// read. A connection that has just answered is therefore kept here for the next read, and only one whose read failed or was
/// dropped goes back to the pool, which closes it if it is broken.
///
/// A read from a server ends with an error when the server does not answer, or when another one has taken over, so that nobody
/// waits for a server that is gone.
pub(crate) struct Readers<DB: Database>(Arc<Inner<DB>>);

struct Inner<DB: Database> {
    pool: Pool<DB>,
    /// As many permits as the pool has connections, so that the pool never waits for one that is kept here.
    slots: Arc<Semaphore>,
    /// For how long after its last answer a connection is used again without asking the engine first.
    trusted_for: Duration,
    kept: Mutex<Vec<Kept<DB>>>,
    /// Changes when another server has taken over. There is none for a file.
    moved: Option<watch::Receiver<u64>>,
}

struct Kept<DB: Database> {
    connection: PoolConnection<DB>,
    /// When the pool gave it out.
    taken_at: Instant,
    /// When it last answered.
    used_at: Instant,
    /// How often servers had taken over by then.
    moves: u64,
}

/// A connection in use; it goes back to the pool unless it is kept.
struct Reader<DB: Database> {
    connection: PoolConnection<DB>,
    taken_at: Instant,
    moves: u64,
    _slot: OwnedSemaphorePermit,
}

impl<DB: Database> Readers<DB> {
    /// Keeps up to `count` connections to a file, the size of the pool, each for so long after its last answer.
    pub(crate) fn local(pool: Pool<DB>, count: u32, trusted_for: Duration) -> Self {
        Self::new(pool, count, trusted_for, None)
    }

    /// The same with connections to a server; `moved` changes when another one has taken over.
    pub(crate) fn remote(
        pool: Pool<DB>,
        count: u32,
        trusted_for: Duration,
        moved: watch::Receiver<u64>,
    ) -> Self {
        Self::new(pool, count, trusted_for, Some(moved))
    }

    fn new(pool: Pool<DB>, count: u32, trusted_for: Duration, moved: Option<watch::Receiver<u64>>) -> Self {
        let slots = Arc::new(Semaphore::new(usize::try_from(count).unwrap_or(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Inner { pool, slots, trusted_for, kept: Mutex::default(), moved }))
    }

    pub(crate) async fn close(&self) {
        self.0.slots.close();
        self.0.kept.lock().clear();
        self.0.pool.close().await;
    }

    fn moves(&self) -> u64 {
        self.0.moved.as_ref().map_or(0, |moved| *moved.borrow())
    }

    async fn acquire(&self) -> Result<Reader<DB>, Error> {
        let slots = &self.0.slots;
        let slot = match Arc::clone(slots).try_acquire_owned() {
            Ok(slot) => slot,
            Err(_) => timeout(ACQUIRE_TIMEOUT, Arc::clone(slots).acquire_owned())
                .await
                .map_err(|_| Error::PoolTimedOut)?
                .map_err(|_| Error::PoolClosed)?,
        };
        if let Some(Kept { connection, taken_at, moves, .. }) = self.take_kept() {
            return Ok(Reader { connection, taken_at, moves, _slot: slot });
        }
        let moves = self.moves();
        let connection = self.0.pool.acquire().await?;
        Ok(Reader { connection, taken_at: Instant::now(), moves, _slot: slot })
    }

    /// The connection that was used last; those that are no longer trusted go back to the pool.
    fn take_kept(&self) -> Option<Kept<DB>> {
        let moves = self.moves();
        let mut kept = self.0.kept.lock();
        let is_trusted = |kept: &Kept<DB>| {
            kept.moves == moves
                && kept.used_at.elapsed() < self.0.trusted_for
                && kept.taken_at.elapsed() < KEPT_FOR
        };
        let newest = kept.pop().filter(is_trusted);
        if newest.is_none() {
            // The others were used before it.
            kept.clear();
        }
        newest
    }

    fn keep(&self, reader: Reader<DB>) {
        let Reader { connection, taken_at, moves, _slot: slot } = reader;
        let mut kept = self.0.kept.lock();
        if !self.0.slots.is_closed() {
            kept.push(Kept { connection, taken_at, used_at: Instant::now(), moves });
        }
        drop(kept);
        drop(slot);
    }

    /// The result of a read, or an error when nobody should wait for it any more.
    async fn limited<T>(&self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Some(moved) = self.0.moved.as_ref().map(from_now_on) else { return read.await };
        tokio::select! {
            result = read => result,
            () = has_moved(moved) => Err(timed_out()),
            () = sleep(READ_TIMEOUT) => Err(timed_out()),
        }
    }
}

/// A receiver that has seen every change so far.
pub(crate) fn from_now_on(moved: &watch::Receiver<u64>) -> watch::Receiver<u64> {
    let mut moved = moved.clone();
    moved.mark_unchanged();
    moved
}

/// Completes at the next change that it has not seen; never if there will be none.
pub(crate) async fn has_moved(mut moved: watch::Receiver<u64>) {
    if moved.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

impl<DB: Database> fmt::Debug for Readers<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("kept", &self.0.kept.lock().len()).finish_non_exhaustive()
    }
}

impl<DB: Database> Clone for Readers<DB> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Rows, and how many were changed.
type Step<DB> = Either<<DB as Database>::QueryResult, <DB as Database>::Row>;

impl<'p, DB: Database> Executor<'p> for &'p Readers<DB>
where
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
{
    type Database = DB;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Step<DB>, Error>>
    where
        E: 'q + Execute<'q, DB>,
    {
        let readers = self.clone();
        let read = async move {
            let read = async {
                let mut reader = readers.acquire().await?;
                let steps: Vec<_> = reader.connection.fetch_many(query).try_collect().await?;
                readers.keep(reader);
                Ok(stream::iter(steps.into_iter().map(Ok)))
            };
            readers.limited(read).await
        };
        stream::once(read).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<DB::Row>, Error>>
    where
        E: 'q + Execute<'q, DB>,
    {
        let readers = self.clone();
        Box::pin(async move {
            let read = async {
                let mut reader = readers.acquire().await?;
                let row = reader.connection.fetch_optional(query).await?;
                readers.keep(reader);
                Ok(row)
            };
            readers.limited(read).await
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [DB::TypeInfo],
    ) -> BoxFuture<'e, Result<DB::Statement, Error>>
    where
        'p: 'e,
    {
        let readers = self.clone();
        Box::pin(async move { readers.acquire().await?.connection.prepare_with(sql, parameters).await })
    }
}
