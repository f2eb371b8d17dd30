use super::*;
use crate::solana::programs::MEMO;

#[tokio::test]
async fn a_transfer_moves_lamports_and_costs_a_fee() {
    let fixture = ChainFixture::new();
    let (alice, bob) = (fixture.alice.pubkey(), fixture.bob.pubkey());
    let message = fixture.payment(SOL).await.message.serialize();
    let fee = fixture
        .get("getFeeForMessage", json!([BASE64_STANDARD.encode(message), { "commitment": "processed" }]))
        .await;
    assert_eq!(fee["value"], 5_000);
    fixture.pay(SOL).await;
    assert_eq!(fixture.balance(&alice, "processed").await, 9_999 * SOL - 5_000);
    assert_eq!(fixture.balance(&bob, "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_transaction_is_processed_then_confirmed_then_finalized() {
    let fixture = ChainFixture::new();
    let bob = fixture.bob.pubkey();
    let signature = fixture.pay(SOL).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let status = fixture.status(&signature).await;
        let balances = [
            fixture.balance(&bob, "confirmed").await > 10_000 * SOL,
            fixture.balance(&bob, "finalized").await > 10_000 * SOL,
        ];
        seen.push((status["confirmationStatus"].clone(), status["confirmations"].clone(), balances));
        fixture.pass(1).await;
    }
    assert_eq!(seen[0], (json!("processed"), json!(0), [false, false]));
    assert_eq!(seen[1], (json!("confirmed"), json!(1), [true, false]));
    assert_eq!(seen[2], (json!("finalized"), Value::Null, [true, true]));
}

#[tokio::test]
async fn transaction_is_accepted_once() {
    let fixture = ChainFixture::new();
    let payment = fixture.payment(SOL).await;
    fixture.send(&payment, json!({})).await.unwrap();
    let error = fixture.send(&payment, json!({})).await.unwrap_err();
    assert_eq!(error.code, -32002);
    assert_eq!(error.message, "Transaction simulation failed: This transaction has already been processed");
    assert_eq!(error.data.unwrap()["err"], "AlreadyProcessed");
    fixture.send(&payment, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_blockhash_lives_for_150_blocks() {
    let fixture = ChainFixture::new();
    let (early, late) = (fixture.payment(1).await, fixture.payment(2).await);
    fixture.pass(150).await;
    fixture.send(&early, json!({})).await.unwrap();
    fixture.pass(1).await;
    let error = fixture.send(&late, json!({})).await.unwrap_err();
    assert_eq!(error.message, "Transaction simulation failed: Blockhash not found");
    assert_eq!(error.data.unwrap()["err"], "BlockhashNotFound");
    let signature = fixture.send(&late, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(fixture.status(&signature).await, Value::Null);
}

#[tokio::test]
async fn a_failing_transaction_lands_and_pays_when_preflight_is_skipped() {
    let fixture = ChainFixture::new();
    let too_much = fixture.payment(20_000 * SOL).await;
    let error = fixture.send(&too_much, json!({})).await.unwrap_err();
    let data = error.data.unwrap();
    assert_eq!(data["err"], json!({ "InstructionError": [0, { "Custom": 1 }] }));
    assert!(data["logs"].to_string().contains("insufficient lamports"), "{data}");
    let signature = fixture.send(&too_much, json!({ "skipPreflight": true })).await.unwrap();
    let status = fixture.status(&signature).await;
    assert_eq!(status["err"], json!({ "InstructionError": [0, { "Custom": 1 }] }));
    assert_eq!(fixture.balance(&fixture.alice.pubkey(), "processed").await, 10_000 * SOL - 5_000);
}

#[tokio::test]
async fn payer_without_fee_does_not_land() {
    let fixture = ChainFixture::new();
    let poor = Keypair::new();
    let message = Message::new_with_blockhash(
        &[transfer(&poor.pubkey(), &fixture.bob.pubkey(), 1)],
        Some(&poor.pubkey()),
        &fixture.blockhash().await,
    );
    let transaction = VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&poor]).unwrap();
    let error = fixture.send(&transaction, json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "AccountNotFound");
    let signature = fixture.send(&transaction, json!({ "skipPreflight": true })).await.unwrap();
    assert_eq!(fixture.status(&signature).await, Value::Null);

    fixture.chain.airdrop(poor.pubkey(), 4_000_000).await.unwrap();
    let message = Message::new_with_blockhash(
        &[transfer(&poor.pubkey(), &fixture.bob.pubkey(), 4_000_000)],
        Some(&poor.pubkey()),
        &fixture.blockhash().await,
    );
    let transaction = VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&poor]).unwrap();
    let error = fixture.send(&transaction, json!({})).await.unwrap_err();
    assert_eq!(error.code, -32002);
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let fixture = ChainFixture::new();
    let mut payment = fixture.payment(1).await;
    payment.signatures = vec![solana_signature::Signature::from([9; 64])];
    let error = fixture.send(&payment, json!({})).await.unwrap_err();
    assert_eq!((error.code, &error.data.unwrap()["err"]), (-32002, &json!("SignatureFailure")));
    let error = fixture.send(&payment, json!({ "skipPreflight": true })).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32003, "Transaction signature verification failure"));
}

