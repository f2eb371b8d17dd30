use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;

/// A received webhook request.
#[derive(Clone, Debug)]
pub(crate) struct WebhookRequest {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl WebhookRequest {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| value.to_str().unwrap().to_owned())
    }
}

/// A webhook endpoint like the service's own.
#[derive(Clone, Default)]
pub(crate) struct Inbox(Arc<Mutex<Received>>);

#[derive(Default)]
struct Received {
    webhooks: Vec<(String, WebhookRequest)>,
    /// How many of the next requests are answered with an error.
    failures: usize,
}

impl Inbox {
    /// Starts the endpoint and returns its URL.
    pub(crate) async fn open() -> (Self, String) {
        let inbox = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/fiat/webhook", listener.local_addr().unwrap());
        let app = Router::new().route("/v1/fiat/webhook/{provider}", post(receive)).with_state(inbox.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (inbox, address)
    }

    pub(crate) fn refuse_next(&self, count: usize) {
        self.0.lock().unwrap().failures = count;
    }

    /// The webhooks of a provider, oldest first.
    pub(crate) fn for_provider(&self, provider: &str) -> Vec<WebhookRequest> {
        let state = self.0.lock().unwrap();
        state.webhooks.iter().filter(|(to, _)| to == provider).map(|(_, webhook)| webhook.clone()).collect()
    }
}

async fn receive(
    State(inbox): State<Inbox>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let mut state = inbox.0.lock().unwrap();
    state.webhooks.push((provider, WebhookRequest { headers, body: body.to_vec() }));
    if state.failures > 0 {
        state.failures -= 1;
        return StatusCode::BAD_GATEWAY;
    }
    StatusCode::OK
}
