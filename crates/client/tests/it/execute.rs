//! Whole swaps against a service that does not do its part. Swaps that end well run end to end, over real chains.

use std::sync::Mutex;

use alloy_primitives::{Address, address};
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    CancellationToken, Client, Error, EvmTransaction, ExecuteOptions, Pace, Wallet, WalletError,
};
use serde_json::{Value, json};

use crate::server::Server;

const PAYER: Address = address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
const TOKEN: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ESCROW: Address = address!("5FbDB2315678afecb367f032d93F642f64180aa3");

/// A wallet that notes what it is asked for, and can be told to refuse or to wait for ever.
#[derive(Default)]
struct Hand {
    sent: Mutex<Vec<EvmTransaction>>,
    refuses: bool,
    never_mined: Option<CancellationToken>,
}

impl Wallet for Hand {
    fn address(&self) -> String {
        PAYER.to_string()
    }

    async fn send(&self, transaction: &EvmTransaction) -> Result<String, WalletError> {
        if self.refuses {
            return Err(WalletError::Other("The person said no.".to_owned()));
        }
        let mut sent = self.sent.lock().unwrap();
        sent.push(transaction.clone());
        Ok(format!("0x{:064x}", sent.len()))
    }

    async fn wait_for_receipt(&self, _: u64, _: &str) -> Result<(), WalletError> {
        if let Some(waiting) = &self.never_mined {
            waiting.cancel();
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn sign_typed_data(&self, _: &Value) -> Result<String, WalletError> {
        Err(WalletError::Signing)
    }
}

fn ask() -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: TOKEN.to_string(),
        to_chain_id: 1,
        to_token: Address::ZERO.to_string(),
        amount: "1000".to_owned(),
        from_address: PAYER.to_string(),
        ..QuoteAsk::default()
    }
}

fn ok(body: &Value) -> Value {
    json!({ "status": 200, "json": body })
}

/// The honest answers of the table of lies.
fn honest(pointer: &str) -> Value {
    let table: Value = serde_json::from_str(include_str!("../../../../tests/cases/lies.json")).unwrap();
    ok(table.pointer(pointer).unwrap())
}

fn quote() -> Value {
    honest("/quote")
}

fn build() -> Value {
    honest("/deposits/CONTRACT_CALL")
}

fn submitted() -> Value {
    ok(&json!({ "orderId": "o1", "txHash": "0x02" }))
}

fn order(status: &str) -> Value {
    ok(&json!({
        "id": "o1", "type": "native-filler", "quoteId": "q1", "routeId": "north", "status": status, "fromChainId": 8453,
        "toChainId": 1, "fromToken": TOKEN, "toToken": null, "srcAmount": "1000", "destAmount": "300", "author": PAYER,
        "recipient": null, "refundTo": null, "fillerAddress": null, "externalOrderId": null, "depositTxHash": null,
        "intentId": null, "tradeType": "EXACT_INPUT", "createdAt": "", "updatedAt": "", "transactions": {},
        "timestamps": { "createdAt": "" }, "stepsCompleted": [], "fromTokenMeta": null, "toTokenMeta": null,
        "failureReason": "Nobody delivered in time.",
    }))
}

/// Swaps against a service that answers as told; also what it was asked.
async fn swap(
    wallet: &Hand,
    answers: &[Value],
    token: CancellationToken,
) -> (Result<String, Error>, Vec<String>) {
    let server = Server::start(serde_json::from_value(json!(answers)).unwrap()).await;
    let client = Client::new(&server.url).unwrap().aborted_by(token);
    let pace = Pace::default().every(Pace::FLOOR).retrying_after(Pace::FLOOR);
    let options = ExecuteOptions::default().at_pace(pace);
    let ended = client.execute(&ask(), wallet, &options, |_| {}).await.map(|order| order.status);
    let line = |head: &str| head.split(' ').take(2).collect::<Vec<_>>().join(" ");
    (ended, server.seen().iter().map(|seen| line(&seen.head)).collect())
}

const QUOTE: &str = "POST /v1/quotes";
const BUILD: &str = "POST /v1/deposit/build";
const SUBMIT: &str = "PUT /v1/deposit/submit";
const ORDER: &str = "GET /v1/orders/by-id/o1";
const EVENTS: &str = "GET /v1/orders/by-id/o1/events";

#[tokio::test]
async fn a_deposit_that_was_sent_is_submitted_until_the_service_takes_it() {
    let wallet = Hand::default();
    let lost = json!({ "end": "reset" });
    let no_events = json!({ "status": 404 });
    let submits = [lost, json!({ "status": 502 }), submitted()];
    let answers =
        [&[quote(), build()], &submits[..], &[order("created"), no_events, order("filled")]].concat();
    let (ended, asked) = swap(&wallet, &answers, CancellationToken::new()).await;
    assert_eq!(ended.unwrap(), "filled");
    assert_eq!(asked, [QUOTE, BUILD, SUBMIT, SUBMIT, SUBMIT, ORDER, EVENTS, ORDER]);
    let sent: Vec<_> = wallet.sent.lock().unwrap().iter().map(|transaction| transaction.to).collect();
    assert_eq!(sent, [TOKEN, ESCROW], "in order, and each once");
}

#[tokio::test]
async fn an_order_that_was_refunded_is_no_success() {
    let answers = [quote(), build(), submitted(), order("refunded")];
    let (ended, _) = swap(&Hand::default(), &answers, CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!(error.code(), "SVC3008");
    assert_eq!(error.to_string(), "The order was refunded: Nobody delivered in time.");
}

#[tokio::test]
async fn nothing_is_signed_for_a_deposit_that_was_not_asked_for() {
    let mut other = build();
    other["json"]["terms"]["recipient"] = json!(ESCROW.into_word());
    let wallet = Hand::default();
    let (ended, asked) = swap(&wallet, &[quote(), other], CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!(error.code(), "SVC3003");
    assert!(error.to_string().contains("recipient"), "{error}");
    assert!(wallet.sent.lock().unwrap().is_empty());
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn a_wallet_that_refuses_ends_the_swap_in_its_own_words() {
    let wallet = Hand { refuses: true, ..Hand::default() };
    let (ended, asked) = swap(&wallet, &[quote(), build()], CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("SVC3007", "The person said no."));
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn an_abort_while_an_approval_is_mined_sends_no_deposit() {
    let token = CancellationToken::new();
    let wallet = Hand { never_mined: Some(token.clone()), ..Hand::default() };
    let (ended, asked) = swap(&wallet, &[quote(), build()], token).await;
    assert!(matches!(ended, Err(Error::ApiAborted)), "{ended:?}");
    assert_eq!(wallet.sent.lock().unwrap().len(), 1);
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn a_quote_without_routes_is_no_swap() {
    let nobody = ok(&json!({ "quoteId": "q1", "routes": [] }));
    let (ended, _) = swap(&Hand::default(), &[nobody], CancellationToken::new()).await;
    assert_eq!(ended.unwrap_err().code(), "SVC3004");
}

#[tokio::test]
async fn a_swap_for_another_address_than_the_wallets_is_refused_before_anything_is_asked() {
    let server = Server::start(serde_json::from_value(json!([quote()])).unwrap()).await;
    let client = Client::new(&server.url).unwrap();
    let ask = QuoteAsk { from_address: ESCROW.to_string(), ..ask() };
    let ended = client.execute(&ask, &Hand::default(), &ExecuteOptions::default(), |_| {}).await;
    assert!(matches!(ended, Err(Error::Wallet(WalletError::OtherAddress { .. }))), "{ended:?}");
    assert!(server.seen().is_empty());
}
