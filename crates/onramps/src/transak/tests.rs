//! Parsing of the documented responses.

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, FiatOrder, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampState};
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, Token, TokenId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::mapping::{attempt, offer, offering, report, state};
use super::wire::{Data, EventJson, OrderJson, QuoteJson, Response, SessionJson, TokenJson};
use crate::attempts::most_advanced;
use crate::banxa::fixture::order;
use crate::offering_cache::Offering;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn offering_fixture() -> Offering {
    offering_from(include_str!("fixtures/crypto-currencies.json"))
}

fn offering_from(coins: &str) -> Offering {
    let coins: Response<_> = read(coins);
    let fiats: Response<_> = read(include_str!("fixtures/fiat-currencies.json"));
    let countries: Response<_> = read(include_str!("fixtures/countries.json"));
    offering(coins.response, fiats.response, countries.response).unwrap()
}

fn usdc() -> TokenId {
    TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// The order of the fixtures.
fn our_order() -> FiatOrder {
    let sold_amount = RawAmount::new(U256::from(104_852_834));
    FiatOrder { pays: FiatAmount::new("EUR".parse().unwrap(), 10_000), sold_amount, ..order() }
}

fn ask(amount: &str) -> RampAsk {
    let currency = "EUR".parse().unwrap();
    RampAsk {
        currency,
        amount: WantedAmount::Pay(FiatAmount::parse(currency, amount).unwrap()),
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
    }
}

fn quote() -> QuoteJson {
    read::<Response<_>>(include_str!("fixtures/quote.json")).response
}

fn offered(quote: &QuoteJson, ask: &RampAsk) -> Result<causeway_domain::ports::RampOffer, RampError> {
    let offering = offering_fixture();
    let payment_option = offering.payment_option(ask.currency, None).unwrap();
    offer(quote, ask, offering.asset(&usdc()).unwrap(), payment_option, Timestamp::UNIX_EPOCH)
}

#[test]
fn offering_holds_supported_tokens_only() {
    let offering = offering_fixture();
    let mut tokens: Vec<_> = offering.assets.keys().copied().collect();
    tokens.sort_unstable();
    let ether = TokenId::native(ChainId::new(1).unwrap());
    assert_eq!(tokens, [ether, usdc(), TokenId::native(SOLANA_CHAIN_ID)]);
    let euro = &offering.currencies[&"EUR".parse().unwrap()];
    let payment_options: Vec<_> = euro
        .iter()
        .map(|payment_option| (payment_option.method.id.as_str(), payment_option.code.as_str()))
        .collect();
    assert_eq!(payment_options, [("card", "credit_debit_card"), ("bank_transfer", "sepa_bank_transfer")]);
    let (least, most) = euro[0].limits.unwrap();
    assert_eq!((least.to_string(), most.to_string()), ("4.01".to_owned(), "3000.00".to_owned()));
    let (least, most) = offering.currencies[&"JPY".parse().unwrap()][0].limits.unwrap();
    assert_eq!((least.minor, most.minor), (701, 450_000), "the least is rounded up, the most down");
    assert_eq!(offering.countries, ["DE", "JP"]);
}

#[test]
fn quote_becomes_an_offer() {
    let offer = offered(&quote(), &ask("100")).unwrap();
    assert_eq!(offer.pays.minor, 10_000);
    assert_eq!(offer.delivers.to_string(), "104852834", "rounded down to what the token has");
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.amount.minor)).collect();
    assert_eq!(fees, [(RampFeeKind::Provider, 349), (RampFeeKind::Network, 6)]);
}

#[test]
fn mismatching_quote_is_rejected() {
    for change in [
        |quote: &mut QuoteJson| quote.fiat_currency = "USD".to_owned(),
        |quote: &mut QuoteJson| quote.crypto_currency = "USDT".to_owned(),
        |quote: &mut QuoteJson| quote.network = "ethereum".to_owned(),
        |quote: &mut QuoteJson| quote.is_buy_or_sell = "SELL".to_owned(),
        |quote: &mut QuoteJson| quote.fiat_amount = "100.01".parse().unwrap(),
        |quote: &mut QuoteJson| quote.crypto_amount = "-104".parse().unwrap(),
        |quote: &mut QuoteJson| quote.total_fee = "-0.01".parse().unwrap(),
        |quote: &mut QuoteJson| quote.fee_breakdown[0].value = "-3.49".parse().unwrap(),
    ] {
        let mut changed = quote();
        change(&mut changed);
        assert!(matches!(offered(&changed, &ask("100")), Err(RampError::Nonsense(_))), "{changed:?}");
    }
}

