//! What a client, and all clients together, may ask for.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use causeway_domain::ports::Filler;
use causeway_engine::QuoteOptions;
use causeway_http::{RateLimit, RateLimits};
use serde_json::json;

use crate::filler::{FakeFiller, FillerBehavior};
use crate::service::{Service, json as body_json, send};

const ASK: &str = r#"{
    "tradeType": "EXACT_INPUT",
    "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
    "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "amount": "1000000000000000000", "fromAddress": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
}"#;

/// Two requests of each kind at once, and one more each second.
fn limits(trusted_proxies: usize) -> RateLimits {
    let two = RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::new(2).unwrap() };
    RateLimits {
        general: two,
        quotes: two,
        builds: two,
        submits: two,
        streams: two,
        fiat: two,
        api_key_factor: NonZeroU32::new(10).unwrap(),
        trusted_proxies,
    }
}

fn request(method: &str, path: &str, from: &str) -> Request<Body> {
    let body = if method == "GET" { Body::empty() } else { Body::from("{}") };
    let mut request = Request::builder().method(method).uri(path).body(body).unwrap();
    let peer: SocketAddr = from.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

async fn status(router: &Router, method: &str, path: &str, from: &str) -> u16 {
    send(router.clone(), request(method, path, from)).await.status().as_u16()
}

/// The first answer that is 429, within the burst and what may come back meanwhile.
async fn until_limited(router: &Router, method: &str, path: &str, from: &str) -> Response<Body> {
    for _ in 0..100 {
        let response = send(router.clone(), request(method, path, from)).await;
        if response.status() == 429 {
            return response;
        }
    }
    panic!("{method} {path} is not limited");
}

#[tokio::test]
async fn each_kind_of_request_is_limited_apart_and_says_when_to_try_again() {
    let router = Service { rate_limits: Some(limits(0)), ..Service::default() }.router();
    let one = "203.0.113.7:1";
    let kinds = [
        ("GET", "/v1/chains", "requests"),
        ("POST", "/v1/quotes", "requests for quotes"),
        ("POST", "/v1/deposit/build", "builds"),
        ("PUT", "/v1/deposit/submit", "submits"),
        ("GET", "/v1/orders/by-id/ord_1/events", "new event streams"),
        ("GET", "/v1/fiat/providers", "requests to the fiat API"),
    ];
    for (method, path, plural) in kinds {
        let first = status(&router, method, path, one).await;
        assert_ne!(first, 429, "the others have not used up {path}");
        let response = until_limited(&router, method, path, one).await;
        assert_eq!(response.headers()["retry-after"], "1", "{path}");
        let exposed = response.headers()["access-control-expose-headers"].to_str().unwrap();
        assert!(exposed.contains("retry-after"), "pages may read it: {exposed}");
        let body = body_json(response).await;
        assert_eq!(body["name"], "RateLimitedException", "{path}: {body}");
        let expected = format!("Too many {plural} from this address; try again in 1 s.");
        assert_eq!(body["message"], expected.as_str());
        if path.starts_with("/v1/fiat") {
            assert_eq!(body["error"]["code"], "RATE_LIMITED", "{body}");
            assert_eq!(body["error"]["retryable"], true);
        }
        assert_ne!(status(&router, method, path, "203.0.113.8:1").await, 429, "another address: {path}");
    }
}

#[tokio::test]
async fn probes_are_never_limited() {
    let service = Service { rate_limits: Some(limits(0)), max_in_work: Some(0), ..Service::default() };
    let router = service.router();
    for _ in 0..20 {
        assert_eq!(status(&router, "GET", "/healthz", "203.0.113.7:1").await, 200);
        // It may not be ready, for reasons of its own.
        let ready = send(router.clone(), request("GET", "/readyz", "203.0.113.7:1")).await;
        assert!(!ready.headers().contains_key("retry-after"), "{}", ready.status());
    }
}

#[tokio::test]
async fn behind_a_proxy_the_address_is_that_which_the_proxy_saw() {
    let router = Service { rate_limits: Some(limits(1)), ..Service::default() }.router();
    let ask = async |client: &str| {
        let mut request = request("POST", "/v1/quotes", "10.0.0.1:1");
        request.headers_mut().insert("x-forwarded-for", format!("6.6.6.6, {client}").parse().unwrap());
        send(router.clone(), request).await.status().as_u16()
    };
    let mut limited = false;
    for host in 1..100 {
        limited |= ask(&format!("2001:db8::{host}:1")).await == 429;
    }
    assert!(limited, "a /64 is one client");
    assert_eq!(ask("2001:db8:0:1::1").await, 400, "another network");
}

#[tokio::test(start_paused = true)]
async fn more_requests_than_can_be_worked_on_are_refused_with_503_and_the_others_are_answered() {
    let slow = FakeFiller::new("slow", FillerBehavior::Offers("3500000000"), 300);
    let service = Service {
        fillers: vec![slow as Arc<dyn Filler>],
        options: QuoteOptions { deadline: Duration::from_millis(400), ..QuoteOptions::default() },
        max_in_work: Some(2),
        ..Service::default()
    };
    let router = service.router();
    let quote = || {
        let mut request = request("POST", "/v1/quotes", "203.0.113.7:1");
        *request.body_mut() = Body::from(ASK);
        let router = router.clone();
        tokio::spawn(async move { send(router, request).await })
    };
    let working = [quote(), quote()];
    let refused = loop {
        let response = send(router.clone(), request("GET", "/v1/chains", "203.0.113.8:1")).await;
        if response.status() == 503 {
            break response;
        }
        assert!(!working.iter().any(tokio::task::JoinHandle::is_finished), "nothing was refused meanwhile");
        tokio::task::yield_now().await;
    };
    assert_eq!(refused.headers()["retry-after"], "1");
    let expected = json!({ "name": "ServiceUnavailableException", "message": "The service has too much to do; try again in 1 s." });
    assert_eq!(body_json(refused).await, expected);
    let fiat = send(router.clone(), request("GET", "/v1/fiat/providers", "203.0.113.8:1")).await;
    assert_eq!(fiat.status(), 503);
    let body = body_json(fiat).await;
    assert_eq!(body["error"]["code"], "SERVICE_UNAVAILABLE", "{body}");
    assert_eq!(body["error"]["retryable"], true);
    for quote in working {
        let response = quote.await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(body_json(response).await["routes"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(status(&router, "GET", "/v1/chains", "203.0.113.8:1").await, 200, "the places came back");
}
