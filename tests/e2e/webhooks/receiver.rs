use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// One webhook as it came.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) id: String,
    pub(super) order: String,
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
}

type Heard = Arc<Mutex<Vec<Told>>>;

/// Somebody who is told, at an address of this machine that stays the same.
pub(super) struct Receiver {
    address: SocketAddr,
    heard: Heard,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heard) = (listener.local_addr().unwrap(), Heard::default());
        let (stop, serving) = serve(listener, &heard);
        Self { address, heard, stop, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(super) fn told(&self) -> Vec<Told> {
        self.heard.lock().unwrap().clone()
    }

    /// Nobody listens there from now on.
    pub(super) async fn stop(&mut self) {
        self.stop.cancel();
        (&mut self.serving).await.unwrap();
    }

    pub(super) async fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        (self.stop, self.serving) = serve(listener, &self.heard);
    }
}

fn serve(listener: TcpListener, heard: &Heard) -> (CancellationToken, JoinHandle<()>) {
    let router = Router::new().route("/hook", post(hear)).with_state(Arc::clone(heard));
    let stop = CancellationToken::new();
    let until = stop.clone().cancelled_owned();
    let serving = tokio::spawn(async move {
        axum::serve(listener, router).with_graceful_shutdown(until).await.unwrap();
    });
    (stop, serving)
}

async fn hear(State(heard): State<Heard>, headers: HeaderMap, body: Bytes) {
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let event: Value = serde_json::from_slice(&body).unwrap();
    let (id, order) = (header("x-causeway-event-id"), event["order"]["id"].as_str().unwrap().to_owned());
    let signature = header("x-causeway-signature");
    heard.lock().unwrap().push(Told { id, order, signature, body: body.to_vec() });
}
