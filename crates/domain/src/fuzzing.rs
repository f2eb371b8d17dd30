//! Parsers of what strangers send, each with the rules that its results keep. Compiled for fuzzing and for the test that replays
//! the committed inputs.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::fiat::{FiatAmount, FiatCurrency, FiatStatus};
use crate::ports::{ApiScope, EndpointName, FillerProtocol, Pausable, WebhookSecret};
use crate::{
    Address, ChainId, DepositMethod, Family, FiatOrderId, FiatQuoteId, ForwardingOrder, IntentTerms,
    OpenRouteError, OrderId, OrderStatus, QuoteId, QuoteKey, QuoteKeys, RawAmount, RouteId, RouteSeal,
    Slippage, TokenId, UsdAmount, UsdPrice,
};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("addresses", addresses),
    ("amounts", amounts),
    ("caip", caip),
    ("ids", ids),
    ("names", names),
    ("sealed_routes", sealed_routes),
    ("terms", terms),
];

const FAMILIES: [Family; 4] = [Family::Evm, Family::Solana, Family::Bitcoin, Family::Tron];

/// What is parsed is printed as it came, so each value has one text.
fn prints_as_it_came<T: FromStr + fmt::Display>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string(), text);
    }
}

/// What is printed is parsed to the same value.
fn reads_back<T>(text: &str) -> Option<T>
where
    T: FromStr + fmt::Display + fmt::Debug + PartialEq,
{
    let value = text.parse::<T>().ok()?;
    assert_eq!(value.to_string().parse::<T>().ok().as_ref(), Some(&value), "{text}");
    Some(value)
}

fn ids(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    prints_as_it_came::<OrderId>(text);
    prints_as_it_came::<QuoteId>(text);
    prints_as_it_came::<FiatOrderId>(text);
    prints_as_it_came::<FiatQuoteId>(text);
    prints_as_it_came::<RouteId>(text);
    assert!(text.len() <= RouteId::MAX_LENGTH || text.parse::<RouteId>().is_err());
}

/// The first byte chooses decimals and currency.
fn amounts(bytes: &[u8]) {
    let Some((choice, text)) = bytes.split_first() else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    if let Some(raw) = reads_back::<RawAmount>(text) {
        let significant = text.trim_start_matches('0');
        assert_eq!(raw.to_string(), if significant.is_empty() { "0" } else { significant });
    }
    let decimals = choice % 80;
    if let Ok(amount) = RawAmount::from_decimal(text, decimals) {
        assert_eq!(amount.to_decimal(decimals), shortest(text), "{decimals}");
        assert_eq!(RawAmount::from_decimal(&amount.to_decimal(decimals), decimals), Ok(amount));
    }
    let (price, dollars) = (reads_back::<UsdPrice>(text), reads_back::<UsdAmount>(text));
    if let (Some(price), Some(dollars)) = (price, dollars)
        && let Some(bought) = price.buys(dollars, decimals)
    {
        assert!(
            price.value(bought, decimals).is_none_or(|worth| worth <= dollars),
            "worth more than was paid"
        );
    }
    let at = usize::from(*choice) % FiatCurrency::codes().count();
    let currency = FiatCurrency::codes().nth(at).and_then(|(code, _)| code.parse::<FiatCurrency>().ok());
    if let Some(currency) = currency
        && let Ok(amount) = FiatAmount::parse(currency, text)
    {
        assert!(amount.minor > 0 && amount.minor < 1 << 53);
        let printed = amount.to_string();
        assert_eq!(FiatAmount::parse(currency, &printed), Ok(amount));
        let digits = printed.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        assert_eq!(digits, usize::from(currency.digits()));
    }
    prints_as_it_came::<FiatCurrency>(text);
    if let Some(slippage) = reads_back::<Slippage>(text) {
        assert_eq!(Slippage::from_millionths(slippage.millionths()), Some(slippage));
    }
}

