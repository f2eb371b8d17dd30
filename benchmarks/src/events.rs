//! Order event streams: memory of thousands of open streams, and latency from the commit of an event to its client.
//!
//! The service runs in a child process of this program; both share the cores.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{B256, U256};
use axum::extract::{Path as Segment, State};
use axum::routing::post;
use axum::{Json, Router};
use causeway_benchmarks::{client, percentile, plain_service, printed_url, quote, resident_kb};
use causeway_domain::ports::{FinalityTier, OrderStore as _};
use causeway_domain::{
    DepositMethod, EventKind, Evidence, IntentTerms, Order, OrderEvent, OrderId, OrderStatus, RowKeys,
};
use causeway_engine::WatchOrders;
use causeway_store::{Location, Store};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

const STREAMS: usize = 5_000;
const EVENTS: usize = 3_000;
/// Interval between events.
const EVENT_INTERVAL: Duration = Duration::from_millis(5);
/// How long to wait for the last events.
const EVENT_TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) async fn measure_all(arguments: Vec<String>) {
    let mut arguments = arguments.into_iter();
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("serve"), Some(folder)) => serve(Path::new(&folder)).await,
        (Some(count), _) => measure(count.parse().expect("a number of streams")).await,
        (None, _) => measure(STREAMS).await,
    }
}

fn nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock past 1970").as_nanos()
}

