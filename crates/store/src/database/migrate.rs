use std::time::Duration;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType, Migrator};
use tokio::time;

use crate::store::OpenError;

/// How often migrating is tried while another process starts at the same time.
const ATTEMPTS: u32 = 12;

macro_rules! migrations {
    ($engine:literal, $($version:literal $name:literal),+ $(,)?) => {
        &[$((
            $version,
            $name,
            include_str!(concat!("../../migrations/", $engine, "/", $name, ".sql")),
        )),+]
    };
}

// Forward only: released migrations are never edited.
pub(crate) const SQLITE: &[(i64, &str, &str)] = migrations!(
    "sqlite",
    1 "0001_quotes_and_orders",
    2 "0002_outbox",
    3 "0003_reservations",
    4 "0004_referrals_and_parties",
    5 "0005_routes_in_quotes",
    6 "0006_orders_and_facts",
    7 "0007_quote_batches",
    8 "0008_losses",
    9 "0009_built_and_jump",
    10 "0010_fiat",
    11 "0011_webhooks",
    12 "0012_operating",
    13 "0013_intent_book_and_openings",
    14 "0014_audit",
    15 "0015_rents",
    16 "0016_ramp_tokens",
    17 "0017_descriptive_names",
    18 "0018_key_fingerprints",
    22 "0022_claim_batches",
);
pub(crate) const POSTGRES: &[(i64, &str, &str)] = migrations!(
    "postgres",
    1 "0001_quotes_and_orders",
    2 "0002_outbox",
    3 "0003_reservations",
    4 "0004_referrals_and_parties",
    5 "0005_routes_in_quotes",
    6 "0006_orders_and_facts",
    7 "0007_quote_batches",
    8 "0008_losses",
    9 "0009_built_and_jump",
    10 "0010_fiat",
    11 "0011_webhooks",
    12 "0012_operating",
    13 "0013_intent_book_and_openings",
    14 "0014_audit",
    15 "0015_rents",
    16 "0016_ramp_tokens",
    17 "0017_descriptive_names",
    18 "0018_key_fingerprints",
    22 "0022_claim_batches",
);

fn migrator(migrations: &[(i64, &'static str, &'static str)]) -> Migrator {
    let migration = |&(version, name, sql): &(i64, &'static str, &'static str)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    let mut migrator = Migrator::with_migrations(migrations.iter().map(migration).collect());
    // The lock would be an advisory one, which not every PostgreSQL-compatible database has.
    migrator.set_locking(false);
    migrator
}

/// Migrates the schema to this version.
///
/// A migration and its record are one transaction, so of two processes that start together one fails; it retries and
/// finds the work done.
pub(crate) async fn migrate(
    connection: &mut impl Migrate,
    migrations: &[(i64, &'static str, &'static str)],
) -> Result<(), OpenError> {
    let migrator = migrator(migrations);
    let known = migrations.iter().map(|(version, ..)| *version).max().unwrap_or_default();
    let mut attempt = 1;
    loop {
        match migrator.run_direct(None, connection, false).await {
            Ok(()) => return Ok(()),
            Err(MigrateError::Execute(_) | MigrateError::ExecuteMigration(..)) if attempt < ATTEMPTS => {
                time::sleep(Duration::from_millis(20) * attempt).await;
                attempt += 1;
            }
            Err(MigrateError::VersionMissing(found)) if found > known => {
                return Err(OpenError::Newer { found, known });
            }
            Err(MigrateError::VersionMissing(version) | MigrateError::VersionMismatch(version)) => {
                return Err(OpenError::Foreign(version));
            }
            Err(error) => return Err(OpenError::Migration(Box::new(error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _};

    use super::*;

    #[test]
    fn every_file_in_the_folder_is_a_migration_and_both_engines_have_the_same() {
        for (folder, migrations) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
            let mut files: Vec<_> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort_unstable();
            let names: Vec<_> = migrations.iter().map(|(_, name, _)| format!("{name}.sql")).collect();
            assert_eq!(files, names);
            assert!(migrations.iter().all(|(version, name, _)| name.starts_with(&format!("{version:04}_"))));
        }
    }

    #[tokio::test]
    async fn quotes_and_routes_of_older_versions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(folder.path().join("old.db")).foreign_keys(true);
        let mut old = options.create_if_missing(true).connect().await.unwrap();
        migrate(&mut old, &SQLITE[..5]).await.unwrap();
        old.execute(
            "INSERT INTO quotes (row_key, id, trade_type, from_token, to_token, amount, from_address, recipient, \
             refund_to, created_at) VALUES (1, 'q', '', '', '', '', '', '', '', 0); \
             INSERT INTO routes (quote_id, route_id, place, filler, kind, deposit_methods, amount_in, amount_out, \
             min_amount_out, expected_seconds, valid_before, fees) VALUES ('q', 'r', 0, '', '', '', '', '', '', 0, 0, '')",
        )
        .await
        .unwrap();
        migrate(&mut old, SQLITE).await.unwrap();
        for (table, rows) in [("quotes", 1), ("routes", 1), ("orders", 0), ("facts", 0)] {
            let count = sqlx::query_scalar(AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}")));
            let count: i64 = count.fetch_one(&mut old).await.unwrap();
            assert_eq!(count, rows, "{table}");
        }
    }
}
