use causeway_domain::fiat::{FiatAmount, FiatFailure, FiatFailureSource, FiatOrder, Payout, Strategy};
use causeway_domain::ports::StoreError;
use causeway_domain::{ForwardingOrder, ForwardingPlan, TokenId};
use jiff::Timestamp;

use super::{
    Plain, PlainToken, address, chain_number, corrupt, count, key, parse, parse_with, read_count, small,
    text, time,
};
use crate::database::claim_due::Leased;

/// A row of `fiat_orders`, without the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FiatOrderRecord {
    pub(crate) id: String,
    pub(crate) row_key: i64,
    pub(crate) quote_id: String,
    pub(crate) provider: String,
    pub(crate) provider_order: Option<String>,
    pub(crate) status: String,
    /// In the canonical form for comparing authors.
    pub(crate) author: String,
    pub(crate) recipient: String,
    pub(crate) refund_to: String,
    pub(crate) currency: String,
    pub(crate) pays_minor: i64,
    pub(crate) target: String,
    pub(crate) sold: String,
    pub(crate) sold_chain: i64,
    pub(crate) sold_amount: String,
    pub(crate) expected: String,
    pub(crate) least: String,
    pub(crate) forwarding_order: Option<Vec<u8>>,
    pub(crate) forwarding_address: Option<String>,
    pub(crate) forwarding_filler: Option<String>,
    pub(crate) forwarding_route: Option<String>,
    pub(crate) swap_id: Option<String>,
    pub(crate) returned_tx: Option<String>,
    pub(crate) widget_url: String,
    pub(crate) origin: Option<String>,
    pub(crate) integrator: Option<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) payout_tx: Option<String>,
    pub(crate) payout_index: Option<i64>,
    pub(crate) payout_amount: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) fill_tx: Option<String>,
    pub(crate) failure_code: Option<String>,
    pub(crate) failure_source: Option<String>,
    pub(crate) failure_message: Option<String>,
    pub(crate) pay_by: i64,
    pub(crate) due_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) version: i64,
}

impl_from_row!(FiatOrderRecord {
    id,
    row_key,
    quote_id,
    provider,
    provider_order,
    status,
    author,
    recipient,
    refund_to,
    currency,
    pays_minor,
    target,
    sold,
    sold_chain,
    sold_amount,
    expected,
    least,
    forwarding_order,
    forwarding_address,
    forwarding_filler,
    forwarding_route,
    swap_id,
    returned_tx,
    widget_url,
    origin,
    integrator,
    metadata,
    payout_tx,
    payout_index,
    payout_amount,
    output,
    fill_tx,
    failure_code,
    failure_source,
    failure_message,
    pay_by,
    due_at,
    created_at,
    updated_at,
    version
});

/// Named one by one, so that a column added by a newer version does not change a prepared statement's result.
pub(crate) const FIAT_COLUMNS: &str = "id, row_key, quote_id, provider, provider_order, status, author, recipient, \
     refund_to, currency, pays_minor, target, sold, sold_chain, sold_amount, expected, least, \
     forwarding_order, forwarding_address, forwarding_filler, forwarding_route, swap_id, returned_tx, \
     widget_url, origin, integrator, metadata, payout_tx, payout_index, payout_amount, output, fill_tx, \
     failure_code, failure_source, failure_message, pay_by, due_at, created_at, updated_at, version";

impl TryFrom<&FiatOrder> for FiatOrderRecord {
    type Error = StoreError;

    fn try_from(order: &FiatOrder) -> Result<Self, StoreError> {
        let plan = order.strategy.forwarding();
        let (payout, failure) = (order.payout.as_ref(), order.failure.as_ref());
        if payout.is_some_and(|payout| payout.token != order.sold) {
            return Err(StoreError::Conflict("a purchase is paid out in what was sold"));
        }
        Ok(Self {
            id: order.id.to_string(),
            row_key: order.key.get(),
            quote_id: order.quote.to_string(),
            provider: text(&order.provider),
            provider_order: order.provider_order.as_deref().map(text),
            status: order.status.as_str().to_owned(),
            author: order.author.to_author(),
            recipient: Plain(order.recipient).to_string(),
            refund_to: Plain(order.refund_to).to_string(),
            currency: order.pays.currency.code().to_owned(),
            pays_minor: count(order.pays.minor)?,
            target: PlainToken(order.target).to_string(),
            sold: PlainToken(order.sold).to_string(),
            sold_chain: chain_number(order.sold.chain()),
            sold_amount: order.sold_amount.to_string(),
            expected: order.expected.to_string(),
            least: order.least.to_string(),
            forwarding_order: plan.map(|plan| plan.order.to_bytes()),
            forwarding_address: plan.map(|plan| Plain(plan.address).to_string()),
            forwarding_filler: plan.map(|plan| text(&plan.filler)),
            forwarding_route: plan.map(|plan| plan.route.to_string()),
            swap_id: plan.and_then(|plan| plan.swap.as_ref()).map(ToString::to_string),
            returned_tx: plan.and_then(|plan| plan.returned_tx.as_deref()).map(text),
            widget_url: text(&order.widget_url),
            origin: order.origin.as_deref().map(text),
            integrator: order.integrator.as_deref().map(text),
            metadata: order.metadata.as_deref().map(text),
            payout_tx: payout.map(|payout| text(&payout.tx)),
            payout_index: payout.map(|payout| count(payout.index)).transpose()?,
            payout_amount: payout.map(|payout| payout.amount.to_string()),
            output: order.output.map(|amount| amount.to_string()),
            fill_tx: order.fill_tx.as_deref().map(text),
            failure_code: failure.map(|failure| text(&failure.code)),
            failure_source: failure.map(|failure| failure.source.as_str().to_owned()),
            failure_message: failure.map(|failure| text(&failure.message)),
            pay_by: order.pay_by.as_millisecond(),
            due_at: order.due_at.map(Timestamp::as_millisecond),
            created_at: order.created_at.as_millisecond(),
            updated_at: order.updated_at.as_millisecond(),
            version: i64::from(order.version),
        })
    }
}