#[test]
fn most_advanced_purchase_counts() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let order = our_order();
    let reported =
        orders.data.iter().map(|reported| attempt(reported, &order, Some(&offering_fixture()))).collect();
    let report = most_advanced(reported, &order).unwrap().unwrap();
    assert_eq!(report.state, RampState::Delivered);
    assert_eq!(report.paid.unwrap().to_string(), "100.00");
    assert_eq!((report.asset, report.amount.unwrap().to_string()), (Some(usdc()), "104852834".to_owned()));
    assert_eq!(report.payouts, ["0x525f36b627784275377de83d6f5b11eda938efdd7c6792d91ce1f39655db3be1"]);
    assert_eq!(report.reason, None);
}

#[test]
fn failure_keeps_its_reason() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let failed = report(&orders.data[0], Some(&offering_fixture())).unwrap();
    assert_eq!(failed.reason, Some(("payment_failed".to_owned(), "Card was declined".to_owned())));
}

#[test]
fn declined_purchase_is_retryable_and_refunded_one_is_final() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let mut reported = orders.data.into_iter().next().unwrap();
    for (status, again) in [("FAILED", true), ("CANCELLED", true), ("EXPIRED", true), ("REFUNDED", false)] {
        status.clone_into(&mut reported.status);
        assert_eq!(report(&reported, None).unwrap().is_failed_attempt(), again, "{status}");
    }
}

#[test]
fn purchase_of_a_delisted_token_is_still_tracked() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let mut reported = orders.data.into_iter().last().unwrap();
    let order = our_order();
    let suspended = include_str!("fixtures/crypto-currencies.json")
        .replace("\"decimals\": 6, \"isAllowed\": true", "\"decimals\": 6, \"isAllowed\": false");
    let closed = offering_from(&suspended);
    assert!(closed.asset(&usdc()).is_err(), "it is not sold now");
    let followed = attempt(&reported, &order, Some(&closed)).unwrap();
    assert_eq!(
        (followed.state, followed.asset, followed.amount),
        (RampState::Delivered, Some(usdc()), Some(order.sold_amount))
    );
    let mut forgotten = closed;
    forgotten.delisted.clear();
    let followed = attempt(&reported, &order, Some(&forgotten)).unwrap();
    assert_eq!((followed.state, followed.asset), (RampState::Delivered, None), "identified by the order");
    assert_eq!(followed.wallet, Some(order.recipient));
    reported.crypto_currency = Some("ETH".to_owned());
    assert!(attempt(&reported, &order, Some(&offering_fixture())).is_err(), "that is another token");
}

#[test]
fn payment_marked_by_the_payer_is_not_a_payment() {
    assert_eq!(state("PAYMENT_DONE_MARKED_BY_USER"), RampState::Started);
    assert_eq!(state("completed"), RampState::Unknown("completed".to_owned()), "statuses are case-sensitive");
}

#[test]
fn sessions_tokens_and_events_are_parsed() {
    let session: Data<SessionJson> = read(include_str!("fixtures/session.json"));
    assert!(session.data.widget_url.starts_with("https://global-stg.transak.com?"));
    let token: Data<TokenJson> = read(include_str!("fixtures/refresh-token.json"));
    assert_eq!(token.data.expires_at, 1_795_400_000);
    let event: EventJson = read(include_str!("fixtures/webhook-claims.json"));
    let reported = report(&event.webhook_data, None).unwrap();
    assert_eq!(
        (reported.state, reported.asset, reported.amount),
        (RampState::Paid, None, None),
        "without the lists a token is not known"
    );
    assert_eq!(event.iat, None);
}
