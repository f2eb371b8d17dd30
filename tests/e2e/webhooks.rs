//! Webhooks of the real binary, through outages of both sides.

mod purchases;
mod receiver;

use std::collections::HashSet;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use causeway_client::webhooks::{WebhookError, verify};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, Client, ExecuteOptions, LocalWallet, PollingOptions, Step, Wallet as _};
use causeway_domain::ports::OrderStore as _;
use causeway_store::{Location, Store};
use serde_json::Value;

use self::receiver::{Delivery, Receiver};
use crate::service::{Service, causeway, data_dir, few_chains};

/// The third account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const SECRET: &str = "the-secret-of-the-configuration";
const INTEGRATOR: &str = "shop-00ff00ff";

/// The service on chains that live on when it dies.
struct Fixture<'a> {
    folder: &'a Path,
    chains: String,
    service: Service,
}

impl<'a> Fixture<'a> {
    fn start(folder: &'a Path, chains: &str) -> Self {
        let config = folder.join("webhooks.toml");
        let chains = chains.to_owned();
        let args = ["--config", config.to_str().unwrap(), "--sandbox-rpc", &chains];
        Self { service: Service::start_with(folder, &args), folder, chains }
    }

    /// Kills it as a power cut would, and starts it again.
    fn kill_and_start(mut self) -> Self {
        self.service.child.kill().unwrap();
        self.service.child.wait().unwrap();
        let (folder, chains) = (self.folder, self.chains.clone());
        drop(self);
        Self::start(folder, &chains)
    }

    fn client(&self, integrator: Option<&str>) -> Client {
        let builder = Client::builder(&self.service.url);
        let builder = match integrator {
            Some(id) => builder.header("x-integrator-id", id),
            None => builder,
        };
        builder.build().unwrap()
    }

    /// An operator's command.
    fn webhooks(&self, args: &[&str]) -> Output {
        let mut command = causeway();
        command.arg("webhooks").args(args).args(["--url", &self.service.url, "--data-dir"]).arg(self.folder);
        command.output().unwrap()
    }

    fn webhooks_json(&self, args: &[&str]) -> Value {
        let output = self.webhooks(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Swaps until the deposit is submitted, and returns the order id.
    async fn submit(&self, integrator: Option<&str>) -> String {
        let client = self.client(integrator);
        let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
        let ask = QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: 8453,
            from_token: USDC_ON_BASE.to_owned(),
            to_chain_id: 1,
            to_token: "0x0000000000000000000000000000000000000000".to_owned(),
            amount: "25000000".to_owned(),
            from_address: wallet.address(),
            ..QuoteAsk::default()
        };
        for _ in 0..300 {
            if client.quote(&ask).await.is_ok_and(|quote| !quote.routes.is_empty()) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let (sender, mut submitted) = tokio::sync::mpsc::unbounded_channel();
        let options = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned()))
            .with_polling(PollingOptions::default().with_interval(Duration::from_millis(500)));
        let swap = client.execute(&ask, &wallet, &options, |step| {
            if let Step::Submitted(answer) = step {
                let _ = sender.send(answer.order_id.clone());
            }
        });
        tokio::select! {
            order = submitted.recv() => order.unwrap(),
            ended = swap => ended.unwrap().id,
        }
    }

    async fn filled(&self, order: &str) {
        let pace = PollingOptions::default().with_interval(Duration::from_millis(500));
        let order = self.client(None).track_order(order, pace, |_| {}).await.unwrap();
        assert_eq!(order.status, "filled");
    }
}