#[tokio::test]
async fn a_simulation_changes_nothing() {
    let fixture = ChainFixture::new();
    let (alice, bob) = (fixture.alice.pubkey(), fixture.bob.pubkey());
    let payment = fixture.payment(SOL).await;
    let config = json!({
        "encoding": "base64",
        "sigVerify": true,
        "accounts": { "addresses": [bob.to_string()], "encoding": "base64" },
    });
    let answer = fixture.get("simulateTransaction", json!([encoded(&payment), config])).await;
    let value = &answer["value"];
    assert_eq!(value["err"], Value::Null);
    assert_eq!(value["unitsConsumed"], 150);
    assert_eq!(value["fee"], 5_000);
    assert_eq!(value["accounts"][0]["lamports"], 10_001 * SOL);
    assert_eq!(value["postBalances"][0], 9_999 * SOL - 5_000);
    assert_eq!(fixture.balance(&alice, "processed").await, 10_000 * SOL);
    assert_eq!(fixture.status(&payment.signatures[0].to_string()).await, Value::Null);
}

#[tokio::test]
async fn a_simulation_takes_an_unsigned_transaction_and_an_old_blockhash() {
    let fixture = ChainFixture::new();
    let mut payment = fixture.payment(SOL).await;
    payment.signatures = vec![solana_signature::Signature::default()];
    fixture.pass(200).await;
    let simulate = |config: Value| {
        let text = encoded(&payment);
        fixture.call("simulateTransaction", json!([text, config]))
    };
    let answer = simulate(json!({ "encoding": "base64" })).await.unwrap();
    assert_eq!(answer["value"]["err"], "BlockhashNotFound");
    let answer = simulate(json!({ "encoding": "base64", "replaceRecentBlockhash": true })).await.unwrap();
    assert_eq!(answer["value"]["err"], Value::Null);
    assert_eq!(answer["value"]["replacementBlockhash"]["blockhash"], fixture.blockhash().await.to_string());
    let both = json!({ "encoding": "base64", "replaceRecentBlockhash": true, "sigVerify": true });
    assert_eq!(simulate(both).await.unwrap_err().code, -32602);
}

#[tokio::test]
async fn memo_is_executed_and_recorded() {
    let fixture = ChainFixture::new();
    let memo = Instruction { program_id: MEMO, accounts: Vec::new(), data: b"for the tea".to_vec() };
    let transaction = fixture.sign(&[memo]).await;
    fixture.send(&transaction, json!({})).await.unwrap();
    fixture.pass(2).await;
    let found = fixture.get("getSignaturesForAddress", json!([MEMO.to_string()])).await;
    assert_eq!(found[0]["memo"], "[11] for the tea");
}

#[tokio::test]
async fn an_airdrop_is_bounded_and_shows_in_the_history() {
    let fixture = ChainFixture::new();
    let someone = Address::new_unique();
    let first = fixture.get("requestAirdrop", json!([someone.to_string(), SOL])).await;
    let second = fixture.get("requestAirdrop", json!([someone.to_string(), SOL])).await;
    assert_ne!(first, second);
    assert_eq!(fixture.balance(&someone, "processed").await, 2 * SOL);
    fixture.pass(1).await;
    assert_eq!(fixture.status(first.as_str().unwrap()).await["confirmationStatus"], "confirmed");
    for lamports in [json!(1e100), json!(u64::MAX), json!(0), json!(-1), json!("1")] {
        let error = fixture.call("requestAirdrop", json!([someone.to_string(), lamports])).await.unwrap_err();
        assert_eq!(error.code, -32602);
        assert!(error.message.contains("is refused"), "{}", error.message);
    }
    let googol = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["{someone}",1{}]}}"#,
        "0".repeat(100)
    );
    let answer: Value = serde_json::from_slice(&fixture.chain.rpc(googol.as_bytes()).await).unwrap();
    assert_eq!(answer["error"]["code"], -32602);
}