async fn measure(streams: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["events", "serve"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the service starts");
    let url = printed_url(&mut child);
    let http = client();
    let made = http.post(format!("{url}/bench/orders/{streams}")).send().await.expect("an answer");
    let orders: Vec<String> =
        serde_json::from_slice(&made.bytes().await.expect("a body")).expect("order ids");
    let before = resident_kb(child.id());
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let connecting = Arc::new(Semaphore::new(64));
    for order in &orders {
        let permit = Arc::clone(&connecting).acquire_owned().await.expect("the semaphore is never closed");
        let (host, path) = (url.trim_start_matches("http://").to_owned(), order.clone());
        let sender = sender.clone();
        tokio::spawn(async move { listen(&host, &path, &sender, permit).await });
    }
    for _ in &orders {
        receiver.recv().await.expect("every stream begins with its order's creation");
    }
    let open = resident_kb(child.id());

    let mut committed = HashMap::new();
    for number in 0..EVENTS {
        // Spread over all streams.
        let order = number * 2_654_435_761 % streams;
        let answer = http.post(format!("{url}/bench/commit/{order}")).send().await.expect("an answer");
        let answer: Value = serde_json::from_slice(&answer.bytes().await.expect("a body")).expect("JSON");
        let at: u128 = answer["at"].as_str().and_then(|at| at.parse().ok()).expect("a moment");
        committed.insert(answer["id"].as_str().expect("an id").to_owned(), at);
        tokio::time::sleep(EVENT_INTERVAL).await;
    }
    let mut delays = Vec::new();
    while delays.len() < EVENTS {
        let Ok(Some((id, at))) = tokio::time::timeout(EVENT_TIMEOUT, receiver.recv()).await else { break };
        if let Some(commit) = committed.get(&id) {
            // An event that arrives before the commit time is recorded counts as zero.
            let delay = at.saturating_sub(*commit);
            delays.push(Duration::from_nanos(u64::try_from(delay).expect("less than centuries")));
        }
    }
    let busy = resident_kb(child.id());
    child.kill().expect("the service ends");
    child.wait().expect("the service has ended");
    delays.sort_unstable();
    let lost = EVENTS - delays.len();
    let megabytes = |kilobytes: u64| kilobytes as f64 / 1_024.0;
    println!("| {streams} streams | resident memory |\n|---|---|");
    println!("| before them | {:.0} MB |", megabytes(before));
    println!("| once they are open | {:.0} MB |", megabytes(open));
    println!("| after {EVENTS} events | {:.0} MB |", megabytes(busy));
    println!("| grown by | {:.0} MB |", megabytes(busy.max(open).saturating_sub(before)));
    println!("\n| from commit to listener | median | p99 | slowest | lost |\n|---|---|---|---|---|");
    println!(
        "| {EVENTS} events, one every {EVENT_INTERVAL:?} and more | {:.1?} | {:.1?} | {:.1?} | {lost} |",
        percentile(&delays, 50),
        percentile(&delays, 99),
        delays.last().copied().unwrap_or_default()
    );
}

/// Reads one stream to its end, and sends the id and arrival time of each event.
async fn listen(
    host: &str,
    order: &str,
    sender: &mpsc::UnboundedSender<(String, u128)>,
    permit: tokio::sync::OwnedSemaphorePermit,
) {
    let mut stream = TcpStream::connect(host).await.expect("a connection");
    let request = format!("GET /v1/orders/by-id/{order}/events HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    let mut lines = BufReader::with_capacity(1_024, stream).lines();
    let mut permit = Some(permit);
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(id) = line.strip_prefix("id: ").or_else(|| line.strip_prefix("id:")) {
            let _ = sender.send((id.trim().to_owned(), nanos()));
            drop(permit.take());
        }
    }
}

/// State of the extra routes that create orders and events.
struct BenchState {
    store: Arc<Store>,
    keys: RowKeys,
    orders: Mutex<Vec<Order>>,
}

async fn serve(folder: &Path) {
    let location = Location::Sqlite(folder.join("events.db"));
    let store = Arc::new(Store::open(&location).await.expect("the store opens"));
    let watch = Arc::new(WatchOrders::new(store.clone()));
    let stop = CancellationToken::new();
    let (watching, until) = (Arc::clone(&watch), stop.clone());
    tokio::spawn(async move { watching.run(until).await });
    let bench = BenchState { store: store.clone(), keys: RowKeys::new(1), orders: Mutex::default() };
    let extra = Router::new()
        .route("/bench/orders/{count}", post(create_orders))
        .route("/bench/commit/{order}", post(commit_event))
        .with_state(Arc::new(bench));
    let router = causeway_http::router(plain_service(store, watch).await, extra);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    causeway_http::serve(listener, router, causeway_http::ConnectionLimits::NONE, stop, Duration::ZERO).await;
}

async fn create_orders(
    State(bench): State<Arc<BenchState>>,
    Segment(count): Segment<usize>,
) -> Json<Vec<String>> {
    let mut orders = bench.orders.lock().await;
    // Concurrently, so that they share commits.
    let created = (0..count).map(|number| bench.create_order(number));
    orders.extend(futures::future::join_all(created).await);
    Json(orders.iter().map(|order| order.id.to_string()).collect())
}

async fn commit_event(State(bench): State<Arc<BenchState>>, Segment(number): Segment<usize>) -> Json<Value> {
    let mut orders = bench.orders.lock().await;
    let order = &mut orders[number];
    let event = bench.event(order, EventKind::Note);
    assert!(bench.store.update_order(order, std::slice::from_ref(&event)).await.expect("a write"));
    order.version += 1;
    Json(json!({ "id": event.key.get().to_string(), "at": nanos().to_string() }))
}

impl BenchState {
    fn event(&self, order: &Order, kind: EventKind) -> OrderEvent {
        let at = Timestamp::now();
        let detail = "Something happened to the order.".to_owned();
        OrderEvent { key: self.keys.next(at), order: order.id.clone(), kind, detail, at }
    }

    async fn create_order(&self, number: usize) -> Order {
        let quote = quote();
        let (ask, now) = (&quote.ask, Timestamp::now());
        let terms = terms(number);
        let order = Order {
            id: OrderId::random().expect("random bytes"),
            key: self.keys.next(now),
            quote: quote.id.clone(),
            route: "house".parse().expect("an id"),
            status: OrderStatus::Created,
            trade_type: ask.trade_type,
            from: ask.from,
            to: ask.to,
            src_amount: ask.amount,
            dest_amount: ask.amount,
            author: ask.from_address,
            recipient: ask.recipient,
            refund_to: ask.refund_to,
            filler: "nobody".to_owned(),
            kind: "native-filler".to_owned(),
            filler_quote: None,
            integrator: None,
            method: DepositMethod::ContractCall,
            intent_id: terms.id(),
            terms,
            deposit_address: None,
            forwarding: None,
            provider: None,
            valid_before: now,
            finality_tier: FinalityTier::Standard,
            announced: true,
            submitted_tx: None,
            built: None,
            signed_payload: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: None,
            created_at: now,
            updated_at: now,
            version: 0,
        };
        let event = self.event(&order, EventKind::Status(OrderStatus::Created));
        self.store.create_order(&order, &event).await.expect("a write");
        order
    }
}

/// Unique terms.
fn terms(number: usize) -> IntentTerms {
    IntentTerms {
        origin_chain_id: 1,
        escrow: B256::ZERO,
        user: B256::ZERO,
        nonce: B256::from(U256::from(number)),
        input_token: B256::ZERO,
        amount_in: U256::ZERO,
        refund_to: B256::ZERO,
        filler: B256::ZERO,
        payee: B256::ZERO,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8453,
        settler: B256::ZERO,
        output_token: B256::ZERO,
        amount_out: U256::ZERO,
        recipient: B256::ZERO,
        open_deadline: 0,
        fill_deadline: 0,
        refund_at: 0,
        epoch: 0,
    }
}
