use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use causeway_client::webhooks::{Webhook, verify_any};
use causeway_client::wire::{FiatOrderEvent, OrderEvent};
use causeway_http_client::{client_with, error_message};
use clap::Args;
use reqwest::{ClientBuilder, Url};
use serde_json::json;

use super::{cell, subscriptions};
use crate::commands::client::failure::Failure;
use crate::commands::client::interrupt::Interrupt;
use crate::commands::client::output;
use crate::commands::operator::{OperatorArgs, OperatorClient};

const SIGNATURE: &str = "x-causeway-signature";
/// The service waits no longer for an endpoint.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// The port to receive on; a free one unless given
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Pass every event on to this address, as it came, and answer the service as that one does
    #[arg(long, value_name = "URL")]
    forward_to: Option<Url>,

    /// Only orders with quotes of this integrator (X-Integrator-Id)
    #[arg(long, value_name = "ID")]
    integrator: Option<String>,

    /// What to receive events about
    #[arg(long, default_value = "orders", value_parser = subscriptions())]
    about: String,

    #[command(flatten)]
    pub(super) service: OperatorArgs,
}

struct Receiver {
    secret: String,
    json: bool,
    forward: Option<(reqwest::Client, Url)>,
}

/// Receives events on this machine and prints them until Ctrl-C; the endpoint lives as long as the command.
pub(super) async fn listen(client: OperatorClient, args: &ListenArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    let listener = tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, args.port))).await?;
    let address = listener.local_addr()?;
    let name = format!("listen-{}", address.port());
    let forward = match &args.forward_to {
        Some(url) => {
            let client = client_with(TIMEOUT, ClientBuilder::no_proxy);
            Some((client.map_err(|error| Failure::Local(error.to_string()))?, url.clone()))
        }
        None => None,
    };
    let url = format!("http://{address}/");
    let body = json!({ "name": name, "url": url, "integrator": args.integrator, "about": args.about });
    let added = client.post(&["webhooks"], &body).await?;
    let secret = cell(&added["secret"]);
    output::notice(&format!("Events arrive at http://{address}/ until Ctrl-C. Their secret is {secret}"));
    let receiver = Arc::new(Receiver { secret, json: client.json, forward });
    let router = Router::new().fallback(receive).with_state(receiver);
    let stopped = interrupt.token.clone();
    let served =
        axum::serve(listener, router).with_graceful_shutdown(async move { stopped.cancelled().await }).await;
    client.delete(&["webhooks", &name]).await?;
    Ok(served?)
}

async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let event = match verify_any(&receiver.secret, signature, &body) {
        Ok(event) => event,
        Err(error) => {
            output::notice(&format!("refused: {error}"));
            return StatusCode::BAD_REQUEST;
        }
    };
    let (status, note) = match &receiver.forward {
        Some((client, url)) => forward(client, url, &headers, body).await,
        None => (StatusCode::NO_CONTENT, String::new()),
    };
    let printed =
        if receiver.json { output::print_json(&event) } else { output::print(&line(&event, &note)) };
    // Whoever reads the output is gone: the event is not received.
    if printed.is_err() { StatusCode::SERVICE_UNAVAILABLE } else { status }
}

/// The answer of the address, and how it is shown.
async fn forward(
    client: &reqwest::Client,
    url: &Url,
    headers: &HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let own = headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("x-causeway-") || **name == header::CONTENT_TYPE);
    let request = own.fold(client.post(url.clone()), |request, (name, value)| request.header(name, value));
    match request.body(body).send().await {
        Ok(response) => (response.status(), format!("  → {}", response.status())),
        Err(error) => (StatusCode::BAD_GATEWAY, format!("  → {}", error_message(error))),
    }
}

fn line(event: &Webhook, note: &str) -> String {
    let (at, id, status, detail) = match event {
        Webhook::Order(webhook) => {
            let OrderEvent { at, order_id, status, detail } = &webhook.event;
            (at, order_id, status, detail)
        }
        Webhook::Purchase(webhook) => {
            let FiatOrderEvent { at, order_id, status, detail } = &webhook.event;
            (at, order_id, status, detail)
        }
    };
    let status = status.as_deref().unwrap_or("-");
    format!("{at}  {id}  {status:<14} {detail}{note}")
}
