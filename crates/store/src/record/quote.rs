use causeway_domain::ports::StoreError;
use causeway_domain::{Ask, Quote, Referral, Slippage, TradeType};

use super::packed::{pack, unpack};
use super::{Plain, PlainToken, RouteRecord, address, corrupt, key, parse, parse_with, small, text, time};

/// A row of `quotes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuoteRecord {
    pub(crate) id: String,
    pub(crate) row_key: i64,
    pub(crate) trade_type: String,
    pub(crate) from_token: String,
    pub(crate) to_token: String,
    pub(crate) amount: String,
    pub(crate) from_address: String,
    pub(crate) recipient: String,
    pub(crate) refund_to: String,
    pub(crate) slippage: Option<i64>,
    pub(crate) referrer: Option<String>,
    pub(crate) referrer_fee_bps: Option<i64>,
    pub(crate) integrator: Option<String>,
    pub(crate) created_at: i64,
    /// The routes that the quote was created with, as a JSON list.
    pub(crate) routes: Option<String>,
}

impl_from_row!(QuoteRecord {
    id,
    row_key,
    trade_type,
    from_token,
    to_token,
    amount,
    from_address,
    recipient,
    refund_to,
    slippage,
    referrer,
    referrer_fee_bps,
    integrator,
    created_at,
    routes
});

/// A quote with the routes that were added later, in order.
pub(crate) struct QuoteRows {
    pub(crate) quote: QuoteRecord,
    pub(crate) routes: Vec<RouteRecord>,
}

impl From<&Quote> for QuoteRecord {
    fn from(quote: &Quote) -> Self {
        let ask = &quote.ask;
        Self {
            id: quote.id.to_string(),
            row_key: quote.key.get(),
            trade_type: ask.trade_type.as_str().to_owned(),
            from_token: PlainToken(ask.from).to_string(),
            to_token: PlainToken(ask.to).to_string(),
            amount: ask.amount.to_string(),
            from_address: Plain(ask.from_address).to_string(),
            recipient: Plain(ask.recipient).to_string(),
            refund_to: Plain(ask.refund_to).to_string(),
            slippage: ask.slippage.map(|slippage| i64::from(slippage.millionths())),
            referrer: ask.referral.map(|referral| Plain(referral.referrer).to_string()),
            referrer_fee_bps: ask.referral.map(|referral| i64::from(referral.fee_bps())),
            integrator: quote.integrator.as_deref().map(text),
            created_at: quote.created_at.as_millisecond(),
            routes: pack(&quote.routes),
        }
    }
}

impl QuoteRows {
    pub(crate) fn into_quote(self) -> Result<Quote, StoreError> {
        let row = self.quote;
        let mut routes = unpack(&row.id, row.routes.as_deref())?;
        // An ordered route has a row of its own as well.
        let later = self.routes.into_iter();
        let later: Vec<_> =
            later.filter(|row| routes.iter().all(|known| known.route_id != row.route_id)).collect();
        routes.extend(later);
        let ask = Ask {
            trade_type: parse_with("quotes.trade_type", &row.trade_type, TradeType::parse)?,
            from: parse("quotes.from_token", &row.from_token)?,
            to: parse("quotes.to_token", &row.to_token)?,
            amount: parse("quotes.amount", &row.amount)?,
            from_address: address("quotes.from_address", &row.from_address)?,
            recipient: address("quotes.recipient", &row.recipient)?,
            refund_to: address("quotes.refund_to", &row.refund_to)?,
            slippage: row.slippage.map(slippage).transpose()?,
            deposit_methods: Vec::new(),
            referral: referral(row.referrer.as_deref(), row.referrer_fee_bps)?,
        };
        Ok(Quote {
            id: parse("quotes.id", &row.id)?,
            key: key("quotes.row_key", row.row_key)?,
            ask,
            integrator: row.integrator,
            created_at: time("quotes.created_at", row.created_at)?,
            routes: routes.into_iter().map(RouteRecord::into_route).collect::<Result<_, _>>()?,
        })
    }
}

fn referral(referrer: Option<&str>, fee_bps: Option<i64>) -> Result<Option<Referral>, StoreError> {
    const COLUMN: &str = "quotes.referrer_fee_bps";
    let (Some(referrer), Some(fee_bps)) = (referrer, fee_bps) else { return Ok(None) };
    let referrer = address("quotes.referrer", referrer)?;
    let fee = u16::try_from(fee_bps).ok().and_then(|fee| Referral::new(referrer, fee));
    fee.map(Some).ok_or_else(|| corrupt(COLUMN, fee_bps))
}

fn slippage(millionths: i64) -> Result<Slippage, StoreError> {
    const COLUMN: &str = "quotes.slippage";
    Slippage::from_millionths(small(COLUMN, millionths)?).ok_or_else(|| corrupt(COLUMN, millionths))
}
