//! A database that cannot be written: requests fail as the contract says, nothing is half done, and all goes on afterwards.

use std::time::Duration;

use alloy_primitives::U256;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::broadcast;

use super::audit::settle;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::desk::Desk;
use super::dice::Dice;
use super::payer::{Fate, Payer, Way, Wish};

/// More rounds of requests than any nearly full disk takes.
const MANY: usize = 500;

/// How much the files may still grow.
const ROOM: u64 = 128 << 10;

/// Somebody who swaps fifty dollars for coins and has all that it needs for that.
async fn payer(way: Way, chains: &Chains, dice: &mut Dice) -> Payer {
    let (from, to, amount) = ((BASE, usdc(BASE)), (ETHEREUM, COIN), U256::from(50_000_000));
    let payer = Payer::new(Wish { from, to, amount, way, fate: Fate::Filled }, dice);
    payer.fund(chains).await;
    payer
}

/// Asks for everything that writes, all at once.
async fn ask_all(desk: &Desk, told: &Payer, next: &Payer, route: &(String, String)) -> [(u16, Value); 3] {
    let quote = next.ask();
    let build = next.ask_to_build(&route.0, &route.1);
    let hash = format!("0x{}", "5a".repeat(32));
    let submit = told.ask_to_submit(&json!({ "txHash": hash }));
    tokio::join!(
        desk.ask_once(Method::POST, "/v1/quotes", &quote),
        desk.ask_once(Method::POST, "/v1/deposit/build", &build),
        desk.ask_once(Method::PUT, "/v1/deposit/submit", &submit),
    )
    .into()
}

/// The contract's word for a fault of ours, which says nothing of what only we should know.
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

/// Asks for quotes until none can be kept, and none can a moment later either.
async fn fill(desk: &Desk, ask: &Value) {
    let mut refused = 0;
    for _ in 0..MANY {
        let asks = (0..16).map(|_| desk.ask_once(Method::POST, "/v1/quotes", ask));
        let answers = futures::future::join_all(asks).await;
        answers.iter().filter(|(status, _)| *status != 200).for_each(assert_clean);
        if answers.iter().any(|(status, _)| *status == 200) {
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

async fn open(desk: &Desk) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(desk.database());
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn count(database: &mut SqliteConnection, what: &'static str) -> i64 {
    sqlx::query_scalar(what).fetch_one(database).await.unwrap()
}

const ORDERS: &str = "SELECT COUNT(*) FROM orders";

/// Every order is written together with the beginning of its story.
const HALF: &str = "SELECT COUNT(*) FROM orders WHERE NOT EXISTS \
                    (SELECT 1 FROM events WHERE events.order_id = orders.id)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_process_holds_the_database_requests_fail_cleanly_and_orders_wait() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(1, "locked"));
    let (mut told, mut built) =
        (payer(Way::Call, &chains, &mut dice).await, payer(Way::Silent, &chains, &mut dice).await);
    told.build(&desk).await;
    let route = built.quote(&desk).await;

    let mut database = open(&desk).await;
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut database).await.unwrap();
    let before = count(&mut database, ORDERS).await;
    for answer in ask_all(&desk, &told, &built, &route).await {
        assert_clean(&answer);
    }
    // Whoever only reads is answered.
    assert_eq!(desk.ask_once(Method::GET, "/v1/chains", &Value::Null).await.0, 200);
    let by_address = format!("/v1/orders/{}", told.key.address());
    assert_eq!(desk.ask_once(Method::GET, &by_address, &Value::Null).await.1["data"], json!([]));
    // What the chain shows meanwhile is not lost.
    let (tell, _) = broadcast::channel(8);
    let deposit = async {
        told.deposit(&chains, &desk, &tell).await;
    };
    let release = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(count(&mut database, ORDERS).await, before, "nothing was written");
        sqlx::query("ROLLBACK").execute(&mut database).await.unwrap();
    };
    tokio::join!(deposit, release);
    assert!(built.build_route(&desk, route.0, route.1).await, "the quote is as good as before");
    built.deposit(&chains, &desk, &tell).await;
    assert_eq!(count(&mut database, HALF).await, 0);
    database.close().await.unwrap();
    settle(&chains, &desk, &[told, built], 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_requests_fail_cleanly_and_orders_go_on_once_there_is_room() {
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(2, "full"));
    let (mut told, mut built) =
        (payer(Way::Call, &chains, &mut dice).await, payer(Way::Silent, &chains, &mut dice).await);
    told.build(&desk).await;
    desk.kill();
    let size = |name: &str| {
        let file = desk.database().with_file_name(name);
        std::fs::metadata(file).map_or(0, |found| found.len())
    };
    let largest = ["causeway.db", "causeway.db-wal"].map(size).into_iter().max().unwrap();
    desk.revive_on_full_disk(largest + ROOM);
    let route = built.quote(&desk).await;

    fill(&desk, &built.ask()).await;
    let mut database = open(&desk).await;
    let before = count(&mut database, ORDERS).await;
    for answer in ask_all(&desk, &told, &built, &route).await {
        assert_clean(&answer);
    }
    assert_eq!(desk.ask_once(Method::GET, "/v1/chains", &Value::Null).await.0, 200);
    assert_eq!(count(&mut database, ORDERS).await, before, "nothing was written");
    database.close().await.unwrap();
    // What the chain shows meanwhile is not lost.
    let (tell, _) = broadcast::channel(8);
    let release = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        desk.kill();
        desk.revive();
    };
    tokio::join!(told.deposit(&chains, &desk, &tell), release);
    if !built.build_route(&desk, route.0, route.1).await {
        built.build(&desk).await;
    }
    built.deposit(&chains, &desk, &tell).await;
    let mut database = open(&desk).await;
    assert_eq!(count(&mut database, HALF).await, 0);
    let whole: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut database).await.unwrap();
    assert_eq!(whole, "ok");
    database.close().await.unwrap();
    settle(&chains, &desk, &[told, built], 2).await;
}
