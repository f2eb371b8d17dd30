//! Parsing of the documented responses.

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, FiatOrder, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampState};
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, Token, TokenId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::mapping::{attempt, limits, offer, offering, report, state};
use super::wire::{CountryJson, EventJson, LimitsJson, QuoteJson, TransactionJson};
use crate::banxa::fixture::order;
use crate::offering_cache::Offering;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn offering_fixture(sandbox: bool) -> Offering {
    offering_from(include_str!("fixtures/currencies.json"), sandbox)
}

fn offering_from(currencies: &str, sandbox: bool) -> Offering {
    let currencies = read(currencies);
    let countries: Vec<CountryJson> = read(include_str!("fixtures/countries.json"));
    offering(currencies, &countries, sandbox).unwrap()
}

fn usdc() -> TokenId {
    TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// The order of the fixtures.
fn our_order() -> FiatOrder {
    let sold_amount = RawAmount::new(U256::from(104_185_300));
    FiatOrder { pays: FiatAmount::new("EUR".parse().unwrap(), 10_000), sold_amount, ..order() }
}

fn quote() -> QuoteJson {
    read(include_str!("fixtures/buy-quote.json"))
}

fn offered(quote: &QuoteJson) -> Result<RampOffer, RampError> {
    let currency = "EUR".parse().unwrap();
    let ask = RampAsk {
        currency,
        amount: WantedAmount::Pay(FiatAmount::new(currency, 10_000)),
        asset: Token {
            id: usdc(),
            symbol: "USDC".to_owned(),
            name: "USDC".to_owned(),
            decimals: 6,
            logo: None,
        },
        wallet: None,
        method: None,
        country: None,
    };
    let offering = offering_fixture(false);
    let bounds = limits(&read::<LimitsJson>(include_str!("fixtures/limits.json")), currency)?;
    let payment_option = offering.payment_option(currency, Some("card")).unwrap();
    offer(quote, &ask, offering.asset(&usdc()).unwrap(), payment_option, bounds, Timestamp::UNIX_EPOCH)
}

#[test]
fn offering_holds_supported_tokens_only() {
    let tokens = |sandbox: bool| {
        let mut tokens: Vec<_> = offering_fixture(sandbox).assets.keys().copied().collect();
        tokens.sort_unstable();
        tokens
    };
    let [ether, sol] = [TokenId::native(ChainId::new(1).unwrap()), TokenId::native(SOLANA_CHAIN_ID)];
    assert_eq!(tokens(false), [ether, usdc(), sol]);
    assert_eq!(tokens(true), [ether, sol], "its sandbox does not have all");
    let offering = offering_fixture(false);
    let euro = &offering.currencies[&"EUR".parse().unwrap()];
    let codes: Vec<_> = euro.iter().map(|payment_option| payment_option.code.as_str()).collect();
    assert_eq!(codes, ["credit_debit_card", "apple_pay", "google_pay", "sepa_bank_transfer", "paypal"]);
    assert_eq!(
        offering.payment_option("EUR".parse().unwrap(), Some("bank_transfer")).unwrap().code,
        "sepa_bank_transfer"
    );
    assert_eq!(offering.countries, ["DE", "US-CA", "US-TX"], "subdivisions of a partly served country");
}

#[test]
fn quote_becomes_an_offer() {
    let offer = offered(&quote()).unwrap();
    assert_eq!((offer.pays.minor, offer.delivers.to_string().as_str()), (10_000, "104185300"));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.amount.minor)).collect();
    assert_eq!(fees, [(RampFeeKind::Provider, 399), (RampFeeKind::Network, 56)]);
    let (least, most) = offer.limits.unwrap();
    assert_eq!((least.minor, most.minor), (2_000, 1_080_000));
}

#[test]
fn mismatching_quote_is_rejected() {
    for change in [
        |quote: &mut QuoteJson| quote.base_currency.as_mut().unwrap().code = "usd".to_owned(),
        |quote: &mut QuoteJson| (quote.base_currency, quote.base_currency_code) = (None, None),
        |quote: &mut QuoteJson| quote.currency.as_mut().unwrap().code = "usdt".to_owned(),
        |quote: &mut QuoteJson| quote.total_amount = "103.99".parse().unwrap(),
        |quote: &mut QuoteJson| quote.quote_currency_amount = "-1".parse().unwrap(),
        |quote: &mut QuoteJson| quote.fee_amount = "-3.99".parse().unwrap(),
    ] {
        let mut changed = quote();
        change(&mut changed);
        assert!(matches!(offered(&changed), Err(RampError::Nonsense(_))), "{changed:?}");
    }
}

#[test]
fn paid_amount_includes_the_fees() {
    let transactions: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    let report = attempt(&transactions[0], &our_order(), Some(&offering_fixture(false))).unwrap();
    assert_eq!(report.contradiction(&our_order()), None);
    assert_eq!(report.state, RampState::Delivered);
    assert_eq!(report.paid.unwrap().to_string(), "100.00");
    assert_eq!((report.asset, report.amount.unwrap().to_string()), (Some(usdc()), "104185300".to_owned()));
    assert_eq!(report.payouts.len(), 1);
}

#[test]
fn other_token_under_the_order_id_is_rejected() {
    let mut transactions: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    transactions[0].currency.as_mut().unwrap().code = "doge".to_owned();
    assert!(attempt(&transactions[0], &our_order(), Some(&offering_fixture(false))).is_err());
    assert_eq!(
        report(&transactions[0], None).unwrap().asset,
        None,
        "without the offering the token is unknown"
    );
}

#[test]
fn purchase_of_a_suspended_token_is_still_tracked() {
    let transactions: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    let suspended = include_str!("fixtures/currencies.json")
        .replace("\"isSuspended\": false, \"isSupportedInUs\"", "\"isSuspended\": true, \"isSupportedInUs\"");
    let mut closed = offering_from(&suspended, false);
    assert!(closed.asset(&usdc()).is_err(), "it is not sold now");
    let followed = attempt(&transactions[0], &our_order(), Some(&closed)).unwrap();
    assert_eq!((&followed.state, followed.asset), (&RampState::Delivered, Some(usdc())));
    assert_eq!(followed.amount, Some(our_order().sold_amount));
    closed.delisted.clear();
    let followed = attempt(&transactions[0], &our_order(), Some(&closed)).unwrap();
    assert_eq!((followed.state, followed.asset), (RampState::Delivered, None), "identified by the order");
    assert_eq!(followed.wallet, Some(our_order().recipient));
}

#[test]
fn events_and_failures_are_parsed() {
    let event: EventJson = read(include_str!("fixtures/webhook.json"));
    assert_eq!(report(&event.data, None).unwrap().state, RampState::Paid);
    let mut failed = event.data;
    failed.status = "failed".to_owned();
    failed.failure_reason = Some("card_not_supported".to_owned());
    let (code, words) = report(&failed, None).unwrap().reason.unwrap();
    assert_eq!((code.as_str(), words.as_str()), ("payment_declined", "This card is not accepted."));
    assert!(report(&failed, None).unwrap().is_failed_attempt(), "another card may be tried");
    failed.failure_reason = Some("refund".to_owned());
    assert!(!report(&failed, None).unwrap().is_failed_attempt(), "a refunded purchase is final");
    assert_eq!(state("teleporting"), RampState::Unknown("teleporting".to_owned()));
}
