//! Several processes on one PostgreSQL behave as one: each payout is swapped once, and the orders of a killed process go on.

mod upgrade;

use std::path::Path;
use std::time::{Duration, Instant};

use causeway_domain::QuoteId;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use crate::purchases::{order, pay, post};
use crate::service::{Service, data_dir, few_chains};

const ARBITRUM: u64 = 42161;
const ARBITRUM_USDC: &str = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
const PURCHASES: u8 = 6;
const LIMIT: Duration = Duration::from_mins(3);

/// A database of its own on the server of the tests; it goes with the value.
struct Database {
    server: PgConnectOptions,
    name: String,
    url: String,
}

impl Database {
    /// `None` where the tests have no server, which fails in CI.
    async fn new() -> Option<Self> {
        let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "set CAUSEWAY_TEST_POSTGRES");
            return None;
        };
        let server: PgConnectOptions = url.parse().unwrap();
        let name = format!("causeway_{}", QuoteId::random().unwrap());
        let database = Self { url: format!("{}/{name}", url.rsplit_once('/').unwrap().0), server, name };
        database.run(&format!("CREATE DATABASE {} TEMPLATE template0", database.name)).await;
        Some(database)
    }

    async fn run(&self, sql: &str) {
        let mut connection: PgConnection = self.server.connect().await.unwrap();
        connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
        connection.close().await.unwrap();
    }

    async fn count(&self, sql: &str) -> i64 {
        let mut connection: PgConnection =
            self.url.parse::<PgConnectOptions>().unwrap().connect().await.unwrap();
        let count =
            sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        count
    }

    async fn drop(self) {
        self.run(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

fn replica(folder: &Path, database: &Database, chains: &str) -> Service {
    configure(folder, database);
    Service::start_with(folder, &["--sandbox-rpc", chains])
}

fn configure(folder: &Path, database: &Database) {
    let settings = format!("[database]\nurl = \"{}\"\n{}", database.url, few_chains());
    std::fs::write(folder.join("causeway.toml"), settings).unwrap();
}

/// Both processes have the same keys (rule 32).
fn copy_keys(from: &Path, to: &Path) {
    std::fs::create_dir(to.join("keys")).unwrap();
    for file in std::fs::read_dir(from.join("keys")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join("keys").join(file.file_name())).unwrap();
    }
}

/// The swaps that were created from a purchase's address.
async fn swaps(service: &Service, address: &str) -> Vec<Value> {
    service.get_json(&format!("/v1/orders/{address}")).await["data"].as_array().unwrap().clone()
}

/// Two requests with one idempotency key, at once at both processes: one is answered, the other refused.
async fn one_key_with_two_bodies_has_one_answer(replicas: [&Service; 2]) {
    let author = format!("0x{}", "9e".repeat(20));
    let quote = json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": ARBITRUM, "toToken": ARBITRUM_USDC,
        "recipient": author, "provider": "sandbox-card",
    });
    for round in 0..10 {
        let key = format!("one-key-of-round-{round}");
        let mut takes = Vec::new();
        for replica in replicas {
            let (status, quotes) = post(replica, "/v1/fiat/quote", &quote).await;
            assert_eq!(status, 200, "{quotes}");
            takes.push(json!({ "quoteId": quotes["quotes"][0]["quoteId"], "author": author }));
        }
        let [ours, theirs] = [0, 1].map(|place| {
            let url = format!("{}/v1/fiat/order", replicas[place].url);
            replicas[place].client.post(url).header("Idempotency-Key", &key).json(&takes[place]).send()
        });
        let (ours, theirs) = tokio::join!(ours, theirs);
        let mut statuses = [ours, theirs].map(|answer| answer.unwrap().status().as_u16());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 422], "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_21_two_replicas_create_one_swap_for_each_payout() {
    let Some(database) = Database::new().await else { return };
    let (chains_folder, folders) = (data_dir(), [data_dir(), data_dir()]);
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let base = chains.url.split("/sandbox").next().unwrap();
    let first = replica(folders[0].path(), &database, base);
    copy_keys(folders[0].path(), folders[1].path());
    let second = replica(folders[1].path(), &database, base);

    one_key_with_two_bodies_has_one_answer([&first, &second]).await;
    let mut bought = Vec::new();
    for number in 0..PURCHASES {
        let recipient = format!("0x{}", format!("{:02x}", 0xa0 + number).repeat(20));
        let order = order(&first, ARBITRUM, ARBITRUM_USDC, &recipient).await;
        bought.push(order);
    }
    for order in &bought {
        pay(&first, order).await;
    }
    // Every look is a reason for its process to go on with the purchase.
    let begun = Instant::now();
    let mut open: Vec<String> =
        bought.iter().map(|order| format!("/v1/fiat/order/{}", order["orderId"].as_str().unwrap())).collect();
    let mut ended = Vec::new();
    while !open.is_empty() {
        let mut still = Vec::new();
        for path in open {
            let (view, _) = tokio::join!(second.get_json(&path), first.get_json(&path));
            if view["terminal"] == true { ended.push(view) } else { still.push(path) }
        }
        open = still;
        assert!(begun.elapsed() < LIMIT, "{open:?} do not end");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for view in ended {
        assert_eq!(view["status"], "completed", "{view}");
        let swaps = swaps(&second, view["depositAddress"].as_str().unwrap()).await;
        assert_eq!(swaps.len(), 1, "one payout, one swap: {swaps:#?}");
    }
    drop((first, second));
    database.drop().await;
}

