use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Sqlite};
use tokio::time;

use crate::database::batch_order::OrderRows;
use crate::database::engine::{Dialect, Handles};
use crate::database::error::is_locked;
use crate::database::migrate::{SQLITE, migrate};
use crate::database::options::Options;
use crate::database::readers::Readers;
use crate::database::writer::Writer;
use crate::store::OpenError;

use checkpoint::run_checkpoints;

/// How long a connection is used without asking the engine first. A file does not go away as a server does.
const TRUSTED_FOR: Duration = Duration::from_mins(1);
/// How often switching to the write-ahead log is tried; SQLite does not wait for other processes here.
const WAL_ATTEMPTS: u32 = 50;
/// The size that the log is truncated to after a checkpoint.
const LOG_BYTES: &str = "67108864";

impl Dialect for Sqlite {
    // Takes the write lock at the start: a transaction that upgrades later may have to restart.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    // SQLite has one writer.
    const SKIP_LOCKED: &'static str = "";
    const NOW_MILLIS: &'static str = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";

    // The transaction has locked everything.
    async fn lock_orders(_: &mut SqliteConnection, _: &OrderRows) -> Result<(), sqlx::Error> {
        Ok(())
    }
}

pub(crate) async fn open(path: &Path, options: &Options) -> Result<Handles<Sqlite>, OpenError> {
    let unreachable = |source| OpenError::unreachable(path.display(), source);
    create(path).map_err(|source| OpenError::File { path: path.to_owned(), source })?;
    let connect = connect_options(path, options);
    let mut first = connect_first(&connect).await.map_err(unreachable)?;
    migrate(&mut first, SQLITE).await?;
    let writer = writer_pool(connect.clone());
    let readers = SqlitePoolOptions::new()
        .max_connections(options.readers.max(1))
        .acquire_timeout(Duration::from_secs(5))
        .test_before_acquire(false)
        .connect_lazy_with(connect.pragma("query_only", "ON"));
    drop(writer.acquire().await.map_err(unreachable)?);
    let writer = Writer::start(writer, options, None);
    writer.spawn_alongside(run_checkpoints(first, writer.committed()));
    let readers = Readers::local(readers, options.readers.max(1), TRUSTED_FOR);
    Ok(Handles { writer, readers })
}

fn connect_options(path: &Path, options: &Options) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        // A commit is on the disk before it is acknowledged.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(options.busy_timeout)
        .pragma("journal_size_limit", LOG_BYTES)
        .pragma("wal_autocheckpoint", "0")
}

fn writer_pool(connect: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(5))
        .connect_lazy_with(connect)
}

/// For migrations, which rebuild tables that others refer to, and for checkpoints.
async fn connect_first(connect: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let with_log = connect.clone().journal_mode(SqliteJournalMode::Wal).foreign_keys(false);
    for _ in 1..WAL_ATTEMPTS {
        match with_log.connect().await {
            Err(error) if is_locked(&error) => {
                time::sleep(Duration::from_millis(20)).await;
            }
            result => return result,
        }
    }
    with_log.connect().await
}

/// Creates the file and its folder durably, accessible to their owner only.
fn create(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = parent_folder(path);
    if !folder.is_dir() {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
        sync_folder(fs::canonicalize(folder)?.parent().unwrap_or(folder))?;
    }
    let mut file = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file.write(true).create(true).truncate(false).open(path)?;
    sync_folder(folder)
}

pub(crate) fn parent_folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

mod checkpoint;
#[cfg(test)]
mod tests;
