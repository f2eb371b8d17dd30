use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode, header};
use causeway_prices::{PriceResults, ReadError, Reader};
use jiff::Timestamp;
use tokio::net::TcpListener;

/// The time of the fixtures.
pub(crate) const NOW: i64 = 1_800_000_000;

/// How the server responds to every request.
#[derive(Clone, Debug)]
pub(crate) enum ServerBehavior {
    /// 200 with this body.
    Responds(String),
    /// A status with an optional `Retry-After`.
    Status(u16, Option<&'static str>),
    Redirects(&'static str),
    /// This many bytes of white space.
    Floods(usize),
    /// A body shorter than its content length.
    BreaksOff,
}

/// A requested path with its API key.
pub(crate) type Asked = (String, Option<String>);

/// A failure and a check for its error.
pub(crate) type Expected = (ServerBehavior, fn(&ReadError) -> bool);

/// A loopback server that records its requests.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// `key` is the header to record with each path.
    pub(crate) async fn start(behavior: ServerBehavior, key: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let memory = Arc::clone(&asked);
        let answer = move |request: Request| {
            let shown = request.headers().get(key).map(|value| value.to_str().unwrap().to_owned());
            memory.lock().unwrap().push((request.uri().to_string(), shown));
            let answer = respond(behavior.clone());
            async move { answer }
        };
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn respond(behavior: ServerBehavior) -> Response<Body> {
    let answer = Response::builder();
    match behavior {
        ServerBehavior::Responds(body) => answer.body(Body::from(body)),
        ServerBehavior::Status(status, after) => {
            let answer = answer.status(StatusCode::from_u16(status).unwrap());
            let answer =
                if let Some(after) = after { answer.header(header::RETRY_AFTER, after) } else { answer };
            answer.body(Body::from("{\"error\":\"no\"}"))
        }
        ServerBehavior::Redirects(to) => answer.status(302).header(header::LOCATION, to).body(Body::empty()),
        ServerBehavior::Floods(bytes) => answer.body(Body::from(" ".repeat(bytes))),
        ServerBehavior::BreaksOff => {
            answer.header(header::CONTENT_LENGTH, "1000").body(Body::from("{\"parsed\":["))
        }
    }
    .unwrap()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

/// Reads the source as of [`NOW`].
pub(crate) async fn read(reader: &impl Reader) -> Result<PriceResults, ReadError> {
    reader.read(now()).await
}

/// The price or the reason of one coin.
pub(crate) fn price_text(results: &PriceResults, coin: &str) -> Result<String, String> {
    results[coin].clone().map(|observation| observation.price.to_string())
}

/// Every failure of a server, with its expected error.
pub(crate) fn failures() -> Vec<Expected> {
    let html = "<!doctype html><title>Just a moment</title>".to_owned();
    let waits = |error: &ReadError| *error == ReadError::RateLimited(Some(Duration::from_secs(37)));
    vec![
        (
            ServerBehavior::Responds(html),
            |error| matches!(error, ReadError::InvalidResponse(message) if message.contains("web page")),
        ),
        (ServerBehavior::Responds("null".to_owned()), |error| matches!(error, ReadError::InvalidResponse(_))),
        (ServerBehavior::Responds(String::new()), |error| matches!(error, ReadError::InvalidResponse(_))),
        (ServerBehavior::Status(429, Some("37")), waits),
        (ServerBehavior::Status(429, None), |error| *error == ReadError::RateLimited(None)),
        (ServerBehavior::Status(503, None), |error| *error == ReadError::ServerError(503)),
        (ServerBehavior::Status(401, None), |error| *error == ReadError::Rejected(401)),
        (ServerBehavior::Status(404, None), |error| *error == ReadError::Rejected(404)),
        (ServerBehavior::Redirects("https://elsewhere.example/"), |error| *error == ReadError::Rejected(302)),
        (
            ServerBehavior::Floods(3 << 20),
            |error| matches!(error, ReadError::InvalidResponse(message) if message.contains("longer")),
        ),
        (ServerBehavior::BreaksOff, |error| matches!(error, ReadError::Unreachable(_))),
    ]
}
