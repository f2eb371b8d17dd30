use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use causeway_domain::ChainId;
use causeway_evm::{EvmClient, EvmConfig, RpcUrl};
use serde_json::{Value, json};

pub(crate) const CHAIN: u64 = 8453;

pub(crate) fn chain() -> ChainId {
    ChainId::new(CHAIN).unwrap()
}

/// The answer to a call: a result or an error object.
pub(crate) type Answer = Result<Value, Value>;
type Methods = Arc<dyn Fn(&str, &Value) -> Answer + Send + Sync>;

/// How the server misbehaves.
#[derive(Clone, Debug)]
pub(crate) enum Mode {
    Healthy,
    Status(u16),
    Hang,
    Raw(Vec<u8>),
    RefuseBatches,
    LeaveOutHalf,
    Redirect,
}

/// A scripted JSON-RPC server on loopback.
#[derive(Clone)]
pub(crate) struct Fake {
    pub(crate) url: String,
    inner: Arc<Inner>,
}

struct Inner {
    methods: Methods,
    mode: Mutex<Mode>,
    requests: Mutex<Vec<Vec<String>>>,
    busy: Mutex<(usize, usize)>,
}

pub(crate) fn error(code: i64, message: &str) -> Answer {
    Err(json!({ "code": code, "message": message }))
}

impl Fake {
    pub(crate) async fn start(methods: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Self {
        let inner = Arc::new(Inner {
            methods: Arc::new(methods),
            mode: Mutex::new(Mode::Healthy),
            requests: Mutex::default(),
            busy: Mutex::default(),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v2/very-secret-key", listener.local_addr().unwrap());
        let app = Router::new().route("/v2/{key}", post(answer)).with_state(inner.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, inner }
    }

    /// A server that knows its chain and height, and answers the rest with its name.
    pub(crate) async fn named(name: &'static str, chain: u64, height: u64) -> Self {
        Self::start(move |method, _| match method {
            "eth_chainId" => Ok(json!(format!("{chain:#x}"))),
            "eth_blockNumber" => Ok(json!(format!("{height:#x}"))),
            _ => Ok(json!(name)),
        })
        .await
    }

    pub(crate) fn set(&self, mode: Mode) {
        *self.inner.mode.lock().unwrap() = mode;
    }

    /// The methods of each request so far.
    pub(crate) fn requests(&self) -> Vec<Vec<String>> {
        self.inner.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.requests().iter().flatten().filter(|called| *called == method).count()
    }

    /// The maximum number of concurrent requests.
    pub(crate) fn max_concurrent(&self) -> usize {
        self.inner.busy.lock().unwrap().1
    }

    pub(crate) fn url(&self) -> RpcUrl {
        self.url.parse().unwrap()
    }
}

/// A client configuration for these servers with a short timeout.
pub(crate) fn config(fakes: &[&Fake]) -> EvmConfig {
    let mut config = EvmConfig::new(fakes.iter().map(|fake| fake.url()));
    config.pool.call_timeout = Duration::from_millis(700);
    config
}

pub(crate) fn client(fakes: &[&Fake]) -> EvmClient {
    EvmClient::new(chain(), config(fakes)).unwrap()
}

async fn answer(State(inner): State<Arc<Inner>>, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap();
    let calls = request.as_array().cloned().unwrap_or_else(|| vec![request.clone()]);
    let methods = calls.iter().map(|call| call["method"].as_str().unwrap().to_owned()).collect();
    inner.requests.lock().unwrap().push(methods);
    {
        let mut busy = inner.busy.lock().unwrap();
        busy.0 += 1;
        busy.1 = busy.1.max(busy.0);
    }
    tokio::time::sleep(Duration::from_millis(5)).await;
    inner.busy.lock().unwrap().0 -= 1;
    let mode = inner.mode.lock().unwrap().clone();
    let mut answers: Vec<Value> = calls
        .iter()
        .map(|call| match (inner.methods)(call["method"].as_str().unwrap(), &call["params"]) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": call["id"], "error": error }),
        })
        .collect();
    match mode {
        Mode::Hang => std::future::pending().await,
        Mode::Status(code) => StatusCode::from_u16(code).unwrap().into_response(),
        Mode::Redirect => {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "http://127.0.0.1:1/")]).into_response()
        }
        Mode::Raw(bytes) => bytes.into_response(),
        Mode::RefuseBatches if request.is_array() => {
            let error = json!({ "code": -32600, "message": "batch requests are not supported" });
            json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string().into_response()
        }
        Mode::LeaveOutHalf if request.is_array() => {
            answers.truncate(answers.len() / 2);
            json!(answers).to_string().into_response()
        }
        _ if request.is_array() => {
            // The order of a batch's answers means nothing.
            answers.reverse();
            json!(answers).to_string().into_response()
        }
        _ => answers.remove(0).to_string().into_response(),
    }
}
