use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode, header};
use causeway_prices::{ReadFault, Reader, Words};
use jiff::Timestamp;
use tokio::net::TcpListener;

/// When the fixtures were "seen".
pub(crate) const NOW: i64 = 1_800_000_000;

/// What the server does with every request.
#[derive(Clone, Debug)]
pub(crate) enum Mood {
    /// 200 with this body.
    Says(String),
    /// A status, and how long to stay away.
    Refuses(u16, Option<&'static str>),
    Redirects(&'static str),
    /// So many bytes of white space.
    Floods(usize),
    /// A body that ends before its announced length.
    BreaksOff,
}

/// A path that was asked for, with the key that was shown.
pub(crate) type Asked = (String, Option<String>);

/// Something that goes wrong, and whether a fault is the one that it is to be.
pub(crate) type Expected = (Mood, fn(&ReadFault) -> bool);

/// A server on loopback that remembers what it was asked.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// `key` is the header whose value is remembered with each path.
    pub(crate) async fn start(mood: Mood, key: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let memory = Arc::clone(&asked);
        let answer = move |request: Request| {
            let shown = request.headers().get(key).map(|value| value.to_str().unwrap().to_owned());
            memory.lock().unwrap().push((request.uri().to_string(), shown));
            let answer = respond(mood.clone());
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

fn respond(mood: Mood) -> Response<Body> {
    let answer = Response::builder();
    match mood {
        Mood::Says(body) => answer.body(Body::from(body)),
        Mood::Refuses(status, after) => {
            let answer = answer.status(StatusCode::from_u16(status).unwrap());
            let answer =
                if let Some(after) = after { answer.header(header::RETRY_AFTER, after) } else { answer };
            answer.body(Body::from("{\"error\":\"no\"}"))
        }
        Mood::Redirects(to) => answer.status(302).header(header::LOCATION, to).body(Body::empty()),
        Mood::Floods(bytes) => answer.body(Body::from(" ".repeat(bytes))),
        Mood::BreaksOff => answer.header(header::CONTENT_LENGTH, "1000").body(Body::from("{\"parsed\":[")),
    }
    .unwrap()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

/// What the source says as of [`NOW`].
pub(crate) async fn read(reader: &impl Reader) -> Result<Words, ReadFault> {
    reader.read(now()).await
}

/// The price or the reason of one coin.
pub(crate) fn say(words: &Words, coin: &str) -> Result<String, String> {
    words[coin].clone().map(|sighting| sighting.price.to_string())
}

/// Every way in which a server can fail, with what it is to be called.
pub(crate) fn faults() -> Vec<Expected> {
    let html = "<!doctype html><title>Just a moment</title>".to_owned();
    let waits = |fault: &ReadFault| *fault == ReadFault::Busy(Some(Duration::from_secs(37)));
    vec![
        (Mood::Says(html), |fault| matches!(fault, ReadFault::Nonsense(words) if words.contains("web page"))),
        (Mood::Says("null".to_owned()), |fault| matches!(fault, ReadFault::Nonsense(_))),
        (Mood::Says(String::new()), |fault| matches!(fault, ReadFault::Nonsense(_))),
        (Mood::Refuses(429, Some("37")), waits),
        (Mood::Refuses(429, None), |fault| *fault == ReadFault::Busy(None)),
        (Mood::Refuses(503, None), |fault| *fault == ReadFault::Failing(503)),
        (Mood::Refuses(401, None), |fault| *fault == ReadFault::Refused(401)),
        (Mood::Refuses(404, None), |fault| *fault == ReadFault::Refused(404)),
        (Mood::Redirects("https://elsewhere.example/"), |fault| *fault == ReadFault::Refused(302)),
        (
            Mood::Floods(3 << 20),
            |fault| matches!(fault, ReadFault::Nonsense(words) if words.contains("longer")),
        ),
        (Mood::BreaksOff, |fault| matches!(fault, ReadFault::Unreachable(_))),
    ]
}
