use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{Address, hex};
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

/// Sends a transaction through an endpoint that answers the preparation requests, and then as given.
async fn send(answers: &[Value]) -> (Result<String, WalletError>, Vec<Value>) {
    let ready = [result(&json!("0x7")), result(&json!({ "baseFeePerGas": "0x64" })), result(&json!("0x2"))];
    let behaviours = json!([&ready[..], answers].concat());
    let server = Server::start(serde_json::from_value(behaviours).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(8453, &server.url).unwrap();
    let (to, data, value) = (ALICE, "0x".parse().unwrap(), "1".parse().unwrap());
    let sent = wallet.send(&EvmTransaction { chain_id: 8453, to, data, value, gas: Some(21_000) }).await;
    let asked =
        server.requests().iter().skip(3).map(|seen| serde_json::from_slice(&seen.body).unwrap()).collect();
    (sent, asked)
}

fn methods(asked: &[Value]) -> Vec<&str> {
    asked.iter().map(|question| question["method"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lost_broadcast_response_triggers_a_lookup_and_rebroadcast() {
    let lost = json!({ "end": "reset" });
    let (sent, asked) = send(&[lost.clone(), result(&Value::Null), lost, result(&json!({}))]).await;
    let broadcast = "eth_sendRawTransaction";
    let lookup = "eth_getTransactionByHash";
    assert_eq!(methods(&asked), [broadcast, lookup, broadcast, lookup]);
    assert_eq!(asked[0]["params"], asked[2]["params"], "the very same transaction");
    assert_eq!(json!([sent.unwrap()]), asked[1]["params"]);
}

#[tokio::test]
async fn already_known_transaction_counts_as_sent() {
    let (sent, _) = send(&[refusal("already known"), result(&json!({}))]).await;
    assert!(sent.is_ok(), "{sent:?}");
}

#[tokio::test]
async fn rejection_has_the_chains_message_and_is_not_retried() {
    let (sent, asked) = send(&[refusal("insufficient funds"), result(&Value::Null)]).await;
    let message = "insufficient funds".to_owned();
    assert_eq!(sent, Err(WalletError::Refused { chain_id: 8453, message }));
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn unconfirmed_broadcast_error_has_the_hash() {
    let lost = json!({ "end": "reset" });
    let (sent, asked) = send(&[lost]).await;
    let Err(WalletError::Unconfirmed { chain_id: 8453, tx_hash, .. }) = &sent else { panic!("{sent:?}") };
    assert_eq!(asked.len(), 10, "five times sent and looked for");
    assert_eq!(json!([tx_hash]), asked[1]["params"]);
    assert!(sent.unwrap_err().to_string().contains(asked[1]["params"][0].as_str().unwrap()));
}

#[tokio::test]
async fn rejection_after_a_lost_response_is_not_final() {
    let lost = json!({ "end": "reset" });
    let answers = [lost, result(&Value::Null), refusal("nonce too low"), result(&Value::Null)];
    let again = [refusal("nonce too low"), result(&json!({}))];
    let (sent, asked) = send(&[&answers[..], &again].concat()).await;
    assert_eq!(json!([sent.unwrap()]), asked[1]["params"]);
    let (sent, _) = send(&[&answers[..3], &[json!({ "end": "reset" })]].concat()).await;
    assert!(matches!(sent, Err(WalletError::Unconfirmed { .. })), "{sent:?}");
}

#[tokio::test]
async fn excessive_suggested_fees_are_capped_or_rejected() {
    let excessive = "0xffffffffffffffffffff";
    let answers = json!([
        result(&json!("0x7")),
        result(&json!({ "baseFeePerGas": "0x64" })),
        result(&json!(excessive)),
        result(&json!(format!("0x{}", "1".repeat(64)))),
    ]);
    let server = Server::start(serde_json::from_value(answers).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(8453, &server.url).unwrap();
    let (to, data, value) = (ALICE, "0x".parse().unwrap(), "1".parse().unwrap());
    let transaction = EvmTransaction { chain_id: 8453, to, data, value, gas: Some(21_000) };
    wallet.send(&transaction).await.unwrap();
    let sent: Value = serde_json::from_slice(&server.requests()[3].body).unwrap();
    let raw = hex::decode(sent["params"][0].as_str().unwrap()).unwrap();
    let signed = TxEnvelope::decode_2718(&mut raw.as_slice()).unwrap();
    assert_eq!(signed.max_priority_fee_per_gas(), Some(10_000_000_000));
    assert_eq!(signed.max_fee_per_gas(), 10_000_000_200);

    let answers = json!([result(&json!("0x7")), result(&json!({})), result(&json!(excessive))]);
    let server = Server::start(serde_json::from_value(answers).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(8453, &server.url).unwrap();
    let sent = wallet.send(&transaction).await;
    assert!(matches!(sent, Err(WalletError::GasPriceTooHigh { chain_id: 8453, .. })), "{sent:?}");
}

#[tokio::test]
async fn oversized_response_is_not_read_completely() {
    let flood = json!([{ "status": 200, "chunks": vec!["x".repeat(1024 * 1024); 9], "end": "hang" }]);
    let server = Server::start(serde_json::from_value(flood).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(10, &server.url).unwrap();
    let called = wallet.call(10, ALICE, &"0x".parse().unwrap()).await;
    let Err(WalletError::Endpoint { message, .. }) = called else { panic!("{called:?}") };
    assert!(message.contains("more than 8388608 bytes"), "{message}");
}

#[tokio::test]
async fn invalid_json_rpc_response_is_an_endpoint_error() {
    let html = json!([{ "status": 200, "body": "<html>" }]);
    let server = Server::start(serde_json::from_value(html).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(10, &server.url).unwrap();
    let (to, data, value) = (ALICE, "0x".parse().unwrap(), "1".parse().unwrap());
    let sent = wallet.send(&EvmTransaction { chain_id: 10, to, data, value, gas: None }).await;
    assert!(matches!(sent, Err(WalletError::Endpoint { chain_id: 10, .. })), "{sent:?}");
}

#[tokio::test]
async fn reverted_transaction_is_an_error() {
    let answers = json!([result(&Value::Null), { "end": "reset" }, result(&json!({ "status": "0x0" }))]);
    let server = Server::start(serde_json::from_value(answers).unwrap()).await;
    let wallet = LocalWallet::new(&"11".repeat(32)).unwrap().with_endpoint(10, &server.url).unwrap();
    let mined = wallet.wait_for_receipt(10, "0x1").await;
    assert_eq!(mined, Err(WalletError::Reverted("0x1".to_owned())));
}
