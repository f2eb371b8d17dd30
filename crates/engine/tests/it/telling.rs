use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{
    AttemptOutcome, DeliveryAttempt, EndpointName, OrderStore as _, Post, WebhookStore as _,
};
use causeway_domain::{EventKind, Order, OrderEvent, RowKey, RowKeys};
use causeway_engine::{
    DeliverParts, DeliverWebhooks, NewEndpoint, WEBHOOK_PATIENCE, WantedEndpoint, WebhookDesk,
    WebhookDeskError,
};
use causeway_store::{Location, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::scene::add_order;

/// One request as a receiver saw it.
#[derive(Clone, Debug)]
struct Got {
    url: String,
    event: i64,
    order: String,
    signature: String,
    attempt: String,
}

/// Receivers everywhere: those whose refusals are not used up answer 503.
#[derive(Default)]
struct Receivers {
    got: Mutex<Vec<Got>>,
    refusals: Mutex<HashMap<String, u32>>,
}

#[async_trait]
impl Post for Receivers {
    fn check(&self, url: &str) -> Result<(), String> {
        if url.starts_with("https://") { Ok(()) } else { Err("it must begin with https://".to_owned()) }
    }

    async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<u16, String> {
        let header = |wanted| headers.iter().find(|(name, _)| *name == wanted).unwrap().1.clone();
        let refused = self.refusals.lock().unwrap().get_mut(url).is_some_and(|left| {
            let refuses = *left > 0;
            *left = left.saturating_sub(1);
            refuses
        });
        if refused {
            return Ok(503);
        }
        // Long enough that a second sender would be seen.
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.got.lock().unwrap().push(Got {
            url: url.to_owned(),
            event: header("x-causeway-event-id").parse().unwrap(),
            order: String::from_utf8(body).unwrap(),
            signature: header("x-causeway-signature"),
            attempt: header("x-causeway-attempt"),
        });
        Ok(204)
    }
}

/// A store with its desk, and as many processes that deliver as a test wants.
struct Office {
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    receivers: Arc<Receivers>,
    bell: Arc<Notify>,
    desk: WebhookDesk,
    _folder: TempDir,
}

impl Office {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("orders.db"))).await.unwrap();
        let (store, receivers, bell) =
            (Arc::new(store), Arc::<Receivers>::default(), Arc::<Notify>::default());
        let desk = WebhookDesk::new(store.clone(), receivers.clone(), Arc::clone(&bell));
        Self { store, row_keys: Arc::new(RowKeys::new(0)), receivers, bell, desk, _folder: folder }
    }

    fn deliver(&self, patience: SignedDuration) -> DropGuard {
        let stop = CancellationToken::new();
        let deliver = DeliverWebhooks::new(DeliverParts {
            store: self.store.clone(),
            log: self.store.clone(),
            orders: self.store.clone(),
            post: self.receivers.clone(),
            describe: Arc::new(|order, _, _| order.id.to_string().into_bytes()),
            row_keys: Arc::clone(&self.row_keys),
            bell: Arc::clone(&self.bell),
            patience,
        });
        tokio::spawn(Arc::new(deliver).run(stop.clone()));
        stop.drop_guard()
    }

    async fn add(&self, text: &str) {
        let new = NewEndpoint { name: name(text), url: url(text), secret: None, integrator: None };
        self.desk.add(new).await.unwrap();
        // Keys of the same millisecond count as before it.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }

    async fn order(&self) -> Order {
        add_order(&self.store, &self.row_keys, |order| order.announced = true).await
    }

    async fn line(&self, order: &mut Order) -> i64 {
        let key = self.row_keys.next(Timestamp::now());
        let (kind, detail) = (EventKind::Note, "Something happened.".to_owned());
        let event = OrderEvent { key, order: order.id.clone(), kind, detail, at: Timestamp::now() };
        assert!(self.store.update_order(order, &[event]).await.unwrap());
        order.version += 1;
        key.get()
    }

    async fn story(&self, order: &Order) -> Vec<i64> {
        self.store.story(&order.id).await.unwrap().iter().map(|event| event.key.get()).collect()
    }

    fn got(&self, endpoint: &str) -> Vec<Got> {
        let got = self.receivers.got.lock().unwrap();
        got.iter().filter(|got| got.url == url(endpoint)).cloned().collect()
    }

    fn events(&self, endpoint: &str, order: &Order) -> Vec<i64> {
        let got = self.got(endpoint).into_iter().filter(|got| got.order == order.id.as_str());
        got.map(|got| got.event).collect()
    }

    async fn log(&self, endpoint: &str) -> Vec<DeliveryAttempt> {
        self.desk.log(&name(endpoint), None, 100).await.unwrap()
    }

    fn refuse(&self, endpoint: &str, times: u32) {
        self.receivers.refusals.lock().unwrap().insert(url(endpoint), times);
    }
}

