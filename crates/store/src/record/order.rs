use causeway_domain::ports::StoreError;
use causeway_domain::{
    Decision, DepositMethod, ForwardingOrder, IntentTerms, Order, OrderStatus, ProviderOrder, TradeType,
};
use jiff::Timestamp;

use super::evidence::{evidence_text, read_evidence};
use super::joined::{joined_text, read_joined};
use super::provider::{provider_text, read_provider};
use super::{
    Plain, PlainToken, address, chain_number, corrupt, key, parse, parse_with, read_tier, small, text,
    tier_number, time,
};
use crate::database::claim_due::Leased;

/// A row of `orders`, without the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderRecord {
    pub(crate) id: String,
    pub(crate) row_key: i64,
    pub(crate) quote_id: String,
    pub(crate) route_id: String,
    pub(crate) intent_id: String,
    pub(crate) status: String,
    pub(crate) trade_type: String,
    pub(crate) from_token: String,
    pub(crate) to_token: String,
    pub(crate) src_amount: String,
    pub(crate) dest_amount: String,
    /// In the canonical form for comparing authors.
    pub(crate) author: String,
    pub(crate) recipient: String,
    pub(crate) refund_to: String,
    pub(crate) filler: String,
    pub(crate) kind: String,
    pub(crate) filler_quote: Option<String>,
    pub(crate) integrator: Option<String>,
    pub(crate) method: String,
    pub(crate) terms: Vec<u8>,
    pub(crate) deposit_address: Option<String>,
    pub(crate) forwarding_order: Option<Vec<u8>>,
    pub(crate) provider: Option<String>,
    pub(crate) joined: Option<String>,
    pub(crate) valid_before: i64,
    pub(crate) finality_tier: i64,
    pub(crate) announced: i64,
    pub(crate) submitted_tx: Option<String>,
    pub(crate) built: Option<Vec<u8>>,
    pub(crate) signed_payload: Option<Vec<u8>>,
    pub(crate) decision: Option<String>,
    pub(crate) evidence: String,
    pub(crate) failure_reason: Option<String>,
    pub(crate) due_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) version: i64,
}

impl_from_row!(OrderRecord {
    id,
    row_key,
    quote_id,
    route_id,
    intent_id,
    status,
    trade_type,
    from_token,
    to_token,
    src_amount,
    dest_amount,
    author,
    recipient,
    refund_to,
    filler,
    kind,
    filler_quote,
    integrator,
    method,
    terms,
    deposit_address,
    forwarding_order,
    provider,
    joined,
    valid_before,
    finality_tier,
    announced,
    submitted_tx,
    built,
    signed_payload,
    decision,
    evidence,
    failure_reason,
    due_at,
    created_at,
    updated_at,
    version
});

/// Named one by one, so that a column added by a newer version does not change a prepared statement's result.
pub(crate) const ORDER_COLUMNS: &str = "id, row_key, quote_id, route_id, intent_id, status, trade_type, from_token, \
     to_token, src_amount, dest_amount, author, recipient, refund_to, filler, kind, filler_quote, integrator, method, \
     terms, deposit_address, forwarding_order, provider, joined, valid_before, finality_tier, announced, submitted_tx, built, signed_payload, decision, \
     evidence, failure_reason, due_at, created_at, updated_at, version";

/// Derived columns, stored for indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderIndex {
    pub(crate) from_chain: i64,
    pub(crate) to_chain: i64,
    pub(crate) deposit_tx: Option<String>,
    pub(crate) owed: i64,
    pub(crate) intent_state: i64,
}

impl From<&Order> for OrderIndex {
    fn from(order: &Order) -> Self {
        Self {
            from_chain: chain_number(order.from.chain()),
            to_chain: chain_number(order.to.chain()),
            deposit_tx: order.evidence.deposit.as_ref().map(|confirmed| text(&confirmed.tx)),
            owed: i64::from(is_owed(order)),
            intent_state: i64::from(order.intent_state().number()),
        }
    }
}

/// Whether the filler fills or has filled the order and is not paid yet.
fn is_owed(order: &Order) -> bool {
    order.provider.is_none()
        && matches!(order.status, OrderStatus::Published | OrderStatus::Filled)
        && !order.evidence.is_ended()
}

