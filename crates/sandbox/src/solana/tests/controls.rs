use super::*;

#[tokio::test]
async fn a_dropped_transaction_is_accepted_and_never_lands() {
    let fixture = ChainFixture::new();
    fixture.chain.drop_next(1).await.unwrap();
    let lost = fixture.pay(1).await;
    let kept = fixture.pay(2).await;
    fixture.pass(5).await;
    assert_eq!(fixture.status(&lost).await, Value::Null);
    assert_eq!(fixture.status(&kept).await["confirmationStatus"], "finalized");
}

#[tokio::test]
async fn delayed_transaction_lands_after_the_given_number_of_slots() {
    let fixture = ChainFixture::new();
    fixture.chain.delay(3).await.unwrap();
    let signature = fixture.pay(1).await;
    fixture.pass(2).await;
    assert_eq!(fixture.status(&signature).await, Value::Null);
    let slot = fixture.pass(1).await;
    assert_eq!(fixture.status(&signature).await["slot"], slot);
}

#[tokio::test]
async fn a_paused_chain_holds_transactions_until_the_next_slot() {
    let fixture =
        ChainFixture::with(SolanaConfig { slot_time: Duration::from_millis(5), ..SolanaConfig::default() });
    fixture.chain.pause().await.unwrap();
    let slot = fixture.chain.slot().await.unwrap();
    let signature = fixture.pay(1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(fixture.chain.slot().await.unwrap(), slot);
    assert_eq!(fixture.status(&signature).await, Value::Null);
    fixture.chain.resume().await.unwrap();
    while fixture.status(&signature).await["confirmationStatus"] != "finalized" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn expired_blockhashes_drop_pending_transactions() {
    let fixture = ChainFixture::new();
    let signed = fixture.payment(1).await;
    fixture.chain.delay(50).await.unwrap();
    let waiting = fixture.pay(2).await;
    fixture.chain.delay(0).await.unwrap();
    fixture.chain.expire_blockhashes().await.unwrap();
    let error = fixture.send(&signed, json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "BlockhashNotFound");
    fixture.pass(60).await;
    assert_eq!(fixture.status(&waiting).await, Value::Null);
    fixture.pay(3).await;
}

#[tokio::test]
async fn time_is_set_and_programs_see_it() {
    let fixture = ChainFixture::new();
    let now = fixture.chain.time().await.unwrap();
    fixture.chain.set_time(now + 86_400).await.unwrap();
    let clock = json!(["SysvarC1ock11111111111111111111111111111111", { "encoding": "jsonParsed", "commitment": "processed" }]);
    let shown = fixture.get("getAccountInfo", clock).await;
    let info = &shown["value"]["data"]["parsed"]["info"];
    assert!(info["unixTimestamp"].as_i64().unwrap() >= now + 86_400);
    assert_eq!(info["slot"], fixture.chain.slot().await.unwrap());
    fixture.pass(1).await;
    assert!(fixture.chain.time().await.unwrap() >= now + 86_400);
    let error = fixture.chain.set_time(now).await.unwrap_err();
    assert!(error.to_string().contains("backwards"), "{error}");
}

#[tokio::test]
async fn a_fork_undoes_the_last_slots_and_their_signatures_vanish() {
    let fixture = ChainFixture::new();
    let bob = fixture.bob.pubkey();
    let first = fixture.payment(SOL).await;
    let kept = fixture.send(&first, json!({})).await.unwrap();
    fixture.pass(2).await;
    let confirmed = fixture.pay(2 * SOL).await;
    let dead = fixture.pass(1).await;
    let processed = fixture.pay(4 * SOL).await;
    assert_eq!(fixture.balance(&bob, "processed").await, 10_007 * SOL);
    assert_eq!(fixture.status(&confirmed).await["confirmationStatus"], "confirmed");

    fixture.chain.fork(2).await.unwrap();
    assert_eq!(fixture.balance(&bob, "processed").await, 10_001 * SOL);
    assert_eq!(fixture.status(&confirmed).await, Value::Null);
    assert_eq!(fixture.status(&processed).await, Value::Null);
    assert_eq!(fixture.status(&kept).await["confirmationStatus"], "finalized");
    fixture.pass(2).await;
    let error = fixture.call("getBlock", json!([dead])).await.unwrap_err();
    assert_eq!(error.code, -32007);
    fixture.pay(SOL).await;
    assert_eq!(fixture.balance(&bob, "processed").await, 10_002 * SOL);
    for slots in [0, 3] {
        assert!(fixture.chain.fork(slots).await.unwrap_err().to_string().contains("final"));
    }
}

#[tokio::test]
async fn a_fork_of_one_slot_keeps_the_slot_before() {
    let fixture = ChainFixture::new();
    let kept = fixture.pay(SOL).await;
    fixture.pass(1).await;
    let undone = fixture.pay(2 * SOL).await;
    fixture.chain.fork(1).await.unwrap();
    assert_eq!(fixture.status(&undone).await, Value::Null);
    assert_eq!(fixture.status(&kept).await["confirmationStatus"], "confirmed");
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_001 * SOL);
    fixture.pass(1).await;
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_fork_can_return_transactions_whose_blockhash_it_kept() {
    let fixture = ChainFixture::new();
    let first = fixture.payment(SOL).await;
    fixture.pass(3).await;
    let kept = fixture.send(&first, json!({})).await.unwrap();
    // Signed with the hash of the slot that is left.
    let lost = fixture.pay(2 * SOL).await;
    fixture.chain.fork_and_return(1).await.unwrap();
    assert_eq!(fixture.status(&kept).await, Value::Null);
    fixture.pass(3).await;
    assert_eq!(fixture.status(&kept).await["confirmationStatus"], "finalized");
    assert_eq!(fixture.status(&lost).await, Value::Null);
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn frozen_node_keeps_showing_a_fork_that_others_abandoned() {
    let fixture = ChainFixture::new();
    let payment = fixture.pay(SOL).await;
    fixture.pass(1).await;
    fixture.chain.set_faults_at(2, RpcFaults { stale: true, ..RpcFaults::default() }).await.unwrap();
    fixture.chain.fork(2).await.unwrap();
    fixture.pass(3).await;
    let other = SolanaNode { chain: &fixture.chain, node: 2 };
    let status = json!([[payment]]);
    let theirs = other.call("getSignatureStatuses", status.clone()).await.unwrap();
    assert_eq!(theirs["value"][0]["confirmationStatus"], "confirmed");
    assert_eq!(fixture.status(&payment).await, Value::Null);
    fixture.chain.set_faults_at(2, RpcFaults::default()).await.unwrap();
    assert_eq!(other.call("getSignatureStatuses", status).await.unwrap()["value"][0], Value::Null);
}

#[tokio::test]
async fn failing_node_answers_with_errors_and_a_lost_response_hides_the_outcome() {
    let fixture = ChainFixture::new();
    fixture
        .chain
        .set_faults(RpcFaults { failing: FaultSchedule::Next(2), ..RpcFaults::default() })
        .await
        .unwrap();
    assert_eq!(fixture.call("getSlot", json!([])).await.unwrap_err().code, -32603);
    assert!(fixture.call("getHealth", json!([])).await.is_err());
    assert!(fixture.call("getHealth", json!([])).await.is_ok());

    let payment = fixture.payment(1).await;
    fixture
        .chain
        .set_faults(RpcFaults { response_lost: FaultSchedule::Next(1), ..RpcFaults::default() })
        .await
        .unwrap();
    assert!(fixture.send(&payment, json!({})).await.is_err());
    let status = fixture.status(&payment.signatures[0].to_string()).await;
    assert_eq!(status["confirmationStatus"], "processed");
}

#[tokio::test]
async fn stale_node_shows_old_state_and_still_accepts_transactions() {
    let fixture = ChainFixture::new();
    let slot = fixture.chain.slot().await.unwrap();
    let payment = fixture.payment(SOL).await;
    fixture.chain.set_faults(RpcFaults { stale: true, ..RpcFaults::default() }).await.unwrap();
    fixture.pass(3).await;
    fixture.send(&payment, json!({})).await.unwrap();
    assert_eq!(fixture.get("getSlot", json!([{ "commitment": "processed" }])).await, slot);
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_000 * SOL);
    let error = fixture.call("getHealth", json!([])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32005, "Node is behind by 3 slots"));
    fixture.chain.set_faults(RpcFaults::default()).await.unwrap();
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn slow_node_delays_its_response() {
    let fixture = ChainFixture::new();
    let delay = Duration::from_millis(80);
    fixture.chain.set_faults(RpcFaults { delay, ..RpcFaults::default() }).await.unwrap();
    let start = std::time::Instant::now();
    fixture.get("getSlot", json!([])).await;
    assert!(start.elapsed() >= delay);
}

#[tokio::test]
async fn stopped_chain_does_not_answer() {
    let fixture = ChainFixture::new();
    fixture.chain.stop().await.unwrap();
    assert!(matches!(fixture.chain.slot().await, Err(SolanaError::Stopped)));
    assert_eq!(fixture.call("getSlot", json!([])).await.unwrap_err().code, -32603);
}