fn name(text: &str) -> EndpointName {
    text.parse().unwrap()
}

fn url(text: &str) -> String {
    format!("https://{text}.example/hook")
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..1_500 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it never came to this: {what}");
}

/// Long enough for a second delivery to be seen, were there one.
async fn quiet() {
    tokio::time::sleep(Duration::from_millis(700)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_is_told_once_and_in_order_however_many_processes_deliver() {
    let office = Office::open().await;
    office.add("shop").await;
    let _processes = [office.deliver(WEBHOOK_PATIENCE), office.deliver(WEBHOOK_PATIENCE)];
    let mut orders = Vec::new();
    for _ in 0..5 {
        orders.push(office.order().await);
    }
    for _ in 0..4 {
        for order in &mut orders {
            office.line(order).await;
        }
    }
    until("all are told", async || office.got("shop").len() >= 25).await;
    quiet().await;
    for order in &orders {
        assert_eq!(office.events("shop", order), office.story(order).await);
    }
    let got = office.got("shop");
    assert!(got.iter().all(|got| got.signature.starts_with("t=") && got.signature.contains(",v1=")));
    assert!(got.iter().all(|got| got.attempt == "1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_refuses_is_asked_again_and_holds_nobody_up() {
    let office = Office::open().await;
    for endpoint in ["slow", "quick"] {
        office.add(endpoint).await;
    }
    office.refuse("slow", 2);
    let _process = office.deliver(WEBHOOK_PATIENCE);
    let mut order = office.order().await;
    office.line(&mut order).await;
    until("the other is told", async || office.got("quick").len() == 2).await;
    until("it is told in the end", async || office.log("slow").await.len() == 4).await;
    assert_eq!(office.events("slow", &order), office.story(&order).await);
    let log = office.log("slow").await;
    let outcomes: Vec<_> = log.iter().rev().map(|line| (line.number, line.outcome)).collect();
    let (delivered, failed) = (AttemptOutcome::Delivered, AttemptOutcome::Failed);
    assert_eq!(outcomes, [(1, failed), (2, failed), (3, delivered), (1, delivered)]);
    assert_eq!(log[3].words, "answered 503 instead of 2xx");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fails_for_too_long_is_given_up_recorded_and_let_pass() {
    let office = Office::open().await;
    office.add("shop").await;
    office.refuse("shop", 1);
    let _process = office.deliver(SignedDuration::ZERO);
    let mut order = office.order().await;
    let second = office.line(&mut order).await;
    until("the next passes", async || office.got("shop").len() == 1).await;
    assert_eq!(office.events("shop", &order), [second]);
    assert_eq!(office.log("shop").await.last().unwrap().outcome, AttemptOutcome::GivenUp);
    assert_eq!(office.desk.list().await.unwrap()[0].given_up, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_is_down_for_many_is_probed_and_gets_all_of_it_afterwards() {
    let office = Office::open().await;
    office.add("shop").await;
    office.refuse("shop", 8);
    let _process = office.deliver(WEBHOOK_PATIENCE);
    let mut orders = Vec::new();
    for _ in 0..20 {
        orders.push(office.order().await);
    }
    until("all are told", async || office.got("shop").len() == 20).await;
    quiet().await;
    for order in &orders {
        assert_eq!(office.events("shop", order).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_hears_from_its_beginning_on_and_a_replay_tells_it_the_rest() {
    let office = Office::open().await;
    let _process = office.deliver(WEBHOOK_PATIENCE);
    let mut order = office.order().await;
    office.add("late").await;
    let second = office.line(&mut order).await;
    until("it is told", async || office.got("late").len() == 1).await;
    assert_eq!(office.events("late", &order), [second]);
    let start = RowKey::new(0).unwrap();
    assert_eq!(office.desk.replay(&name("late"), start).await.unwrap(), 2);
    until("it is told again", async || office.got("late").len() == 3).await;
    assert_eq!(office.events("late", &order)[1..], office.story(&order).await);
    assert!(matches!(office.desk.replay(&name("none"), start).await, Err(WebhookDeskError::NotFound(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happened_while_nobody_delivered_is_told_afterwards() {
    let office = Office::open().await;
    office.add("shop").await;
    let order = office.order().await;
    let _process = office.deliver(WEBHOOK_PATIENCE);
    until("it is told", async || office.got("shop").len() == 1).await;
    assert_eq!(office.events("shop", &order), office.story(&order).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_configuration_adds_changes_and_silences_its_own_endpoints() {
    let office = Office::open().await;
    office.add("mine").await;
    let wanted = |names: &[&str]| -> Vec<WantedEndpoint> {
        let secret = || "a-secret-of-the-file".parse().unwrap();
        let one = |text: &&str| WantedEndpoint {
            name: name(text),
            url: url(text),
            secrets: vec![secret()],
            integrator: None,
        };
        names.iter().map(one).collect()
    };
    office.desk.configure(wanted(&["a", "b"])).await.unwrap();
    office.desk.configure(wanted(&["b"])).await.unwrap();
    let told = |endpoints: Vec<causeway_engine::EndpointReport>| -> Vec<(String, bool)> {
        endpoints.into_iter().map(|it| (it.endpoint.name.to_string(), it.endpoint.enabled)).collect()
    };
    let expected = [("a", false), ("b", true), ("mine", true)].map(|(name, on)| (name.to_owned(), on));
    assert_eq!(told(office.desk.list().await.unwrap()), expected);
    let refused = office.desk.remove(&name("b")).await;
    assert!(matches!(refused, Err(WebhookDeskError::Configured(_))), "{refused:?}");
    let refused = office.desk.rotate(&name("b"), None).await;
    assert!(matches!(refused, Err(WebhookDeskError::Configured(_))), "{refused:?}");
    for gone in ["a", "mine"] {
        office.desk.remove(&name(gone)).await.unwrap();
    }
    let mut plain = wanted(&["b"]);
    plain[0].url = "http://b.example/".to_owned();
    assert!(matches!(office.desk.configure(plain).await, Err(WebhookDeskError::Address(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_secret_signs_beside_the_one_before_and_two_are_enough() {
    let office = Office::open().await;
    office.add("shop").await;
    let first = office.store.endpoints().await.unwrap().remove(0).secrets;
    let second = office.desk.rotate(&name("shop"), None).await.unwrap().secrets;
    assert_eq!((second.len(), &second[1]), (2, &first[0]));
    let third = office.desk.rotate(&name("shop"), None).await.unwrap().secrets;
    assert_eq!((third.len(), &third[1]), (2, &second[0]));
    let _process = office.deliver(WEBHOOK_PATIENCE);
    office.order().await;
    until("it is told", async || office.got("shop").len() == 1).await;
    assert_eq!(office.got("shop")[0].signature.matches("v1=").count(), 2);
}
