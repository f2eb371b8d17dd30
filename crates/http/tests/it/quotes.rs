use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::ports::{Filler, Refusal};
use causeway_domain::{Order, OrderStatus, RouteSeal};
use causeway_engine::QuoteOptions;
use causeway_http::ConnectionLimits;
use causeway_testing::MemoryStore;
use causeway_testing::sample::{order, quote_keys, with_history};
use futures::future::join_all;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::filler::{FakeFiller, FillerBehavior};
use crate::service::{Service, bytes, json as body_json, router, router_with, send};

const SOLANA_WALLET: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

fn service(fillers: &[Arc<FakeFiller>]) -> Router {
    let fillers = fillers.iter().map(|filler| filler.clone() as Arc<dyn Filler>).collect();
    let options = QuoteOptions { deadline: Duration::from_millis(400), ..QuoteOptions::default() };
    router_with(Arc::default(), fillers, &options)
}

fn ask() -> Value {
    json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
        "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "amount": "1000000000000000000", "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    })
}

fn post(path: &str, ask: &Value) -> Request<Body> {
    Request::post(path).body(Body::from(ask.to_string())).unwrap()
}

async fn plain(router: Router, ask: &Value) -> Response<Body> {
    send(router, post("/v1/quotes", ask)).await
}

async fn stream(router: Router, ask: &Value) -> Response<Body> {
    send(router, post("/v1/quotes?mode=stream", ask)).await
}

