//! An unwritable database: requests fail cleanly, no write is partial, and orders resume afterwards.

use std::time::Duration;

use alloy_primitives::U256;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// More rounds of requests than any nearly full disk takes.
const MAX_ROUNDS: usize = 500;

/// How much the files may still grow.
const FREE_BYTES: u64 = 128 << 10;

/// Somebody who swaps fifty dollars for coins and has all that it needs for that.
async fn payer(via: DepositVia, chains: &Chains, rng: &mut SeededRng) -> Payer {
    let (from, to, amount) = ((BASE, usdc(BASE)), (ETHEREUM, COIN), U256::from(50_000_000));
    let payer = Payer::new(SwapPlan { from, to, amount, via, outcome: Outcome::Filled }, rng);
    payer.fund(chains).await;
    payer
}

/// Asks for everything that writes, all at once. A quote writes nothing, and is answered.
async fn ask_all(
    service: &RestartableService,
    reported: &Payer,
    next: &Payer,
    route: &(String, String),
) -> [(u16, Value); 2] {
    let quote = next.ask();
    let build = next.ask_to_build(&route.0, &route.1);
    let hash = format!("0x{}", "5a".repeat(32));
    let submit = reported.ask_to_submit(&json!({ "txHash": hash }));
    let (quoted, taken, submitted) = tokio::join!(
        service.ask_once(Method::POST, "/v1/quotes", &quote),
        service.ask_once(Method::POST, "/v1/deposit/build", &build),
        service.ask_once(Method::PUT, "/v1/deposit/submit", &submit),
    );
    assert_eq!(quoted.0, 200, "{}", quoted.1);
    [taken, submitted]
}

/// Asserts an internal error as the API defines it, without internal details.
fn assert_clean(answer: &(u16, Value)) {
    let (status, body) = answer;
    assert_eq!((*status, &body["name"]), (500, &json!("InternalErrorException")), "{body}");
    assert!(body["details"]["requestId"].is_string(), "{body}");
    let text = body.to_string();
    assert!(
        !["database", "sqlite", "locked", "disk", "full"].iter().any(|word| text.contains(word)),
        "{text}"
    );
}

/// Asks for providers' quotes until none can be kept, and none can a moment later either.
async fn fill(service: &RestartableService) {
    let ask = &json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "recipient": format!("0x{}", "5a".repeat(20)),
        "toChainId": BASE, "toToken": usdc(BASE).to_string(),
    });
    let is_kept = |answer: &Value| answer["quotes"].as_array().is_some_and(|quotes| !quotes.is_empty());
    let mut refused = 0;
    for _ in 0..MAX_ROUNDS {
        let asks = (0..16).map(|_| service.ask_once(Method::POST, "/v1/fiat/quote", ask));
        let answers = futures::future::join_all(asks).await;
        if answers.iter().any(|(_, answer)| is_kept(answer)) {
            refused = 0;
            continue;
        }
        refused += 1;
        if refused == 3 {
            return;
        }
        // What was written back meanwhile makes room once more, unless there is none at all.
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("the disk never fills");
}

async fn open(service: &RestartableService) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(service.database());
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn count(database: &mut SqliteConnection, what: &'static str) -> i64 {
    sqlx::query_scalar(what).fetch_one(database).await.unwrap()
}

const ORDERS: &str = "SELECT COUNT(*) FROM orders";

/// Every order is written together with its first event.
const ORDERS_WITHOUT_EVENTS: &str = "SELECT COUNT(*) FROM orders WHERE NOT EXISTS \
                    (SELECT 1 FROM events WHERE events.order_id = orders.id)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_database_fails_requests_cleanly_and_orders_resume() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(1, "locked"));
    let (mut reported, mut built) = (
        payer(DepositVia::Call, &chains, &mut rng).await,
        payer(DepositVia::Silent, &chains, &mut rng).await,
    );
    reported.build(&service).await;
    let route = built.quote(&service).await;

    let mut database = open(&service).await;
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut database).await.unwrap();
    let before = count(&mut database, ORDERS).await;
    for answer in ask_all(&service, &reported, &built, &route).await {
        assert_clean(&answer);
    }
    // Reads are still served.
    assert_eq!(service.ask_once(Method::GET, "/v1/chains", &Value::Null).await.0, 200);
    let by_address = format!("/v1/orders/{}", reported.key.address());
    assert_eq!(service.ask_once(Method::GET, &by_address, &Value::Null).await.1["data"], json!([]));
    // What the chain shows meanwhile is not lost.
    let (stages, _) = broadcast::channel(8);
    let deposit = async {
        reported.deposit(&chains, &service, &stages).await;
    };
    let release = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(count(&mut database, ORDERS).await, before, "nothing was written");
        sqlx::query("ROLLBACK").execute(&mut database).await.unwrap();
    };
    tokio::join!(deposit, release);
    assert!(built.build_route(&service, route.0, route.1).await, "the quote is as good as before");
    built.deposit(&chains, &service, &stages).await;
    assert_eq!(count(&mut database, ORDERS_WITHOUT_EVENTS).await, 0);
    database.close().await.unwrap();
    wait_until_ended(&chains, &service, &[reported, built], 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_fails_requests_cleanly_and_orders_resume() {
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(2, "full"));
    let (mut reported, mut built) = (
        payer(DepositVia::Call, &chains, &mut rng).await,
        payer(DepositVia::Silent, &chains, &mut rng).await,
    );
    reported.build(&service).await;
    service.kill();
    let size = |name: &str| {
        let file = service.database().with_file_name(name);
        std::fs::metadata(file).map_or(0, |found| found.len())
    };
    let largest = ["causeway.db", "causeway.db-wal"].map(size).into_iter().max().unwrap();
    service.restart_on_full_disk(largest + FREE_BYTES);
    fill(&service).await;
    // A quote needs no disk.
    let route = built.quote(&service).await;
    let mut database = open(&service).await;
    let before = count(&mut database, ORDERS).await;
    for answer in ask_all(&service, &reported, &built, &route).await {
        assert_clean(&answer);
    }
    assert_eq!(service.ask_once(Method::GET, "/v1/chains", &Value::Null).await.0, 200);
    assert_eq!(count(&mut database, ORDERS).await, before, "nothing was written");
    database.close().await.unwrap();
    // What the chain shows meanwhile is not lost.
    let (stages, _) = broadcast::channel(8);
    let release = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        service.kill();
        service.restart();
    };
    tokio::join!(reported.deposit(&chains, &service, &stages), release);
    if !built.build_route(&service, route.0, route.1).await {
        built.build(&service).await;
    }
    built.deposit(&chains, &service, &stages).await;
    let mut database = open(&service).await;
    assert_eq!(count(&mut database, ORDERS_WITHOUT_EVENTS).await, 0);
    let whole: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut database).await.unwrap();
    assert_eq!(whole, "ok");
    database.close().await.unwrap();
    wait_until_ended(&chains, &service, &[reported, built], 2).await;
}
