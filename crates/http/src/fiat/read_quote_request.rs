use std::borrow::Cow;

use causeway_domain::fiat::{FiatAmount, FiatAsk, FiatCurrency, WantedAmount};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde_json::Value;

use crate::error::ApiError;
use crate::extract::{Body, Fields, whole_number};

/// Half of the expected output.
const MAX_SLIPPAGE_BPS: u16 = 5_000;

/// Maximum length of a provider id or payment method id.
const MAX_ID_LENGTH: usize = 64;

/// Parses the body of a fiat quote request, or returns all of its issues.
pub(crate) fn read_quote_request(body: &Body) -> Result<FiatAsk, ApiError> {
    let mut fields = body.fields()?;
    let currency = read_currency(&mut fields);
    let amount = read_amount(&mut fields, currency);
    let target = read_target(&mut fields);
    let family = target.map(|token| token.chain().family());
    let recipient = read_recipient(&mut fields);
    let parse = |text: &str| Address::parse(family?, text).into();
    let recipient: Option<Result<Address, _>> = recipient.as_deref().and_then(parse);
    let recipient = recipient.and_then(|address| fields.issues.check("recipient", address));
    let refund_to = fields.string("refundTo");
    let refund_to = refund_to.as_deref().and_then(parse);
    let refund_to = refund_to.and_then(|address| fields.issues.check("refundTo", address));
    let provider = read_id(&mut fields, "provider");
    let method = read_id(&mut fields, "paymentMethod");
    let slippage_bps = read_slippage(&mut fields);
    let country = read_country(&mut fields);
    fields.finish()?;

    // Every `None` above has recorded an issue, so all values are present after `finish`.
    let ask = (|| {
        Some(FiatAsk {
            currency: currency?,
            amount: amount?,
            target: target?,
            recipient: recipient?,
            provider,
            method,
            refund_to,
            slippage_bps,
            country,
        })
    })();
    ask.ok_or_else(|| ApiError::internal(&"a field of the quote request is missing without an issue"))
}

fn read_currency(fields: &mut Fields<'_>) -> Option<FiatCurrency> {
    let text = fields.required_string("fiatCurrency")?;
    fields.issues.check("fiatCurrency", text.parse::<FiatCurrency>())
}

/// Exactly one of `fiatAmount` and `cryptoAmount`.
fn read_amount(fields: &mut Fields<'_>, currency: Option<FiatCurrency>) -> Option<WantedAmount> {
    let paid = fields.string("fiatAmount");
    let received = fields.string("cryptoAmount");
    match (paid, received) {
        (Some(text), None) => {
            let amount = FiatAmount::parse(currency?, &text);
            fields.issues.check("fiatAmount", amount).map(WantedAmount::Pay)
        }
        (None, Some(text)) => {
            let amount = fields.issues.check("cryptoAmount", text.parse::<RawAmount>())?;
            let positive = if amount.is_zero() { Err("must be more than zero") } else { Ok(amount) };
            fields.issues.check("cryptoAmount", positive).map(WantedAmount::Receive)
        }
        (Some(_), Some(_)) => {
            fields
                .issues
                .add("cryptoAmount", "cannot be combined with fiatAmount: give exactly one of the two");
            None
        }
        // A value of the wrong type already has an issue.
        (None, None) if fields.has("fiatAmount") || fields.has("cryptoAmount") => None,
        (None, None) => {
            fields.issues.add("fiatAmount", "is required, unless cryptoAmount is given");
            None
        }
    }
}

/// `toChainId` and `toToken`, or `outputAsset`.
fn read_target(fields: &mut Fields<'_>) -> Option<TokenId> {
    let asset = fields.object("outputAsset");
    let Some(asset) = asset else {
        let chain = fields.required_integer("toChainId");
        let token = fields.required_string("toToken");
        let chain = fields.issues.check("toChainId", chain_id(chain?))?;
        return fields.issues.check("toToken", TokenId::new(chain, &token?));
    };
    let chain = asset.get("chainId").and_then(whole_number).ok_or("is required, as a whole number");
    let chain = fields.issues.check("outputAsset.chainId", chain.and_then(chain_id));
    let address = asset.get("address").and_then(Value::as_str).ok_or("is required, as a string");
    let address = fields.issues.check("outputAsset.address", address);
    let token = fields.issues.check("outputAsset.address", TokenId::new(chain?, address?))?;
    if fields.has("toChainId") || fields.has("toToken") {
        let chain = fields.integer("toChainId").and_then(ChainId::new);
        let chain = chain.unwrap_or_else(|| token.chain());
        let other = fields.string("toToken").map(|text| TokenId::new(chain, &text));
        let differs = chain != token.chain() || other.is_some_and(|other| other.ok() != Some(token));
        if differs {
            let message = "names another token than toChainId and toToken: give one of the two";
            fields.issues.add("outputAsset", message);
        }
    }
    Some(token)
}

fn chain_id(number: u64) -> Result<ChainId, &'static str> {
    ChainId::new(number).ok_or("must be a number between 1 and 2^53 - 1")
}

/// `recipient`, or its newer name `walletAddress`.
fn read_recipient<'a>(fields: &mut Fields<'a>) -> Option<Cow<'a, str>> {
    let (recipient, wallet) = (fields.string("recipient"), fields.string("walletAddress"));
    match (&recipient, &wallet) {
        (Some(recipient), Some(wallet)) if !recipient.eq_ignore_ascii_case(wallet) => {
            fields.issues.add("walletAddress", "differs from recipient: give one of the two");
        }
        (None, None) => fields.issues.add("recipient", "is required: the wallet that receives the tokens"),
        _ => {}
    }
    recipient.or(wallet)
}

fn read_id(fields: &mut Fields<'_>, path: &str) -> Option<String> {
    let text = fields.string(path)?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let fits = (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(plain);
    fields.issues.check(
        path,
        if fits { Ok(text.into_owned()) } else { Err("is not one that GET /v1/fiat/providers lists") },
    )
}

fn read_slippage(fields: &mut Fields<'_>) -> Option<u16> {
    let number = fields.integer("slippageBps")?;
    let fits = u16::try_from(number).ok().filter(|bps| *bps <= MAX_SLIPPAGE_BPS);
    let message = "is a whole number between 0 and 5000, in hundredths of a percent";
    fields.issues.check("slippageBps", fits.ok_or(message))
}

fn read_country(fields: &mut Fields<'_>) -> Option<String> {
    let text = fields.string("country")?;
    let (country, part) = text.split_once('-').map_or((text.as_ref(), None), |(a, b)| (a, Some(b)));
    let is_code = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let fits = country.len() == 2
        && country.bytes().all(|b| b.is_ascii_uppercase())
        && part.is_none_or(|part| (1..=3).contains(&part.len()) && is_code(part));
    let message = "is an ISO 3166 code in capitals: DE, or with a subdivision US-NY";
    fields.issues.check("country", if fits { Ok(text.into_owned()) } else { Err(message) })
}

#[cfg(test)]
mod tests;
