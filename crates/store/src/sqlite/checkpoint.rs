use std::time::Duration;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};
use tokio::sync::watch;
use tokio::time;

/// How soon after a commit the log is written back into the file.
const EVERY: Duration = Duration::from_millis(250);
/// So many pages may lie in the log before writers wait until it begins anew; at 4 kB each, 64 MB.
const MAX_PAGES: i64 = 16_384;

/// How long the log's new beginning waits for readers: writers wait as long.
const PATIENCE_MILLIS: u32 = 25;

/// Writes the log back into the file beside the writer, which would otherwise do it inside a commit, and everybody would wait
/// for the disk. Ends when the writer does.
pub(super) async fn keep_checkpointing(mut connection: SqliteConnection, mut committed: watch::Receiver<()>) {
    let patience = AssertSqlSafe(format!("PRAGMA busy_timeout = {PATIENCE_MILLIS}"));
    if let Err(error) = sqlx::query(patience).execute(&mut connection).await {
        tracing::warn!(%error, "writing the log back may keep writers waiting for longer than it should");
    }
    while committed.changed().await.is_ok() {
        let ended = async { while committed.changed().await.is_ok() {} };
        if time::timeout(EVERY, ended).await.is_ok() {
            break;
        }
        if let Err(error) = checkpoint(&mut connection).await {
            tracing::warn!(%error, "the log could not be written back, trying again after the next commit");
        }
    }
    if let Err(error) = connection.close().await {
        tracing::debug!(%error, "the connection that writes the log back did not close");
    }
}

async fn checkpoint(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    // Stands in nobody's way, and so never gets to the end of a log that is always being written.
    let pages = run(connection, "PASSIVE").await?;
    if pages > MAX_PAGES {
        // With a reader in the middle of the log this comes to nothing, and the next commit tries again.
        run(connection, "RESTART").await?;
    }
    Ok(())
}

/// How many pages the log has.
async fn run(connection: &mut SqliteConnection, mode: &str) -> Result<i64, sqlx::Error> {
    let pragma = AssertSqlSafe(format!("PRAGMA wal_checkpoint({mode})"));
    let (_, pages, _): (i64, i64, i64) = sqlx::query_as(pragma).fetch_one(connection).await?;
    Ok(pages)
}
