use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use causeway_domain::QuoteId;
use causeway_store::{Location, Options, Store};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use tempfile::TempDir;
use tokio::sync::OnceCell;

// Written past the test harness, which captures the output of passing tests.
static REPORTED: Once = Once::new();

/// A store without a row, closed: made once, because the migrations take longer than most tests.
static SQLITE_TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
/// The name of such a store on the server, which keeps it.
static POSTGRES_TEMPLATE: OnceCell<String> = OnceCell::const_new();

/// What a new database has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Nothing.
    None,
    /// The tables of this version.
    Current,
}

/// A database without a row.
pub(crate) struct TestDatabase {
    pub(crate) location: Location,
    /// The path or URL.
    pub(crate) place: String,
    engine: Engine,
}

enum Engine {
    Sqlite { folder: TempDir },
    Postgres { server: Box<PgConnectOptions>, name: String },
}

/// A direct connection to the same database.
pub(crate) enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl TestDatabase {
    pub(crate) async fn sqlite(schema: Schema) -> Self {
        let database = Self::empty_sqlite();
        if schema == Schema::Current {
            let template = SQLITE_TEMPLATE.get_or_init(|| async {
                let database = Self::empty_sqlite();
                database.store().await.close().await;
                std::fs::read(&database.place).unwrap()
            });
            let path = Path::new(&database.place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, template.await).unwrap();
        }
        database
    }

    fn empty_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/causeway.db");
        let place = path.display().to_string();
        Self { location: Location::Sqlite(path), place, engine: Engine::Sqlite { folder } }
    }

    /// `None` if no server is configured.
    pub(crate) async fn postgres(schema: Schema) -> Option<Self> {
        if schema == Schema::None {
            return Self::copied_postgres("template0").await;
        }
        let template = POSTGRES_TEMPLATE.get_or_try_init(|| async {
            let database = Self::copied_postgres("template0").await.ok_or(())?;
            database.store().await.close().await;
            let Engine::Postgres { name, .. } = database.engine else { unreachable!("it is on a server") };
            Ok::<_, ()>(name)
        });
        Self::copied_postgres(template.await.ok()?).await
    }

    /// `None` if no server is configured, which is reported and fails in CI.
    async fn copied_postgres(template: &str) -> Option<Self> {
        let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") else {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "set CAUSEWAY_TEST_POSTGRES, for instance with scripts/with-postgres"
            );
            REPORTED.call_once(|| {
                let mut terminal = std::io::stderr().lock();
                terminal.write_all(b"postgres: not run, set CAUSEWAY_TEST_POSTGRES\n").unwrap();
            });
            return None;
        };
        let server: PgConnectOptions = url.parse().unwrap();
        let name = format!("causeway_{}", QuoteId::random().unwrap());
        let mut connection = server.connect().await.unwrap();
        let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
        connection.execute(AssertSqlSafe(create)).await.unwrap();
        connection.close().await.unwrap();
        let (base, query) =
            url.split_once('?').map_or((url.as_str(), None), |(base, query)| (base, Some(query)));
        let (host, _) = base.rsplit_once('/').expect("the address names a database");
        let place = format!("{host}/{name}{}", query.map(|query| format!("?{query}")).unwrap_or_default());
        let location = Location::Postgres(place.parse().unwrap());
        Some(Self { location, place, engine: Engine::Postgres { server: Box::new(server), name } })
    }

    pub(crate) async fn remove(self) {
        if let Engine::Postgres { server, name } = self.engine {
            let mut connection = server.connect().await.unwrap();
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            connection.execute(AssertSqlSafe(drop)).await.unwrap();
        }
    }

    pub(crate) async fn store(&self) -> Store {
        Store::open(&self.location).await.unwrap()
    }

    pub(crate) async fn store_with(&self, options: Options) -> Store {
        Store::open_with(&self.location, &options).await.unwrap()
    }

    pub(crate) async fn raw(&self) -> Raw {
        match (&self.engine, &self.location) {
            (Engine::Postgres { server, name }, _) => {
                Raw::Postgres(server.clone().database(name).connect().await.unwrap())
            }
            (Engine::Sqlite { .. }, Location::Sqlite(path)) => {
                Raw::Sqlite(SqliteConnectOptions::new().filename(path).connect().await.unwrap())
            }
            _ => unreachable!("a place in PostgreSQL has its engine"),
        }
    }

    /// A file next to the store's folder.
    pub(crate) fn sibling(&self, name: &str) -> PathBuf {
        match &self.engine {
            Engine::Sqlite { folder } => folder.path().join(name),
            Engine::Postgres { .. } => std::env::temp_dir().join(name),
        }
    }

    /// Blocks every writer until the result is dropped or committed.
    pub(crate) async fn stall(&self) -> Raw {
        let mut raw = self.raw().await;
        match &mut raw {
            Raw::Sqlite(connection) => connection.execute("BEGIN IMMEDIATE").await.map(drop).unwrap(),
            Raw::Postgres(connection) => {
                connection
                    .execute("BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
                    .await
                    .map(drop)
                    .unwrap();
            }
        }
        raw
    }
}

impl Raw {
    pub(crate) async fn run(&mut self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(connection) => connection.execute(sql).await.map(drop).unwrap(),
            Self::Postgres(connection) => connection.execute(sql).await.map(drop).unwrap(),
        }
    }

    pub(crate) async fn count(&mut self, table: &str) -> i64 {
        let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        match self {
            Self::Sqlite(connection) => sqlx::query_scalar(sql).fetch_one(connection).await.unwrap(),
            Self::Postgres(connection) => sqlx::query_scalar(sql).fetch_one(connection).await.unwrap(),
        }
    }

    /// How many circles of waiting transactions the server has ended in this database; SQLite has none.
    pub(crate) async fn deadlocks(&mut self) -> i64 {
        match self {
            Self::Sqlite(_) => 0,
            Self::Postgres(connection) => {
                let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
                sqlx::query_scalar(sql).fetch_one(connection).await.unwrap()
            }
        }
    }

    pub(crate) async fn release(mut self) {
        self.run("COMMIT").await;
    }
}
