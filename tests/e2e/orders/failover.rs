//! Orders over two replicas while PostgreSQL fails over: the primary crashes, is lost with its machine, is frozen, is isolated, and
//! hands over.
//! Runs beside a cluster only: `tests/failover/cluster run …`, as `scripts/soak failover` does.

use std::fmt::Write as _;
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::json;
use tokio::sync::{Mutex, broadcast};

use super::audit::{audit, operator_balances, wait_until_ended};
use super::chains::{BASE, Chains, usdc};
use super::crashes::{CONFIG, expect_refunds_of_late_deposits, fund_payers, rebroadcast_pending, swap_all};
use super::payer::{Outcome, Payer};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number, seed};

/// How often a write is tried, to see for how long there are none.
const PROBE_INTERVAL: Duration = Duration::from_millis(100);

/// How long a server that does not know that it was replaced stays so after another one has taken over.
const UNAWARE: Duration = Duration::from_secs(12);

/// How long there may be no database, far more than Patroni takes.
const LIMIT: Duration = Duration::from_mins(2);

/// How long the script may take; its own waits end before.
const SCRIPT_LIMIT: Duration = Duration::from_secs(150);

/// How long writes are watched after the cluster is whole: what was refused while the server came back counts too.
const AFTERWARDS: Duration = Duration::from_secs(3);

const WAYS: [(&str, &str); 5] = [
    ("crash", "the server is killed (`kill -9`), Patroni beside it is alive"),
    ("switchover", "a switchover that an operator asked for"),
    ("freeze", "the machine stands still, then goes on (SIGSTOP of server and Patroni)"),
    ("isolate", "a partition: the server runs and is replaced without knowing (SIGSTOP of Patroni)"),
    ("lose", "server and Patroni are killed (`kill -9`)"),
];

/// Asks the script of the cluster for something, and returns what it prints.
///
/// Its output goes to files: a process that it leaves behind would keep a pipe open for ever.
fn cluster(arguments: &[String]) -> String {
    let script = std::env::var("CAUSEWAY_FAILOVER_CLUSTER").unwrap();
    let [mut printed, mut complaints] = [(), ()].map(|()| tempfile::tempfile().unwrap());
    let mut child = Command::new(script)
        .args(arguments)
        .stdout(printed.try_clone().unwrap())
        .stderr(complaints.try_clone().unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let ended: Option<ExitStatus> = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if begun.elapsed() > SCRIPT_LIMIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let [printed, complaints] = [&mut printed, &mut complaints].map(|file| {
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        text.trim().to_owned()
    });
    match ended {
        Some(status) if status.success() => printed,
        Some(status) => panic!("tests/failover/cluster {arguments:?} failed, {status}: {complaints}"),
        None => {
            panic!("tests/failover/cluster {arguments:?} took longer than {SCRIPT_LIMIT:?}: {complaints}")
        }
    }
}

async fn ask_cluster<const N: usize>(arguments: [&str; N]) -> String {
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    tokio::task::spawn_blocking(move || cluster(&arguments)).await.unwrap()
}

/// What writes at one replica were answered since the last failure.
struct Writes {
    /// Ended without an answer, or with one that says neither yes nor when to come again.
    unexpected: Vec<String>,
    refused: u64,
    /// When the newest success was answered, and when it was asked for.
    last: Instant,
    last_asked: Instant,
    /// The longest time between two successes.
    longest: Duration,
}

impl Writes {
    fn new() -> Self {
        let now = Instant::now();
        Self { unexpected: Vec::new(), refused: 0, last: now, last_asked: now, longest: Duration::ZERO }
    }

    fn succeed(&mut self, asked: Instant) {
        self.longest = self.longest.max(self.last.elapsed());
        (self.last, self.last_asked) = (Instant::now(), asked);
    }

    /// Counts from now on. The time since the last success goes on: the next failure may be seen as a long gap only.
    fn forget(&mut self) {
        *self = Self { last: self.last, last_asked: self.last_asked, ..Self::new() };
    }
}

/// Asks for quotes of purchases, each of which is stored, at one replica.
async fn probe(
    service: Arc<RestartableService>,
    replica: usize,
    writes: Arc<Mutex<Writes>>,
    over: Arc<AtomicBool>,
) {
    let client = Client::builder().timeout(Duration::from_secs(35)).build().unwrap();
    let ask = json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": BASE, "toToken": usdc(BASE).to_string(),
        "recipient": format!("0x{}", "9e".repeat(20)), "provider": "sandbox-card",
    });
    while !over.load(Ordering::SeqCst) {
        let asked = Instant::now();
        let url = format!("{}/v1/fiat/quote", service.url_of(replica));
        let answer = client.post(url).body(ask.to_string()).send().await;
        let mut writes = writes.lock().await;
        match answer {
            Ok(answer) if answer.status() == StatusCode::OK => writes.succeed(asked),
            Ok(answer) => {
                let is_told = answer.headers().contains_key("retry-after");
                if answer.status() == StatusCode::SERVICE_UNAVAILABLE && is_told {
                    writes.refused += 1;
                } else {
                    let status = answer.status();
                    let text = answer.text().await.unwrap_or_default();
                    writes.unexpected.push(format!("{status}: {text}"));
                }
            }
            Err(error) => writes.unexpected.push(error.to_string()),
        }
        drop(writes);
        tokio::time::sleep(PROBE_INTERVAL).await;
    }
}

/// One failover.
struct Failover {
    way: &'static str,
    /// How long it took until another server said that it takes writes.
    taken_over: Duration,
    /// The longest time between two successful writes at each replica.
    without_writes: [Duration; 2],
    refused: u64,
}

