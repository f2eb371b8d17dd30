//! Parsing of the fixtures.

use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::RampState::{Delivered, Expired, Failed, Paid, Started, Unknown, Waiting};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampRefusal, RampReport};
use proptest::prelude::*;
use reqwest::StatusCode;

use super::fixture::{self, offering, order, usdc};
use super::mapping::{
    customer, format_crypto_amount, from_listed_order, from_webhook, offer, same_payment, state,
};
use super::transport::parse_response;
use super::wire::{CreatedOrder, Fiat, Orders, Quote};
use crate::amounts::Decimal;
use crate::attempts::{is_paying, most_advanced};
use crate::transport::ApiResponse;

fn ask(amount: WantedAmount) -> RampAsk {
    let currency = "USD".parse().unwrap();
    RampAsk { currency, amount, asset: usdc(), wallet: None, method: None, country: None }
}

fn usd(minor: u64) -> FiatAmount {
    FiatAmount::new("USD".parse().unwrap(), minor)
}

fn read(quote: &Quote) -> Result<RampOffer, RampError> {
    let (offering, _) = offering();
    let payment_option = offering.payment_option("USD".parse().unwrap(), None).unwrap();
    offer(quote, &ask(WantedAmount::Pay(usd(10_000))), &offering.assets[&usdc().id], payment_option)
}

#[test]
fn documented_statuses_are_mapped_and_others_stay_unknown() {
    let table = [
        ("pendingPayment", Waiting),
        ("waitingPayment", Started),
        ("paymentReceived", Paid),
        ("inProgress", Paid),
        ("extraVerification", Paid),
        ("cryptoTransferred", Paid),
        ("coinTransferred", Paid),
        ("complete", Delivered),
        ("cancelled", Failed),
        ("declined", Failed),
        ("refunded", Failed),
        ("expired", Expired),
        ("teleporting", Unknown("teleporting".to_owned())),
    ];
    for (status, expected) in table {
        let (state, reason) = state(status);
        assert_eq!(reason.is_some(), state == Failed, "{status}");
        assert_eq!(state, expected, "{status}");
    }
}

#[test]
fn quote_is_parsed_exactly() {
    let offer = read(&fixture::read("quote")).unwrap();
    assert_eq!((offer.pays, offer.delivers.to_string().as_str()), (usd(10_000), "97410000"));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount.minor)).collect();
    assert_eq!(fees, [("provider", 199), ("network", 60)]);
}

#[test]
fn mismatching_quote_is_rejected() {
    let valid = fixture::text("quote");
    let cases = [
        valid.replace("\"100.00\"", "\"100.00\", \"fiat\": \"EUR\""),
        valid.replace("\"100.00\"", "\"92.10\""),
        valid.replace("\"100.00\"", "100.00412345678901"),
        valid.replace("\"1.99\"", "\"-1.99\""),
        valid.replace("debit-credit-card", "apple-pay"),
        valid.replace("\"97.41000000\"", "\"0\""),
    ];
    for case in cases {
        assert_ne!(case, valid);
        let quote = serde_json::from_str(&case).unwrap();
        assert!(matches!(read(&quote), Err(RampError::Nonsense(_))), "{case}");
    }
}

#[test]
fn listed_orders_and_webhooks_map_to_the_same_report() {
    let (offering, _) = offering();
    let orders: Orders = fixture::read("orders");
    let order = order();
    let from_list = from_listed_order(&orders.orders[0], &order, Some(&offering)).unwrap();
    assert_eq!(
        (&from_list.state, from_list.asset, from_list.paid),
        (&Delivered, Some(usdc().id), Some(usd(10_000)))
    );
    assert_eq!(from_list.wallet, Some(order.recipient));
    let from_hook = from_webhook(&fixture::read("webhook"), Some(&offering)).unwrap();
    assert_eq!(RampReport { wallet: from_list.wallet, ..from_hook }, from_list);
}

