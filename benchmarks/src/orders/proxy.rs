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

/// Calls by method.
pub(crate) type Calls = BTreeMap<String, u64>;

/// Methods that write; all others read.
const WRITE_METHODS: [&str; 2] = ["eth_sendRawTransaction", "sendTransaction"];

#[derive(Deserialize)]
struct Call {
    method: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RpcRequest {
    Single(Call),
    Batch(Vec<Call>),
}

/// A proxy between the service and its chains that counts every RPC call, including each call of a batch.
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
        let router = Router::new().fallback(forward).with_state(proxy.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        proxy
    }

    /// Returns and resets the counted read calls.
    pub(crate) fn take(&self) -> Calls {
        let mut calls = std::mem::take(&mut *self.calls.lock().expect("no panic"));
        calls.retain(|method, _| !WRITE_METHODS.contains(&method.as_str()));
        calls
    }

    fn count(&self, body: &[u8]) {
        let requested = match serde_json::from_slice(body) {
            Ok(RpcRequest::Single(call)) => vec![call],
            Ok(RpcRequest::Batch(calls)) => calls,
            Err(_) => Vec::new(),
        };
        let mut calls = self.calls.lock().expect("no panic");
        for call in requested {
            *calls.entry(call.method).or_default() += 1;
        }
    }
}

async fn forward(State(proxy): State<Proxy>, uri: Uri, body: Bytes) -> impl IntoResponse {
    proxy.count(&body);
    let request = proxy.client.post(format!("{}{}", proxy.chains, uri.path()));
    let answer = async { request.body(body).send().await?.bytes().await };
    match answer.await {
        Ok(answer) => (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], answer),
        Err(_) => (StatusCode::BAD_GATEWAY, [(header::CONTENT_TYPE, "text/plain")], Bytes::new()),
    }
}
