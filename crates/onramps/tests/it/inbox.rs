use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;

/// A webhook as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Hook {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| value.to_str().unwrap().to_owned())
    }
}

/// Where webhooks arrive, as the service's own door would take them.
#[derive(Clone, Default)]
pub(crate) struct Inbox(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    hooks: Vec<(String, Hook)>,
    /// How many of the next are answered with an error.
    failures: usize,
}

impl Inbox {
    /// Begins to take webhooks, and tells where.
    pub(crate) async fn open() -> (Self, String) {
        let inbox = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/fiat/webhook", listener.local_addr().unwrap());
        let app = Router::new().route("/v1/fiat/webhook/{provider}", post(take)).with_state(inbox.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (inbox, address)
    }

    pub(crate) fn refuse_next(&self, count: usize) {
        self.0.lock().unwrap().failures = count;
    }

    /// What came for a provider, oldest first.
    pub(crate) fn of(&self, provider: &str) -> Vec<Hook> {
        let state = self.0.lock().unwrap();
        state.hooks.iter().filter(|(to, _)| to == provider).map(|(_, hook)| hook.clone()).collect()
    }
}

async fn take(
    State(inbox): State<Inbox>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let mut state = inbox.0.lock().unwrap();
    state.hooks.push((provider, Hook { headers, body: body.to_vec() }));
    if state.failures > 0 {
        state.failures -= 1;
        return StatusCode::BAD_GATEWAY;
    }
    StatusCode::OK
}
