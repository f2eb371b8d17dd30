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
    19 "0019_sealed_routes",
    20 "0020_losses_and_outflows",
    22 "0022_claim_batches",
    23 "0023_order_search",
    24 "0024_idempotency_keys",
    25 "0025_transaction_fees",
    26 "0026_provider_orders",
    27 "0027_unknown_transactions",
    28 "0028_integrators",
    29 "0029_erased_purchases",
    30 "0030_purchase_webhooks",
    31 "0031_replicas",
    32 "0032_request_budgets",
    33 "0033_sums_and_counts",
    34 "0034_joined_orders",
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
    19 "0019_sealed_routes",
    20 "0020_losses_and_outflows",
    22 "0022_claim_batches",
    23 "0023_order_search",
    24 "0024_idempotency_keys",
    25 "0025_transaction_fees",
    26 "0026_provider_orders",
    27 "0027_unknown_transactions",
    28 "0028_integrators",
    29 "0029_erased_purchases",
    30 "0030_purchase_webhooks",
    31 "0031_replicas",
    32 "0032_request_budgets",
    33 "0033_sums_and_counts",
    34 "0034_joined_orders",
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

    use sqlx::postgres::PgConnectOptions;
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _};

    use super::*;
    use crate::fillers::outflows;

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

    /// An order with an event, and the quote and the route that it came from, as version 18 stored them.
    const BEFORE_19: &str = "INSERT INTO quotes (row_key, id, trade_type, from_token, to_token, amount, from_address, \
         recipient, refund_to, integrator, created_at, taken) VALUES (1, 'q', '', '', '', '', '', '', '', 'wallet-00ff00ff', 0, 1); \
         INSERT INTO routes (quote_id, route_id, place, filler, kind, deposit_methods, amount_in, amount_out, \
         min_amount_out, expected_seconds, valid_before, fees) VALUES ('q', 'r', 0, '', '', '', '', '', '', 0, 0, ''); \
         INSERT INTO orders (row_key, id, quote_id, route_id, intent_id, status, trade_type, from_token, to_token, from_chain, \
         to_chain, src_amount, dest_amount, author, recipient, refund_to, filler, kind, method, terms, valid_before, \
         finality_tier, announced, evidence, owed, created_at, updated_at, version, intent_state) VALUES (2, 'o', 'q', 'r', 'i', \
         'created', '', '', '', 1, 2, '3', '4', '', '', '', 'house', '', '', TERMS, 5, 1, 1, '', 0, 6, 7, 8, 9); \
         INSERT INTO events (row_key, order_id, kind, detail, happened_at) VALUES (3, 'o', '', '', 0)";

    const AFTER_19: &str = "SELECT quote_id, route_id, integrator, filler, version FROM orders \
         JOIN events ON events.order_id = orders.id";

    type Kept = (String, String, Option<String>, String, i64);

    fn kept() -> Kept {
        ("q".to_owned(), "r".to_owned(), Some("wallet-00ff00ff".to_owned()), "house".to_owned(), 8)
    }

    #[tokio::test]
    async fn orders_of_older_versions_are_kept_with_their_events_and_integrators() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(folder.path().join("old.db"));
        let options = options.create_if_missing(true);
        let mut old = options.clone().foreign_keys(false).connect().await.unwrap();
        migrate(&mut old, &SQLITE[..18]).await.unwrap();
        old.execute(AssertSqlSafe(BEFORE_19.replace("TERMS", "x''"))).await.unwrap();
        // With foreign keys the events would be deleted with the table of the orders.
        let mut strict = options.foreign_keys(true).connect().await.unwrap();
        assert!(migrate(&mut strict, SQLITE).await.is_err());
        migrate(&mut old, SQLITE).await.unwrap();
        assert_eq!(sqlx::query_as::<_, Kept>(AFTER_19).fetch_all(&mut old).await.unwrap(), [kept()]);
        assert!(old.fetch_all("PRAGMA foreign_key_check").await.unwrap().is_empty());
        let gone = "SELECT name FROM sqlite_master WHERE name IN ('quotes', 'routes', 'quote_batches')";
        assert!(old.fetch_all(gone).await.unwrap().is_empty());
    }

    /// What two transactions took, as version 32 stored it.
    const BEFORE_33: &str = "INSERT INTO outflows (filler, purpose, chain, value_cents, fees_cents, sent_at) \
         VALUES ('north', 'fill:1', 10, '700', '3', 5), ('north', 'fill:2', 10, '99999999999999999999999', '0', 6)";

    /// What all of them took is as much as one can count for, and what the other took.
    fn sums() -> (String, i64, i64, i64) {
        ("north".to_owned(), 10, 10_000_000_000_700, 3)
    }

    #[tokio::test]
    async fn sums_of_older_versions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(folder.path().join("old.db"));
        let mut old = options.create_if_missing(true).foreign_keys(false).connect().await.unwrap();
        let before = SQLITE.partition_point(|(version, ..)| *version < 33);
        migrate(&mut old, &SQLITE[..before]).await.unwrap();
        old.execute(BEFORE_33).await.unwrap();
        migrate(&mut old, SQLITE).await.unwrap();
        let query = sqlx::query_as::<_, (String, i64, i64, i64)>(outflows::SUMS).bind(0_i64).bind(i64::MAX);
        assert_eq!(query.fetch_all(&mut old).await.unwrap(), [sums()]);
    }

    #[tokio::test]
    async fn sums_of_older_versions_are_kept_in_postgres_too() {
        let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") else { return };
        let server: PgConnectOptions = url.parse().unwrap();
        let mut old = server.connect().await.unwrap();
        let schema = format!("sums_{}", std::process::id());
        let create = format!("CREATE SCHEMA {schema}; SET search_path = {schema}");
        old.execute(AssertSqlSafe(create)).await.unwrap();
        let before = POSTGRES.partition_point(|(version, ..)| *version < 33);
        migrate(&mut old, &POSTGRES[..before]).await.unwrap();
        old.execute(BEFORE_33).await.unwrap();
        migrate(&mut old, POSTGRES).await.unwrap();
        let query = sqlx::query_as::<_, (String, i64, i64, i64)>(outflows::SUMS).bind(0_i64).bind(i64::MAX);
        assert_eq!(query.fetch_all(&mut old).await.unwrap(), [sums()]);
        old.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await.unwrap();
    }

    #[tokio::test]
    async fn orders_of_older_versions_are_kept_in_postgres_too() {
        let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") else { return };
        let server: PgConnectOptions = url.parse().unwrap();
        let mut old = server.connect().await.unwrap();
        let schema = format!("migrated_{}", std::process::id());
        let create = format!("CREATE SCHEMA {schema}; SET search_path = {schema}");
        old.execute(AssertSqlSafe(create)).await.unwrap();
        migrate(&mut old, &POSTGRES[..18]).await.unwrap();
        old.execute(AssertSqlSafe(BEFORE_19.replace("TERMS", "''"))).await.unwrap();
        migrate(&mut old, POSTGRES).await.unwrap();
        assert_eq!(sqlx::query_as::<_, Kept>(AFTER_19).fetch_all(&mut old).await.unwrap(), [kept()]);
        old.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await.unwrap();
    }
}
