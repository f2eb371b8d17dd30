//! Webhooks of the real binary, through outages of both sides.

mod receiver;

use std::collections::HashSet;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use causeway_client::webhooks::{WebhookError, verify};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Client, ExecuteOptions, LocalWallet, Pace, Step, Wallet as _};
use causeway_domain::ports::OrderStore as _;
use causeway_store::{Location, Store};
use serde_json::Value;

use self::receiver::{Receiver, Told};
use crate::service::{Service, causeway, data_dir};

/// The third account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const SECRET: &str = "the-secret-of-the-configuration";
const INTEGRATOR: &str = "shop-00ff00ff";

/// The service on chains that live on when it dies.
struct Scene<'a> {
    folder: &'a Path,
    chains: String,
    service: Service,
}

impl<'a> Scene<'a> {
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

    /// Swaps until the deposit was submitted, and tells the order.
    async fn submit(&self, integrator: Option<&str>) -> String {
        let client = self.client(integrator);
        let wallet = LocalWallet::connect(&client, KEY).await.unwrap();
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
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let options = ExecuteOptions::default().at_pace(Pace::default().every(Pace::FLOOR));
        let swap = client.execute(&ask, &wallet, &options, |step| {
            if let Step::Submitted(answer) = step {
                let _ = tell.send(answer.order_id.clone());
            }
        });
        tokio::select! {
            order = told.recv() => order.unwrap(),
            ended = swap => ended.unwrap().id,
        }
    }

    async fn filled(&self, order: &str) {
        let pace = Pace::default().every(Pace::FLOOR);
        let order = self.client(None).track_order(order, pace, |_| {}).await.unwrap();
        assert_eq!(order.status, "filled");
    }
}

/// The ids of the orders' events as the store has them, once nothing is added any more.
async fn stories(folder: &Path, orders: &[String]) -> Vec<(String, Vec<String>)> {
    let store = Store::open(&Location::Sqlite(folder.join("causeway.db"))).await.unwrap();
    let mut last = Vec::new();
    loop {
        let mut stories = Vec::new();
        for order in orders {
            let lines = store.story(&order.parse().unwrap()).await.unwrap();
            let keys: Vec<_> = lines.iter().map(|event| event.key.get().to_string()).collect();
            stories.push((order.clone(), keys));
        }
        if stories == last {
            store.close().await;
            return stories;
        }
        last = stories;
        // A filler is paid a while after it delivered.
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// What a receiver knows of an order once it has put aside what it had before.
fn after_dedupe(told: &[Told], order: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let of_order = told.iter().filter(|told| told.order == order);
    of_order.filter(|told| seen.insert(told.id.clone())).map(|told| told.id.clone()).collect()
}

async fn until_told(receiver: &Receiver, expected: &[(String, Vec<String>)]) {
    for _ in 0..600 {
        let told = receiver.told();
        if expected.iter().all(|(order, story)| after_dedupe(&told, order).len() >= story.len()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("not everything was told: {:#?}\nof {expected:#?}", receiver.told());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_was_down_gets_every_event_once_and_in_order_over_a_kill_9() {
    let (chains_folder, folder) = (data_dir(), data_dir());
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let rpc = chains.url.split("/sandbox").next().unwrap();
    let mut shop = Receiver::start().await;
    let (filtered, added) = (Receiver::start().await, Receiver::start().await);
    let config = format!(
        "[[webhooks]]\nname = \"shop\"\nurl = \"{}\"\nsecret = \"{SECRET}\"\n\
         [[webhooks]]\nname = \"filtered\"\nurl = \"{}\"\nsecret = \"{SECRET}\"\nintegrator = \"{INTEGRATOR}\"\n",
        shop.url(),
        filtered.url(),
    );
    std::fs::write(folder.path().join("webhooks.toml"), config).unwrap();
    let mut scene = Scene::start(folder.path(), rpc);
    let secret = scene.webhooks_json(&["add", "added", &added.url()])["secret"].as_str().unwrap().to_owned();
    let refused = scene.webhooks(&["add", "far", "http://shop.example/"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("https"), "{refused:?}");

    let mut orders = vec![scene.submit(Some(INTEGRATOR)).await];
    scene.filled(&orders[0]).await;
    // One side goes down, then the other, in the middle of orders.
    shop.stop().await;
    orders.push(scene.submit(None).await);
    scene = scene.kill_and_start();
    orders.push(scene.submit(Some(INTEGRATOR)).await);
    scene = scene.kill_and_start();
    for order in &orders {
        scene.filled(order).await;
    }
    shop.start_again().await;
    orders.push(scene.submit(None).await);
    scene.filled(&orders[3]).await;

    let expected = stories(folder.path(), &orders).await;
    let of_integrator = vec![expected[0].clone(), expected[2].clone()];
    for (receiver, secret, expected) in [
        (&shop, SECRET, &expected),
        (&added, secret.as_str(), &expected),
        (&filtered, SECRET, &of_integrator),
    ] {
        until_told(receiver, expected).await;
        let told = receiver.told();
        for (order, story) in expected {
            assert_eq!(&after_dedupe(&told, order), story, "each once, as they happened");
        }
        let known: HashSet<_> = expected.iter().map(|(order, _)| order.as_str()).collect();
        assert!(told.iter().all(|told| known.contains(told.order.as_str())), "only what it wants");
        for told in &told {
            let event = verify(secret, &told.signature, &told.body).unwrap();
            assert_eq!(
                (&event.id, &event.event.order_id, &event.order.id),
                (&told.id, &told.order, &told.order)
            );
            let wrong = verify("another-secret-altogether", &told.signature, &told.body);
            assert!(matches!(wrong, Err(WebhookError::Signature)), "{wrong:?}");
        }
        let twice = told.len() - told.iter().map(|told| &told.id).collect::<HashSet<_>>().len();
        assert!(twice <= 2 * orders.len(), "{twice} came twice, more than a kill can catch in flight");
    }
    operators_see_and_replay(&scene, &added, &expected).await;
}

async fn operators_see_and_replay(scene: &Scene<'_>, added: &Receiver, expected: &[(String, Vec<String>)]) {
    let listed = scene.webhooks_json(&["list"]);
    let names: Vec<_> = listed["webhooks"].as_array().unwrap().iter().map(|it| it["name"].as_str()).collect();
    assert_eq!(names, [Some("added"), Some("filtered"), Some("shop")]);
    assert!(!listed.to_string().contains(SECRET));
    let log = scene.webhooks_json(&["log", "shop", "--limit", "500"]);
    let outcomes: HashSet<_> =
        log["attempts"].as_array().unwrap().iter().map(|it| it["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, HashSet::from(["delivered", "failed"]), "it was down for a while");
    let (words, refused) = (scene.webhooks(&["log", "shop"]), scene.webhooks(&["remove", "shop"]));
    assert!(String::from_utf8_lossy(&words.stdout).contains("acknowledged with 200"));
    assert!(!refused.status.success(), "what stands in the configuration stays");

    let before = added.told().len();
    let (_, story) = &expected[3];
    let after = &story[story.len() - 3];
    let events = scene.webhooks_json(&["replay", "added", "--after", after])["events"].as_u64().unwrap();
    for _ in 0..300 {
        if added.told().len() >= before + 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let again: Vec<_> = added.told()[before..].iter().map(|told| told.id.clone()).collect();
    assert_eq!((events, again.as_slice()), (2, &story[story.len() - 2..]));
    assert!(scene.webhooks(&["remove", "added"]).status.success());
    assert_eq!(scene.webhooks_json(&["list"])["webhooks"].as_array().unwrap().len(), 2);
}
