use std::time::{Duration, SystemTime, UNIX_EPOCH};

use causeway_client::webhooks::sign;
use causeway_client::wire::{Order, OrderEvent, WebhookEvent};
use causeway_domain::OrderStatus;
use causeway_http_client::{client_with, error_message, read_body};
use clap::Args;
use clap::builder::PossibleValuesParser;
use jiff::Timestamp;
use reqwest::{ClientBuilder, Url};
use serde_json::json;

use crate::commands::client::failure::Failure;
use crate::commands::client::{ServiceArgs, Session, output};

/// The service waits no longer for an endpoint.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an answer is shown.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

#[derive(Debug, Args)]
pub(crate) struct TriggerArgs {
    /// Where to send the event
    to: Url,

    /// The status that the order reached
    #[arg(long, default_value = "filled", value_parser = PossibleValuesParser::new(OrderStatus::ALL.map(OrderStatus::as_str)))]
    status: String,

    /// An order of the service, instead of an invented one
    #[arg(long, value_name = "ID")]
    order: Option<String>,

    /// The secret to sign with
    #[arg(long, env = "CAUSEWAY_WEBHOOK_SECRET", hide_env_values = true)]
    secret: String,

    #[command(flatten)]
    pub(super) service: ServiceArgs,
}

/// Sends one signed event, as the service would, and shows the answer.
pub(super) async fn trigger(session: Session, args: &TriggerArgs) -> Result<(), Failure> {
    let order = match &args.order {
        Some(id) => serde_json::to_value(session.client.order(id).await?),
        None => Ok(invented_order(&args.status)),
    };
    let order: Order = order
        .and_then(serde_json::from_value)
        .map_err(|error| Failure::Local(format!("the order is not as the API says: {error}")))?;
    let event = OrderEvent {
        order_id: order.id.clone(),
        status: Some(args.status.clone()),
        detail: "An event sent by `causeway webhooks trigger`.".to_owned(),
        at: Timestamp::now().to_string(),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let event = WebhookEvent { id: now.to_string(), event, order };
    let body = serde_json::to_vec(&event).map_err(|error| Failure::Local(error.to_string()))?;
    let client = client_with(TIMEOUT, ClientBuilder::no_proxy);
    let request = client
        .map_err(|error| Failure::Local(error.to_string()))?
        .post(args.to.clone())
        .header("content-type", "application/json")
        .header("x-causeway-signature", sign(&args.secret, &body, now))
        .header("x-causeway-event-id", &event.id)
        .header("x-causeway-event", "status")
        .header("x-causeway-endpoint", "trigger")
        .header("x-causeway-attempt", "1");
    let response = request.body(body).send().await.map_err(|error| {
        Failure::Local(format!("{} could not be reached: {}", args.to, error_message(error)))
    })?;
    let status = response.status();
    let answer = read_body(response, MAX_ANSWER_BYTES).await.unwrap_or_default();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    if session.args.json {
        output::print_json(&json!({ "event": event, "status": status.as_u16(), "answer": answer }))?;
    } else {
        output::print(&format!("{status}\n{answer}"))?;
    }
    if status.is_success() {
        return Ok(());
    }
    Err(Failure::Local(format!("{} answered {status}: the service would send the event again", args.to)))
}

/// 25 USDC on Base for ETH on Arbitrum.
fn invented_order(status: &str) -> serde_json::Value {
    let wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    json!({
        "id": "00000000000000000000000000000001", "type": "native-filler", "quoteId": "invented", "routeId": "invented",
        "status": status, "fromChainId": 8453, "toChainId": 42161,
        "fromToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "toToken": "0x0000000000000000000000000000000000000000",
        "srcAmount": "25000000", "destAmount": "7120411680657801",
        "author": wallet, "recipient": wallet, "refundTo": wallet, "tradeType": "EXACT_INPUT",
        "createdAt": "2026-11-18T12:00:00Z", "updatedAt": "2026-11-18T12:00:05Z",
        "transactions": {},
        "timestamps": { "createdAt": "2026-11-18T12:00:00Z" },
        "stepsCompleted": ["created", status],
        "fromTokenMeta": { "symbol": "USDC", "decimals": 6, "logoURI": null },
        "toTokenMeta": { "symbol": "ETH", "decimals": 18, "logoURI": null },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invented_order_is_one_of_the_api() {
        for status in OrderStatus::ALL {
            let order: Order = serde_json::from_value(invented_order(status.as_str())).unwrap();
            assert_eq!(order.status, status.as_str());
        }
    }
}
