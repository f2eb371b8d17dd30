use std::time::Duration;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};
use tokio::sync::watch;
use tokio::time;

/// How soon after a commit a checkpoint runs.
const CHECKPOINT_DELAY: Duration = Duration::from_millis(250);
/// The most pages in the log before writers wait for a restart of the log; at 4 kB each, 64 MB.
const MAX_LOG_PAGES: i64 = 16_384;

/// How long a restart of the log waits for readers; writers wait as long.
const BUSY_TIMEOUT_MILLIS: u32 = 25;

/// Runs checkpoints outside the writer, whose commits would otherwise wait for them. Ends when the writer does.
pub(super) async fn run_checkpoints(mut connection: SqliteConnection, mut committed: watch::Receiver<()>) {
    let busy_timeout = AssertSqlSafe(format!("PRAGMA busy_timeout = {BUSY_TIMEOUT_MILLIS}"));
    if let Err(error) = sqlx::query(busy_timeout).execute(&mut connection).await {
        tracing::warn!(%error, "setting busy_timeout failed, checkpoints may delay writers");
    }
    while committed.changed().await.is_ok() {
        let ended = async { while committed.changed().await.is_ok() {} };
        if time::timeout(CHECKPOINT_DELAY, ended).await.is_ok() {
            break;
        }
        if let Err(error) = checkpoint(&mut connection).await {
            tracing::warn!(%error, "checkpoint failed, retrying after the next commit");
        }
    }
    if let Err(error) = connection.close().await {
        tracing::debug!(%error, "closing the checkpoint connection failed");
    }
}

async fn checkpoint(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    // Blocks nobody, and so never reaches the end of a log that is always being written.
    let pages = run(connection, "PASSIVE").await?;
    if pages > MAX_LOG_PAGES {
        // A reader in the middle of the log prevents this; the next commit tries again.
        run(connection, "RESTART").await?;
    }
    Ok(())
}

/// Runs a checkpoint and returns the number of pages in the log.
async fn run(connection: &mut SqliteConnection, mode: &str) -> Result<i64, sqlx::Error> {
    let pragma = AssertSqlSafe(format!("PRAGMA wal_checkpoint({mode})"));
    let (_, pages, _): (i64, i64, i64) = sqlx::query_as(pragma).fetch_one(connection).await?;
    Ok(pages)
}
