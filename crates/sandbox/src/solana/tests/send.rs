use super::*;
use crate::solana::programs::MEMO;

#[tokio::test]
async fn a_transfer_moves_lamports_and_costs_a_fee() {
    let bench = Bench::new();
    let (alice, bob) = (bench.alice.pubkey(), bench.bob.pubkey());
    let message = bench.payment(SOL).await.message.serialize();
    let fee = bench
        .get("getFeeForMessage", json!([BASE64_STANDARD.encode(message), { "commitment": "processed" }]))
        .await;
    assert_eq!(fee["value"], 5_000);
    bench.pay(SOL).await;
    assert_eq!(bench.balance(&alice, "processed").await, 9_999 * SOL - 5_000);
    assert_eq!(bench.balance(&bob, "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_transaction_is_processed_then_confirmed_then_finalized() {
    let bench = Bench::new();
    let bob = bench.bob.pubkey();
    let signature = bench.pay(SOL).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let status = bench.status(&signature).await;
        let balances = [
            bench.balance(&bob, "confirmed").await > 10_000 * SOL,
            bench.balance(&bob, "finalized").await > 10_000 * SOL,
        ];
        seen.push((status["confirmationStatus"].clone(), status["confirmations"].clone(), balances));
        bench.pass(1).await;
    }
    assert_eq!(seen[0], (json!("processed"), json!(0), [false, false]));
    assert_eq!(seen[1], (json!("confirmed"), json!(1), [true, false]));
    assert_eq!(seen[2], (json!("finalized"), Value::Null, [true, true]));
}

#[tokio::test]
async fn a_transaction_is_taken_once() {
    let bench = Bench::new();
    let payment = bench.payment(SOL).await;
    bench.send(&payment, json!({})).await.unwrap();
    let error = bench.send(&payment, json!({})).await.unwrap_err();
    assert_eq!(error.code, -32002);
    assert_eq!(error.message, "Transaction simulation failed: This transaction has already been processed");
    assert_eq!(error.data.unwrap()["err"], "AlreadyProcessed");
    bench.send(&payment, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_blockhash_lives_for_150_blocks() {
    let bench = Bench::new();
    let (early, late) = (bench.payment(1).await, bench.payment(2).await);
    bench.pass(150).await;
    bench.send(&early, json!({})).await.unwrap();
    bench.pass(1).await;
    let error = bench.send(&late, json!({})).await.unwrap_err();
    assert_eq!(error.message, "Transaction simulation failed: Blockhash not found");
    assert_eq!(error.data.unwrap()["err"], "BlockhashNotFound");
    let signature = bench.send(&late, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(bench.status(&signature).await, Value::Null);
}

#[tokio::test]
async fn a_failing_transaction_lands_and_pays_when_preflight_is_skipped() {
    let bench = Bench::new();
    let too_much = bench.payment(20_000 * SOL).await;
    let error = bench.send(&too_much, json!({})).await.unwrap_err();
    let data = error.data.unwrap();
    assert_eq!(data["err"], json!({ "InstructionError": [0, { "Custom": 1 }] }));
    assert!(data["logs"].to_string().contains("insufficient lamports"), "{data}");
    let signature = bench.send(&too_much, json!({ "skipPreflight": true })).await.unwrap();
    let status = bench.status(&signature).await;
    assert_eq!(status["err"], json!({ "InstructionError": [0, { "Custom": 1 }] }));
    assert_eq!(bench.balance(&bench.alice.pubkey(), "processed").await, 10_000 * SOL - 5_000);
}

#[tokio::test]
async fn who_cannot_pay_the_fee_does_not_land() {
    let bench = Bench::new();
    let poor = Keypair::new();
    let message = Message::new_with_blockhash(
        &[transfer(&poor.pubkey(), &bench.bob.pubkey(), 1)],
        Some(&poor.pubkey()),
        &bench.blockhash().await,
    );
    let transaction = VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&poor]).unwrap();
    let error = bench.send(&transaction, json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "AccountNotFound");
    let signature = bench.send(&transaction, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(bench.status(&signature).await, Value::Null);

    bench.chain.airdrop(poor.pubkey(), 4_000_000).await.unwrap();
    let message = Message::new_with_blockhash(
        &[transfer(&poor.pubkey(), &bench.bob.pubkey(), 4_000_000)],
        Some(&poor.pubkey()),
        &bench.blockhash().await,
    );
    let transaction = VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&poor]).unwrap();
    let error = bench.send(&transaction, json!({})).await.unwrap_err();
    assert_eq!(error.code, -32002);
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let bench = Bench::new();
    let mut payment = bench.payment(1).await;
    payment.signatures = vec![solana_signature::Signature::from([9; 64])];
    let error = bench.send(&payment, json!({})).await.unwrap_err();
    assert_eq!((error.code, &error.data.unwrap()["err"]), (-32002, &json!("SignatureFailure")));
    let error = bench.send(&payment, json!({ "skipPreflight": true })).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32003, "Transaction signature verification failure"));
}

