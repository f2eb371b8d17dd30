//! Swaps against a misbehaving service. Successful swaps are covered by the end-to-end tests.

use std::sync::Mutex;
use std::time::Duration;

use alloy_primitives::{Address, address};
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, CancellationToken, Client, Error, EvmTransaction, ExecuteOptions, PollingOptions, Wallet,
    WalletError,
};
use serde_json::{Value, json};

use crate::server::Server;

const PAYER: Address = address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
const TOKEN: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ESCROW: Address = address!("5FbDB2315678afecb367f032d93F642f64180aa3");

/// A wallet that records transactions and can refuse or wait forever.
#[derive(Default)]
struct RecordingWallet {
    sent: Mutex<Vec<EvmTransaction>>,
    refuses: bool,
    never_mined: Option<CancellationToken>,
}

impl Wallet for RecordingWallet {
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

/// The honest responses of `lies.json`.
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

/// The bound and the escrow of `lies.json`.
fn options() -> ExecuteOptions {
    ExecuteOptions::new(Bound::MinAmountOut("297".to_owned())).with_trusted_escrow(8453, &ESCROW.to_string())
}

/// Swaps against a service with the given answers; returns the result and the requests.
async fn swap(
    wallet: &RecordingWallet,
    answers: &[Value],
    token: CancellationToken,
) -> (Result<String, Error>, Vec<String>) {
    let server = Server::start(serde_json::from_value(json!(answers)).unwrap()).await;
    let client = Client::new(&server.url).unwrap().with_cancellation(token);
    let polling = PollingOptions::default()
        .with_interval(Duration::from_millis(500))
        .with_backoff(Duration::from_millis(500));
    let options = options().with_polling(polling);
    let ended = client.execute(&ask(), wallet, &options, |_| {}).await.map(|order| order.status);
    let line = |head: &str| head.split(' ').take(2).collect::<Vec<_>>().join(" ");
    (ended, server.requests().iter().map(|seen| line(&seen.head)).collect())
}

const QUOTE: &str = "POST /v1/quotes";
const BUILD: &str = "POST /v1/deposit/build";
const SUBMIT: &str = "PUT /v1/deposit/submit";
const ORDER: &str = "GET /v1/orders/by-id/o1";
const EVENTS: &str = "GET /v1/orders/by-id/o1/events";

#[tokio::test]
async fn sent_deposit_is_submitted_until_the_service_accepts_it() {
    let wallet = RecordingWallet::default();
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
async fn refunded_order_is_an_error() {
    let answers = [quote(), build(), submitted(), order("refunded")];
    let (ended, _) = swap(&RecordingWallet::default(), &answers, CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!(error.code(), "SVC3008");
    assert_eq!(error.to_string(), "The order was refunded: Nobody delivered in time.");
}

#[tokio::test]
async fn deposit_that_differs_from_the_request_is_not_signed() {
    let mut other = build();
    other["json"]["terms"]["recipient"] = json!(ESCROW.into_word());
    let wallet = RecordingWallet::default();
    let (ended, asked) = swap(&wallet, &[quote(), other], CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!(error.code(), "SVC3003");
    assert!(error.to_string().contains("recipient"), "{error}");
    assert!(wallet.sent.lock().unwrap().is_empty());
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn wallet_error_ends_the_swap_with_its_message() {
    let wallet = RecordingWallet { refuses: true, ..RecordingWallet::default() };
    let (ended, asked) = swap(&wallet, &[quote(), build()], CancellationToken::new()).await;
    let error = ended.unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("SVC3007", "The person said no."));
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn abort_while_an_approval_is_pending_sends_no_deposit() {
    let token = CancellationToken::new();
    let wallet = RecordingWallet { never_mined: Some(token.clone()), ..RecordingWallet::default() };
    let (ended, asked) = swap(&wallet, &[quote(), build()], token).await;
    assert!(matches!(ended, Err(Error::ApiAborted)), "{ended:?}");
    assert_eq!(wallet.sent.lock().unwrap().len(), 1);
    assert_eq!(asked, [QUOTE, BUILD]);
}

#[tokio::test]
async fn quote_without_routes_is_an_error() {
    let nobody = ok(&json!({ "quoteId": "q1", "routes": [] }));
    let (ended, _) = swap(&RecordingWallet::default(), &[nobody], CancellationToken::new()).await;
    assert_eq!(ended.unwrap_err().code(), "SVC3004");
}

#[tokio::test]
async fn swap_for_another_address_is_rejected_before_any_request() {
    let server = Server::start(serde_json::from_value(json!([quote()])).unwrap()).await;
    let client = Client::new(&server.url).unwrap();
    let ask = QuoteAsk { from_address: ESCROW.to_string(), ..ask() };
    let ended = client.execute(&ask, &RecordingWallet::default(), &options(), |_| {}).await;
    assert!(matches!(ended, Err(Error::Wallet(WalletError::AddressMismatch { .. }))), "{ended:?}");
    assert!(server.requests().is_empty());
}

fn severe(code: &str) -> Value {
    json!([{ "code": code, "severity": "severe", "message": "Think twice.", "field": "recipient" }])
}

/// Swaps with these options, and returns what it ended with and how many transactions were sent.
async fn swap_with(answers: &[Value], options: &ExecuteOptions) -> (Result<String, Error>, usize) {
    let server = Server::start(serde_json::from_value(json!(answers)).unwrap()).await;
    let (client, wallet) = (Client::new(&server.url).unwrap(), RecordingWallet::default());
    let ended = client.execute(&ask(), &wallet, options, |_| {}).await.map(|order| order.status);
    let sent = wallet.sent.lock().unwrap().len();
    (ended, sent)
}

#[tokio::test]
async fn a_route_with_a_severe_warning_is_taken_only_if_it_is_accepted() {
    let mut warned = quote();
    warned["json"]["routes"][0]["warnings"] = severe("NO_WAY_OUT");
    let answers = [warned.clone(), build(), submitted(), order("filled")];
    let (ended, sent) = swap_with(&answers, &options()).await;
    let error = ended.unwrap_err();
    assert_eq!((error.code(), sent), ("SVC3004", 0));
    assert_eq!(error.to_string(), "A severe warning was not accepted: NO_WAY_OUT: Think twice.");
    let other = options().with_accepted_warnings(["HIGH_FEES"]);
    assert!(matches!(swap_with(&answers, &other).await, (Err(Error::Warned(_)), 0)));
    let accepted = options().with_accepted_warnings(["NO_WAY_OUT"]);
    assert_eq!(swap_with(&answers, &accepted).await.0.unwrap(), "filled");
    // Another route without a warning is taken.
    let mut both = warned.clone();
    let routes = both["json"]["routes"].as_array_mut().unwrap();
    let mut plain = routes[0].clone();
    plain["warnings"] = json!([{ "code": "HIGH_FEES", "severity": "warning", "message": "Dear." }]);
    routes.push(plain);
    let answers = [both, build(), submitted(), order("filled")];
    assert_eq!(swap_with(&answers, &options()).await.0.unwrap(), "filled");
    // Whoever confirms a route is not given another one instead.
    let confirmed = options().with_confirmation(|_| true);
    assert!(matches!(swap_with(&answers, &confirmed).await, (Err(Error::Warned(_)), 0)));
}

#[tokio::test]
async fn a_deposit_with_a_severe_warning_is_not_signed_unless_it_is_accepted() {
    let mut warned = build();
    warned["json"]["warnings"] = severe("CONTRACT_ELSEWHERE");
    let answers = [quote(), warned, submitted(), order("filled")];
    let (ended, sent) = swap_with(&answers, &options()).await;
    assert!(
        matches!(ended, Err(Error::Warned(warnings)) if warnings[0].field.as_deref() == Some("recipient"))
    );
    assert_eq!(sent, 0);
    let accepted = options().with_warning_check(|warning| warning.code == "CONTRACT_ELSEWHERE");
    assert_eq!(swap_with(&answers, &accepted).await.0.unwrap(), "filled");
}