async fn lines(response: Response<Body>) -> Vec<Value> {
    let body = String::from_utf8(bytes(response).await).unwrap();
    assert!(body.is_empty() || body.ends_with('\n'), "{body}");
    body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(routes: &[Value]) -> Vec<&str> {
    routes.iter().map(|route| route["filler"].as_str().unwrap()).collect()
}

/// The id of a route holds its amounts, and is short.
fn check_sealed(quote: &Value, route: &Value) {
    let (quote, id) = (quote.as_str().unwrap(), route["routeId"].as_str().unwrap());
    let seal = RouteSeal::new(&quote_keys());
    let terms = seal.open(&quote.parse().unwrap(), &id.parse().unwrap()).unwrap();
    assert_eq!(terms.min_amount_out.to_string(), route["quote"]["minAmountOut"]);
    assert_eq!(terms.filler, route["filler"]);
    assert!(id.len() < 400, "{id}");
}

#[tokio::test(start_paused = true)]
async fn routes_are_sorted_best_first_and_match_the_contract() {
    let fillers = [
        FakeFiller::new("south", FillerBehavior::Offers("3490000000"), 50),
        FakeFiller::new("north", FillerBehavior::Offers("3500000000"), 200),
        FakeFiller::new("broken", FillerBehavior::Panics, 0),
    ];
    let mut asked = ask();
    asked["slippageTolerance"] = json!(0.005);
    asked["referrer"] = asked["fromAddress"].clone();
    asked["referrerFeeBps"] = json!(25);
    let answer = body_json(plain(service(&fillers), &asked).await).await;
    for route in answer["routes"].as_array().unwrap() {
        check_sealed(&answer["quoteId"], route);
    }
    insta::assert_json_snapshot!(answer, {
        ".quoteId" => "[id]", ".routes[].routeId" => "[sealed]", ".routes[].quote.validBefore" => "[time]", ".routes[].quote.quoteExpiresAt" => "[time]",
    });
}

#[tokio::test(start_paused = true)]
async fn each_route_is_streamed_as_soon_as_it_is_known() {
    let fillers = [
        FakeFiller::new("slow", FillerBehavior::Offers("3500000000"), 200),
        FakeFiller::new("fast", FillerBehavior::Offers("3490000000"), 5),
        FakeFiller::new("hangs", FillerBehavior::Hangs, 0),
    ];
    let start = Instant::now();
    let response = stream(service(&fillers), &ask()).await;
    assert_eq!(start.elapsed(), Duration::from_millis(5), "the headers leave with the first line");
    let headers: Vec<_> = ["content-type", "cache-control", "x-accel-buffering"]
        .map(|name| response.headers()[name].to_str().unwrap().to_owned())
        .to_vec();
    assert_eq!(headers, ["application/x-ndjson", "no-store", "no"]);
    assert!(response.headers().contains_key("x-request-id"));

    let mut body = response.into_body();
    for (name, millis) in [("fast", 5), ("slow", 200)] {
        let line: Value =
            serde_json::from_slice(&body.frame().await.unwrap().unwrap().into_data().unwrap()).unwrap();
        assert_eq!(start.elapsed(), Duration::from_millis(millis));
        assert_eq!(line["filler"], name);
        check_sealed(&line["quoteId"], &line);
    }
    assert!(body.frame().await.is_none());
    assert_eq!(start.elapsed(), Duration::from_millis(400), "closed at the deadline");
}

#[tokio::test(start_paused = true)]
async fn streamed_line_is_a_route_with_its_quote_id() {
    let fillers = [FakeFiller::new("house", FillerBehavior::Offers("3500000000"), 0)];
    let lines = lines(stream(service(&fillers), &ask()).await).await;
    insta::assert_json_snapshot!(lines, {
        "[].quoteId" => "[id]", "[].routeId" => "[sealed]", "[].quote.validBefore" => "[time]", "[].quote.quoteExpiresAt" => "[time]",
    });
}

#[tokio::test(start_paused = true)]
async fn cannot_fill_lists_filler_reasons_without_internal_details() {
    let amount = |text: &str| text.parse().unwrap();
    let fillers = [
        FakeFiller::new("small", FillerBehavior::Refuses(Refusal::TooSmall { minimum: amount("5000") }), 0),
        FakeFiller::new("large", FillerBehavior::Refuses(Refusal::TooLarge { maximum: amount("9000") }), 5),
        FakeFiller::new("empty", FillerBehavior::Refuses(Refusal::NoInventory), 0),
        FakeFiller::new("hangs", FillerBehavior::Hangs, 0),
        FakeFiller::new("fails", FillerBehavior::Fails, 0),
    ];
    let router = service(&fillers);
    for response in [plain(router.clone(), &ask()).await, stream(router, &ask()).await] {
        assert_eq!(response.status(), 422);
        assert_eq!(response.headers()["content-type"], "application/json");
        insta::assert_json_snapshot!("cannot_fill", body_json(response).await);
    }
}

#[tokio::test(start_paused = true)]
async fn quote_without_answers_is_empty() {
    let fillers = [
        FakeFiller::new("hangs", FillerBehavior::Hangs, 0),
        FakeFiller::new("fails", FillerBehavior::Fails, 0),
    ];
    let router = service(&fillers);
    let answer = body_json(plain(router.clone(), &ask()).await).await;
    assert_eq!((answer["quoteId"].as_str().unwrap().len(), &answer["routes"]), (44, &json!([])));
    let response = stream(router, &ask()).await;
    assert_eq!(response.status(), 200);
    assert!(lines(response).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_cancels_filler_calls() {
    let hangs = FakeFiller::new("hangs", FillerBehavior::Hangs, 0);
    let fillers = [hangs.clone(), FakeFiller::new("fast", FillerBehavior::Offers("1"), 5)];
    let router = service(&fillers);
    let mut body = stream(router, &ask()).await.into_body();
    body.frame().await.unwrap().unwrap();
    assert_eq!(hangs.cancelled(), 0);
    drop(body);
    assert_eq!(hangs.cancelled(), 1);
}

/// Over a real connection: closing it is all that a client does.
#[tokio::test]
async fn closing_the_connection_cancels_filler_calls() {
    let hangs = FakeFiller::new("hangs", FillerBehavior::Hangs, 0);
    let fillers: Vec<Arc<dyn Filler>> =
        vec![hangs.clone(), FakeFiller::new("fast", FillerBehavior::Offers("1"), 0)];
    let options = QuoteOptions { deadline: Duration::from_mins(10), ..QuoteOptions::default() };
    let router = router_with(Arc::default(), fillers, &options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(causeway_http::serve(
        listener,
        router,
        ConnectionLimits::NONE,
        CancellationToken::new(),
        Duration::ZERO,
    ));
    let body = ask().to_string();
    let head = format!("HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(format!("POST /v1/quotes?mode=stream {head}{body}").as_bytes()).await.unwrap();
    assert!(client.read(&mut [0; 4_096]).await.unwrap() > 0, "the first line");
    assert_eq!(hangs.cancelled(), 0);
    drop(client);
    while hangs.cancelled() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    server.abort();
}

#[tokio::test(start_paused = true)]
async fn thousand_concurrent_clients_each_get_every_route() {
    let fillers = [("a", 5), ("b", 50), ("c", 200)]
        .map(|(name, millis)| FakeFiller::new(name, FillerBehavior::Offers("1000"), millis));
    let fillers = fillers.map(|filler| filler as Arc<dyn Filler>).to_vec();
    let router = router_with(Arc::default(), fillers, &QuoteOptions::default());
    let client = |n: usize| {
        let (router, mut ask) = (router.clone(), ask());
        ask["amount"] = json!((n + 1).to_string());
        async move { lines(stream(router, &ask).await).await }
    };
    for lines in join_all((0..1_000).map(client)).await {
        let mut answered = names(&lines);
        answered.sort_unstable();
        assert_eq!(answered, ["a", "b", "c"]);
        assert!(lines.iter().all(|line| line["quoteId"] == lines[0]["quoteId"]));
    }
}

#[tokio::test]
async fn invalid_requests_are_rejected_with_reason() {
    let router = router(Arc::default());
    let cases = [
        ("amount", json!("0"), "more than zero"),
        ("amount", json!("-1"), "digits only"),
        ("amount", json!("1.5"), "digits only"),
        ("amount", json!("0x10"), "digits only"),
        ("amount", json!("9".repeat(80)), "256 bits"),
        ("slippageTolerance", json!(2), "between 0 and 0.5"),
        ("slippageTolerance", json!("NaN"), "must be a number"),
        ("tradeType", json!("EXACT"), "EXACT_INPUT or EXACT_OUTPUT"),
        ("fromAddress", Value::Null, "is required"),
        ("recipient", json!(SOLANA_WALLET), "an EVM address is"),
        ("refundTo", json!(SOLANA_WALLET), "an EVM address is"),
        ("referrerFeeBps", json!(1_001), "between 0 and 1000"),
        ("depositMethods", json!(["CASH"]), "not a deposit method"),
    ];
    for (field, value, message) in cases {
        let mut ask = ask();
        ask[field] = value.clone();
        for response in [plain(router.clone(), &ask).await, stream(router.clone(), &ask).await] {
            assert_eq!(response.status(), 400, "{field} {value}");
            let body = body_json(response).await;
            assert_eq!(body["name"], "ValidationException");
            let issues = body["details"]["issues"].as_array().unwrap();
            let issue = issues.iter().find(|issue| issue["path"] == field).unwrap();
            assert!(issue["message"].as_str().unwrap().contains(message), "{field} {value}: {issue}");
        }
    }
    let mut same = ask();
    same["toChainId"] = json!(1);
    same["toToken"] = json!(format!("0x{}", "0".repeat(40)));
    let body = body_json(plain(router.clone(), &same).await).await;
    assert_eq!(body["details"]["issues"][0]["path"], "toToken");
    let nan = ask().to_string().replacen('{', "{\"slippageTolerance\":NaN,", 1);
    let request = Request::post("/v1/quotes").body(Body::from(nan)).unwrap();
    assert_eq!(send(router, request).await.status(), 400);
}

#[tokio::test(start_paused = true)]
async fn fillers_are_listed_with_statistics() {
    let fillers = [
        FakeFiller::new("north", FillerBehavior::Offers("3500000000"), 20),
        FakeFiller::new("south", FillerBehavior::Refuses(Refusal::NoInventory), 5),
        FakeFiller::new("hangs", FillerBehavior::Hangs, 0),
    ];
    let filled = |n| with_history(Order { filler: "north".to_owned(), ..order(n) }, &[OrderStatus::Filled]);
    let router = Service {
        ledger: Arc::new(MemoryStore::with_orders((1..=7).map(filled).collect())),
        fillers: fillers.iter().cloned().map(|filler| filler as Arc<dyn Filler>).collect(),
        options: QuoteOptions { deadline: Duration::from_millis(400), ..QuoteOptions::default() },
        ..Service::default()
    };
    let router = router.router();
    for n in 1..=6 {
        let mut ask = ask();
        ask["amount"] = json!(n.to_string());
        assert_eq!(plain(router.clone(), &ask).await.status(), 200);
    }
    let request = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    insta::assert_json_snapshot!(body_json(send(router.clone(), request("/v1/fillers")).await).await);
    let metrics = String::from_utf8(bytes(send(router, request("/metrics")).await).await).unwrap();
    let ours: Vec<_> = metrics.lines().filter(|line| line.contains("causeway_filler")).collect();
    insta::assert_snapshot!(ours.join("\n"));
}
