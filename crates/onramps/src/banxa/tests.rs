//! The answers beside this file, read.

use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::RampState::{Delivered, Expired, Failed, Paid, Started, Unknown, Waiting};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampRefusal, RampReport};
use proptest::prelude::*;
use reqwest::StatusCode;

use super::fixture::{self, offering, order, usdc};
use super::mapping::{asked_crypto, customer, listed, noticed, offer, same_payment, state};
use super::transport::good;
use super::wire::{Bought, Fiat, Orders, Quote};
use crate::amounts::Decimal;
use crate::transport::Answer;

fn ask(amount: WantedAmount) -> RampAsk {
    let currency = "USD".parse().unwrap();
    RampAsk { currency, amount, asset: usdc(), wallet: None, method: None, country: None }
}

fn usd(minor: u64) -> FiatAmount {
    FiatAmount::new("USD".parse().unwrap(), minor)
}

fn read(quote: &Quote) -> Result<RampOffer, RampError> {
    let (offering, _) = offering();
    let way = offering.way("USD".parse().unwrap(), None).unwrap();
    offer(quote, &ask(WantedAmount::Pay(usd(10_000))), &offering.assets[&usdc().id], way)
}

#[test]
fn every_documented_status_is_known_and_any_other_stays_open() {
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
fn a_quote_is_read_exactly() {
    let offer = read(&fixture::read("quote")).unwrap();
    assert_eq!((offer.pays, offer.delivers.to_string().as_str()), (usd(10_000), "97410000"));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount.minor)).collect();
    assert_eq!(fees, [("provider", 199), ("network", 60)]);
}

#[test]
fn a_quote_for_something_else_is_banxas_fault() {
    let good = fixture::text("quote");
    let cases = [
        good.replace("\"100.00\"", "\"100.00\", \"fiat\": \"EUR\""),
        good.replace("\"100.00\"", "\"92.10\""),
        good.replace("\"100.00\"", "100.00412345678901"),
        good.replace("\"1.99\"", "\"-1.99\""),
        good.replace("debit-credit-card", "apple-pay"),
        good.replace("\"97.41000000\"", "\"0\""),
    ];
    for case in cases {
        assert_ne!(case, good);
        let quote = serde_json::from_str(&case).unwrap();
        assert!(matches!(read(&quote), Err(RampError::Nonsense(_))), "{case}");
    }
}

#[test]
fn listed_orders_and_webhooks_tell_the_same() {
    let (offering, _) = offering();
    let told: Orders = fixture::read("orders");
    let order = order();
    let listed = listed(&told.orders[0], &order, Some(&offering)).unwrap();
    assert_eq!((&listed.state, listed.asset, listed.paid), (&Delivered, Some(usdc().id), Some(usd(10_000))));
    assert_eq!(listed.wallet, Some(order.recipient));
    let noticed = noticed(&fixture::read("webhook"), Some(&offering)).unwrap();
    assert_eq!(RampReport { wallet: listed.wallet, ..noticed }, listed);
}

#[test]
fn an_order_for_another_wallet_or_currency_is_not_ours() {
    let (offering, _) = offering();
    let good = fixture::text("orders");
    let elsewhere =
        good.replace("70997970c51812dc3a010c7d01b50e0d17dc79c8", "66666666c51812dc3a010c7d01b50e0d17dc79c8");
    for case in [elsewhere, good.replace("\"USD\"", "\"EUR\""), good.replace("\"BUY\"", "\"SELL\"")] {
        let told: Orders = serde_json::from_str(&case).unwrap();
        assert!(listed(&told.orders[0], &order(), Some(&offering)).is_err(), "{case}");
    }
}

#[test]
fn a_customer_is_the_same_for_the_same_wallet_and_tells_nothing_of_it() {
    let author = order().author;
    let name = customer(author);
    assert_eq!(name, customer(author));
    assert!(!name.contains("70997970") && name.len() == 35, "{name}");
}

proptest! {
    #[test]
    fn what_is_asked_for_is_never_less_than_what_is_wanted(raw: u128, decimals in 0u8..19) {
        let wanted = RawAmount::new(U256::from(raw));
        let asked: Decimal = asked_crypto(wanted, decimals).parse().unwrap();
        prop_assert!(asked.raw_exact(decimals.max(8)).is_ok());
        prop_assert!(asked.raw_down(decimals).unwrap() >= wanted);
    }
}

#[test]
fn an_order_carries_its_page() {
    let bought: Bought = fixture::read("buy");
    assert!(bought.checkout_url.starts_with("https://checkout.banxa.com/order/"));
    assert!(same_payment(bought.fiat.as_deref(), bought.fiat_amount.as_ref(), usd(10_000)));
    assert!(!same_payment(bought.fiat.as_deref(), bought.fiat_amount.as_ref(), usd(10_001)));
    assert!(!same_payment(Some("EUR"), None, usd(10_000)));
}

#[test]
fn answers_may_stand_inside_of_an_object_and_refusals_say_why() {
    let answer = |status, body: String| Answer { status, body: body.into_bytes() };
    let wrapped = format!("{{\"data\":{}}}", fixture::text("fiats"));
    assert_eq!(good::<Vec<Fiat>>(&answer(StatusCode::OK, wrapped)).unwrap().len(), 3);
    let closed = good::<Vec<Fiat>>(&answer(StatusCode::UNPROCESSABLE_ENTITY, fixture::text("error")));
    assert_eq!(closed.unwrap_err(), RampRefusal::Country.into());
    let other = fixture::text("error").replace("5034", "4005");
    let other = good::<Vec<Fiat>>(&answer(StatusCode::BAD_REQUEST, other)).unwrap_err();
    assert!(
        matches!(&other, RampError::Refused(why) if why.to_string().contains("Coin restriction")),
        "{other}"
    );
}
