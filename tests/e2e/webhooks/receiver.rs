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

/// A received webhook.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) id: String,
    /// The id of the order or the purchase.
    pub(super) order: String,
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
}

type Deliveries = Arc<Mutex<Vec<Delivery>>>;

/// A webhook receiver at a fixed local address.
pub(super) struct Receiver {
    address: SocketAddr,
    deliveries: Deliveries,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, deliveries) = (listener.local_addr().unwrap(), Deliveries::default());
        let (stop, serving) = serve(listener, &deliveries);
        Self { address, deliveries, stop, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(super) fn deliveries(&self) -> Vec<Delivery> {
        self.deliveries.lock().unwrap().clone()
    }

    /// Stops listening.
    pub(super) async fn stop(&mut self) {
        self.stop.cancel();
        (&mut self.serving).await.unwrap();
    }

    pub(super) async fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        (self.stop, self.serving) = serve(listener, &self.deliveries);
    }
}

fn serve(listener: TcpListener, deliveries: &Deliveries) -> (CancellationToken, JoinHandle<()>) {
    let router = Router::new().route("/hook", post(receive)).with_state(Arc::clone(deliveries));
    let stop = CancellationToken::new();
    let until = stop.clone().cancelled_owned();
    let serving = tokio::spawn(async move {
        axum::serve(listener, router).with_graceful_shutdown(until).await.unwrap();
    });
    (stop, serving)
}

async fn receive(State(deliveries): State<Deliveries>, headers: HeaderMap, body: Bytes) {
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let event: Value = serde_json::from_slice(&body).unwrap();
    let about = event["order"]["id"].as_str().or_else(|| event["purchase"]["orderId"].as_str());
    let (id, order) = (header("x-causeway-event-id"), about.unwrap().to_owned());
    let is_purchase = event.get("purchase").is_some();
    assert_eq!(header("x-causeway-event").starts_with("purchase."), is_purchase, "{event}");
    let signature = header("x-causeway-signature");
    deliveries.lock().unwrap().push(Delivery { id, order, signature, body: body.to_vec() });
}
