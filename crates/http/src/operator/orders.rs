use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::{Arrival, Outgoing, OutgoingEnd, StuckReason};
use causeway_domain::{ChainId, ConfirmedTx, EventKind, Family, Order, OrderEvent, TokenId};
use causeway_engine::{OrderHistory, StuckOrder, StuckPurchase, Wait};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::App;
use crate::deposits::map_terms;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam, QueryParams};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/orders/{orderId}", get(show)).route("/operator/stuck", get(stuck))
}

/// An order with its full history, also before it is announced.
async fn show(State(app): State<Arc<App>>, param: PathParam) -> ApiResult<Json<Value>> {
    let mut issues = Issues::default();
    let text = param.text(&mut issues);
    issues.finish()?;
    let id = text.and_then(|text| text.parse().ok()).ok_or_else(ApiError::order_not_found)?;
    let history = app.operator.review.history(&id, Timestamp::now()).await?;
    Ok(Json(map_history(&history.ok_or_else(ApiError::order_not_found)?)))
}

/// Orders and purchases that have not progressed for longer than expected, or for `olderThan` seconds.
async fn stuck(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Value>> {
    let older = params.raw("olderThan");
    let older = older.and_then(|text| params.issues.check("olderThan", seconds(&text)));
    params.issues.finish()?;
    let now = Timestamp::now();
    let stuck = app.operator.review.stuck(older, now).await?;
    let purchases = app.operator.review.stuck_purchases(older, now).await?;
    Ok(Json(json!({
        "data": stuck.iter().map(map_stuck).collect::<Vec<_>>(),
        "purchases": purchases.iter().map(map_stuck_purchase).collect::<Vec<_>>(),
    })))
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    text.parse().map(Duration::from_secs).map_err(|_| "must be a whole number of seconds")
}

fn map_stuck(stuck: &StuckOrder) -> Value {
    let StuckOrder { order, wait } = stuck;
    json!({
        "orderId": order.id.as_str(),
        "status": order.status.as_str(),
        "filler": order.filler,
        "fromChainId": order.from.chain().get(),
        "toChainId": order.to.chain().get(),
        "unmovedSince": order.updated_at.to_string(),
        "reason": wait.reason,
        "remedy": wait.remedy,
    })
}

fn map_stuck_purchase(stuck: &StuckPurchase) -> Value {
    let StuckPurchase { order, wait } = stuck;
    json!({
        "purchaseId": order.id.as_str(),
        "status": order.status.as_str(),
        "provider": order.provider,
        "providerOrderId": order.provider_order,
        "chainId": order.sold.chain().get(),
        "toChainId": order.target.chain().get(),
        "swapId": order.strategy.forwarding().and_then(|plan| plan.swap.as_ref()).map(ToString::to_string),
        "unmovedSince": order.updated_at.to_string(),
        "reason": wait.reason,
        "remedy": wait.remedy,
    })
}

fn map_history(history: &OrderHistory) -> Value {
    let OrderHistory { order, events, sent, arrivals, stuck_reason, wait } = history;
    let evidence = &order.evidence;
    let refund = evidence.refund.as_ref().map(|(shown, cause)| {
        let mut refund = map_shown(shown);
        refund["cause"] = json!(cause.as_str());
        refund
    });
    json!({
        "order": map_order(order),
        "terms": order.provider.is_none().then(|| map_terms(&order.terms)),
        "events": events.iter().map(map_event).collect::<Vec<_>>(),
        "evidence": {
            "deposit": evidence.deposit.as_ref().map(map_shown),
            "fill": evidence.fill.as_ref().map(map_shown),
            "claim": evidence.claim.as_ref().map(map_shown),
            "refund": refund,
        },
        "sent": sent.iter().map(map_sent).collect::<Vec<_>>(),
        "arrivals": arrivals.iter().map(map_arrival).collect::<Vec<_>>(),
        "trouble": stuck_reason.as_ref().map(map_stuck_reason),
        "wait": wait.as_ref().map(|Wait { reason, remedy }| json!({ "reason": reason, "remedy": remedy })),
    })
}

fn map_order(order: &Order) -> Value {
    json!({
        "id": order.id.as_str(),
        "intentId": order.intent_id.to_string(),
        "quoteId": order.quote.as_str(),
        "routeId": order.route.as_str(),
        "status": order.status.as_str(),
        "filler": order.filler,
        "type": order.kind,
        "depositMethod": order.method.as_str(),
        "from": map_side(&order.from, &order.src_amount.to_string()),
        "to": map_side(&order.to, &order.dest_amount.to_string()),
        "author": order.author.to_string(),
        "recipient": order.recipient.to_string(),
        "refundTo": order.refund_to.to_string(),
        "depositAddress": order.deposit_address.map(|address| address.to_string()),
        "toldTx": order.submitted_tx,
        "decision": order.decision.map(causeway_domain::Decision::as_str),
        "failureReason": order.failure_reason,
        "announced": order.announced,
        "validBefore": order.valid_before.to_string(),
        "createdAt": order.created_at.to_string(),
        "updatedAt": order.updated_at.to_string(),
        "dueAt": order.due_at.map(|at| at.to_string()),
    })
}

fn map_side(token: &TokenId, amount: &str) -> Value {
    json!({ "chainId": token.chain().get(), "token": token.address().to_string(), "amount": amount })
}

fn map_event(event: &OrderEvent) -> Value {
    let status = match &event.kind {
        EventKind::Status(status) => Some(status.as_str()),
        EventKind::Note => None,
    };
    json!({ "at": event.at.to_string(), "status": status, "detail": event.detail })
}

fn map_shown(shown: &ConfirmedTx) -> Value {
    json!({
        "chainId": shown.chain.get(),
        "txHash": shown.tx,
        "block": shown.block,
        "time": block_time(shown.time),
        "amount": shown.amount.to_string(),
    })
}

/// The timestamp of a block.
fn block_time(seconds: u64) -> Option<String> {
    let seconds = i64::try_from(seconds).ok()?;
    Timestamp::from_second(seconds).ok().map(|at| at.to_string())
}

fn map_sent(outgoing: &Outgoing) -> Value {
    let tx_hash =
        |hash: alloy_primitives::B256| (outgoing.chain.family() == Family::Evm).then(|| hash.to_string());
    let (state, ended_by) = match outgoing.end {
        None => ("open", None),
        Some(OutgoingEnd::Succeeded(hash)) => ("succeeded", tx_hash(hash)),
        Some(OutgoingEnd::Reverted(hash)) => ("reverted", tx_hash(hash)),
        Some(OutgoingEnd::Superseded) => ("superseded", None),
    };
    let attempts = outgoing.attempts.iter().map(
        |attempt| json!({ "txHash": tx_id(outgoing.chain, attempt), "madeAt": attempt.made_at.to_string() }),
    );
    json!({
        "purpose": outgoing.purpose.split(':').next(),
        "chainId": outgoing.chain.get(),
        "signer": outgoing.signer.to_string(),
        "nonce": outgoing.nonce,
        "state": state,
        "txHash": ended_by.or_else(|| outgoing.attempts.last().map(|attempt| tx_id(outgoing.chain, attempt))),
        "attempts": attempts.collect::<Vec<_>>(),
    })
}

/// The id of a transaction. On Solana it is the first signature, which follows the signature count.
fn tx_id(chain: ChainId, attempt: &causeway_domain::ports::Attempt) -> String {
    match chain.family() {
        Family::Evm | Family::Bitcoin | Family::Tron => attempt.hash.to_string(),
        Family::Solana => {
            let signature = attempt.raw.get(1..65).map(|bytes| bs58::encode(bytes).into_string());
            signature.unwrap_or_else(|| attempt.hash.to_string())
        }
    }
}

fn map_arrival(arrival: &Arrival) -> Value {
    json!({
        "token": arrival.token.address().to_string(),
        "balance": arrival.balance.to_string(),
        "gained": arrival.gained.to_string(),
        "block": arrival.block,
        "txHash": arrival.tx,
    })
}

fn map_stuck_reason(reason: &StuckReason) -> Value {
    json!({ "kind": reason.kind.as_str(), "words": reason.message, "since": reason.since.to_string() })
}
