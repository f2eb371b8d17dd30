use causeway_domain::RawAmount;
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatCurrency, FiatQuote, ForwardingOption, PaymentMethod, QuoteFirmness, RampFee,
    RampFeeKind, WantedAmount,
};
use causeway_domain::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{Plain, PlainToken, address, corrupt, json, key, parse, parse_with, text, time};

const COLUMN: &str = "fiat_quotes.offer";

/// An offer as the JSON in its row.
#[derive(Serialize, Deserialize)]
struct OfferRecord {
    id: String,
    key: i64,
    provider: String,
    firmness: String,
    ask: AskRecord,
    pays: u64,
    fees: Vec<(String, u64)>,
    sold: String,
    sold_amount: String,
    expected: String,
    least: String,
    jumps: Vec<JumpRecord>,
    methods: Vec<(String, String)>,
    limits: Option<(u64, u64)>,
    expires_at: i64,
    created_at: i64,
}

#[derive(Serialize, Deserialize)]
struct AskRecord {
    currency: String,
    /// Exactly one of `pay` and `receive` is set.
    pay: Option<u64>,
    receive: Option<String>,
    target: String,
    recipient: String,
    provider: Option<String>,
    method: Option<String>,
    refund_to: Option<String>,
    slippage_bps: Option<u16>,
    country: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct JumpRecord {
    quote: String,
    route: String,
    filler: String,
    expected: String,
    least: String,
}

/// The JSON of a quote's row. All its fiat amounts have one currency.
pub(crate) fn offer_text(quote: &FiatQuote) -> Result<String, StoreError> {
    let currency = quote.ask.currency;
    let amounts = quote.fees.iter().map(|fee| fee.amount).chain([quote.pays]);
    if amounts.into_iter().any(|amount| amount.currency != currency) {
        return Err(StoreError::Conflict("a quote is in one currency"));
    }
    let jump = |option: &ForwardingOption| JumpRecord {
        quote: option.quote.to_string(),
        route: option.route.to_string(),
        filler: text(&option.filler),
        expected: option.expected.to_string(),
        least: option.least.to_string(),
    };
    let method = |method: &PaymentMethod| (text(&method.id), text(&method.name));
    Ok(json(&OfferRecord {
        id: quote.id.to_string(),
        key: quote.key.get(),
        provider: text(&quote.provider),
        firmness: quote.firmness.as_str().to_owned(),
        ask: (&quote.ask).into(),
        pays: quote.pays.minor,
        fees: quote.fees.iter().map(|fee| (fee.kind.as_str().to_owned(), fee.amount.minor)).collect(),
        sold: PlainToken(quote.sold).to_string(),
        sold_amount: quote.sold_amount.to_string(),
        expected: quote.expected.to_string(),
        least: quote.least.to_string(),
        jumps: quote.forwarding_options.iter().map(jump).collect(),
        methods: quote.methods.iter().map(method).collect(),
        limits: quote.limits.map(|(least, most)| (least.minor, most.minor)),
        expires_at: quote.expires_at.as_millisecond(),
        created_at: quote.created_at.as_millisecond(),
    }))
}

pub(crate) fn read_offer(json: &str) -> Result<FiatQuote, StoreError> {
    let record: OfferRecord = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    let ask = record.ask.into_ask()?;
    let money = |minor| FiatAmount::new(ask.currency, minor);
    let fee = |(kind, minor): (String, u64)| -> Result<RampFee, StoreError> {
        Ok(RampFee { kind: parse_with(COLUMN, &kind, RampFeeKind::parse)?, amount: money(minor) })
    };
    let jump = |record: JumpRecord| -> Result<ForwardingOption, StoreError> {
        Ok(ForwardingOption {
            quote: parse(COLUMN, &record.quote)?,
            route: parse(COLUMN, &record.route)?,
            filler: record.filler,
            expected: parse(COLUMN, &record.expected)?,
            least: parse(COLUMN, &record.least)?,
        })
    };
    Ok(FiatQuote {
        id: parse(COLUMN, &record.id)?,
        key: key(COLUMN, record.key)?,
        provider: record.provider,
        firmness: parse_with(COLUMN, &record.firmness, QuoteFirmness::parse)?,
        pays: money(record.pays),
        fees: record.fees.into_iter().map(fee).collect::<Result<_, _>>()?,
        sold: parse(COLUMN, &record.sold)?,
        sold_amount: parse(COLUMN, &record.sold_amount)?,
        expected: parse(COLUMN, &record.expected)?,
        least: parse(COLUMN, &record.least)?,
        forwarding_options: record.jumps.into_iter().map(jump).collect::<Result<_, _>>()?,
        methods: record.methods.into_iter().map(|(id, name)| PaymentMethod { id, name }).collect(),
        limits: record.limits.map(|(least, most)| (money(least), money(most))),
        expires_at: time(COLUMN, record.expires_at)?,
        created_at: time(COLUMN, record.created_at)?,
        ask,
    })
}

impl From<&FiatAsk> for AskRecord {
    fn from(ask: &FiatAsk) -> Self {
        let (pay, receive) = match ask.amount {
            WantedAmount::Pay(amount) => (Some(amount.minor), None),
            WantedAmount::Receive(amount) => (None, Some(amount.to_string())),
        };
        Self {
            currency: ask.currency.code().to_owned(),
            pay,
            receive,
            target: PlainToken(ask.target).to_string(),
            recipient: Plain(ask.recipient).to_string(),
            provider: ask.provider.as_deref().map(text),
            method: ask.method.as_deref().map(text),
            refund_to: ask.refund_to.map(|address| Plain(address).to_string()),
            slippage_bps: ask.slippage_bps,
            country: ask.country.as_deref().map(text),
        }
    }
}

impl AskRecord {
    fn into_ask(self) -> Result<FiatAsk, StoreError> {
        let currency: FiatCurrency = parse(COLUMN, &self.currency)?;
        let amount = match (self.pay, self.receive) {
            (Some(minor), None) => WantedAmount::Pay(FiatAmount::new(currency, minor)),
            (None, Some(amount)) => WantedAmount::Receive(parse::<RawAmount>(COLUMN, &amount)?),
            _ => return Err(corrupt(COLUMN, "both amounts, or none")),
        };
        Ok(FiatAsk {
            currency,
            amount,
            target: parse(COLUMN, &self.target)?,
            recipient: address(COLUMN, &self.recipient)?,
            provider: self.provider,
            method: self.method,
            refund_to: self.refund_to.map(|text| address(COLUMN, &text)).transpose()?,
            slippage_bps: self.slippage_bps,
            country: self.country,
        })
    }
}
