//! Parsing of the fixtures.

use causeway_domain::fiat::{FiatAmount, FiatCurrency};
use causeway_domain::ports::RampError;
use causeway_domain::ports::RampState::{Delivered, Failed, Paid, Started, Unknown, Waiting};
use jiff::Timestamp;
use reqwest::StatusCode;

use super::fixture::{self, assets, usdc};
use super::mapping::{event, price, report, state};
use super::transport::parse_response;
use super::wire::{BuyConfig, QuoteAnswer, SessionAnswer, TransactionJson, Transactions};
use crate::transport::ApiResponse;

fn usd() -> FiatCurrency {
    "USD".parse().unwrap()
}

fn now() -> Timestamp {
    "2026-11-16T06:05:00Z".parse().unwrap()
}

#[test]
fn documented_statuses_are_mapped_and_others_stay_unknown() {
    let table = [
        ("ONRAMP_TRANSACTION_STATUS_CREATED", Started),
        ("ONRAMP_TRANSACTION_STATUS_IN_PROGRESS", Paid),
        ("ONRAMP_TRANSACTION_STATUS_SUCCESS", Delivered),
        ("ONRAMP_TRANSACTION_STATUS_FAILED", Failed),
        ("ONRAMP_ORDER_STATUS_PENDING_AUTH", Waiting),
        ("ONRAMP_ORDER_STATUS_PENDING_VERIFICATION", Waiting),
        ("ONRAMP_ORDER_STATUS_PENDING_PAYMENT", Waiting),
        ("ONRAMP_ORDER_STATUS_PROCESSING", Paid),
        ("ONRAMP_ORDER_STATUS_COMPLETED", Delivered),
        ("ONRAMP_ORDER_STATUS_FAILED", Failed),
        ("ONRAMP_TRANSACTION_STATUS_UNSPECIFIED", Unknown("ONRAMP_TRANSACTION_STATUS_UNSPECIFIED".into())),
        ("ONRAMP_TRANSACTION_STATUS_TELEPORTED", Unknown("ONRAMP_TRANSACTION_STATUS_TELEPORTED".into())),
    ];
    for (status, expected) in table {
        assert_eq!(state(status), expected);
    }
}

#[test]
fn quote_is_parsed_exactly() {
    let read = price(&fixture::read("quote"), usd(), "USDC", 6).unwrap();
    assert_eq!((read.pays.minor, read.delivers.to_string().as_str()), (10_000, "97460000"));
    let fees: Vec<_> = read.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount.minor)).collect();
    assert_eq!(fees, [("provider", 249), ("network", 5)]);
}

#[test]
fn mismatching_quote_is_rejected() {
    let valid = fixture::text("quote");
    let cases = [
        valid.replace("\"USD\"", "\"EUR\""),
        valid.replace("\"USDC\"", "\"USDT\""),
        valid.replace("\"2.49\"", "\"-2.49\""),
        valid.replace("\"100.00\"", "100.00412345678901"),
        valid.replace("\"97.46\"", "\"-1\""),
    ];
    for case in cases {
        assert_ne!(case, valid);
        let answer: QuoteAnswer = serde_json::from_str(&case).unwrap();
        assert!(matches!(price(&answer, usd(), "USDC", 6), Err(RampError::Nonsense(_))), "{case}");
    }
    let float: QuoteAnswer =
        serde_json::from_str(&valid.replace("\"100.00\"", "99.999999999999986")).unwrap();
    assert_eq!(
        price(&float, usd(), "USDC", 6).unwrap().pays.minor,
        10_000,
        "what floating point adds is no cent"
    );
}

#[test]
fn both_purchase_formats_are_parsed() {
    let transaction: Transactions = fixture::read("transactions");
    let report_for = |transaction: &TransactionJson| report(transaction, &assets(), now()).unwrap();
    let success = report_for(&transaction.transactions[0]);
    assert_eq!((&success.state, success.asset), (&Delivered, Some(usdc().id)));
    assert_eq!(success.amount.unwrap().to_string(), "97460000");
    assert_eq!(success.paid, Some(FiatAmount::new(usd(), 10_000)));
    assert!(success.payouts[0].starts_with("0x6f0c"));
    let failed = report_for(&transaction.transactions[1]);
    assert_eq!((&failed.state, failed.payouts.len()), (&Failed, 0));
    assert_eq!(failed.reason.unwrap().0, "payment_failed");
    let order = report_for(&fixture::read("webhook_order"));
    assert_eq!((&order.state, order.paid, order.asset), (&Paid, success.paid, success.asset));
    assert_eq!(order.wallet, success.wallet);
}

#[test]
fn event_from_the_future_is_rejected() {
    let transaction: TransactionJson = fixture::read("webhook_transaction");
    assert!(report(&transaction, &assets(), "2026-11-15T00:00:00Z".parse().unwrap()).is_err());
}

#[test]
fn event_key_is_stable_and_unique() {
    let transaction: TransactionJson = fixture::read("webhook_transaction");
    assert_eq!(event(&transaction, b"a"), event(&transaction, b"a"));
    assert_ne!(event(&transaction, b"a"), event(&transaction, b"b"));
}

#[test]
fn session_has_its_url_and_quote() {
    let answer: SessionAnswer = fixture::read("session");
    assert!(answer.session.onramp_url.starts_with("https://pay.coinbase.com/"));
    let quote = answer.quote.unwrap();
    assert_eq!(quote.payment_total.exact_fiat(usd()).unwrap().minor, 10_000);
}

#[test]
fn refusals_go_to_the_payer_and_credential_errors_to_the_operator() {
    let answer = |status, body: String| ApiResponse { status, body: body.into_bytes() };
    let refused =
        parse_response::<BuyConfig>(&answer(StatusCode::BAD_REQUEST, fixture::text("error"))).unwrap_err();
    assert!(
        matches!(&refused, RampError::Refused(why) if why.to_string().contains("below the minimum")),
        "{refused}"
    );
    let locked = parse_response::<BuyConfig>(&answer(StatusCode::UNAUTHORIZED, "{}".to_owned())).unwrap_err();
    assert!(matches!(&locked, RampError::Unavailable(words) if words.contains("API key")), "{locked}");
    let silent = parse_response::<BuyConfig>(&answer(StatusCode::BAD_REQUEST, "7".to_owned()));
    assert!(matches!(silent, Err(RampError::Nonsense(_))));
}