async fn fail_over((way, name): (&'static str, &'static str), writes: &[Arc<Mutex<Writes>>; 2]) -> Failover {
    for writes in writes {
        writes.lock().await.forget();
    }
    let begun = Instant::now();
    let before = ask_cluster([way]).await;
    let now = ask_cluster(["await-other", &before]).await;
    assert_ne!(now, before);
    let taken_over = begun.elapsed();
    let since = Instant::now();
    for (replica, writes) in writes.iter().enumerate() {
        // What succeeds now was asked for after another server had taken over.
        while writes.lock().await.last_asked < since {
            assert!(since.elapsed() < LIMIT, "{way}: replica {replica} does not write to the server {now}");
            tokio::time::sleep(PROBE_INTERVAL).await;
        }
    }
    if ["freeze", "isolate"].contains(&way) {
        tokio::time::sleep(UNAWARE).await;
    }
    ask_cluster(["mend", &before]).await;
    tokio::time::sleep(AFTERWARDS).await;
    let mut failover = Failover { way: name, taken_over, without_writes: [Duration::ZERO; 2], refused: 0 };
    for (writes, without) in writes.iter().zip(&mut failover.without_writes) {
        let writes = writes.lock().await;
        assert_eq!(writes.unexpected, Vec::<String>::new(), "{way}");
        *without = writes.longest;
        failover.refused += writes.refused;
    }
    failover
}

fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn report(seed: u64, payers: &[Payer], failovers: &[Failover], took: Duration) -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orders-under-failover.md");
    let path = std::env::var_os("CAUSEWAY_FAILOVER_REPORT").map_or_else(default, PathBuf::from);
    let filled = payers.iter().filter(|payer| payer.plan.outcome == Outcome::Filled).count();
    let mut text = format!(
        "# Orders while PostgreSQL fails over\n\n| | |\n|---|---|\n| Seed | {seed} |\n| Orders | {} |\n| filled | {filled} |\n\
         | Time | {} s |\n\nTwo replicas, three PostgreSQL servers with one synchronous standby.\nEvery order ended as it had \
         to: none is lost, none was delivered or refunded twice, and all money is accounted for to the last unit.\n\n\
         | Failover | until another server takes writes, s | largest gap between two successful writes, s, at the first \
         replica | at the second | answered 503 with Retry-After |\n|---|---:|---:|---:|---:|\n",
        payers.len(),
        took.as_secs(),
    );
    for Failover { way, taken_over, without_writes: [first, second], refused } in failovers {
        let [taken_over, first, second] = [taken_over, first, second].map(|time| seconds(*time));
        let _ = writeln!(text, "| {way} | {taken_over} | {first} | {second} | {refused} |");
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_survive_the_failover_of_their_database() {
    let Ok(url) = std::env::var("CAUSEWAY_FAILOVER_URL") else {
        eprintln!("skipped: tests/failover/cluster starts the servers that it needs");
        return;
    };
    let begun = Instant::now();
    let [orders, rounds] = [("CAUSEWAY_FAILOVER_ORDERS", 40), ("CAUSEWAY_FAILOVER_ROUNDS", 1)]
        .map(|(name, few)| number(name).unwrap_or(few));
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}: {orders} orders, {rounds} rounds of {} failovers", WAYS.len());
    let chains = Arc::new(Chains::start());
    let config = |replica: u8| {
        format!(
            "[database]\nurl = \"{url}?target_session_attrs=read-write\"\n[server]\nreplica = {replica}\n{CONFIG}"
        )
    };
    let (base, configs, direct) = (chains.base.clone(), [config(0), config(1)], url.clone());
    let start = move || RestartableService::start_replicas(&base, &configs, &direct);
    let service = Arc::new(tokio::task::spawn_blocking(start).await.unwrap());
    let payers = fund_payers(&chains, &service, orders, seed).await;
    let before = operator_balances(&chains).await;

    let writes = [(), ()].map(|()| Arc::new(Mutex::new(Writes::new())));
    let over = Arc::new(AtomicBool::new(false));
    let probes = [0, 1].map(|replica| {
        tokio::spawn(probe(Arc::clone(&service), replica, Arc::clone(&writes[replica]), Arc::clone(&over)))
    });
    let striker = {
        let (writes, mut rng) = (writes.clone(), SeededRng::new(seed, "failovers"));
        tokio::spawn(async move {
            let mut failovers = Vec::new();
            for way in (0..rounds).flat_map(|_| WAYS) {
                tokio::time::sleep(Duration::from_secs(2) + rng.milliseconds(3_000)).await;
                let failover = fail_over(way, &writes).await;
                let Failover { way, taken_over, without_writes, refused } = &failover;
                eprintln!(
                    "{way}: another server after {taken_over:?}, no writes for {without_writes:?}, {refused} refused"
                );
                failovers.push(failover);
            }
            failovers
        })
    };
    let wallets = tokio::spawn(rebroadcast_pending(Arc::clone(&chains)));
    let (stages, _) = broadcast::channel(64);
    let payers = swap_all(&chains, &service, payers, &stages, seed).await;
    let failovers = striker.await.unwrap();
    over.store(true, Ordering::SeqCst);
    for probe in probes {
        probe.await.unwrap();
    }
    let payers = expect_refunds_of_late_deposits(&service, payers).await;
    wait_until_ended(&chains, &service, &payers, seed).await;
    wallets.abort();
    audit(&chains, &service, &payers, &before, seed).await;
    let path = report(seed, &payers, &failovers, begun.elapsed());
    eprintln!("CAUSEWAY_SEED={seed}: all is well; the report is {}", path.display());
}
