//! Local stand-in servers that respond and sign as the providers do, for tests and experiments: they move no money.
//! Faults are injected by [`StandIn`](crate::conformance::StandIn) or over HTTP:
//! `POST /standin/mischief` with one of the names that [`parse_fault`] accepts.

mod banxa;
mod coinbase;
mod moonpay;
mod page;
pub mod price;
pub mod purchase;
mod transak;

use std::fmt::Write as _;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::conformance::{FaultInjection, SignedWebhook};
use crate::http;

pub use banxa::BanxaStandIn;
pub use coinbase::CoinbaseStandIn;
pub use moonpay::MoonPayStandIn;
pub use page::checkout_page;
pub use transak::TransakStandIn;

/// A local server that stops when dropped.
#[derive(Debug)]
pub struct RunningServer {
    pub origin: String,
    task: JoinHandle<()>,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Binds a local port and returns its origin.
pub async fn listen(port: u16) -> io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    Ok((listener, origin))
}

/// Starts serving.
pub fn serve(listener: TcpListener, origin: String, router: Router) -> RunningServer {
    let task = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::warn!(%error, "stand-in server stopped");
        }
    });
    RunningServer { origin, task }
}

/// The injected fault of a stand-in, and its counters.
#[derive(Debug)]
pub struct StandInState {
    fault: Mutex<FaultInjection>,
    request_count: AtomicU64,
    redirects_followed: Arc<AtomicU64>,
    redirect_target: RunningServer,
}

impl StandInState {
    /// Also starts the redirect target, which should get no requests.
    pub async fn new() -> io::Result<Arc<Self>> {
        let redirects_followed = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&redirects_followed);
        let count = move || {
            seen.fetch_add(1, Ordering::Relaxed);
            async { json(r#"{"response":{},"data":{}}"#) }
        };
        let (listener, origin) = listen(0).await?;
        let redirect_target = serve(listener, origin, Router::new().fallback(count));
        Ok(Arc::new(Self {
            fault: Mutex::default(),
            request_count: AtomicU64::new(0),
            redirects_followed,
            redirect_target,
        }))
    }

    pub fn inject_fault(&self, fault: FaultInjection) {
        *self.fault.lock() = fault;
    }

    /// The current fault.
    pub fn fault(&self) -> FaultInjection {
        self.fault.lock().clone()
    }

    pub fn request_count(&self) -> u64 {
        self.request_count.load(Ordering::Relaxed)
    }

    pub fn redirects_followed(&self) -> u64 {
        self.redirects_followed.load(Ordering::Relaxed)
    }

    /// Whether this response is one of the remaining failures.
    fn take_failure(&self) -> bool {
        let mut fault = self.fault.lock();
        let FaultInjection::Failing(left) = &mut *fault else { return false };
        let fails = *left > 0;
        *left = left.saturating_sub(1);
        fails
    }
}

/// Adds the faults that are common to all providers, and the endpoint that sets them.
pub fn with_fault_injection(api: Router, state: &Arc<StandInState>) -> Router {
    let switch = Router::new().route("/standin/mischief", post(set_fault)).with_state(Arc::clone(state));
    api.layer(from_fn_with_state(Arc::clone(state), apply_fault)).merge(switch)
}

async fn apply_fault(State(state): State<Arc<StandInState>>, request: Request, next: Next) -> Response {
    state.request_count.fetch_add(1, Ordering::Relaxed);
    let message = |status: StatusCode| (status, json(r#"{"message":"injected fault"}"#)).into_response();
    match state.fault() {
        FaultInjection::Html => {
            let page = "<!doctype html><title>Just a moment</title>";
            ([(header::CONTENT_TYPE, "text/html")], page).into_response()
        }
        FaultInjection::Redirect => {
            let to = format!("{}/elsewhere", state.redirect_target.origin);
            (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
        }
        FaultInjection::Down => message(StatusCode::SERVICE_UNAVAILABLE),
        FaultInjection::TooMany(seconds) => {
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait, json(r#"{"message":"too many"}"#)).into_response()
        }
        FaultInjection::Failing(_) if state.take_failure() => message(StatusCode::BAD_GATEWAY),
        FaultInjection::Slow(time) => {
            tokio::time::sleep(time).await;
            next.run(request).await
        }
        _ => next.run(request).await,
    }
}

async fn set_fault(State(state): State<Arc<StandInState>>, text: String) -> Response {
    match parse_fault(text.trim()) {
        Some(fault) => {
            let message = format!("{{\"mischief\":{:?}}}", format!("{fault:?}"));
            state.inject_fault(fault);
            json(message).into_response()
        }
        None => (StatusCode::BAD_REQUEST, json(r#"{"message":"unknown fault"}"#)).into_response(),
    }
}

/// Parses `none`, `html`, `other-currency`, `negative-fee`, `long-float`, `redirect`, `other-partner`, `down`, `failing:2`,
/// `too-many:5` (seconds) or `slow:3000` (milliseconds).
pub fn parse_fault(text: &str) -> Option<FaultInjection> {
    let (word, number) = text.split_once(':').unwrap_or((text, "1"));
    let number: u32 = number.parse().ok()?;
    Some(match word {
        "none" => FaultInjection::None,
        "html" => FaultInjection::Html,
        "other-currency" => FaultInjection::OtherCurrency,
        "negative-fee" => FaultInjection::NegativeFee,
        "long-float" => FaultInjection::LongFloat,
        "redirect" => FaultInjection::Redirect,
        "other-partner" => FaultInjection::OtherPartner,
        "down" => FaultInjection::Down,
        "failing" => FaultInjection::Failing(number),
        "too-many" => FaultInjection::TooMany(number),
        "slow" => FaultInjection::Slow(Duration::from_millis(u64::from(number))),
        _ => return None,
    })
}

/// A JSON response.
pub fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// The value of a query parameter.
pub fn param(query: &str, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Returns a webhook, and sends it to `to` if given.
pub async fn deliver_webhook(to: Option<String>, webhook: SignedWebhook) -> Response {
    let body = String::from_utf8_lossy(&webhook.body).into_owned();
    let headers = webhook.headers.clone();
    let sent = match to {
        Some(to) => Some(send(&to, webhook).await.unwrap_or_else(|message| message)),
        None => None,
    };
    json(serde_json::json!({ "headers": headers, "body": body, "answer": sent }).to_string())
}

async fn send(to: &str, webhook: SignedWebhook) -> Result<String, String> {
    let mut request = http::client(Duration::from_secs(5))?.post(to).body(webhook.body);
    for (name, value) in webhook.headers {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| error.to_string())?;
    let status = response.status();
    Ok(format!("{status} {}", String::from_utf8_lossy(&http::body(response).await?)))
}

/// A fake EVM transaction hash, deterministic per order.
pub fn fake_tx_hash(order: &str) -> String {
    let mut text = String::from("0x");
    for at in 0..32_u8 {
        let byte =
            order.bytes().fold(at.wrapping_mul(37), |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
