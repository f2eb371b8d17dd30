use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::IntoResponse;
use causeway_benchmarks::client;
use reqwest::Client;
use serde::Deserialize;
use tokio::net::TcpListener;

/// How often each method was called.
pub(crate) type Calls = BTreeMap<String, u64>;

/// What writes; all else only reads.
const WRITES: [&str; 2] = ["eth_sendRawTransaction", "sendTransaction"];

#[derive(Deserialize)]
struct Call {
    method: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Asked {
    One(Call),
    Batch(Vec<Call>),
}

/// Stands between the service and its chains and counts what the service asks, each call of a batch for itself.
#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) url: String,
    chains: String,
    client: Client,
    calls: Arc<Mutex<Calls>>,
}

impl Proxy {
    pub(crate) async fn start(chains: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let proxy = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            chains: chains.to_owned(),
            client: client(),
            calls: Arc::default(),
        };
        let router = Router::new().fallback(pass).with_state(proxy.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        proxy
    }

    /// The read calls since the last time that this was asked.
    pub(crate) fn take(&self) -> Calls {
        let mut calls = std::mem::take(&mut *self.calls.lock().expect("no panic"));
        calls.retain(|method, _| !WRITES.contains(&method.as_str()));
        calls
    }

    fn count(&self, body: &[u8]) {
        let asked = match serde_json::from_slice(body) {
            Ok(Asked::One(call)) => vec![call],
            Ok(Asked::Batch(calls)) => calls,
            Err(_) => Vec::new(),
        };
        let mut calls = self.calls.lock().expect("no panic");
        for call in asked {
            *calls.entry(call.method).or_default() += 1;
        }
    }
}

async fn pass(State(proxy): State<Proxy>, uri: Uri, body: Bytes) -> impl IntoResponse {
    proxy.count(&body);
    let request = proxy.client.post(format!("{}{}", proxy.chains, uri.path()));
    let answer = async { request.body(body).send().await?.bytes().await };
    match answer.await {
        Ok(answer) => (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], answer),
        Err(_) => (StatusCode::BAD_GATEWAY, [(header::CONTENT_TYPE, "text/plain")], Bytes::new()),
    }
}
