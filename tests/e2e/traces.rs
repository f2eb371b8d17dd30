//! Traces of the real binary, as a collector receives them.

use std::collections::HashSet;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, Client, ExecuteOptions, LocalWallet, PollingOptions, Wallet as _};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::service::{Service, data_dir, few_chains};

/// The third account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const SECRET: &str = "a-secret-of-sixteen-or-more";
const TOKEN: &str = "a-token-of-the-collector";

/// How long anything may take; far more than it needs on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

/// A collector, and a filler that answers nobody, at one address.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<Value>>>,
    bodies: Arc<Mutex<Vec<String>>>,
    asked_within: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    async fn start() -> (Self, String) {
        let collector = Self::default();
        let router = Router::new()
            .route("/v1/traces", post(collect))
            .route("/filler/quote", post(ask))
            .with_state(collector.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (collector, url)
    }

    /// The spans of a trace so far.
    fn trace(&self, id: &str) -> Vec<Value> {
        self.spans.lock().unwrap().iter().filter(|span| span["traceId"] == id).cloned().collect()
    }

    /// The spans of a trace once this holds for them.
    async fn once(&self, id: &str, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let begun = Instant::now();
        loop {
            let spans = self.trace(id);
            if holds(&spans) {
                return spans;
            }
            assert!(begun.elapsed() < TIMEOUT, "{id}: {spans:#?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The spans of a trace once they have these names, and every parent among them has come.
    async fn named(&self, id: &str, names: &[&str], caller: Option<&str>) -> Vec<Value> {
        self.once(id, |spans| {
            let known: HashSet<&str> = spans.iter().filter_map(|span| span["name"].as_str()).collect();
            let ids: HashSet<&str> =
                spans.iter().filter_map(|span| span["spanId"].as_str()).chain(caller).collect();
            let mut parents = spans.iter().filter_map(|span| span["parentSpanId"].as_str());
            names.iter().all(|name| known.contains(name)) && parents.all(|parent| ids.contains(parent))
        })
        .await
    }
}

async fn collect(State(collector): State<Collector>, headers: HeaderMap, Json(body): Json<Value>) {
    assert_eq!(headers["authorization"], TOKEN);
    let resource = &body["resourceSpans"][0];
    assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "swap-desk");
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    collector.spans.lock().unwrap().extend(spans);
    collector.bodies.lock().unwrap().push(body.to_string());
}

async fn ask(State(collector): State<Collector>, headers: HeaderMap) -> StatusCode {
    let header = headers.get("traceparent").map(|value| value.to_str().unwrap().to_owned());
    collector.asked_within.lock().unwrap().extend(header);
    StatusCode::SERVICE_UNAVAILABLE
}

fn ask_for(wallet: &str) -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: USDC_ON_BASE.to_owned(),
        to_chain_id: 1,
        to_token: "0x0000000000000000000000000000000000000000".to_owned(),
        amount: "25000000".to_owned(),
        from_address: wallet.to_owned(),
        ..QuoteAsk::default()
    }
}

fn attribute<'a>(span: &'a Value, name: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    attributes.iter().find(|it| it["key"] == name).map_or(&Value::Null, |it| &it["value"]["stringValue"])
}

