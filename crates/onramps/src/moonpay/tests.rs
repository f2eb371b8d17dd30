//! The documented answers, read.

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, FiatOrder, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampState};
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, Token, TokenId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::mapping::{attempt, limits, offer, offering, report, state};
use super::wire::{CountryJson, EventJson, LimitsJson, QuoteJson, TransactionJson};
use crate::banxa::fixture::order;
use crate::lists::Offering;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn lists(sandbox: bool) -> Offering {
    lists_of(include_str!("fixtures/currencies.json"), sandbox)
}

fn lists_of(currencies: &str, sandbox: bool) -> Offering {
    let currencies = read(currencies);
    let countries: Vec<CountryJson> = read(include_str!("fixtures/countries.json"));
    offering(currencies, &countries, sandbox).unwrap()
}

fn usdc() -> TokenId {
    TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// The order that the answers tell of.
fn ours() -> FiatOrder {
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
    let lists = lists(false);
    let bounds = limits(&read::<LimitsJson>(include_str!("fixtures/limits.json")), currency)?;
    let way = lists.way(currency, Some("card")).unwrap();
    offer(quote, &ask, lists.asset(&usdc()).unwrap(), way, bounds, Timestamp::UNIX_EPOCH)
}

#[test]
fn the_lists_hold_what_can_be_sold_here() {
    let tokens = |sandbox: bool| {
        let mut tokens: Vec<_> = lists(sandbox).assets.keys().copied().collect();
        tokens.sort_unstable();
        tokens
    };
    let [ether, sol] = [TokenId::native(ChainId::new(1).unwrap()), TokenId::native(SOLANA_CHAIN_ID)];
    assert_eq!(tokens(false), [ether, usdc(), sol]);
    assert_eq!(tokens(true), [ether, sol], "its sandbox does not have all");
    let lists = lists(false);
    let euro = &lists.currencies[&"EUR".parse().unwrap()];
    let codes: Vec<_> = euro.iter().map(|way| way.code.as_str()).collect();
    assert_eq!(codes, ["credit_debit_card", "apple_pay", "google_pay", "sepa_bank_transfer", "paypal"]);
    assert_eq!(lists.way("EUR".parse().unwrap(), Some("bank_transfer")).unwrap().code, "sepa_bank_transfer");
    assert_eq!(lists.countries, ["DE", "US-CA", "US-TX"], "of a country that is served in parts, the parts");
}

#[test]
fn a_quote_is_an_offer() {
    let offer = offered(&quote()).unwrap();
    assert_eq!((offer.pays.minor, offer.delivers.to_string().as_str()), (10_000, "104185300"));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.amount.minor)).collect();
    assert_eq!(fees, [(RampFeeKind::Provider, 399), (RampFeeKind::Network, 56)]);
    let (least, most) = offer.limits.unwrap();
    assert_eq!((least.minor, most.minor), (2_000, 1_080_000));
}

#[test]
fn a_quote_that_answers_something_else_is_none() {
    for spoil in [
        |quote: &mut QuoteJson| quote.base_currency.as_mut().unwrap().code = "usd".to_owned(),
        |quote: &mut QuoteJson| (quote.base_currency, quote.base_currency_code) = (None, None),
        |quote: &mut QuoteJson| quote.currency.as_mut().unwrap().code = "usdt".to_owned(),
        |quote: &mut QuoteJson| quote.total_amount = "103.99".parse().unwrap(),
        |quote: &mut QuoteJson| quote.quote_currency_amount = "-1".parse().unwrap(),
        |quote: &mut QuoteJson| quote.fee_amount = "-3.99".parse().unwrap(),
    ] {
        let mut spoilt = quote();
        spoil(&mut spoilt);
        assert!(matches!(offered(&spoilt), Err(RampError::Nonsense(_))), "{spoilt:?}");
    }
}

#[test]
fn what_was_paid_includes_the_fees() {
    let told: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    let report = attempt(&told[0], &ours(), Some(&lists(false))).unwrap();
    assert_eq!(report.contradiction(&ours()), None);
    assert_eq!(report.state, RampState::Delivered);
    assert_eq!(report.paid.unwrap().to_string(), "100.00");
    assert_eq!((report.asset, report.amount.unwrap().to_string()), (Some(usdc()), "104185300".to_owned()));
    assert_eq!(report.payouts.len(), 1);
}

#[test]
fn another_token_under_the_orders_name_is_nonsense() {
    let mut told: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    told[0].currency.as_mut().unwrap().code = "doge".to_owned();
    assert!(attempt(&told[0], &ours(), Some(&lists(false))).is_err());
    assert_eq!(report(&told[0], None).unwrap().asset, None, "before the lists are read, nobody can tell");
}

#[test]
fn a_purchase_of_a_token_that_is_suspended_is_followed_on() {
    let told: Vec<TransactionJson> = read(include_str!("fixtures/transactions.json"));
    let suspended = include_str!("fixtures/currencies.json")
        .replace("\"isSuspended\": false, \"isSupportedInUs\"", "\"isSuspended\": true, \"isSupportedInUs\"");
    let mut closed = lists_of(&suspended, false);
    assert!(closed.asset(&usdc()).is_err(), "nobody buys it now");
    let followed = attempt(&told[0], &ours(), Some(&closed)).unwrap();
    assert_eq!((&followed.state, followed.asset), (&RampState::Delivered, Some(usdc())));
    assert_eq!(followed.amount, Some(ours().sold_amount));
    closed.closed.clear();
    let followed = attempt(&told[0], &ours(), Some(&closed)).unwrap();
    assert_eq!((followed.state, followed.asset), (RampState::Delivered, None), "by what was recorded");
    assert_eq!(followed.wallet, Some(ours().recipient));
}

#[test]
fn events_and_failures_are_read() {
    let event: EventJson = read(include_str!("fixtures/webhook.json"));
    assert_eq!(report(&event.data, None).unwrap().state, RampState::Paid);
    let mut failed = event.data;
    failed.status = "failed".to_owned();
    failed.failure_reason = Some("card_not_supported".to_owned());
    let (code, words) = report(&failed, None).unwrap().reason.unwrap();
    assert_eq!((code.as_str(), words.as_str()), ("payment_declined", "This card is not accepted."));
    assert!(report(&failed, None).unwrap().is_failed_attempt(), "another card may be tried");
    failed.failure_reason = Some("refund".to_owned());
    assert!(!report(&failed, None).unwrap().is_failed_attempt(), "what was given back is over");
    assert_eq!(state("teleporting"), RampState::Unknown("teleporting".to_owned()));
}
