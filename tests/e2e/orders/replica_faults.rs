//! Orders over two replicas on one PostgreSQL, while replicas die, stall for longer than their leases, and lose the database.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};
use tokio::sync::{Mutex, broadcast};

use super::audit::{audit, operator_balances, wait_until_ended};
use super::chains::Chains;
use super::crashes::{CONFIG, expect_refunds_of_late_deposits, fund_payers, rebroadcast_pending, swap_all};
use super::database_proxy::{DatabaseProxy, Path};
use super::fault_injection::{Log, inject_faults};
use super::payer::{Outcome, Payer};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number, seed};

/// Longer than the lease of an order, so that the other replica has taken its orders over.
const STALL: Duration = Duration::from_secs(23);

/// What befalls the replicas or their database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Blow {
    Kill,
    Stall,
    HalfOpen,
    Cut,
    Disconnected,
    NoDatabase,
}

impl Blow {
    const fn name(self) -> &'static str {
        match self {
            Self::Kill => "a replica is killed (`kill -9`) and started again",
            Self::Stall => "a replica stands still (SIGSTOP) for longer than its leases",
            Self::HalfOpen => "a replica's connections to the database are half open",
            Self::Cut => "a replica's way to the database is cut",
            Self::Disconnected => "the database ends all connections",
            Self::NoDatabase => "the database takes no connections for a while",
        }
    }
}

/// A database on the server of the tests, with a way of its own for each replica.
struct Database {
    server: PgConnectOptions,
    name: String,
    ways: [Arc<DatabaseProxy>; 2],
}

impl Database {
    /// `None` where the tests have no server, which fails in CI.
    async fn new(seed: u64) -> Option<Self> {
        let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "set CAUSEWAY_TEST_POSTGRES");
            return None;
        };
        let server: PgConnectOptions = url.parse().unwrap();
        let place = format!("{}:{}", server.get_host(), server.get_port());
        let ways = [DatabaseProxy::start(place.clone()).await, DatabaseProxy::start(place).await];
        let database = Self { server, name: format!("causeway_faults_{seed}_{}", std::process::id()), ways };
        database.run(&format!("CREATE DATABASE {} TEMPLATE template0", database.name)).await;
        Some(database)
    }

    async fn run(&self, sql: &str) {
        let mut connection: PgConnection = self.server.connect().await.unwrap();
        connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
        connection.close().await.unwrap();
    }

    async fn disconnect_all(&self) {
        let sql =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        self.run(&sql).await;
    }

    fn url(&self, place: &str) -> String {
        format!("postgres://{}@{place}/{}", self.server.get_username(), self.name)
    }

    /// The configuration of each replica.
    fn configs(&self) -> Vec<String> {
        let config = |(number, way): (usize, &Arc<DatabaseProxy>)| {
            let url = self.url(&way.address().to_string());
            format!("[database]\nurl = \"{url}\"\n[server]\nreplica = {number}\n{CONFIG}")
        };
        self.ways.iter().enumerate().map(config).collect()
    }
}

