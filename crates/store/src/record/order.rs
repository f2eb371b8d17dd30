use causeway_domain::ports::StoreError;
use causeway_domain::{Order, TradeType};
use jiff::Timestamp;
use sqlx::FromRow;

use super::{address, key, parse, parse_with, small, text, time};

/// A row of `orders`, without the lease.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(crate) struct OrderRecord {
    pub(crate) id: String,
    pub(crate) row_key: i64,
    pub(crate) quote_id: String,
    pub(crate) route_id: String,
    pub(crate) status: String,
    pub(crate) trade_type: String,
    pub(crate) from_token: String,
    pub(crate) to_token: String,
    pub(crate) src_amount: String,
    pub(crate) dest_amount: String,
    /// In the form that authors are compared in.
    pub(crate) author: String,
    pub(crate) recipient: String,
    pub(crate) refund_to: String,
    pub(crate) deposit_tx: Option<String>,
    pub(crate) failure_reason: Option<String>,
    pub(crate) due_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) version: i64,
}

/// Named one by one, so that a column which a newer version adds does not change a prepared answer.
pub(crate) const ORDER_COLUMNS: &str = "id, row_key, quote_id, route_id, status, trade_type, from_token, to_token, \
     src_amount, dest_amount, author, recipient, refund_to, deposit_tx, failure_reason, due_at, created_at, \
     updated_at, version";

impl From<&Order> for OrderRecord {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id.to_string(),
            row_key: order.key.get(),
            quote_id: order.quote.to_string(),
            route_id: order.route.to_string(),
            status: order.status.as_str().to_owned(),
            trade_type: order.trade_type.as_str().to_owned(),
            from_token: order.from.to_string(),
            to_token: order.to.to_string(),
            src_amount: order.src_amount.to_string(),
            dest_amount: order.dest_amount.to_string(),
            author: order.author.to_author(),
            recipient: order.recipient.to_string(),
            refund_to: order.refund_to.to_string(),
            deposit_tx: order.deposit_tx.as_deref().map(text),
            failure_reason: order.failure_reason.as_deref().map(text),
            due_at: order.due_at.map(Timestamp::as_millisecond),
            created_at: order.created_at.as_millisecond(),
            updated_at: order.updated_at.as_millisecond(),
            version: i64::from(order.version),
        }
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
            deposit_tx: self.deposit_tx,
            failure_reason: self.failure_reason,
            due_at: self.due_at.map(|millis| time("orders.due_at", millis)).transpose()?,
            created_at: time("orders.created_at", self.created_at)?,
            updated_at: time("orders.updated_at", self.updated_at)?,
            version: small("orders.version", self.version)?,
        })
    }
}
