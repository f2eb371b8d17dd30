use std::time::Duration;

use sqlx::postgres::{PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, Postgres};

use crate::database::engine::{Dialect, Handles};
use crate::database::location::PostgresUrl;
use crate::database::migrate::{POSTGRES, migrate};
use crate::database::options::Options;
use crate::database::readers::Readers;
use crate::database::writer::Writer;
use crate::store::OpenError;

/// How long a connection that has just answered is used without asking the server first: long enough for a busy service, too short
/// for a server that restarts.
const TRUSTED_FOR: Duration = Duration::from_millis(5);

impl Dialect for Postgres {
    const BEGIN: &'static str = "BEGIN";
    const SKIP_LOCKED: &'static str = " FOR UPDATE SKIP LOCKED";
}

pub(crate) async fn open(url: &PostgresUrl, options: &Options) -> Result<Handles<Postgres>, OpenError> {
    let connect = url.options().application_name("causeway");
    // A single connection first: a pool would retry for long and then hide the reason.
    let mut first = connect.connect().await.map_err(|source| OpenError::unreachable(url, source))?;
    migrate(&mut first, POSTGRES).await?;
    first.close().await.map_err(|source| OpenError::unreachable(url, source))?;
    let pool = || {
        PgPoolOptions::new()
            .acquire_timeout(Duration::from_secs(5))
            .after_connect(|connection, _| Box::pin(prepare(connection)))
    };
    // The writer has connections of its own, so that it never queues behind readers.
    let writer = pool().max_connections(2).connect_lazy_with(connect.clone());
    let readers = pool().max_connections(options.readers.max(1)).connect_lazy_with(connect);
    let readers = Readers::new(readers, options.readers.max(1), TRUSTED_FOR);
    Ok(Handles { writer: Writer::start(writer, options), readers })
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
