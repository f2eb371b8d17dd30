use alloy_primitives::hex;
use causeway_domain::ports::StoreError;
use causeway_domain::{ForwardingOrder, ForwardingPlan, JoinedOrder, JoinedTerms};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::ConfirmedTxRecord;
use super::{Plain, PlainToken, address, corrupt, json, parse, text, time};

const COLUMN: &str = "orders.joined";

/// The second leg of an order, as the JSON in its row.
#[derive(Serialize, Deserialize)]
struct JoinedRecord {
    hub: String,
    hub_amount: String,
    refund_to: String,
    filler: String,
    /// The encoded forwarding order in hex, its address and the route that was built.
    forwarding_order: String,
    address: String,
    route: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    swap: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    returned_tx: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delivered: Option<ConfirmedTxRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arrived_at: Option<i64>,
}

pub(super) fn joined_text(joined: &JoinedOrder) -> String {
    let JoinedOrder { terms, plan, delivered, arrived_at } = joined;
    json(&JoinedRecord {
        hub: PlainToken(terms.hub).to_string(),
        hub_amount: terms.hub_amount.to_string(),
        refund_to: Plain(terms.refund_to).to_string(),
        filler: text(&terms.filler),
        forwarding_order: hex::encode(plan.order.to_bytes()),
        address: Plain(plan.address).to_string(),
        route: plan.route.to_string(),
        swap: plan.swap.as_ref().map(ToString::to_string),
        returned_tx: plan.returned_tx.as_deref().map(text),
        delivered: delivered.as_ref().map(Into::into),
        arrived_at: arrived_at.map(Timestamp::as_millisecond),
    })
}

pub(super) fn read_joined(json: &str) -> Result<JoinedOrder, StoreError> {
    let record: JoinedRecord = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    let order = hex::decode(&record.forwarding_order).ok();
    let order = order.and_then(|bytes| ForwardingOrder::from_bytes(&bytes));
    let terms = JoinedTerms {
        hub: parse(COLUMN, &record.hub)?,
        hub_amount: parse(COLUMN, &record.hub_amount)?,
        filler: record.filler,
        refund_to: address(COLUMN, &record.refund_to)?,
    };
    let plan = ForwardingPlan {
        order: order.ok_or_else(|| corrupt(COLUMN, json))?,
        address: address(COLUMN, &record.address)?,
        filler: terms.filler.clone(),
        route: parse(COLUMN, &record.route)?,
        swap: record.swap.map(|id| parse(COLUMN, &id)).transpose()?,
        returned_tx: record.returned_tx,
    };
    let delivered = record.delivered.map(|delivered| delivered.into_confirmed(COLUMN)).transpose()?;
    let arrived_at = record.arrived_at.map(|millis| time(COLUMN, millis)).transpose()?;
    Ok(JoinedOrder { terms, plan, delivered, arrived_at })
}
