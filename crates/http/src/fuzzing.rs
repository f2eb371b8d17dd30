//! Bodies, queries and paths as strangers send them, with the rules that what is read keeps. Compiled for fuzzing and for the test
//! that replays the committed inputs.

use axum::response::IntoResponse as _;
use causeway_domain::{DepositMethod, DepositWindow, Referral};

use crate::error::ApiError;
use crate::extract::{
    Body, QueryParams, parse_address, parse_chain_id, parse_hash, parse_hex, parse_submitted_id,
    parse_transaction_id,
};
use crate::{deposits, fiat, quotes};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("bodies", bodies),
    ("builds", builds),
    ("fiat_orders", fiat_orders),
    ("fiat_quotes", fiat_quotes),
    ("quotes", quote_requests),
    ("submits", submits),
    ("texts", texts),
];

/// What a stranger sends is never the fault of the service.
fn blames_the_caller<T>(read: Result<T, ApiError>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(error) => {
            let told = format!("{error:?}");
            assert!(error.into_response().status().is_client_error(), "{told}");
            None
        }
    }
}

fn body(bytes: &[u8]) -> Body {
    Body::from_bytes(bytes.to_vec())
}

fn bodies(bytes: &[u8]) {
    let body = body(bytes);
    let is_object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes).is_ok();
    assert_eq!(blames_the_caller(body.fields()).is_some(), is_object);
}

fn quote_requests(bytes: &[u8]) {
    let Some(ask) = blames_the_caller(quotes::read_quote_request(&body(bytes))) else { return };
    assert!(!ask.amount.is_zero() && ask.from != ask.to);
    let (from, to) = (ask.from.chain().family(), ask.to.chain().family());
    assert_eq!((ask.from_address.family(), ask.recipient.family(), ask.refund_to.family()), (from, to, from));
    assert!(ask.slippage.is_none_or(|slippage| slippage.millionths() <= 500_000));
    assert!(ask.referral.is_none_or(|referral| referral.fee_bps() <= Referral::MAX_FEE_BPS));
    if let Some(window) = ask.deposit_window {
        assert!((DepositWindow::MIN..=DepositWindow::MAX).contains(&window.seconds()));
        assert!(!ask.deposit_methods.contains(&DepositMethod::Transfer) && !ask.deposit_methods.is_empty());
    }
}

fn builds(bytes: &[u8]) {
    let Some(request) = blames_the_caller(deposits::read_build_request(&body(bytes), None)) else { return };
    let text = String::from_utf8_lossy(bytes);
    assert!(text.contains('{') && !request.quote.as_str().is_empty());
}

fn submits(bytes: &[u8]) {
    let Some(request) = blames_the_caller(deposits::read_submit_request(&body(bytes))) else { return };
    match request.proof {
        causeway_engine::Proof::Hash(hash) => assert_eq!(parse_submitted_id(&hash), Ok(hash)),
        causeway_engine::Proof::Signed(bytes) | causeway_engine::Proof::Permit(bytes) => {
            assert!(!bytes.is_empty());
        }
    }
}

fn fiat_quotes(bytes: &[u8]) {
    let Some(ask) = blames_the_caller(fiat::read_quote_request(&body(bytes))) else { return };
    assert_eq!(ask.target.chain().family(), ask.recipient.family());
}

fn fiat_orders(bytes: &[u8]) {
    let Some(request) = blames_the_caller(fiat::read_order_request(&body(bytes))) else { return };
    assert!(request.metadata.is_none_or(|metadata| metadata.len() <= 4 * 1024));
}

fn texts(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(chain) = parse_chain_id(text) {
        assert_eq!(chain.to_string(), text.trim_start_matches('0'));
    }
    if let Ok(address) = parse_address(text) {
        assert_eq!(parse_address(&address.to_string()), Ok(address));
    }
    if let Ok(decoded) = parse_hex(text) {
        assert_eq!(
            alloy_primitives::hex::encode(&decoded),
            text.get(2..).unwrap_or_default().to_ascii_lowercase()
        );
    }
    if let Ok(hash) = parse_hash(text) {
        assert_eq!(parse_transaction_id(text), Ok(hash.to_string()));
    }
    for read in [parse_transaction_id, parse_submitted_id] {
        if let Ok(id) = read(text) {
            assert_eq!(read(&id), Ok(id.clone()));
        }
    }
    let mut params = QueryParams::parse(text);
    assert!((1..=100).contains(&params.limit(20, 100)));
    assert!(params.cursor().is_none_or(|cursor| cursor < 1 << 53));
    let chains = params.chain_ids();
    assert!(chains.iter().all(|chain| chains.iter().filter(|other| *other == chain).count() == 1));
    let shown = params.text("q");
    assert!(shown.is_none_or(|text| text.chars().count() <= 256 && !text.chars().any(char::is_control)));
    let _ = blames_the_caller(params.finish());
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("http", super::PARSERS);
    }
}
