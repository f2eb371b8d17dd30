//! Local servers that answer and sign as providers do, for tests and for trying things out: they move no money, and take part in
//! nothing that is real. Each has the switches of [`Mischief`], by [`StandIn`](crate::conformance::StandIn) or over HTTP:
//! `POST /standin/mischief` with one of the words that [`read_mischief`] knows.

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
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::conformance::{Hook, Mischief};
use crate::http;

pub use banxa::BanxaStandIn;
pub use coinbase::CoinbaseStandIn;
pub use moonpay::MoonPayStandIn;
pub use page::checkout_page;
pub use transak::TransakStandIn;

/// A server on this machine, until it is dropped.
#[derive(Debug)]
pub struct Served {
    pub origin: String,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A port of this machine, and the origin that it makes.
pub async fn listen(port: u16) -> io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    Ok((listener, origin))
}

/// Answers there from now on.
pub fn serve(listener: TcpListener, origin: String, router: Router) -> Served {
    let task = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::warn!(%error, "a stand-in has ended");
        }
    });
    Served { origin, task }
}

/// How a stand-in behaves, and what it has seen.
#[derive(Debug)]
pub struct Ways {
    mischief: Mutex<Mischief>,
    heard: AtomicU64,
    led_away: Arc<AtomicU64>,
    foreign: Served,
}

impl Ways {
    /// With a foreign host beside it, to which nobody should come.
    pub async fn new() -> io::Result<Arc<Self>> {
        let led_away = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&led_away);
        let count = move || {
            seen.fetch_add(1, Ordering::Relaxed);
            async { json(r#"{"response":{},"data":{}}"#) }
        };
        let (listener, origin) = listen(0).await?;
        let foreign = serve(listener, origin, Router::new().fallback(count));
        Ok(Arc::new(Self { mischief: Mutex::default(), heard: AtomicU64::new(0), led_away, foreign }))
    }

    pub fn behave(&self, mischief: Mischief) {
        *self.mischief.lock().unwrap_or_else(PoisonError::into_inner) = mischief;
    }

    /// What it does wrong now.
    pub fn mischief(&self) -> Mischief {
        self.mischief.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }

    pub fn led_away(&self) -> u64 {
        self.led_away.load(Ordering::Relaxed)
    }

    /// Whether this answer is one of those that fail before all is well.
    fn fails_once_more(&self) -> bool {
        let mut mischief = self.mischief.lock().unwrap_or_else(PoisonError::into_inner);
        let Mischief::Failing(left) = &mut *mischief else { return false };
        let fails = *left > 0;
        *left = left.saturating_sub(1);
        fails
    }
}

/// The provider's interface with the mischief that is the same for all of them, and the switch for it.
pub fn with_mischief(api: Router, ways: &Arc<Ways>) -> Router {
    let switch = Router::new().route("/standin/mischief", post(set_mischief)).with_state(Arc::clone(ways));
    api.layer(from_fn_with_state(Arc::clone(ways), misbehave)).merge(switch)
}

async fn misbehave(State(ways): State<Arc<Ways>>, request: Request, next: Next) -> Response {
    ways.heard.fetch_add(1, Ordering::Relaxed);
    let words =
        |status: StatusCode| (status, json(r#"{"message":"the stand-in was told to"}"#)).into_response();
    match ways.mischief() {
        Mischief::Html => {
            let page = "<!doctype html><title>Just a moment</title>";
            ([(header::CONTENT_TYPE, "text/html")], page).into_response()
        }
        Mischief::Redirect => {
            let to = format!("{}/elsewhere", ways.foreign.origin);
            (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
        }
        Mischief::Down => words(StatusCode::SERVICE_UNAVAILABLE),
        Mischief::TooMany(seconds) => {
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait, json(r#"{"message":"too many"}"#)).into_response()
        }
        Mischief::Failing(_) if ways.fails_once_more() => words(StatusCode::BAD_GATEWAY),
        Mischief::Slow(time) => {
            tokio::time::sleep(time).await;
            next.run(request).await
        }
        _ => next.run(request).await,
    }
}

async fn set_mischief(State(ways): State<Arc<Ways>>, text: String) -> Response {
    match read_mischief(text.trim()) {
        Some(mischief) => {
            let words = format!("{{\"mischief\":{:?}}}", format!("{mischief:?}"));
            ways.behave(mischief);
            json(words).into_response()
        }
        None => (StatusCode::BAD_REQUEST, json(r#"{"message":"no such mischief"}"#)).into_response(),
    }
}

/// Reads `none`, `html`, `other-currency`, `negative-fee`, `long-float`, `redirect`, `other-partner`, `down`, `failing:2`,
/// `too-many:5` (seconds) or `slow:3000` (milliseconds).
pub fn read_mischief(text: &str) -> Option<Mischief> {
    let (word, number) = text.split_once(':').unwrap_or((text, "1"));
    let number: u32 = number.parse().ok()?;
    Some(match word {
        "none" => Mischief::None,
        "html" => Mischief::Html,
        "other-currency" => Mischief::OtherCurrency,
        "negative-fee" => Mischief::NegativeFee,
        "long-float" => Mischief::LongFloat,
        "redirect" => Mischief::Redirect,
        "other-partner" => Mischief::OtherPartner,
        "down" => Mischief::Down,
        "failing" => Mischief::Failing(number),
        "too-many" => Mischief::TooMany(number),
        "slow" => Mischief::Slow(Duration::from_millis(u64::from(number))),
        _ => return None,
    })
}

/// An answer of JSON text.
pub fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// What a query says by that name.
pub fn param(query: &str, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// Shows a webhook, and sends it where somebody asks for that.
pub async fn deliver_hook(to: Option<String>, hook: Hook) -> Response {
    let body = String::from_utf8_lossy(&hook.body).into_owned();
    let headers = hook.headers.clone();
    let sent = match to {
        Some(to) => Some(send(&to, hook).await.unwrap_or_else(|words| words)),
        None => None,
    };
    json(serde_json::json!({ "headers": headers, "body": body, "answer": sent }).to_string())
}

async fn send(to: &str, hook: Hook) -> Result<String, String> {
    let mut request = http::client(Duration::from_secs(5))?.post(to).body(hook.body);
    for (name, value) in hook.headers {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| error.to_string())?;
    let status = response.status();
    Ok(format!("{status} {}", String::from_utf8_lossy(&http::body(response).await?)))
}

/// A transaction of an EVM chain that looks like one, the same for the same order.
pub fn made_up_tx(order: &str) -> String {
    let mut text = String::from("0x");
    for at in 0..32_u8 {
        let byte =
            order.bytes().fold(at.wrapping_mul(37), |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