/// Account 0 of the test phrase.
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const COIN: &str = "0x0000000000000000000000000000000000000000";

/// The answer to a request, as soon as it succeeds: prices and balances are known a moment after the start.
async fn answered(service: &Service, path: &str, body: &Value) -> Value {
    let begun = Instant::now();
    loop {
        let (status, answer) = post(service, path, body).await;
        if status == 200 && answer["routes"].as_array().is_none_or(|routes| !routes.is_empty()) {
            return answer;
        }
        assert!(begun.elapsed() < LIMIT, "{path}: {status} {answer}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// A route that one replica has quoted, and the build of another.
async fn built(quoting: &Service, building: &Service, method: &str) -> (Value, Value) {
    let ask = json!({
        "tradeType": "EXACT_INPUT", "amount": "100000000000000000", "fromAddress": PAYER, "fromChainId": 10,
        "fromToken": COIN, "toChainId": ARBITRUM, "toToken": ARBITRUM_USDC, "depositMethods": [method],
    });
    let begun = Instant::now();
    loop {
        let quote = answered(quoting, "/v1/quotes", &ask).await;
        let route = json!({ "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"] });
        let mut body = route.clone();
        body["from"] = json!(PAYER);
        body["depositMethod"] = json!(method);
        let (status, build) = post(building, "/v1/deposit/build", &body).await;
        if status == 200 {
            return (route, build);
        }
        assert!(begun.elapsed() < LIMIT, "{status} {build}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_replicas_are_one_service_and_the_orders_of_a_killed_one_go_on() {
    let Some(database) = Database::new().await else { return };
    let (chains_folder, folders) = (data_dir(), [data_dir(), data_dir(), data_dir()]);
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let base = chains.url.split("/sandbox").next().unwrap();
    let first = replica(folders[0].path(), &database, base);
    for folder in &folders[1..] {
        copy_keys(folders[0].path(), folder.path());
    }
    let mut second = replica(folders[1].path(), &database, base);
    let third = replica(folders[2].path(), &database, base);
    assert_eq!(database.count("SELECT COUNT(DISTINCT number) FROM replicas").await, 3);

    // A quote of the first is built at the second, submitted at the third, and seen at the first.
    let (mut submit, _) = built(&first, &second, "CONTRACT_CALL").await;
    submit["txHash"] = json!(format!("0x{}", "5a".repeat(32)));
    let url = format!("{}/v1/deposit/submit", third.url);
    let submitted: Value = third.client.put(url).json(&submit).send().await.unwrap().json().await.unwrap();
    let order = submitted["orderId"].as_str().unwrap_or_else(|| panic!("{submitted}"));
    let seen = first.get_json(&format!("/v1/orders/by-id/{order}")).await;
    assert_eq!(seen["depositTxHash"], submit["txHash"], "{seen}");

    // The second is killed after it has built an order, which is then paid.
    let (_, build) = built(&first, &second, "TRANSFER").await;
    second.child.kill().unwrap();
    second.child.wait().unwrap();
    let address = build["depositAddress"].as_str().unwrap_or_else(|| panic!("{build}"));
    pay_address(&first, base, address).await;
    wait_until_filled(&third, address).await;
    drop((first, second, third));
    database.drop().await;
}

/// Pays what [`built`] asks for.
async fn pay_address(service: &Service, chains: &str, address: &str) {
    let pay = json!({ "chainId": 10, "address": address, "amount": "100000000000000000" });
    let paid = service.client.post(format!("{chains}/sandbox/faucet")).json(&pay).send().await.unwrap();
    assert!(paid.status().is_success(), "{paid:?}");
}

async fn wait_until_filled(service: &Service, address: &str) {
    let begun = Instant::now();
    loop {
        let order = service.get_json(&format!("/v1/orders/by-deposit-address/{address}")).await;
        if order["data"][0]["status"] == "filled" {
            return;
        }
        assert!(begun.elapsed() < LIMIT, "{order}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
