use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::database::location::Location;
use crate::database::migrate::{POSTGRES, SQLITE};
use crate::database::postgres::primary;
use crate::store::OpenError;

/// The schema of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaVersion {
    /// `None` before the first start.
    pub found: Option<i64>,
    /// The newest that this version of causeway knows.
    pub known: i64,
}

const NEWEST: &str = "SELECT MAX(version) FROM _sqlx_migrations";

/// Reads the schema of a database without changing it, while services may be using it.
pub async fn inspect(location: &Location) -> Result<SchemaVersion, OpenError> {
    let unreachable = |source| OpenError::unreachable(location, source);
    let newest = |migrations: &[(i64, &str, &str)]| {
        migrations.iter().map(|(version, ..)| *version).max().unwrap_or_default()
    };
    match location {
        Location::Sqlite(path) if !path.exists() => Ok(SchemaVersion { found: None, known: newest(SQLITE) }),
        Location::Sqlite(path) => {
            let options = SqliteConnectOptions::new().filename(path).create_if_missing(false);
            let mut connection = options.pragma("query_only", "ON").connect().await.map_err(unreachable)?;
            let is_used = "SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'";
            let tables: i64 =
                sqlx::query_scalar(is_used).fetch_one(&mut connection).await.map_err(unreachable)?;
            let found = match tables {
                0 => None,
                _ => sqlx::query_scalar(NEWEST).fetch_one(&mut connection).await.map_err(unreachable)?,
            };
            connection.close().await.map_err(unreachable)?;
            Ok(SchemaVersion { found, known: newest(SQLITE) })
        }
        Location::Postgres(url) => {
            let hosts = url.hosts();
            let host = if url.must_be_primary() { primary(url, hosts).await?.host() } else { 0 };
            let options = hosts.get(host).cloned().unwrap_or_default().application_name("causeway");
            let mut connection = options.connect().await.map_err(unreachable)?;
            let is_used = "SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('_sqlx_migrations')";
            let tables: i64 =
                sqlx::query_scalar(is_used).fetch_one(&mut connection).await.map_err(unreachable)?;
            let found = match tables {
                0 => None,
                _ => sqlx::query_scalar(NEWEST).fetch_one(&mut connection).await.map_err(unreachable)?,
            };
            connection.close().await.map_err(unreachable)?;
            Ok(SchemaVersion { found, known: newest(POSTGRES) })
        }
    }
}
