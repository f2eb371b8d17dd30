use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use causeway_solana::{Landing, SendError, SignedTransaction, Simulation};
use serde_json::{Value, json};
use solana_keypair::Keypair;

use crate::fake_node::{FakeNode, NodeBehavior, client, rpc_error};
use crate::signing::{built, signed_by};

fn transaction() -> SignedTransaction {
    let (payer, other) = (Keypair::new(), Keypair::new());
    let built = built(&payer, &other);
    SignedTransaction::check(&signed_by(&built, &[&payer, &other]), built.message(), 150).unwrap()
}

/// A chain that advances 20 blocks per poll, and shows the transaction once it was sent `needed` times.
async fn chain(signature: String, needed: u64, err: Value) -> FakeNode {
    let (sent, polls) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
    FakeNode::start(move |method, _| match method {
        "getEpochInfo" => {
            let height = 100 + 20 * polls.fetch_add(1, Ordering::Relaxed);
            Ok(json!({ "absoluteSlot": height + 1_000, "blockHeight": height, "epoch": 1 }))
        }
        "sendTransaction" => {
            sent.fetch_add(1, Ordering::Relaxed);
            Ok(signature.clone().into())
        }
        "getSignatureStatuses" => {
            let landed = sent.load(Ordering::Relaxed) >= needed;
            let status = json!({ "slot": 1_111, "confirmations": null, "err": err, "confirmationStatus": "finalized" });
            let slot = 1_132 + 20 * polls.load(Ordering::Relaxed);
            Ok(json!({ "context": { "slot": slot }, "value": [landed.then_some(status)] }))
        }
        _ => rpc_error(-32_601, "Method not found"),
    })
    .await
}

#[tokio::test]
async fn a_transaction_is_sent_until_it_lands() {
    let transaction = transaction();
    let fake = chain(transaction.signature().to_string(), 2, Value::Null).await;
    let rpc = client(&[&fake]);
    fake.queue([NodeBehavior::CloseConnection, NodeBehavior::CloseConnection]);
    assert_eq!(rpc.land(&transaction).await, Landing::Landed { slot: 1_111 });
    assert_eq!(fake.call_count("sendTransaction"), 2);
}

#[tokio::test]
async fn failed_transaction_is_reported_with_reason() {
    let transaction = transaction();
    let err = json!({ "InstructionError": [0, { "Custom": 6 }] });
    let fake = chain(transaction.signature().to_string(), 0, err).await;
    let reason = "instruction 1 fails: custom program error: 0x6".to_owned();
    assert_eq!(client(&[&fake]).land(&transaction).await, Landing::Failed { slot: 1_111, reason });
}

#[tokio::test]
async fn unlanded_transaction_expires_with_its_blockhash_and_not_before() {
    let transaction = transaction();
    let fake = chain(transaction.signature().to_string(), u64::MAX, Value::Null).await;
    assert_eq!(client(&[&fake]).land(&transaction).await, Landing::Expired);
    assert_eq!(fake.call_count("sendTransaction"), 3, "at heights 100, 120 and 140 of 150");
    assert_eq!(fake.call_count("getSignatureStatuses"), 5);
}

#[tokio::test]
async fn a_transaction_goes_to_every_endpoint_and_one_is_enough() {
    let transaction = transaction();
    let signature = transaction.signature().to_string();
    let (a, b) = (chain(signature.clone(), 1, Value::Null).await, chain(signature, 1, Value::Null).await);
    client(&[&a, &b]).send(&transaction, true).await.unwrap();
    assert_eq!((a.call_count("sendTransaction"), b.call_count("sendTransaction")), (1, 1));
    a.set_behavior(NodeBehavior::CloseConnection);
    client(&[&a, &b]).send(&transaction, true).await.unwrap();
}

#[tokio::test]
async fn transaction_that_would_fail_is_refused_with_reason() {
    let fake = FakeNode::start(|_, _| {
        let data = json!({ "err": { "InstructionError": [1, { "Custom": 1 }] }, "logs": ["Program log: Error: insufficient funds"] });
        Err(json!({ "code": -32_002, "message": "Transaction simulation failed", "data": data }))
    })
    .await;
    let error = client(&[&fake]).send(&transaction(), true).await.unwrap_err();
    let expected =
        "instruction 2 fails: custom program error: 0x1; the program says: Error: insufficient funds";
    assert!(matches!(&error, SendError::WouldFail(reason) if reason == expected), "{error}");
}

#[tokio::test]
async fn simulation_returns_compute_units_and_failure() {
    let fake = FakeNode::start(|method, params| {
        assert_eq!((method, &params[1]["replaceRecentBlockhash"]), ("simulateTransaction", &json!(true)));
        let value =
            json!({ "err": "InsufficientFundsForFee", "logs": null, "unitsConsumed": 450, "accounts": null });
        Ok(json!({ "context": { "slot": 1 }, "value": value }))
    })
    .await;
    let failure = Some("the payer does not have enough SOL for the network fee".to_owned());
    let simulated = client(&[&fake]).simulate(transaction().wire()).await.unwrap();
    assert_eq!(simulated, Simulation { failure, escrow_error: None, compute_units: 450, logs: vec![] });
}

#[tokio::test]
async fn a_blockhash_comes_with_its_last_height() {
    let hash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N";
    let fake = FakeNode::start(move |_, _| {
        Ok(json!({ "context": { "slot": 1 }, "value": { "blockhash": hash, "lastValidBlockHeight": 3_090 } }))
    })
    .await;
    let recent = client(&[&fake]).recent_blockhash().await.unwrap();
    assert_eq!((recent.blockhash.to_string(), recent.last_valid_block_height), (hash.to_owned(), 3_090));
}