/// The ids of the orders' events as the store has them, once nothing is added any more.
async fn event_ids(folder: &Path, orders: &[String]) -> Vec<(String, Vec<String>)> {
    let store = Store::open(&Location::Sqlite(folder.join("causeway.db"))).await.unwrap();
    let mut last = Vec::new();
    loop {
        let mut event_ids = Vec::new();
        for order in orders {
            let events = store.order_events(&order.parse().unwrap()).await.unwrap();
            let keys: Vec<_> = events.iter().map(|event| event.key.get().to_string()).collect();
            event_ids.push((order.clone(), keys));
        }
        if event_ids == last {
            store.close().await;
            return event_ids;
        }
        last = event_ids;
        // A filler is paid a while after it delivered.
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// The event ids of an order without duplicates.
fn after_dedupe(deliveries: &[Delivery], order: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let for_order = deliveries.iter().filter(|delivery| delivery.order == order);
    for_order
        .filter(|delivery| seen.insert(delivery.id.clone()))
        .map(|delivery| delivery.id.clone())
        .collect()
}

async fn wait_for_deliveries(receiver: &Receiver, expected: &[(String, Vec<String>)]) {
    for _ in 0..600 {
        let deliveries = receiver.deliveries();
        if expected.iter().all(|(order, events)| after_dedupe(&deliveries, order).len() >= events.len()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("not every event was delivered: {:#?}\nof {expected:#?}", receiver.deliveries());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receiver_outage_and_kill_9_lose_duplicate_or_reorder_no_event() {
    let (chains_folder, folder) = (data_dir(), data_dir());
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let rpc = chains.url.split("/sandbox").next().unwrap();
    let mut shop = Receiver::start().await;
    let (filtered, added) = (Receiver::start().await, Receiver::start().await);
    let config = format!(
        "[[webhooks]]\nname = \"shop\"\nurl = \"{}\"\nsecret = \"{SECRET}\"\n\
         [[webhooks]]\nname = \"filtered\"\nurl = \"{}\"\nsecret = \"{SECRET}\"\nintegrator = \"{INTEGRATOR}\"\n{}",
        shop.url(),
        filtered.url(),
        few_chains(),
    );
    std::fs::write(folder.path().join("webhooks.toml"), config).unwrap();
    let mut fixture = Fixture::start(folder.path(), rpc);
    let secret =
        fixture.webhooks_json(&["add", "added", &added.url()])["secret"].as_str().unwrap().to_owned();
    let refused = fixture.webhooks(&["add", "far", "http://shop.example/"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("https"), "{refused:?}");

    let mut orders = vec![fixture.submit(Some(INTEGRATOR)).await];
    fixture.filled(&orders[0]).await;
    // One side goes down, then the other, in the middle of orders.
    shop.stop().await;
    orders.push(fixture.submit(None).await);
    fixture = fixture.kill_and_start();
    orders.push(fixture.submit(Some(INTEGRATOR)).await);
    fixture = fixture.kill_and_start();
    for order in &orders {
        fixture.filled(order).await;
    }
    shop.start_again().await;
    orders.push(fixture.submit(None).await);
    fixture.filled(&orders[3]).await;

    let expected = event_ids(folder.path(), &orders).await;
    let integrator_events = vec![expected[0].clone(), expected[2].clone()];
    for (receiver, secret, expected) in [
        (&shop, SECRET, &expected),
        (&added, secret.as_str(), &expected),
        (&filtered, SECRET, &integrator_events),
    ] {
        wait_for_deliveries(receiver, expected).await;
        let deliveries = receiver.deliveries();
        for (order, events) in expected {
            assert_eq!(&after_dedupe(&deliveries, order), events, "each once, as they happened");
        }
        let known: HashSet<_> = expected.iter().map(|(order, _)| order.as_str()).collect();
        assert!(
            deliveries.iter().all(|delivery| known.contains(delivery.order.as_str())),
            "only what it wants"
        );
        for delivery in &deliveries {
            let event = verify(secret, &delivery.signature, &delivery.body).unwrap();
            assert_eq!(
                (&event.id, &event.event.order_id, &event.order.id),
                (&delivery.id, &delivery.order, &delivery.order)
            );
            let wrong = verify("another-secret-altogether", &delivery.signature, &delivery.body);
            assert!(matches!(wrong, Err(WebhookError::Signature)), "{wrong:?}");
        }
        let twice =
            deliveries.len() - deliveries.iter().map(|delivery| &delivery.id).collect::<HashSet<_>>().len();
        assert!(twice <= 2 * orders.len(), "{twice} came twice, more than a kill can catch in flight");
    }
    operator_lists_and_replays(&fixture, &added, &expected).await;
}

async fn operator_lists_and_replays(
    fixture: &Fixture<'_>,
    added: &Receiver,
    expected: &[(String, Vec<String>)],
) {
    let listed = fixture.webhooks_json(&["list"]);
    let names: Vec<_> = listed["webhooks"].as_array().unwrap().iter().map(|it| it["name"].as_str()).collect();
    assert_eq!(names, [Some("added"), Some("filtered"), Some("shop")]);
    assert!(!listed.to_string().contains(SECRET));
    let log = fixture.webhooks_json(&["log", "shop", "--limit", "500"]);
    let outcomes: HashSet<_> =
        log["attempts"].as_array().unwrap().iter().map(|it| it["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, HashSet::from(["delivered", "failed"]), "it was down for a while");
    let (log_text, refused) = (fixture.webhooks(&["log", "shop"]), fixture.webhooks(&["remove", "shop"]));
    assert!(String::from_utf8_lossy(&log_text.stdout).contains("acknowledged with 200"));
    assert!(!refused.status.success(), "what stands in the configuration stays");

    let before = added.deliveries().len();
    let (_, events) = &expected[3];
    let after = &events[events.len() - 3];
    let replayed = fixture.webhooks_json(&["replay", "added", "--after", after])["events"].as_u64().unwrap();
    for _ in 0..300 {
        if added.deliveries().len() >= before + 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let again: Vec<_> = added.deliveries()[before..].iter().map(|delivery| delivery.id.clone()).collect();
    assert_eq!((replayed, again.as_slice()), (2, &events[events.len() - 2..]));
    assert!(fixture.webhooks(&["remove", "added"]).status.success());
    assert_eq!(fixture.webhooks_json(&["list"])["webhooks"].as_array().unwrap().len(), 2);
}
