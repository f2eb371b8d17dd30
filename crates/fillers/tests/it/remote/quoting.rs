use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::serve::ListenerExt as _;
use causeway_domain::ports::{Answer, Filler as _, Refusal};
use causeway_domain::{ChainId, DepositMethod, IntentTerms, RawAmount, Referral, TokenId};
use causeway_fillers::remote::protocol::{OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};
use causeway_fillers::remote::{DEADLINE, NONCE, server};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::server::{ask, filler, filler_within, honest, offer, secret};

#[tokio::test]
async fn filler_offer_becomes_an_offer_of_the_service() {
    let url = honest(|call| json!({ "offers": [offer(&call.body)] })).await;
    let filler = filler(&url);
    assert_eq!((filler.name(), filler.kind()), ("far", "rfq"));
    let Ok(Answer::Offers(offers)) = filler.quote(&ask()).await else { panic!("no offer") };
    assert_eq!(offers[0].amount_out, "999000000".parse::<RawAmount>().unwrap());
    assert_eq!(offers[0].min_amount_out, offers[0].amount_out);
    assert!(offers[0].parties.is_some());
}

#[tokio::test]
async fn quote_call_carries_all_fields() {
    let seen = Arc::new(Mutex::new(Value::Null));
    let record = Arc::clone(&seen);
    let url = honest(move |call| {
        assert_eq!(call.path, "/causeway/quote");
        assert_eq!(call.headers[DEADLINE], "750");
        assert_eq!(call.headers[NONCE].len(), 32);
        *record.lock().unwrap() = call.body.clone();
        json!({ "offers": [offer(&call.body)] })
    })
    .await;
    let mut ask = ask();
    ask.ask.slippage = "0.005".parse().ok();
    ask.ask.referral = Referral::new(ask.ask.recipient, 25);
    ask.ask.deposit_methods = vec![DepositMethod::Transfer];
    let answer = filler_within(&format!("{url}/causeway/"), Duration::from_millis(750)).quote(&ask).await;
    assert!(matches!(answer, Ok(Answer::Offers(_))), "{answer:?}");
    let account = ask.ask.recipient.to_string();
    let expected = json!({
        "tradeType": "EXACT_INPUT", "amount": "1000000000",
        "from": { "chainId": 8453, "token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "symbol": "USDC", "decimals": 6 },
        "to": { "chainId": 1, "token": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "symbol": "USDC", "decimals": 6 },
        "fromAddress": account, "recipient": account, "slippageMillionths": 5000, "depositMethods": ["TRANSFER"],
        "referral": { "referrer": account, "feeBps": 25 },
    });
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn refusal_is_not_an_error() {
    let url = honest(|_| json!({ "refusal": { "code": "TooSmall", "minimum": "5000000000" } })).await;
    let minimum = "5000000000".parse().unwrap();
    assert_eq!(filler(&url).quote(&ask()).await, Ok(Answer::Refused(Refusal::TooSmall { minimum })));
}

#[tokio::test]
async fn filler_is_not_called_for_chains_without_contracts() {
    let filler = filler("http://127.0.0.1:1");
    let mut elsewhere = ask();
    elsewhere.ask.to = TokenId::native(ChainId::new(10).unwrap());
    assert_eq!(filler.quote(&elsewhere).await, Ok(Answer::Refused(Refusal::PairNotServed)));
}

#[tokio::test]
async fn connections_are_reused() {
    let opened = Arc::new(AtomicUsize::new(0));
    let (listener, count) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Arc::clone(&opened));
    let url = format!("http://{}", listener.local_addr().unwrap());
    let listener = listener.tap_io(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let router = server::router(secret(), Arc::new(RefusesEverything));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let filler = filler(&url);
    for _ in 0..50 {
        assert_eq!(filler.quote(&ask()).await, Ok(Answer::Refused(Refusal::NoPrice)));
    }
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

/// Has no price for anything.
struct RefusesEverything;

impl server::FillerHandler for RefusesEverything {
    fn quote(&self, _: &QuoteAsk) -> QuoteAnswer {
        Err(Refusal::NoPrice).into()
    }

    fn order(self: &Arc<Self>, _: OrderNotice, _: IntentTerms) -> OrderAnswer {
        OrderAnswer::declined("never")
    }
}