impl Leased for FiatOrderRecord {
    type Read = FiatOrder;
    const TABLE: &'static str = "fiat_orders";
    const COLUMNS: &'static str = FIAT_COLUMNS;

    fn id(&self) -> &str {
        &self.id
    }

    fn read(self) -> Result<FiatOrder, StoreError> {
        self.into_order()
    }
}

impl FiatOrderRecord {
    pub(crate) fn into_order(mut self) -> Result<FiatOrder, StoreError> {
        let sold = parse("fiat_orders.sold", &self.sold)?;
        let currency = parse("fiat_orders.currency", &self.currency)?;
        Ok(FiatOrder {
            strategy: self.strategy()?,
            payout: self.payout(sold)?,
            failure: self.failure()?,
            id: parse("fiat_orders.id", &self.id)?,
            key: key("fiat_orders.row_key", self.row_key)?,
            quote: parse("fiat_orders.quote_id", &self.quote_id)?,
            provider: self.provider,
            provider_order: self.provider_order,
            status: parse("fiat_orders.status", &self.status)?,
            author: address("fiat_orders.author", &self.author)?,
            recipient: address("fiat_orders.recipient", &self.recipient)?,
            refund_to: address("fiat_orders.refund_to", &self.refund_to)?,
            pays: FiatAmount::new(currency, read_count("fiat_orders.pays_minor", self.pays_minor)?),
            target: parse("fiat_orders.target", &self.target)?,
            sold,
            sold_amount: parse("fiat_orders.sold_amount", &self.sold_amount)?,
            expected: parse("fiat_orders.expected", &self.expected)?,
            least: parse("fiat_orders.least", &self.least)?,
            widget_url: self.widget_url,
            origin: self.origin,
            integrator: self.integrator,
            metadata: self.metadata,
            output: self.output.map(|text| parse("fiat_orders.output", &text)).transpose()?,
            fill_tx: self.fill_tx,
            pay_by: time("fiat_orders.pay_by", self.pay_by)?,
            due_at: self.due_at.map(|millis| time("fiat_orders.due_at", millis)).transpose()?,
            created_at: time("fiat_orders.created_at", self.created_at)?,
            updated_at: time("fiat_orders.updated_at", self.updated_at)?,
            version: small("fiat_orders.version", self.version)?,
        })
    }

    fn strategy(&mut self) -> Result<Strategy, StoreError> {
        let Some(bytes) = &self.forwarding_order else { return Ok(Strategy::Direct) };
        let forwarding_order = ForwardingOrder::from_bytes(bytes);
        let forwarding_order = forwarding_order
            .ok_or_else(|| corrupt("fiat_orders.forwarding_order", format_args!("{} bytes", bytes.len())))?;
        let (place, filler) = (self.forwarding_address.take(), self.forwarding_filler.take());
        let ((place, filler), route) =
            place.zip(filler).zip(self.forwarding_route.take()).ok_or_else(|| {
                corrupt("fiat_orders.forwarding_address", "nothing, though the purchase is forwarded")
            })?;
        let swap = self.swap_id.take();
        Ok(Strategy::Forwarding(Box::new(ForwardingPlan {
            order: forwarding_order,
            address: address("fiat_orders.forwarding_address", &place)?,
            filler,
            route: parse("fiat_orders.forwarding_route", &route)?,
            swap: swap.map(|id| parse("fiat_orders.swap_id", &id)).transpose()?,
            returned_tx: self.returned_tx.take(),
        })))
    }

    fn payout(&mut self, token: TokenId) -> Result<Option<Payout>, StoreError> {
        let Some(tx) = self.payout_tx.take() else { return Ok(None) };
        let (index, amount) = (self.payout_index, self.payout_amount.take());
        let (index, amount) =
            index.zip(amount).ok_or_else(|| corrupt("fiat_orders.payout_index", "nothing"))?;
        let index = read_count("fiat_orders.payout_index", index)?;
        Ok(Some(Payout { token, tx, index, amount: parse("fiat_orders.payout_amount", &amount)? }))
    }

    fn failure(&mut self) -> Result<Option<FiatFailure>, StoreError> {
        let Some(code) = self.failure_code.take() else { return Ok(None) };
        let (source, words) = (self.failure_source.take(), self.failure_message.take());
        let (source, words) =
            source.zip(words).ok_or_else(|| corrupt("fiat_orders.failure_source", "nothing"))?;
        let source = parse_with("fiat_orders.failure_source", &source, FiatFailureSource::parse)?;
        Ok(Some(FiatFailure { code, source, message: words }))
    }
}