/// A decimal number without zeros that mean nothing.
fn shortest(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

fn caip(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(chain) = ChainId::from_caip2(text) {
        assert_eq!(chain.caip2(), text);
    }
    if let Some(token) = reads_back::<TokenId>(text) {
        assert_eq!(token.to_json().parse(), Ok(token));
        assert_eq!(token.chain().family(), token.address().family());
        assert_eq!(TokenId::from_address(token.chain(), token.address()), Some(token));
    }
}

fn addresses(bytes: &[u8]) {
    if let Some(address) = Address::from_bytes(bytes) {
        assert_eq!(address.to_bytes(), bytes);
        assert_eq!(Address::parse_any(&address.to_string()), Some(address));
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    let mut found = Vec::new();
    for family in FAMILIES {
        let lenient = Address::parse_any_case(family, text).ok();
        if let Ok(address) = Address::parse(family, text) {
            assert_eq!(lenient, Some(address));
        }
        let Some(address) = lenient else { continue };
        assert_eq!(address.family(), family);
        let printed = address.to_string();
        assert_eq!(Address::parse(family, &printed), Ok(address));
        assert!(printed.eq_ignore_ascii_case(text), "{printed}");
        assert_eq!(Address::from_bytes(&address.to_bytes()), Some(address));
        found.push(address);
    }
    assert!(found.len() <= 1, "an address of two families: {found:?}");
    assert_eq!(Address::parse_any(text), found.first().copied());
}

fn names(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    prints_as_it_came::<OrderStatus>(text);
    prints_as_it_came::<FiatStatus>(text);
    prints_as_it_came::<EndpointName>(text);
    let words = [
        text.parse::<DepositMethod>().ok().map(DepositMethod::as_str),
        text.parse::<ApiScope>().ok().map(ApiScope::as_str),
        text.parse::<FillerProtocol>().ok().map(FillerProtocol::as_str),
    ];
    assert!(words.into_iter().flatten().all(|word| word == text));
    if let Ok(secret) = text.parse::<WebhookSecret>() {
        assert_eq!(secret.reveal(), text);
        assert!(!format!("{secret:?}").contains(text), "a secret is shown");
    }
    let (kind, name) = text.split_once(' ').unwrap_or((text, ""));
    if let Ok(pausable) = Pausable::parse(kind, name) {
        assert_eq!(pausable.kind(), kind);
        assert_eq!(Pausable::parse(kind, &pausable.name()), Ok(pausable));
    }
}

const KEY: [u8; 32] = [7; 32];

fn mac(key: &[u8], message: &[u8]) -> Option<[u8; 32]> {
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    Some(mac.chain_update(message).finalize().into_bytes().into())
}

/// The id of these terms, sealed as the documentation of `RouteSeal` says, without its code.
fn sealed(terms: &[u8]) -> Option<String> {
    let [id, ..] = mac(&KEY, b"causeway quote key id")?;
    let mut bytes = [&[id], terms].concat();
    let tag = mac(&mac(&KEY, b"causeway sealed routes")?, &bytes)?;
    bytes.extend_from_slice(tag.first_chunk::<16>()?);
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

fn no_quote() -> Option<QuoteId> {
    "0".repeat(32).parse().ok()
}

fn opens(text: &str) -> bool {
    let (Ok(route), Some(other)) = (text.parse::<RouteId>(), no_quote()) else { return false };
    let seal = RouteSeal::new(&QuoteKeys { current: QuoteKey::new(KEY), older: Vec::new() });
    match seal.open(&other, &route) {
        Err(OpenRouteError::NotSealed) => false,
        Ok(terms) => {
            assert_eq!(terms.quote, other);
            true
        }
        // It holds the id of its own quote, and every part of it can be written again.
        Err(OpenRouteError::OtherQuote) => true,
    }
}

/// Route ids as a stranger sends them, and ids with a valid tag over any bytes, so that the decoder is reached.
fn sealed_routes(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        assert!(!opens(text), "an id that nobody sealed opens");
    }
    let Some(text) = sealed(bytes).filter(|text| opens(text)) else { return };
    // The same bytes have one text: neither padding nor another alphabet opens.
    assert!(!opens(&format!("{text}=")));
    let stranger = QuoteKeys { current: QuoteKey::new([8; 32]), older: Vec::new() };
    let route = text.parse::<RouteId>().ok().zip(no_quote());
    let opened = route.map(|(route, quote)| RouteSeal::new(&stranger).open(&quote, &route));
    assert_eq!(opened, Some(Err(OpenRouteError::NotSealed)), "another key opens it");
}

fn terms(bytes: &[u8]) {
    if let Some(terms) = IntentTerms::from_bytes(bytes) {
        assert_eq!(terms.to_bytes(), bytes);
    }
    if let Some(forwarding) = ForwardingOrder::from_bytes(bytes) {
        assert_eq!(forwarding.to_bytes(), bytes);
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("domain", super::PARSERS);
    }
}