fn find<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    spans
        .iter()
        .find(|span| span["name"] == name)
        .unwrap_or_else(|| panic!("{name} is missing in {spans:#?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_sees_one_trace_of_a_swap_from_quote_to_claim() {
    let (collector, url) = Collector::start().await;
    let folder = data_dir();
    let settings = format!(
        "[traces]\nendpoint = \"{url}\"\nservice_name = \"swap-desk\"\nheaders = {{ authorization = \"{TOKEN}\" }}\n\
         [claims]\nage_seconds = 1\n\
         [[fillers]]\nname = \"far\"\nkind = \"remote\"\nurl = \"{url}/filler\"\nsecret = \"{SECRET}\"\n{}",
        few_chains()
    );
    std::fs::write(folder.path().join("causeway.toml"), settings).unwrap();
    let log = folder.path().join("log");
    let written = Stdio::from(std::fs::File::create(&log).unwrap());
    let service = Service::start_logging(folder.path(), &[], written);

    let client = Client::builder(&service.url).build().unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
    let asked = ask_for(&wallet.address());
    let begun = Instant::now();
    while !client.quote(&asked).await.is_ok_and(|quote| !quote.routes.is_empty()) {
        assert!(begun.elapsed() < TIMEOUT, "nobody makes an offer");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let options = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned()));
    let order = client.execute(&asked, &wallet, &options, |_| {}).await.unwrap();
    let pace = PollingOptions::default().with_interval(Duration::from_millis(500));
    let order = client.track_order(&order.id, pace, |_| {}).await.unwrap();
    assert_eq!(order.status, "filled");

    let quote = order.quote_id.clone().unwrap();
    let trace = &quote[quote.len() - 32..];
    let expected = [
        "POST /v1/quotes",
        "quote",
        "filler.quote",
        "POST /v1/deposit/build",
        "build",
        "order.deposited",
        "order.fill",
        "order.filled",
        "order.claim",
    ];
    let spans = collector.named(trace, &expected, None).await;

    // One tree: every span but the first hangs below another.
    let first = find(&spans, "POST /v1/quotes");
    let roots: Vec<_> = spans.iter().filter(|span| span.get("parentSpanId").is_none()).collect();
    assert_eq!(roots, [first]);
    let quote = find(&spans, "quote");
    assert_eq!(quote["parentSpanId"], first["spanId"]);
    assert_eq!(quote["spanId"].as_str().unwrap(), &trace[..16]);
    let fillers: HashSet<_> = spans
        .iter()
        .filter(|span| span["name"] == "filler.quote")
        .inspect(|span| assert_eq!(span["parentSpanId"], quote["spanId"], "{span}"))
        .filter_map(|span| attribute(span, "filler").as_str())
        .collect();
    assert!(!fillers.is_empty(), "{spans:#?}");
    for name in ["order.fill", "order.claim"] {
        let sent = |span: &&Value| {
            let events = span["events"].as_array().unwrap();
            span["name"] == name && events.iter().any(|event| event["name"] == "transaction sent")
        };
        let span = spans.iter().find(sent).unwrap_or_else(|| panic!("{name} sent nothing in {spans:#?}"));
        assert_eq!(attribute(span, "order"), &order.id.as_str());
    }
    let (start, end) = (&quote["startTimeUnixNano"], &find(&spans, "order.claim")["endTimeUnixNano"]);
    let nanoseconds = |at: &Value| at.as_str().unwrap().parse::<u128>().unwrap();
    assert!(nanoseconds(start) < nanoseconds(end));

    a_caller_brings_a_trace(&service, &collector, &asked).await;
    // Whom the service asks learns within which span.
    let header = collector.asked_within.lock().unwrap().first().cloned().unwrap();
    let parts: Vec<&str> = header.split('-').collect();
    assert_eq!((parts.len(), parts[0], parts[3]), (4, "00", "01"), "{header}");
    let is_asked = |span: &Value| span["spanId"] == parts[2] && attribute(span, "filler") == "far";
    collector.once(parts[1], |spans| spans.iter().any(is_asked)).await;
    let lines = std::fs::read_to_string(&log).unwrap();
    let sent = lines.lines().filter(|line| line.contains("transaction sent") && line.contains(trace));
    assert!(sent.count() >= 2, "the fill and the claim name their trace");
    for text in collector.bodies.lock().unwrap().iter().chain([&lines]) {
        assert!(!text.contains(SECRET) && !text.contains(TOKEN) && !text.contains(&KEY[2..]), "{text}");
    }
}

async fn a_caller_brings_a_trace(service: &Service, collector: &Collector, asked: &QuoteAsk) {
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let request = service.client.post(format!("{}/v1/quotes", service.url));
    let request = request.header("content-type", "application/json");
    let request = request.header("traceparent", format!("00-{trace}-{parent}-01"));
    let answer = request.body(serde_json::to_string(asked).unwrap()).send().await.unwrap();
    let quote: Value = answer.json().await.unwrap();
    let spans = collector.named(trace, &["POST /v1/quotes"], Some(parent)).await;
    assert_eq!(spans[0]["parentSpanId"], parent);
    // The swap has a trace of its own, which says where it was asked for.
    let id = quote["quoteId"].as_str().unwrap();
    let swap = collector.named(&id[id.len() - 32..], &["quote"], None).await;
    let link = &find(&swap, "quote")["links"][0];
    assert_eq!((&link["traceId"], &link["spanId"]), (&spans[0]["traceId"], &spans[0]["spanId"]));
}
