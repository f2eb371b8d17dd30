//! The documented answers, read.

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, FiatOrder, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampState};
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, Token, TokenId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::mapping::{attempt, offer, offering, report, state};
use super::wire::{Data, EventJson, OrderJson, QuoteJson, Response, SessionJson, TokenJson};
use crate::attempts::furthest;
use crate::banxa::fixture::order;
use crate::lists::Offering;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn lists() -> Offering {
    lists_of(include_str!("fixtures/crypto-currencies.json"))
}

fn lists_of(coins: &str) -> Offering {
    let coins: Response<_> = read(coins);
    let fiats: Response<_> = read(include_str!("fixtures/fiat-currencies.json"));
    let countries: Response<_> = read(include_str!("fixtures/countries.json"));
    offering(coins.response, fiats.response, countries.response).unwrap()
}

fn usdc() -> TokenId {
    TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// The order that the answers tell of.
fn ours() -> FiatOrder {
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
    let lists = lists();
    let way = lists.way(ask.currency, None).unwrap();
    offer(quote, ask, lists.asset(&usdc()).unwrap(), way, Timestamp::UNIX_EPOCH)
}

#[test]
fn the_lists_hold_what_can_be_sold_here() {
    let lists = lists();
    let mut tokens: Vec<_> = lists.assets.keys().copied().collect();
    tokens.sort_unstable();
    let ether = TokenId::native(ChainId::new(1).unwrap());
    assert_eq!(tokens, [ether, usdc(), TokenId::native(SOLANA_CHAIN_ID)]);
    let euro = &lists.currencies[&"EUR".parse().unwrap()];
    let ways: Vec<_> = euro.iter().map(|way| (way.method.id.as_str(), way.code.as_str())).collect();
    assert_eq!(ways, [("card", "credit_debit_card"), ("bank_transfer", "sepa_bank_transfer")]);
    let (least, most) = euro[0].limits.unwrap();
    assert_eq!((least.to_string(), most.to_string()), ("4.01".to_owned(), "3000.00".to_owned()));
    let (least, most) = lists.currencies[&"JPY".parse().unwrap()][0].limits.unwrap();
    assert_eq!((least.minor, most.minor), (701, 450_000), "the least is rounded up, the most down");
    assert_eq!(lists.countries, ["DE", "JP"]);
}

#[test]
fn a_quote_is_an_offer() {
    let offer = offered(&quote(), &ask("100")).unwrap();
    assert_eq!(offer.pays.minor, 10_000);
    assert_eq!(offer.delivers.to_string(), "104852834", "rounded down to what the token has");
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.amount.minor)).collect();
    assert_eq!(fees, [(RampFeeKind::Provider, 349), (RampFeeKind::Network, 6)]);
}

#[test]
fn a_quote_that_answers_something_else_is_none() {
    for spoil in [
        |quote: &mut QuoteJson| quote.fiat_currency = "USD".to_owned(),
        |quote: &mut QuoteJson| quote.crypto_currency = "USDT".to_owned(),
        |quote: &mut QuoteJson| quote.network = "ethereum".to_owned(),
        |quote: &mut QuoteJson| quote.is_buy_or_sell = "SELL".to_owned(),
        |quote: &mut QuoteJson| quote.fiat_amount = "100.01".parse().unwrap(),
        |quote: &mut QuoteJson| quote.crypto_amount = "-104".parse().unwrap(),
        |quote: &mut QuoteJson| quote.total_fee = "-0.01".parse().unwrap(),
        |quote: &mut QuoteJson| quote.fee_breakdown[0].value = "-3.49".parse().unwrap(),
    ] {
        let mut spoilt = quote();
        spoil(&mut spoilt);
        assert!(matches!(offered(&spoilt, &ask("100")), Err(RampError::Nonsense(_))), "{spoilt:?}");
    }
}

#[test]
fn of_two_purchases_the_one_that_came_furthest_counts() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let order = ours();
    let told = orders.data.iter().map(|told| attempt(told, &order, Some(&lists()))).collect();
    let report = furthest(told, &order).unwrap().unwrap();
    assert_eq!(report.state, RampState::Delivered);
    assert_eq!(report.paid.unwrap().to_string(), "100.00");
    assert_eq!((report.asset, report.amount.unwrap().to_string()), (Some(usdc()), "104852834".to_owned()));
    assert_eq!(report.payouts, ["0x525f36b627784275377de83d6f5b11eda938efdd7c6792d91ce1f39655db3be1"]);
    assert_eq!(report.reason, None);
}

#[test]
fn a_failure_keeps_its_words() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let failed = report(&orders.data[0], Some(&lists())).unwrap();
    assert_eq!(failed.reason, Some(("payment_failed".to_owned(), "Card was declined".to_owned())));
}

#[test]
fn whose_card_was_declined_may_try_again_and_what_was_given_back_is_over() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let mut told = orders.data.into_iter().next().unwrap();
    for (status, again) in [("FAILED", true), ("CANCELLED", true), ("EXPIRED", true), ("REFUNDED", false)] {
        status.clone_into(&mut told.status);
        assert_eq!(report(&told, None).unwrap().is_failed_attempt(), again, "{status}");
    }
}

#[test]
fn a_purchase_of_a_token_that_is_sold_no_more_is_followed_on() {
    let orders: Data<Vec<OrderJson>> = read(include_str!("fixtures/orders.json"));
    let mut told = orders.data.into_iter().last().unwrap();
    let order = ours();
    let suspended = include_str!("fixtures/crypto-currencies.json")
        .replace("\"decimals\": 6, \"isAllowed\": true", "\"decimals\": 6, \"isAllowed\": false");
    let closed = lists_of(&suspended);
    assert!(closed.asset(&usdc()).is_err(), "nobody buys it now");
    let followed = attempt(&told, &order, Some(&closed)).unwrap();
    assert_eq!(
        (followed.state, followed.asset, followed.amount),
        (RampState::Delivered, Some(usdc()), Some(order.sold_amount))
    );
    let mut forgotten = closed;
    forgotten.closed.clear();
    let followed = attempt(&told, &order, Some(&forgotten)).unwrap();
    assert_eq!((followed.state, followed.asset), (RampState::Delivered, None), "by what was recorded");
    assert_eq!(followed.wallet, Some(order.recipient));
    told.crypto_currency = Some("ETH".to_owned());
    assert!(attempt(&told, &order, Some(&lists())).is_err(), "that is another token");
}

#[test]
fn the_payers_word_is_not_a_payment() {
    assert_eq!(state("PAYMENT_DONE_MARKED_BY_USER"), RampState::Started);
    assert_eq!(
        state("completed"),
        RampState::Unknown("completed".to_owned()),
        "words are taken as they are written"
    );
}

#[test]
fn sessions_tokens_and_events_are_read() {
    let session: Data<SessionJson> = read(include_str!("fixtures/session.json"));
    assert!(session.data.widget_url.starts_with("https://global-stg.transak.com?"));
    let token: Data<TokenJson> = read(include_str!("fixtures/refresh-token.json"));
    assert_eq!(token.data.expires_at, 1_795_400_000);
    let event: EventJson = read(include_str!("fixtures/webhook-claims.json"));
    let told = report(&event.webhook_data, None).unwrap();
    assert_eq!(
        (told.state, told.asset, told.amount),
        (RampState::Paid, None, None),
        "without the lists a token is not known"
    );
    assert_eq!(event.iat, None);
}
