//! Several PostgreSQL servers, of which one takes writes at a time: finds it, and follows it when another one takes over.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use parking_lot::Mutex;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::watch;
use tokio::time::{self, Instant};
use tokio_util::sync::CancellationToken;

/// How often the current server is asked whether it still takes writes.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long a server may take to answer that.
const TIMEOUT: Duration = Duration::from_millis(1_500);
/// After how many questions to the current server the others are asked too: one that was cut off may not know that it was replaced.
const ASK_OTHERS_EVERY: u32 = 10;

// The timeline is a number that every promotion increases.
const ROLE: &str = "SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN -1 \
     ELSE ('x' || lpad(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), 16, '0'))::bit(64)::bigint END";

/// When the server that takes writes was last changed, and a counter that changes with it.
#[derive(Debug)]
pub(crate) struct Moves {
    at: Mutex<Instant>,
    count: watch::Sender<u64>,
}

impl Moves {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { at: Mutex::new(Instant::now()), count: watch::Sender::new(0) })
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Whether a connection of this age was made after the last change.
    pub(crate) fn is_current(&self, age: Duration) -> bool {
        age <= self.at.lock().elapsed()
    }

    fn record(&self) {
        *self.at.lock() = Instant::now();
        self.count.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// A server that takes writes, with a connection to ask it by.
#[derive(Debug)]
pub(crate) struct Primary {
    host: usize,
    timeline: i64,
    connection: PgConnection,
}

impl Primary {
    /// Its options among those that were searched.
    pub(crate) const fn host(&self) -> usize {
        self.host
    }

    /// Whether it still takes writes, on the timeline that it had.
    async fn is_still(&mut self) -> bool {
        let role = time::timeout(TIMEOUT, role(&mut self.connection)).await;
        matches!(role, Ok(Ok(timeline)) if timeline == self.timeline)
    }
}

async fn role(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(ROLE).fetch_one(connection).await
}

/// A server, if it takes writes.
async fn ask(host: usize, options: &PgConnectOptions) -> Option<Primary> {
    let asked = time::timeout(TIMEOUT, async {
        let mut connection = options.connect().await?;
        let timeline = role(&mut connection).await?;
        Ok::<_, sqlx::Error>(Primary { host, timeline, connection })
    });
    match asked.await {
        Ok(Ok(found)) => Some(found).filter(|found| found.timeline >= 0),
        Ok(Err(error)) => {
            tracing::debug!(host = options.get_host(), %error, "a database server does not answer");
            None
        }
        Err(_) => None,
    }
}

/// The server that takes writes. Of several, which a partition leaves for a while, the one that was promoted last.
pub(crate) async fn find(hosts: &[PgConnectOptions]) -> Option<Primary> {
    let asked = hosts.iter().enumerate().map(|(host, options)| ask(host, options));
    let found = join_all(asked).await;
    found.into_iter().flatten().max_by_key(|found| found.timeline)
}

/// Has these pools follow the server that takes writes, until `stop`.
pub(crate) async fn follow(
    hosts: Vec<PgConnectOptions>,
    mut current: Primary,
    pools: [PgPool; 2],
    moves: Arc<Moves>,
    stop: CancellationToken,
) {
    let mut asked = 0_u32;
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = time::sleep(INTERVAL) => {}
        }
        asked = asked.wrapping_add(1);
        let is_still = current.is_still().await;
        if is_still && !asked.is_multiple_of(ASK_OTHERS_EVERY) {
            continue;
        }
        let Some(found) = find(&hosts).await else {
            if !is_still {
                tracing::debug!("no database server takes writes");
            }
            continue;
        };
        if is_still && (found.host == current.host || found.timeline <= current.timeline) {
            continue;
        }
        let options = hosts.get(found.host).cloned().unwrap_or_default();
        tracing::warn!(
            host = options.get_host(),
            port = options.get_port(),
            timeline = found.timeline,
            "another database server takes writes, or the same one again"
        );
        for pool in &pools {
            pool.set_connect_options(options.clone());
        }
        current = found;
        moves.record();
    }
    let _ = time::timeout(TIMEOUT, current.connection.close()).await;
}
