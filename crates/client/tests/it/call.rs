use std::time::Duration;

use causeway_client::{
    Client, Error, FiatQuery, IntentQuery, OrderQuery, PollingOptions, TokenQuery, TransferQr,
};
use futures::{Stream, StreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::table::Call;

/// The outcome of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) value: Result<Value, Error>,
    /// The items of a stream.
    pub(crate) items: Vec<Value>,
    /// The statuses reported while tracking.
    pub(crate) statuses: Vec<String>,
}

/// Makes the call and updates `count` with the number of stream items.
pub(crate) async fn run(client: &Client, call: &Call, count: &watch::Sender<usize>) -> Outcome {
    let (mut items, mut statuses) = (Vec::new(), Vec::new());
    let keyed = call.idempotency_key.as_deref().map(|key| client.with_idempotency_key(key).unwrap());
    let client = keyed.as_ref().unwrap_or(client);
    let value = match call.operation.as_str() {
        "streamQuotes" => match client.stream_quotes(&argument(call, 0)).await {
            Ok(routes) => stream(routes, &mut items, count).await,
            Err(error) => Err(error),
        },
        "streamFiatQuotes" => match client.stream_fiat_quotes(&argument(call, 0)).await {
            Ok(lines) => stream(lines, &mut items, count).await,
            Err(error) => Err(error),
        },
        "orderEvents" => match client.order_events(&text(call, 0)).await {
            Ok(events) => stream(events, &mut items, count).await,
            Err(error) => Err(error),
        },
        "trackOrder" => {
            let on_status = |order: &causeway_client::answers::Order| statuses.push(order.status.clone());
            value(client.track_order(&text(call, 0), polling(call), on_status).await)
        }
        "trackPurchase" => {
            let on_status =
                |status: &causeway_client::answers::FiatStatus| statuses.push(status.status.clone());
            value(client.track_purchase(&text(call, 0), polling(call), on_status).await)
        }
        _ => request(client, call).await,
    };
    Outcome { value, items, statuses }
}

fn polling(call: &Call) -> PollingOptions {
    PollingOptions::default()
        .with_interval(Duration::from_millis(call.every_ms.unwrap()))
        .with_backoff(Duration::from_millis(call.retry_after_ms.unwrap()))
}

async fn stream<T: Serialize>(
    lines: impl Stream<Item = Result<T, Error>>,
    items: &mut Vec<Value>,
    count: &watch::Sender<usize>,
) -> Result<Value, Error> {
    let mut lines = std::pin::pin!(lines);
    while let Some(line) = lines.next().await {
        items.push(json!(line?));
        count.send_replace(items.len());
    }
    Ok(Value::Null)
}

async fn request(client: &Client, call: &Call) -> Result<Value, Error> {
    match call.operation.as_str() {
        "quote" => value(client.quote(&argument(call, 0)).await),
        "buildDeposit" => value(client.build_deposit(&argument(call, 0)).await),
        "submitDeposit" => value(client.submit_deposit(&argument(call, 0)).await),
        "order" => value(client.order(&text(call, 0)).await),
        "orderOf" => value(client.order_of(&text(call, 0), &text(call, 1)).await),
        "orders" => value(client.orders(&text(call, 0), &OrderQuery::default()).await),
        "intent" => value(client.intent(&text(call, 0)).await),
        "intents" => value(client.intents(&text(call, 0), &IntentQuery::default()).await),
        "chains" => value(client.chains().await),
        "chainIcon" => value(client.chain_icon(argument(call, 0)).await),
        "qrCode" => value(client.qr_code(&text(call, 0), None).await),
        "transferQrCode" => {
            let transfer: Value = argument(call, 0);
            value(client.transfer_qr_code(&transfer_qr(&transfer)).await)
        }
        "intentByDeposit" => value(client.intent_by_deposit(argument(call, 0), &text(call, 1)).await),
        "ordersAt" => value(client.orders_at(&text(call, 0)).await),
        "searchOrders" => value(client.search_orders(&text(call, 0), &OrderQuery::default()).await),
        "fiatProviders" => value(client.fiat_providers().await),
        "fiatConfig" => value(client.fiat_config().await),
        "fiatQuote" => value(client.fiat_quote(&argument(call, 0)).await),
        "createFiatOrder" => value(client.create_fiat_order(&argument(call, 0)).await),
        "fiatStatus" => value(client.fiat_status(&text(call, 0), argument(call, 1)).await),
        "fiatOrder" => value(client.fiat_order(&text(call, 0)).await),
        "fiatOrders" => value(client.fiat_orders(&text(call, 0), &FiatQuery::default()).await),
        "balances" => {
            let balances = client.balances(&text(call, 0), &[]).await?;
            Ok(json!({ "tokens": balances.tokens, "silentChains": balances.unavailable_chains }))
        }
        "tokens" => {
            let query: Value = argument(call, 0);
            let query = TokenQuery {
                q: query["q"].as_str().map(str::to_owned),
                chain_ids: serde_json::from_value(query["chainIds"].clone()).unwrap_or_default(),
                limit: query["limit"].as_u64().map(|limit| limit.try_into().unwrap()),
                cursor: query["cursor"].as_u64(),
            };
            value(client.tokens(&query).await)
        }
        other => panic!("the table names an operation {other} that this runner does not know"),
    }
}

fn value<T: Serialize>(answer: Result<T, Error>) -> Result<Value, Error> {
    answer.map(|answer| json!(answer))
}

fn argument<T: DeserializeOwned>(call: &Call, index: usize) -> T {
    serde_json::from_value(call.arguments[index].clone()).unwrap()
}

fn text(call: &Call, index: usize) -> String {
    argument(call, index)
}

/// A transfer of a table.
pub(crate) fn transfer_qr(transfer: &Value) -> TransferQr {
    let text = |name: &str| transfer[name].as_str().unwrap().to_owned();
    TransferQr {
        amount: text("amount"),
        recipient: text("recipient"),
        caip2: text("caip2"),
        token: text("token"),
        decimals: transfer["decimals"].as_u64().unwrap().try_into().unwrap(),
        memo: transfer["memo"].as_str().map(str::to_owned),
        size: transfer["size"].as_u64().map(|size| size.try_into().unwrap()),
    }
}
