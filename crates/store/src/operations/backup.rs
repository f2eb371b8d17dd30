use std::io;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::{NamedTempFile, TempPath};
use thiserror::Error;
use tokio::task;

use crate::database::sqlite::{parent_folder, sync_folder};

/// Why no backup was made.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("there is no store at {}", .0.display())]
    Missing(PathBuf),
    #[error("{} exists already: a backup never overwrites a file, choose another name", .0.display())]
    Exists(PathBuf),
    #[error("the store is in PostgreSQL: use pg_dump, which makes a consistent copy while the service runs")]
    Postgres,
    #[error("the name of the backup file is not UTF-8")]
    Name,
    #[error("the store could not be copied")]
    Copy(#[source] sqlx::Error),
    #[error("cannot write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Copies the SQLite store at `source` into the new file `file` and returns its size.
///
/// Another process may be using the store; the copy holds every write acknowledged before the call. The file
/// appears under its name once it is complete and on the disk.
pub async fn backup(source: &Path, file: &Path) -> Result<u64, BackupError> {
    if !source.is_file() {
        return Err(BackupError::Missing(source.to_owned()));
    }
    if file.exists() {
        return Err(BackupError::Exists(file.to_owned()));
    }
    let folder = parent_folder(file);
    let draft = NamedTempFile::with_prefix_in(".causeway-backup-", folder)
        .map_err(|error| write_error(file, error))?
        .into_temp_path();
    copy(source, &draft).await?;

    let (folder, file) = (folder.to_owned(), file.to_owned());
    task::spawn_blocking(move || publish(draft, &folder, &file))
        .await
        .map_err(|error| BackupError::Copy(sqlx::Error::Io(error.into())))?
}

async fn copy(source: &Path, draft: &Path) -> Result<(), BackupError> {
    let draft = draft.to_str().ok_or(BackupError::Name)?;
    let mut connection = SqliteConnectOptions::new()
        .filename(source)
        .create_if_missing(false)
        .connect()
        .await
        .map_err(BackupError::Copy)?;
    // Reads in one transaction; the copy holds no deleted data.
    let copied = sqlx::query("VACUUM INTO $1").bind(draft).execute(&mut connection).await;
    connection.close().await.map_err(BackupError::Copy)?;
    copied.map(drop).map_err(BackupError::Copy)
}

fn publish(draft: TempPath, folder: &Path, file: &Path) -> Result<u64, BackupError> {
    let written = std::fs::File::open(&draft).and_then(|copy| {
        copy.sync_all()?;
        copy.metadata()
    });
    let size = written.map_err(|error| write_error(file, error))?.len();
    draft.persist_noclobber(file).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => BackupError::Exists(file.to_owned()),
        _ => write_error(file, error.error),
    })?;
    sync_folder(folder).map_err(|error| write_error(file, error))?;
    Ok(size)
}

fn write_error(path: &Path, source: io::Error) -> BackupError {
    BackupError::Write { path: path.to_owned(), source }
}