#[tokio::test]
async fn a_simulation_changes_nothing() {
    let bench = Bench::new();
    let (alice, bob) = (bench.alice.pubkey(), bench.bob.pubkey());
    let payment = bench.payment(SOL).await;
    let config = json!({
        "encoding": "base64",
        "sigVerify": true,
        "accounts": { "addresses": [bob.to_string()], "encoding": "base64" },
    });
    let answer = bench.get("simulateTransaction", json!([encoded(&payment), config])).await;
    let value = &answer["value"];
    assert_eq!(value["err"], Value::Null);
    assert_eq!(value["unitsConsumed"], 150);
    assert_eq!(value["fee"], 5_000);
    assert_eq!(value["accounts"][0]["lamports"], 10_001 * SOL);
    assert_eq!(value["postBalances"][0], 9_999 * SOL - 5_000);
    assert_eq!(bench.balance(&alice, "processed").await, 10_000 * SOL);
    assert_eq!(bench.status(&payment.signatures[0].to_string()).await, Value::Null);
}

#[tokio::test]
async fn a_simulation_takes_an_unsigned_transaction_and_an_old_blockhash() {
    let bench = Bench::new();
    let mut payment = bench.payment(SOL).await;
    payment.signatures = vec![solana_signature::Signature::default()];
    bench.pass(200).await;
    let simulate = |config: Value| {
        let text = encoded(&payment);
        bench.call("simulateTransaction", json!([text, config]))
    };
    let answer = simulate(json!({ "encoding": "base64" })).await.unwrap();
    assert_eq!(answer["value"]["err"], "BlockhashNotFound");
    let answer = simulate(json!({ "encoding": "base64", "replaceRecentBlockhash": true })).await.unwrap();
    assert_eq!(answer["value"]["err"], Value::Null);
    assert_eq!(answer["value"]["replacementBlockhash"]["blockhash"], bench.blockhash().await.to_string());
    let both = json!({ "encoding": "base64", "replaceRecentBlockhash": true, "sigVerify": true });
    assert_eq!(simulate(both).await.unwrap_err().code, -32602);
}

#[tokio::test]
async fn a_memo_is_executed_and_remembered() {
    let bench = Bench::new();
    let memo = Instruction { program_id: MEMO, accounts: Vec::new(), data: b"for the tea".to_vec() };
    let transaction = bench.sign(&[memo]).await;
    bench.send(&transaction, json!({})).await.unwrap();
    bench.pass(2).await;
    let found = bench.get("getSignaturesForAddress", json!([MEMO.to_string()])).await;
    assert_eq!(found[0]["memo"], "[11] for the tea");
}

#[tokio::test]
async fn an_airdrop_is_bounded_and_shows_in_the_history() {
    let bench = Bench::new();
    let someone = Address::new_unique();
    let first = bench.get("requestAirdrop", json!([someone.to_string(), SOL])).await;
    let second = bench.get("requestAirdrop", json!([someone.to_string(), SOL])).await;
    assert_ne!(first, second);
    assert_eq!(bench.balance(&someone, "processed").await, 2 * SOL);
    bench.pass(1).await;
    assert_eq!(bench.status(first.as_str().unwrap()).await["confirmationStatus"], "confirmed");
    for lamports in [json!(1e100), json!(u64::MAX), json!(0), json!(-1), json!("1")] {
        let error = bench.call("requestAirdrop", json!([someone.to_string(), lamports])).await.unwrap_err();
        assert_eq!(error.code, -32602);
        assert!(error.message.contains("is refused"), "{}", error.message);
    }
    let googol = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["{someone}",1{}]}}"#,
        "0".repeat(100)
    );
    let answer: Value = serde_json::from_slice(&bench.chain.rpc(googol.as_bytes()).await).unwrap();
    assert_eq!(answer["error"]["code"], -32602);
}