#[test]
fn delisted_token_keeps_its_amount() {
    let (mut offering, _) = offering();
    let orders: Orders = fixture::read("orders");
    let sold = from_listed_order(&orders.orders[0], &order(), Some(&offering)).unwrap();
    assert!(sold.amount.is_some());
    let asset = offering.assets.remove(&usdc().id).unwrap();
    offering.delisted.insert(usdc().id, asset);
    assert_eq!(from_listed_order(&orders.orders[0], &order(), Some(&offering)), Ok(sold));
}

#[test]
fn unreadable_attempt_does_not_hide_the_orders_own() {
    let (offering, _) = offering();
    let valid: Orders = fixture::read("orders");
    let foreign: Orders =
        serde_json::from_str(&fixture::text("orders").replace("\"USD\"", "\"EUR\"")).unwrap();
    let attempts = [&foreign.orders[0], &valid.orders[0]];
    let attempts = attempts.map(|listed| from_listed_order(listed, &order(), Some(&offering))).to_vec();
    assert!(attempts[0].is_err() && is_paying(attempts.clone()).is_err(), "nobody is asked to pay again");
    assert_eq!(most_advanced(attempts, &order()).unwrap().unwrap().state, Delivered);
}

#[test]
fn order_with_another_wallet_or_currency_is_rejected() {
    let (offering, _) = offering();
    let valid = fixture::text("orders");
    let elsewhere =
        valid.replace("70997970c51812dc3a010c7d01b50e0d17dc79c8", "66666666c51812dc3a010c7d01b50e0d17dc79c8");
    for case in [elsewhere, valid.replace("\"USD\"", "\"EUR\""), valid.replace("\"BUY\"", "\"SELL\"")] {
        let orders: Orders = serde_json::from_str(&case).unwrap();
        assert!(from_listed_order(&orders.orders[0], &order(), Some(&offering)).is_err(), "{case}");
    }
}

#[test]
fn customer_id_is_stable_and_does_not_reveal_the_wallet() {
    let author = order().author;
    let name = customer(author);
    assert_eq!(name, customer(author));
    assert!(!name.contains("70997970") && name.len() == 35, "{name}");
}

proptest! {
    #[test]
    fn requested_amount_is_never_less_than_wanted(raw: u128, decimals in 0u8..19) {
        let wanted = RawAmount::new(U256::from(raw));
        let asked: Decimal = format_crypto_amount(wanted, decimals).parse().unwrap();
        prop_assert!(asked.raw_exact(decimals.max(8)).is_ok());
        prop_assert!(asked.raw_down(decimals).unwrap() >= wanted);
    }
}

#[test]
fn created_order_has_its_checkout_url() {
    let created: CreatedOrder = fixture::read("buy");
    assert!(created.checkout_url.starts_with("https://checkout.banxa.com/order/"));
    assert!(same_payment(created.fiat.as_deref(), created.fiat_amount.as_ref(), usd(10_000)));
    assert!(!same_payment(created.fiat.as_deref(), created.fiat_amount.as_ref(), usd(10_001)));
    assert!(!same_payment(Some("EUR"), None, usd(10_000)));
}

#[test]
fn wrapped_responses_are_parsed_and_refusals_carry_a_reason() {
    let answer = |status, body: String| ApiResponse { status, body: body.into_bytes() };
    let wrapped = format!("{{\"data\":{}}}", fixture::text("fiats"));
    assert_eq!(parse_response::<Vec<Fiat>>(&answer(StatusCode::OK, wrapped)).unwrap().len(), 3);
    let restricted =
        parse_response::<Vec<Fiat>>(&answer(StatusCode::UNPROCESSABLE_ENTITY, fixture::text("error")));
    assert_eq!(restricted.unwrap_err(), RampRefusal::Country.into());
    let other = fixture::text("error").replace("5034", "4005");
    let other = parse_response::<Vec<Fiat>>(&answer(StatusCode::BAD_REQUEST, other)).unwrap_err();
    assert!(
        matches!(&other, RampError::Refused(why) if why.to_string().contains("Coin restriction")),
        "{other}"
    );
}
