//! Two processes on one PostgreSQL work on the same purchases: each payout is swapped once.

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

    async fn drop(self) {
        self.run(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

fn replica(folder: &Path, number: u8, database: &Database, chains: &str) -> Service {
    let settings =
        format!("[database]\nurl = \"{}\"\n[server]\nreplica = {number}\n{}", database.url, few_chains());
    std::fs::write(folder.join("causeway.toml"), settings).unwrap();
    Service::start_with(folder, &["--sandbox-rpc", chains])
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
    let first = replica(folders[0].path(), 0, &database, base);
    copy_keys(folders[0].path(), folders[1].path());
    let second = replica(folders[1].path(), 1, &database, base);

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