/// Strikes the replicas at random moments, and repairs everything afterwards.
async fn strike(
    service: Arc<RestartableService>,
    database: Arc<Database>,
    kills: u64,
    stalls: u64,
    mut rng: SeededRng,
) -> BTreeMap<Blow, u64> {
    // Stalls first: they last, and everything else happens to the other replica meanwhile.
    let others = [Blow::HalfOpen, Blow::Disconnected, Blow::Cut, Blow::NoDatabase];
    let mut blows: Vec<Blow> = (0..kills).map(|_| Blow::Kill).collect();
    blows.extend((0..stalls).map(|_| Blow::Stall));
    blows.extend(
        (0..(kills / 2).max(4)).map(|number| others[usize::try_from(number).unwrap() % others.len()]),
    );
    blows.sort_by_cached_key(|_| rng.below(u64::MAX));
    let mut struck = BTreeMap::new();
    for blow in blows {
        tokio::time::sleep(rng.milliseconds(2_000)).await;
        let replica = usize::try_from(rng.below(2)).unwrap();
        let lasting = Duration::from_secs(1) + rng.milliseconds(5_000);
        match blow {
            Blow::Kill => {
                let service = Arc::clone(&service);
                tokio::task::spawn_blocking(move || service.kill_and_restart(replica)).await.unwrap();
            }
            Blow::Stall => {
                service.stall(replica);
                tokio::time::sleep(STALL).await;
                service.resume(replica);
            }
            Blow::HalfOpen | Blow::Cut => {
                let way = &database.ways[replica];
                way.set(if blow == Blow::Cut { Path::Cut } else { Path::HalfOpen });
                tokio::time::sleep(lasting).await;
                way.set(Path::Open);
            }
            Blow::Disconnected => database.disconnect_all().await,
            Blow::NoDatabase => {
                database.run(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", database.name)).await;
                database.disconnect_all().await;
                tokio::time::sleep(lasting).await;
                database.run(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", database.name)).await;
            }
        }
        *struck.entry(blow).or_default() += 1;
    }
    struck
}

fn report(seed: u64, payers: &[Payer], struck: &BTreeMap<Blow, u64>, faults: u64, took: Duration) -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("replicas-under-faults.md");
    let path = std::env::var_os("CAUSEWAY_REPLICA_REPORT").map_or_else(default, PathBuf::from);
    let count = |outcome: Outcome| payers.iter().filter(|payer| payer.plan.outcome == outcome).count();
    let mut text = format!(
        "# Two replicas under kills and faults\n\n| | |\n|---|---|\n| Seed | {seed} |\n| Orders | {} |\n| filled | {} |\n\
         | refunded, as planned or because the deposit came late | {} |\n| built and never deposited | {} |\n\
         | Faults of chains and nodes | {faults} |\n| Time | {} s |\n\n\
         Every order ended as it had to: none is open, none was delivered or refunded twice, and all money is accounted for to \
         the last unit.\n\n| What befell the replicas | times |\n|---|---:|\n",
        payers.len(),
        count(Outcome::Filled),
        count(Outcome::Refunded),
        count(Outcome::NeverDeposited),
        took.as_secs(),
    );
    for (blow, times) in struck {
        let _ = writeln!(text, "| {} | {times} |", blow.name());
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_of_two_replicas_survive_kills_stalls_and_a_broken_database() {
    let begun = Instant::now();
    // Its stalls last longer than an ordinary run should.
    let Some(orders) = number("CAUSEWAY_REPLICA_ORDERS") else {
        eprintln!("skipped: scripts/soak replicas runs it");
        return;
    };
    let [kills, stalls, faults] =
        [("CAUSEWAY_REPLICA_KILLS", 2), ("CAUSEWAY_REPLICA_STALLS", 1), ("CAUSEWAY_REPLICA_FAULTS", 4)]
            .map(|(name, few)| number(name).unwrap_or(few));
    let seed = seed();
    let Some(database) = Database::new(seed).await else { return };
    let database = Arc::new(database);
    eprintln!(
        "CAUSEWAY_SEED={seed}: {orders} orders, {kills} kills, {stalls} stalls, {faults} faults, two replicas"
    );
    let chains = Arc::new(Chains::start());
    let direct = database.url(&format!("{}:{}", database.server.get_host(), database.server.get_port()));
    let start = {
        let (base, configs) = (chains.base.clone(), database.configs());
        move || RestartableService::start_replicas(&base, &configs, &direct)
    };
    let service = Arc::new(tokio::task::spawn_blocking(start).await.unwrap());
    let payers = fund_payers(&chains, &service, orders, seed).await;
    let before = operator_balances(&chains).await;

    let (stages, _) = broadcast::channel(64);
    let log = Log::new(Mutex::default());
    let striker = tokio::spawn(strike(
        Arc::clone(&service),
        Arc::clone(&database),
        kills,
        stalls,
        SeededRng::new(seed, "blows"),
    ));
    let injector = tokio::spawn(inject_faults(Arc::clone(&chains), faults, seed, Arc::clone(&log)));
    let wallets = tokio::spawn(rebroadcast_pending(Arc::clone(&chains)));
    let payers = swap_all(&chains, &service, payers, &stages, seed).await;
    let struck = striker.await.unwrap();
    injector.await.unwrap();
    let payers = expect_refunds_of_late_deposits(&service, payers).await;
    wait_until_ended(&chains, &service, &payers, seed).await;
    wallets.abort();
    audit(&chains, &service, &payers, &before, seed).await;
    let faults: u64 = log.lock().await.values().sum();
    let path = report(seed, &payers, &struck, faults, begun.elapsed());
    eprintln!("CAUSEWAY_SEED={seed}: all is well; the report is {}", path.display());
    database.run(&format!("DROP DATABASE {} WITH (FORCE)", database.name)).await;
}
