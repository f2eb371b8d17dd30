use alloy_primitives::Address;
use causeway_client::{EvmTransaction, LocalWallet, Wallet as _, WalletError};
use serde_json::{Value, json};

use crate::server::Server;

const ALICE: Address = Address::repeat_byte(0xa1);

fn result(value: &Value) -> Value {
    json!({ "status": 200, "json": { "jsonrpc": "2.0", "id": 1, "result": value } })
}

fn refusal(message: &str) -> Value {
    json!({ "status": 200, "json": { "jsonrpc": "2.0", "id": 1, "error": { "code": -32000, "message": message } } })
}

/// Sends a transaction over an endpoint that answers the wallet's preparations, and then as told.
async fn send(answers: &[Value]) -> (Result<String, WalletError>, Vec<Value>) {
    let ready = [result(&json!("0x7")), result(&json!({ "baseFeePerGas": "0x64" })), result(&json!("0x2"))];
    let behaviours = json!([&ready[..], answers].concat());
    let server = Server::start(serde_json::from_value(behaviours).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(8453, &server.url).unwrap();
    let (to, data, value) = (ALICE, "0x".parse().unwrap(), "1".parse().unwrap());
    let sent = wallet.send(&EvmTransaction { chain_id: 8453, to, data, value, gas: Some(21_000) }).await;
    let asked =
        server.seen().iter().skip(3).map(|seen| serde_json::from_slice(&seen.body).unwrap()).collect();
    (sent, asked)
}

fn methods(asked: &[Value]) -> Vec<&str> {
    asked.iter().map(|question| question["method"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_transaction_whose_answer_was_lost_is_looked_for_and_not_signed_again() {
    let lost = json!({ "end": "reset" });
    let (sent, asked) = send(&[lost.clone(), result(&Value::Null), lost, result(&json!({}))]).await;
    let broadcast = "eth_sendRawTransaction";
    let look = "eth_getTransactionByHash";
    assert_eq!(methods(&asked), [broadcast, look, broadcast, look]);
    assert_eq!(asked[0]["params"], asked[2]["params"], "the very same transaction");
    assert_eq!(json!([sent.unwrap()]), asked[1]["params"]);
}

#[tokio::test]
async fn a_transaction_that_the_chain_already_knows_was_sent() {
    let (sent, _) = send(&[refusal("already known"), result(&json!({}))]).await;
    assert!(sent.is_ok(), "{sent:?}");
}

#[tokio::test]
async fn a_refusal_is_told_in_the_chains_words_and_not_tried_again() {
    let (sent, asked) = send(&[refusal("insufficient funds"), result(&Value::Null)]).await;
    let message = "insufficient funds".to_owned();
    assert_eq!(sent, Err(WalletError::Refused { chain_id: 8453, message }));
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn an_endpoint_that_speaks_no_json_rpc_is_named() {
    let html = json!([{ "status": 200, "body": "<html>" }]);
    let server = Server::start(serde_json::from_value(html).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(10, &server.url).unwrap();
    let (to, data, value) = (ALICE, "0x".parse().unwrap(), "1".parse().unwrap());
    let sent = wallet.send(&EvmTransaction { chain_id: 10, to, data, value, gas: None }).await;
    assert!(matches!(sent, Err(WalletError::Endpoint { chain_id: 10, .. })), "{sent:?}");
}

#[tokio::test]
async fn a_transaction_that_reverted_is_an_error() {
    let answers = json!([result(&Value::Null), { "end": "reset" }, result(&json!({ "status": "0x0" }))]);
    let server = Server::start(serde_json::from_value(answers).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(10, &server.url).unwrap();
    let mined = wallet.wait_for_receipt(10, "0x1").await;
    assert_eq!(mined, Err(WalletError::Reverted("0x1".to_owned())));
}
