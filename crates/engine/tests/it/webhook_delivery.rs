use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatEvent, FiatOrder, FiatQuote, FiatStatus, QuoteFirmness, Strategy, WantedAmount,
};
use causeway_domain::ports::{
    AttemptOutcome, DeliveryAttempt, EndpointName, FiatStore as _, OrderStore as _, Subscription,
    WebhookStore as _, WebhookTransport,
};
use causeway_domain::{
    Address, ChainId, EventKind, Family, FiatOrderId, FiatQuoteId, Order, OrderEvent, RawAmount, RowKey,
    RowKeys, TokenId,
};
use causeway_engine::{
    ConfiguredEndpoint, DEFAULT_WEBHOOK_RETRY_PERIOD, DeliverParts, DeliverWebhooks, NewEndpoint,
    WebhookAdmin, WebhookAdminError,
};
use causeway_store::{Location, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::scene::add_order;

/// One request that a receiver received.
#[derive(Clone, Debug)]
struct Received {
    url: String,
    event: i64,
    kind: String,
    order: String,
    signature: String,
    attempt: String,
}

/// Fake receivers; each answers 503 as often as the test asks for.
#[derive(Default)]
struct Receivers {
    received: Mutex<Vec<Received>>,
    refusals: Mutex<HashMap<String, u32>>,
}

#[async_trait]
impl WebhookTransport for Receivers {
    fn check(&self, url: &str) -> Result<(), String> {
        if url.starts_with("https://") { Ok(()) } else { Err("it must start with https://".to_owned()) }
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
        self.received.lock().unwrap().push(Received {
            url: url.to_owned(),
            event: header("x-causeway-event-id").parse().unwrap(),
            kind: header("x-causeway-event"),
            order: String::from_utf8(body).unwrap(),
            signature: header("x-causeway-signature"),
            attempt: header("x-causeway-attempt"),
        });
        Ok(204)
    }
}

/// A store with its webhook admin, and as many delivering processes as a test needs.
struct WebhookFixture {
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    receivers: Arc<Receivers>,
    signal: Arc<Notify>,
    admin: WebhookAdmin,
    _folder: TempDir,
}

impl WebhookFixture {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("orders.db"))).await.unwrap();
        let (store, receivers, signal) =
            (Arc::new(store), Arc::<Receivers>::default(), Arc::<Notify>::default());
        let admin = WebhookAdmin::new(store.clone(), receivers.clone(), Arc::clone(&signal));
        Self { store, row_keys: Arc::new(RowKeys::new(0)), receivers, signal, admin, _folder: folder }
    }

    fn deliver(&self, retry_period: SignedDuration) -> DropGuard {
        let stop = CancellationToken::new();
        let deliver = DeliverWebhooks::new(DeliverParts {
            store: self.store.clone(),
            orders: self.store.clone(),
            purchases: self.store.clone(),
            post: self.receivers.clone(),
            encode: Arc::new(|order, _, _| order.id.to_string().into_bytes()),
            encode_purchase: Arc::new(|purchase, _| purchase.id.to_string().into_bytes()),
            row_keys: Arc::clone(&self.row_keys),
            signal: Arc::clone(&self.signal),
            retry_period,
        });
        tokio::spawn(Arc::new(deliver).run(stop.clone()));
        stop.drop_guard()
    }

    async fn add(&self, text: &str) {
        self.add_about(text, Subscription::Orders).await;
    }

    async fn add_about(&self, text: &str, about: Subscription) {
        let new = NewEndpoint { name: name(text), url: url(text), secret: None, integrator: None, about };
        self.admin.add(new).await.unwrap();
        // Keys of the same millisecond count as before it.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }

    async fn order(&self) -> Order {
        add_order(&self.store, &self.row_keys, |order| order.announced = true).await
    }

    async fn add_event(&self, order: &mut Order) -> i64 {
        let key = self.row_keys.next(Timestamp::now());
        let (kind, detail) = (EventKind::Note, "Something happened.".to_owned());
        let event = OrderEvent { key, order: order.id.clone(), kind, detail, at: Timestamp::now() };
        assert!(self.store.update_order(order, &[event]).await.unwrap());
        order.version += 1;
        key.get()
    }

    async fn order_events(&self, order: &Order) -> Vec<i64> {
        self.store.order_events(&order.id).await.unwrap().iter().map(|event| event.key.get()).collect()
    }

    fn received(&self, endpoint: &str) -> Vec<Received> {
        let received = self.receivers.received.lock().unwrap();
        received.iter().filter(|received| received.url == url(endpoint)).cloned().collect()
    }

    fn events(&self, endpoint: &str, order: &Order) -> Vec<i64> {
        let received =
            self.received(endpoint).into_iter().filter(|received| received.order == order.id.as_str());
        received.map(|received| received.event).collect()
    }

    async fn log(&self, endpoint: &str) -> Vec<DeliveryAttempt> {
        self.admin.log(&name(endpoint), None, 100).await.unwrap()
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
    panic!("timed out: {what}");
}

/// Waits long enough for a duplicate delivery to show.
async fn wait_for_duplicates() {
    tokio::time::sleep(Duration::from_millis(700)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_delivered_once_and_in_order_by_several_processes() {
    let fixture = WebhookFixture::open().await;
    fixture.add("shop").await;
    let _processes =
        [fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD), fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD)];
    let mut orders = Vec::new();
    for _ in 0..5 {
        orders.push(fixture.order().await);
    }
    for _ in 0..4 {
        for order in &mut orders {
            fixture.add_event(order).await;
        }
    }
    until("all are delivered", async || fixture.received("shop").len() >= 25).await;
    wait_for_duplicates().await;
    for order in &orders {
        assert_eq!(fixture.events("shop", order), fixture.order_events(order).await);
    }
    let received = fixture.received("shop");
    assert!(
        received
            .iter()
            .all(|received| received.signature.starts_with("t=") && received.signature.contains(",v1="))
    );
    assert!(received.iter().all(|received| received.attempt == "1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_delivery_is_retried_and_does_not_delay_other_endpoints() {
    let fixture = WebhookFixture::open().await;
    for endpoint in ["slow", "quick"] {
        fixture.add(endpoint).await;
    }
    fixture.refuse("slow", 2);
    let _process = fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD);
    let mut order = fixture.order().await;
    fixture.add_event(&mut order).await;
    until("the other endpoint received them", async || fixture.received("quick").len() == 2).await;
    until("it is delivered in the end", async || fixture.log("slow").await.len() == 4).await;
    assert_eq!(fixture.events("slow", &order), fixture.order_events(&order).await);
    let log = fixture.log("slow").await;
    let outcomes: Vec<_> = log.iter().rev().map(|line| (line.number, line.outcome)).collect();
    let (delivered, failed) = (AttemptOutcome::Delivered, AttemptOutcome::Failed);
    assert_eq!(outcomes, [(1, failed), (2, failed), (3, delivered), (1, delivered)]);
    assert_eq!(log[3].message, "answered 503 instead of 2xx");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_that_fails_for_too_long_is_given_up_and_recorded() {
    let fixture = WebhookFixture::open().await;
    fixture.add("shop").await;
    fixture.refuse("shop", 1);
    let _process = fixture.deliver(SignedDuration::ZERO);
    let mut order = fixture.order().await;
    let second = fixture.add_event(&mut order).await;
    until("the next one is delivered", async || fixture.received("shop").len() == 1).await;
    assert_eq!(fixture.events("shop", &order), [second]);
    assert_eq!(fixture.log("shop").await.last().unwrap().outcome, AttemptOutcome::GivenUp);
    assert_eq!(fixture.admin.list().await.unwrap()[0].given_up, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn down_endpoint_is_probed_and_receives_everything_afterwards() {
    let fixture = WebhookFixture::open().await;
    fixture.add("shop").await;
    fixture.refuse("shop", 8);
    let _process = fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD);
    let mut orders = Vec::new();
    for _ in 0..20 {
        orders.push(fixture.order().await);
    }
    until("all are delivered", async || fixture.received("shop").len() == 20).await;
    wait_for_duplicates().await;
    for order in &orders {
        assert_eq!(fixture.events("shop", order).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endpoint_receives_events_since_its_creation_and_a_replay_sends_earlier_ones() {
    let fixture = WebhookFixture::open().await;
    let _process = fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD);
    let mut order = fixture.order().await;
    fixture.add("late").await;
    let second = fixture.add_event(&mut order).await;
    until("it is delivered", async || fixture.received("late").len() == 1).await;
    assert_eq!(fixture.events("late", &order), [second]);
    let start = RowKey::new(0).unwrap();
    assert_eq!(fixture.admin.replay(&name("late"), start).await.unwrap(), 2);
    until("it is delivered again", async || fixture.received("late").len() == 3).await;
    assert_eq!(fixture.events("late", &order)[1..], fixture.order_events(&order).await);
    assert!(matches!(fixture.admin.replay(&name("none"), start).await, Err(WebhookAdminError::NotFound(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_during_downtime_are_delivered_afterwards() {
    let fixture = WebhookFixture::open().await;
    fixture.add("shop").await;
    let order = fixture.order().await;
    let _process = fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD);
    until("it is delivered", async || fixture.received("shop").len() == 1).await;
    assert_eq!(fixture.events("shop", &order), fixture.order_events(&order).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn purchases_are_delivered_once_and_in_order_to_those_who_ask_for_them() {
    let fixture = WebhookFixture::open().await;
    fixture.add("orders").await;
    fixture.add_about("all", Subscription::All).await;
    let _processes =
        [fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD), fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD)];
    let order = fixture.order().await;
    let quote = fiat_quote(&fixture.row_keys);
    fixture.store.put_fiat_quotes(std::slice::from_ref(&quote)).await.unwrap();
    let mut purchase = fiat_order(&quote, &fixture.row_keys);
    let event = |purchase: &FiatOrder, status| FiatEvent {
        key: fixture.row_keys.next(Timestamp::now()),
        order: purchase.id.clone(),
        status: Some(status),
        detail: "It went on.".to_owned(),
        at: Timestamp::now(),
    };
    let mut keys = Vec::new();
    let created = event(&purchase, FiatStatus::Created);
    keys.push(created.key.get());
    fixture.store.create_fiat_order(&purchase, &created).await.unwrap();
    for status in [FiatStatus::Pending, FiatStatus::Processing, FiatStatus::Completed] {
        let next = event(&purchase, status);
        keys.push(next.key.get());
        purchase.status = status;
        assert!(fixture.store.update_fiat_order(&purchase, &[next]).await.unwrap());
        purchase.version += 1;
    }
    until("all are delivered", async || fixture.received("all").len() >= 5).await;
    wait_for_duplicates().await;
    let received = fixture.received("all");
    let about_purchase: Vec<_> = received.iter().filter(|it| it.order == purchase.id.as_str()).collect();
    assert_eq!(about_purchase.iter().map(|it| it.event).collect::<Vec<_>>(), keys);
    assert!(about_purchase.iter().all(|it| it.kind == "purchase.status"), "{about_purchase:?}");
    let about_order: Vec<_> = received.iter().filter(|it| it.order == order.id.as_str()).collect();
    assert_eq!(about_order.iter().map(|it| it.kind.as_str()).collect::<Vec<_>>(), ["status"]);
    assert_eq!(fixture.received("orders").len(), 1, "the order alone");
}

fn fiat_quote(row_keys: &RowKeys) -> FiatQuote {
    let (currency, now) = ("USD".parse().unwrap(), Timestamp::now());
    let coin = TokenId::native(ChainId::new(8453).unwrap());
    FiatQuote {
        id: FiatQuoteId::random().unwrap(),
        key: row_keys.next(now),
        provider: "sandbox-card".to_owned(),
        firmness: QuoteFirmness::Firm,
        ask: FiatAsk {
            currency,
            amount: WantedAmount::Pay(FiatAmount::new(currency, 10_000)),
            target: coin,
            recipient: Address::native(Family::Evm),
            provider: None,
            method: None,
            refund_to: None,
            slippage_bps: None,
            country: None,
        },
        pays: FiatAmount::new(currency, 10_000),
        fees: Vec::new(),
        sold: coin,
        sold_amount: RawAmount::ZERO,
        expected: RawAmount::ZERO,
        least: RawAmount::ZERO,
        forwarding_options: Vec::new(),
        methods: Vec::new(),
        limits: None,
        expires_at: now,
        created_at: now,
    }
}

fn fiat_order(quote: &FiatQuote, row_keys: &RowKeys) -> FiatOrder {
    let now = Timestamp::now();
    FiatOrder {
        id: FiatOrderId::random().unwrap(),
        key: row_keys.next(now),
        quote: quote.id.clone(),
        provider: quote.provider.clone(),
        provider_order: None,
        status: FiatStatus::Created,
        author: quote.ask.recipient,
        recipient: quote.ask.recipient,
        refund_to: quote.ask.recipient,
        pays: quote.pays,
        target: quote.ask.target,
        sold: quote.sold,
        sold_amount: quote.sold_amount,
        expected: quote.expected,
        least: quote.least,
        strategy: Strategy::Direct,
        widget_url: String::new(),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: now,
        due_at: None,
        created_at: now,
        updated_at: now,
        version: 0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn configuration_adds_changes_and_disables_its_own_endpoints() {
    let fixture = WebhookFixture::open().await;
    fixture.add("mine").await;
    let wanted = |names: &[&str]| -> Vec<ConfiguredEndpoint> {
        let secret = || "a-secret-of-the-file".parse().unwrap();
        let one = |text: &&str| ConfiguredEndpoint {
            name: name(text),
            url: url(text),
            secrets: vec![secret()],
            integrator: None,
            about: Subscription::Orders,
        };
        names.iter().map(one).collect()
    };
    fixture.admin.configure(wanted(&["a", "b"])).await.unwrap();
    fixture.admin.configure(wanted(&["b"])).await.unwrap();
    let listed = |endpoints: Vec<causeway_engine::EndpointReport>| -> Vec<(String, bool)> {
        endpoints.into_iter().map(|it| (it.endpoint.name.to_string(), it.endpoint.enabled)).collect()
    };
    let expected = [("a", false), ("b", true), ("mine", true)].map(|(name, on)| (name.to_owned(), on));
    assert_eq!(listed(fixture.admin.list().await.unwrap()), expected);
    let refused = fixture.admin.remove(&name("b")).await;
    assert!(matches!(refused, Err(WebhookAdminError::Configured(_))), "{refused:?}");
    let refused = fixture.admin.rotate(&name("b"), None).await;
    assert!(matches!(refused, Err(WebhookAdminError::Configured(_))), "{refused:?}");
    for gone in ["a", "mine"] {
        fixture.admin.remove(&name(gone)).await.unwrap();
    }
    let mut plain = wanted(&["b"]);
    plain[0].url = "http://b.example/".to_owned();
    assert!(matches!(fixture.admin.configure(plain).await, Err(WebhookAdminError::Address(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_secret_signs_alongside_the_previous_one() {
    let fixture = WebhookFixture::open().await;
    fixture.add("shop").await;
    let first = fixture.store.endpoints().await.unwrap().remove(0).secrets;
    let second = fixture.admin.rotate(&name("shop"), None).await.unwrap().secrets;
    assert_eq!((second.len(), &second[1]), (2, &first[0]));
    let third = fixture.admin.rotate(&name("shop"), None).await.unwrap().secrets;
    assert_eq!((third.len(), &third[1]), (2, &second[0]));
    let _process = fixture.deliver(DEFAULT_WEBHOOK_RETRY_PERIOD);
    fixture.order().await;
    until("it is delivered", async || fixture.received("shop").len() == 1).await;
    assert_eq!(fixture.received("shop")[0].signature.matches("v1=").count(), 2);
}
