//! Orders over two replicas while PostgreSQL fails over: the primary crashes, is lost with its machine, is frozen, and hands over.
//! Runs beside a cluster only: `tests/failover/cluster run …`, as `scripts/soak failover` does.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
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

/// How long a frozen server stays frozen after another one has taken over.
const FROZEN: Duration = Duration::from_secs(12);

/// How long there may be no database, far more than Patroni takes.
const LIMIT: Duration = Duration::from_mins(2);

const WAYS: [(&str, &str); 4] = [
    ("crash", "the server is killed (`kill -9`), Patroni beside it is alive"),
    ("switchover", "a switchover that an operator asked for"),
    ("freeze", "the machine stands still, then goes on (SIGSTOP of server and Patroni)"),
    ("lose", "server and Patroni are killed (`kill -9`)"),
];

/// Asks the script of the cluster for something, and returns what it prints.
fn cluster(arguments: &[&str]) -> String {
    let script = std::env::var("CAUSEWAY_FAILOVER_CLUSTER").unwrap();
    let output = Command::new(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

async fn ask_cluster(arguments: Vec<String>) -> String {
    let ask = move || cluster(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(ask).await.unwrap()
}

/// What writes at the replicas were answered, since the last failure.
#[derive(Default)]
struct Writes {
    /// Ended without an answer, or with one that says neither yes nor when to come again.
    unexpected: Vec<String>,
    refused: u64,
    /// Since when none has succeeded.
    failing_since: Option<Instant>,
    longest: Duration,
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
        let begun = Instant::now();
        let url = format!("{}/v1/fiat/quote", service.url_of(replica));
        let answer = client.post(url).body(ask.to_string()).send().await;
        let mut writes = writes.lock().await;
        match answer {
            Ok(answer) if answer.status() == StatusCode::OK => {
                if let Some(since) = writes.failing_since.take() {
                    writes.longest = writes.longest.max(since.elapsed());
                }
            }
            Ok(answer) => {
                writes.failing_since.get_or_insert(begun);
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
    /// The longest time without a successful write at either replica.
    without_writes: Duration,
    refused: u64,
}

async fn fail_over(way: (&'static str, &'static str), writes: &[Arc<Mutex<Writes>>]) -> Failover {
    for writes in writes {
        *writes.lock().await = Writes::default();
    }
    let before = ask_cluster(vec![way.0.to_owned()]).await;
    let begun = Instant::now();
    // Another server takes writes, and both replicas write to it.
    loop {
        let now = ask_cluster(vec!["await-other".to_owned(), before.clone()]).await;
        assert_ne!(now, before);
        let mut is_writing = true;
        for writes in writes {
            is_writing &= writes.lock().await.failing_since.is_none();
        }
        if is_writing {
            break;
        }
        assert!(begun.elapsed() < LIMIT, "{}: no writes", way.0);
        tokio::time::sleep(PROBE_INTERVAL).await;
    }
    if way.0 == "freeze" {
        tokio::time::sleep(FROZEN).await;
    }
    ask_cluster(vec!["mend".to_owned(), before]).await;
    // What was refused while it came back counts too.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut failover = Failover { way: way.1, without_writes: Duration::ZERO, refused: 0 };
    for writes in writes {
        let writes = writes.lock().await;
        assert_eq!(writes.unexpected, Vec::<String>::new(), "{}", way.0);
        failover.without_writes = failover.without_writes.max(writes.longest);
        failover.refused += writes.refused;
    }
    failover
}

fn report(seed: u64, payers: &[Payer], failovers: &[Failover], took: Duration) -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orders-under-failover.md");
    let path = std::env::var_os("CAUSEWAY_FAILOVER_REPORT").map_or_else(default, PathBuf::from);
    let filled = payers.iter().filter(|payer| payer.plan.outcome == Outcome::Filled).count();
    let mut text = format!(
        "# Orders while PostgreSQL fails over\n\n| | |\n|---|---|\n| Seed | {seed} |\n| Orders | {} |\n| filled | {filled} |\n\
         | Time | {} s |\n\nTwo replicas, three PostgreSQL servers with one synchronous standby.\nEvery order ended as it had \
         to: none is lost, none was delivered or refunded twice, and all money is accounted for to the last unit.\n\n\
         | Failover | without a successful write, s | answered 503 with Retry-After |\n|---|---:|---:|\n",
        payers.len(),
        took.as_secs(),
    );
    for Failover { way, without_writes, refused } in failovers {
        let tenths = without_writes.as_millis() / 100;
        let _ = writeln!(text, "| {way} | {}.{} | {refused} |", tenths / 10, tenths % 10);
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

    let writes = [0, 1].map(|_| Arc::new(Mutex::new(Writes::default())));
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
                eprintln!("{}: {:?} without writes", failover.way, failover.without_writes);
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