impl From<&Order> for OrderRecord {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id.to_string(),
            row_key: order.key.get(),
            quote_id: order.quote.to_string(),
            route_id: order.route.to_string(),
            intent_id: order.intent_id.to_string(),
            status: order.status.as_str().to_owned(),
            trade_type: order.trade_type.as_str().to_owned(),
            from_token: PlainToken(order.from).to_string(),
            to_token: PlainToken(order.to).to_string(),
            src_amount: order.src_amount.to_string(),
            dest_amount: order.dest_amount.to_string(),
            author: order.author.to_author(),
            recipient: Plain(order.recipient).to_string(),
            refund_to: Plain(order.refund_to).to_string(),
            filler: text(&order.filler),
            kind: text(&order.kind),
            filler_quote: order.filler_quote.as_deref().map(text),
            integrator: order.integrator.as_deref().map(text),
            method: order.method.as_str().to_owned(),
            terms: order.terms.to_bytes(),
            deposit_address: order.deposit_address.map(|address| Plain(address).to_string()),
            forwarding_order: order.forwarding.as_ref().map(|order| order.to_bytes()),
            provider: order.provider.as_deref().map(provider_text),
            joined: order.joined().map(joined_text),
            valid_before: order.valid_before.as_millisecond(),
            finality_tier: tier_number(order.finality_tier),
            announced: i64::from(order.announced),
            submitted_tx: order.submitted_tx.as_deref().map(text),
            built: order.built.clone(),
            signed_payload: order.signed_payload.clone(),
            decision: order.decision.map(|decision| decision.as_str().to_owned()),
            evidence: evidence_text(&order.evidence),
            failure_reason: order.failure_reason.as_deref().map(text),
            due_at: order.due_at.map(Timestamp::as_millisecond),
            created_at: order.created_at.as_millisecond(),
            updated_at: order.updated_at.as_millisecond(),
            version: i64::from(order.version),
        }
    }
}

impl Leased for OrderRecord {
    type Read = Order;
    const TABLE: &'static str = "orders";
    const COLUMNS: &'static str = ORDER_COLUMNS;

    fn id(&self) -> &str {
        &self.id
    }

    fn read(self) -> Result<Order, StoreError> {
        self.into_order()
    }
}

impl OrderRecord {
    pub(crate) fn into_order(self) -> Result<Order, StoreError> {
        Ok(Order {
            id: parse("orders.id", &self.id)?,
            key: key("orders.row_key", self.row_key)?,
            quote: parse("orders.quote_id", &self.quote_id)?,
            route: parse("orders.route_id", &self.route_id)?,
            status: parse("orders.status", &self.status)?,
            trade_type: parse_with("orders.trade_type", &self.trade_type, TradeType::parse)?,
            from: parse("orders.from_token", &self.from_token)?,
            to: parse("orders.to_token", &self.to_token)?,
            src_amount: parse("orders.src_amount", &self.src_amount)?,
            dest_amount: parse("orders.dest_amount", &self.dest_amount)?,
            author: address("orders.author", &self.author)?,
            recipient: address("orders.recipient", &self.recipient)?,
            refund_to: address("orders.refund_to", &self.refund_to)?,
            filler: self.filler,
            kind: self.kind,
            filler_quote: self.filler_quote,
            integrator: self.integrator,
            method: parse::<DepositMethod>("orders.method", &self.method)?,
            terms: read_terms("orders.terms", &self.terms)?,
            intent_id: parse("orders.intent_id", &self.intent_id)?,
            deposit_address: self
                .deposit_address
                .map(|text| address("orders.deposit_address", &text))
                .transpose()?,
            forwarding: self
                .forwarding_order
                .map(|bytes| read_forwarding_order(&bytes).map(Box::new))
                .transpose()?,
            provider: self
                .provider
                .map(|json| read_order_provider(&json, self.joined.as_deref()))
                .transpose()?,
            valid_before: time("orders.valid_before", self.valid_before)?,
            finality_tier: read_tier("orders.finality_tier", self.finality_tier)?,
            announced: self.announced != 0,
            submitted_tx: self.submitted_tx,
            built: self.built,
            signed_payload: self.signed_payload,
            decision: self
                .decision
                .map(|text| parse_with("orders.decision", &text, Decision::parse))
                .transpose()?,
            evidence: read_evidence(&self.evidence)?,
            failure_reason: self.failure_reason,
            due_at: self.due_at.map(|millis| time("orders.due_at", millis)).transpose()?,
            created_at: time("orders.created_at", self.created_at)?,
            updated_at: time("orders.updated_at", self.updated_at)?,
            version: small("orders.version", self.version)?,
        })
    }
}

/// What settles an order, and the second leg that follows.
fn read_order_provider(json: &str, joined: Option<&str>) -> Result<Box<ProviderOrder>, StoreError> {
    let joined = joined.map(|json| read_joined(json).map(Box::new)).transpose()?;
    Ok(Box::new(ProviderOrder { joined, ..read_provider(json)? }))
}

fn read_forwarding_order(bytes: &[u8]) -> Result<ForwardingOrder, StoreError> {
    ForwardingOrder::from_bytes(bytes)
        .ok_or_else(|| corrupt("orders.forwarding_order", format_args!("{} bytes", bytes.len())))
}

pub(super) fn read_terms(column: &'static str, bytes: &[u8]) -> Result<IntentTerms, StoreError> {
    IntentTerms::from_bytes(bytes).ok_or_else(|| corrupt(column, format_args!("{} bytes", bytes.len())))
}
