use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, Postgres};
use tokio::time;

use crate::database::batch_order::OrderRows;
use crate::database::engine::{Dialect, Handles};
use crate::database::location::PostgresUrl;
use crate::database::migrate::{POSTGRES, migrate};
use crate::database::options::Options;
use crate::database::primary::{Moves, Primary, find, follow};
use crate::database::readers::Readers;
use crate::database::writer::Writer;
use crate::store::OpenError;

/// How long a connection that has just answered is used without asking the server first: long enough for a busy service, too short
/// for a server that restarts.
const TRUSTED_FOR: Duration = Duration::from_millis(5);

/// Rows are locked as they are sorted.
const LOCK_ORDERS: &str =
    "SELECT 1 FROM orders WHERE id = ANY($1) OR intent_id = ANY($2) ORDER BY id FOR UPDATE";

impl Dialect for Postgres {
    const BEGIN: &'static str = "BEGIN";
    const SKIP_LOCKED: &'static str = " FOR UPDATE SKIP LOCKED";
    const NOW_MILLIS: &'static str = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT";

    async fn lock_orders(connection: &mut PgConnection, rows: &OrderRows) -> Result<(), sqlx::Error> {
        sqlx::query(LOCK_ORDERS).bind(rows.ids()).bind(rows.intents()).execute(connection).await.map(drop)
    }
}

/// How long an idle connection may take to show that it is alive.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) async fn open(url: &PostgresUrl, options: &Options) -> Result<Handles<Postgres>, OpenError> {
    let hosts: Vec<_> = url.hosts().iter().map(|host| host.clone().application_name("causeway")).collect();
    let primary = if url.must_be_primary() { Some(primary(url, &hosts).await?) } else { None };
    let connect = hosts.get(primary.as_ref().map_or(0, Primary::host)).cloned().unwrap_or_default();
    // A single connection first: a pool would retry for long and then hide the reason.
    let mut first = connect.connect().await.map_err(|source| OpenError::unreachable(url, source))?;
    migrate(&mut first, POSTGRES).await?;
    first.close().await.map_err(|source| OpenError::unreachable(url, source))?;
    let moves = Moves::new();
    let pool = || {
        let moves = Arc::clone(&moves);
        PgPoolOptions::new()
            .acquire_timeout(Duration::from_secs(5))
            .after_connect(|connection, _| Box::pin(prepare(connection)))
            // Instead of the pool's own test, which waits for a server that is gone for as long as the pool waits.
            .test_before_acquire(false)
            .before_acquire(move |connection, meta| {
                let is_current = moves.is_current(meta.age);
                Box::pin(async move {
                    let is_alive = is_current
                        && time::timeout(PING_TIMEOUT, connection.ping()).await.is_ok_and(|it| it.is_ok());
                    Ok(is_alive)
                })
            })
    };
    // The writer has connections of its own, so that it never queues behind readers.
    let writer = pool().max_connections(2).connect_lazy_with(connect.clone());
    let count = options.readers.max(1);
    let readers = pool().max_connections(count).connect_lazy_with(connect);
    let pools = [writer.clone(), readers.clone()];
    let writer = Writer::start(writer, options, Some(moves.subscribe()));
    let changes = moves.subscribe();
    if let Some(primary) = primary {
        let stop = writer.closing();
        writer.spawn_alongside(follow(hosts, primary, pools, moves, stop));
    }
    Ok(Handles { writer, readers: Readers::remote(readers, count, TRUSTED_FOR, changes) })
}

/// The server that takes writes. While one takes over from another, there is none for a few seconds.
pub(crate) async fn primary(url: &PostgresUrl, hosts: &[PgConnectOptions]) -> Result<Primary, OpenError> {
    const ATTEMPTS: u32 = 20;
    for _ in 0..ATTEMPTS {
        if let Some(found) = find(hosts).await {
            return Ok(found);
        }
        time::sleep(Duration::from_millis(500)).await;
    }
    let reason = "none of these servers takes writes: they do not answer, or all of them are standbys";
    Err(OpenError::unreachable(url, std::io::Error::new(std::io::ErrorKind::NotConnected, reason).into()))
}

async fn prepare(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection.execute("SET statement_timeout = 10000").await?;
    let durable: String = sqlx::query_scalar("SHOW synchronous_commit").fetch_one(&mut *connection).await?;
    if durable == "off" {
        // Acknowledged writes must survive a power cut, whatever the server's default is.
        connection.execute("SET synchronous_commit = on").await?;
    }
    Ok(())
}
