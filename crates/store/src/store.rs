use std::fmt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use causeway_domain::ports::{Health, StoreError};
use sqlx::migrate::MigrateError;
use sqlx::{Postgres, Sqlite};
use thiserror::Error;

use crate::database::engine::Engine;
use crate::database::error::store_error;
use crate::database::location::Location;
use crate::database::options::Options;
use crate::database::write_op::WriteOp;
use crate::database::{postgres, sqlite};
use crate::operations::backup::{BackupError, backup};

/// The service's database, in SQLite or PostgreSQL.
pub struct Store {
    pub(crate) engine: Engine,
    location: Location,
}

/// Why a store could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error("cannot create the file {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot open the database at {place}")]
    Unreachable {
        place: String,
        #[source]
        source: sqlx::Error,
    },
    #[error(
        "the database has schema {found}, made by a newer version of causeway, and this one knows up to {known}: \
         run the newer version, or restore a backup from before it"
    )]
    Newer { found: i64, known: i64 },
    #[error(
        "migration {0} of the database is not the one that this version of causeway has: \
         the database belongs to something else, or to a build that was never released"
    )]
    Foreign(i64),
    #[error("the database could not be brought to this version's schema")]
    Migration(#[source] Box<MigrateError>),
}

impl OpenError {
    pub(crate) fn unreachable(place: impl fmt::Display, source: sqlx::Error) -> Self {
        Self::Unreachable { place: place.to_string(), source }
    }
}

impl Store {
    /// Opens or creates the database and migrates its schema.
    pub async fn open(location: &Location) -> Result<Self, OpenError> {
        Self::open_with(location, &Options::default()).await
    }

    pub async fn open_with(location: &Location, options: &Options) -> Result<Self, OpenError> {
        let engine = match location {
            Location::Sqlite(path) => Engine::Sqlite(sqlite::open(path, options).await?),
            Location::Postgres(url) => Engine::Postgres(postgres::open(url, options).await?),
        };
        Ok(Self::new(engine, location.clone()))
    }

    pub(crate) const fn new(engine: Engine, location: Location) -> Self {
        Self { engine, location }
    }

    pub const fn location(&self) -> &Location {
        &self.location
    }

    /// How many transactions have been committed since the start.
    pub fn commits(&self) -> u64 {
        on_engine!(self.engine, handles => handles.writer.commits())
    }

    /// How many writes have been committed since the start.
    pub fn writes(&self) -> u64 {
        on_engine!(self.engine, handles => handles.writer.writes())
    }

    /// How many writes wait for the next commit.
    pub fn queued(&self) -> usize {
        on_engine!(self.engine, handles => handles.writer.queued())
    }

    /// Copies a SQLite store into a new file while it is in use; returns the file's size.
    pub async fn backup(&self, file: &Path) -> Result<u64, BackupError> {
        match &self.location {
            Location::Sqlite(path) => backup(path, file).await,
            Location::Postgres(_) => Err(BackupError::Postgres),
        }
    }

    /// Finishes queued writes, refuses new ones, and closes the database.
    pub async fn close(&self) {
        on_engine!(self.engine, handles => {
            handles.writer.drain().await;
            handles.readers.close().await;
            // Last, because the last connection to a SQLite file checkpoints the log.
            handles.writer.close().await;
        });
    }

    pub(crate) async fn write<D>(&self, op: D) -> Result<<D as WriteOp<Sqlite>>::Outcome, StoreError>
    where
        D: WriteOp<Sqlite> + WriteOp<Postgres, Outcome = <D as WriteOp<Sqlite>>::Outcome>,
    {
        on_engine!(self.engine, handles => handles.writer.write(op).await)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("location", &self.location).finish_non_exhaustive()
    }
}

#[async_trait]
impl Health for Store {
    async fn check(&self) -> Result<(), StoreError> {
        if let Location::Sqlite(path) = &self.location {
            // A removed file that is still open keeps answering, but its data is lost when it closes.
            tokio::fs::metadata(path).await.map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        }
        on_engine!(self.engine, handles => {
            sqlx::query("SELECT 1").execute(&handles.readers).await.map(drop).map_err(store_error)
        })
    }
}
