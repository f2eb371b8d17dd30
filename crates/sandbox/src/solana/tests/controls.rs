use super::*;

#[tokio::test]
async fn a_dropped_transaction_is_accepted_and_never_lands() {
    let bench = Bench::new();
    bench.chain.drop_next(1).await.unwrap();
    let lost = bench.pay(1).await;
    let kept = bench.pay(2).await;
    bench.pass(5).await;
    assert_eq!(bench.status(&lost).await, Value::Null);
    assert_eq!(bench.status(&kept).await["confirmationStatus"], "finalized");
}

#[tokio::test]
async fn a_delayed_transaction_lands_so_many_slots_later() {
    let bench = Bench::new();
    bench.chain.delay(3).await.unwrap();
    let signature = bench.pay(1).await;
    bench.pass(2).await;
    assert_eq!(bench.status(&signature).await, Value::Null);
    let slot = bench.pass(1).await;
    assert_eq!(bench.status(&signature).await["slot"], slot);
}

#[tokio::test]
async fn a_paused_chain_holds_transactions_until_the_next_slot() {
    let bench = Bench::with(SolanaConfig { slot_time: Duration::from_millis(5), ..SolanaConfig::default() });
    bench.chain.pause().await.unwrap();
    let slot = bench.chain.slot().await.unwrap();
    let signature = bench.pay(1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(bench.chain.slot().await.unwrap(), slot);
    assert_eq!(bench.status(&signature).await, Value::Null);
    bench.chain.resume().await.unwrap();
    while bench.status(&signature).await["confirmationStatus"] != "finalized" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn expired_blockhashes_are_refused_and_waiting_transactions_with_them() {
    let bench = Bench::new();
    let signed = bench.payment(1).await;
    bench.chain.delay(50).await.unwrap();
    let waiting = bench.pay(2).await;
    bench.chain.delay(0).await.unwrap();
    bench.chain.expire_blockhashes().await.unwrap();
    let error = bench.send(&signed, json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "BlockhashNotFound");
    bench.pass(60).await;
    assert_eq!(bench.status(&waiting).await, Value::Null);
    bench.pay(3).await;
}

#[tokio::test]
async fn time_is_set_and_programs_see_it() {
    let bench = Bench::new();
    let now = bench.chain.time().await.unwrap();
    bench.chain.set_time(now + 86_400).await.unwrap();
    let clock = json!(["SysvarC1ock11111111111111111111111111111111", { "encoding": "jsonParsed", "commitment": "processed" }]);
    let shown = bench.get("getAccountInfo", clock).await;
    let info = &shown["value"]["data"]["parsed"]["info"];
    assert!(info["unixTimestamp"].as_i64().unwrap() >= now + 86_400);
    assert_eq!(info["slot"], bench.chain.slot().await.unwrap());
    bench.pass(1).await;
    assert!(bench.chain.time().await.unwrap() >= now + 86_400);
    let error = bench.chain.set_time(now).await.unwrap_err();
    assert!(error.to_string().contains("backwards"), "{error}");
}

#[tokio::test]
async fn a_fork_undoes_the_last_slots_and_their_signatures_vanish() {
    let bench = Bench::new();
    let bob = bench.bob.pubkey();
    let first = bench.payment(SOL).await;
    let kept = bench.send(&first, json!({})).await.unwrap();
    bench.pass(2).await;
    let confirmed = bench.pay(2 * SOL).await;
    let dead = bench.pass(1).await;
    let processed = bench.pay(4 * SOL).await;
    assert_eq!(bench.balance(&bob, "processed").await, 10_007 * SOL);
    assert_eq!(bench.status(&confirmed).await["confirmationStatus"], "confirmed");

    bench.chain.fork(2).await.unwrap();
    assert_eq!(bench.balance(&bob, "processed").await, 10_001 * SOL);
    assert_eq!(bench.status(&confirmed).await, Value::Null);
    assert_eq!(bench.status(&processed).await, Value::Null);
    assert_eq!(bench.status(&kept).await["confirmationStatus"], "finalized");
    bench.pass(2).await;
    let error = bench.call("getBlock", json!([dead])).await.unwrap_err();
    assert_eq!(error.code, -32007);
    bench.pay(SOL).await;
    assert_eq!(bench.balance(&bob, "processed").await, 10_002 * SOL);
    for slots in [0, 3] {
        assert!(bench.chain.fork(slots).await.unwrap_err().to_string().contains("final"));
    }
}

#[tokio::test]
async fn a_fork_of_one_slot_keeps_the_slot_before() {
    let bench = Bench::new();
    let kept = bench.pay(SOL).await;
    bench.pass(1).await;
    let undone = bench.pay(2 * SOL).await;
    bench.chain.fork(1).await.unwrap();
    assert_eq!(bench.status(&undone).await, Value::Null);
    assert_eq!(bench.status(&kept).await["confirmationStatus"], "confirmed");
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_001 * SOL);
    bench.pass(1).await;
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_fork_can_return_transactions_whose_blockhash_it_kept() {
    let bench = Bench::new();
    let first = bench.payment(SOL).await;
    bench.pass(3).await;
    let kept = bench.send(&first, json!({})).await.unwrap();
    // Signed with the hash of the slot that is left.
    let lost = bench.pay(2 * SOL).await;
    bench.chain.fork_and_return(1).await.unwrap();
    assert_eq!(bench.status(&kept).await, Value::Null);
    bench.pass(3).await;
    assert_eq!(bench.status(&kept).await["confirmationStatus"], "finalized");
    assert_eq!(bench.status(&lost).await, Value::Null);
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_frozen_node_goes_on_showing_a_fork_that_the_others_have_left() {
    let bench = Bench::new();
    let payment = bench.pay(SOL).await;
    bench.pass(1).await;
    bench.chain.set_faults_at(2, RpcFaults { stale: true, ..RpcFaults::default() }).await.unwrap();
    bench.chain.fork(2).await.unwrap();
    bench.pass(3).await;
    let other = SolanaNode { chain: &bench.chain, node: 2 };
    let status = json!([[payment]]);
    let theirs = other.call("getSignatureStatuses", status.clone()).await.unwrap();
    assert_eq!(theirs["value"][0]["confirmationStatus"], "confirmed");
    assert_eq!(bench.status(&payment).await, Value::Null);
    bench.chain.set_faults_at(2, RpcFaults::default()).await.unwrap();
    assert_eq!(other.call("getSignatureStatuses", status).await.unwrap()["value"][0], Value::Null);
}

#[tokio::test]
async fn a_failing_node_answers_with_errors_and_a_lost_answer_hides_what_happened() {
    let bench = Bench::new();
    bench.chain.set_faults(RpcFaults { failing: Failing::Next(2), ..RpcFaults::default() }).await.unwrap();
    assert_eq!(bench.call("getSlot", json!([])).await.unwrap_err().code, -32603);
    assert!(bench.call("getHealth", json!([])).await.is_err());
    assert!(bench.call("getHealth", json!([])).await.is_ok());

    let payment = bench.payment(1).await;
    bench
        .chain
        .set_faults(RpcFaults { answer_lost: Failing::Next(1), ..RpcFaults::default() })
        .await
        .unwrap();
    assert!(bench.send(&payment, json!({})).await.is_err());
    let status = bench.status(&payment.signatures[0].to_string()).await;
    assert_eq!(status["confirmationStatus"], "processed");
}

#[tokio::test]
async fn a_stale_node_shows_the_past_and_still_takes_transactions() {
    let bench = Bench::new();
    let slot = bench.chain.slot().await.unwrap();
    let payment = bench.payment(SOL).await;
    bench.chain.set_faults(RpcFaults { stale: true, ..RpcFaults::default() }).await.unwrap();
    bench.pass(3).await;
    bench.send(&payment, json!({})).await.unwrap();
    assert_eq!(bench.get("getSlot", json!([{ "commitment": "processed" }])).await, slot);
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_000 * SOL);
    let error = bench.call("getHealth", json!([])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32005, "Node is behind by 3 slots"));
    bench.chain.set_faults(RpcFaults::default()).await.unwrap();
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_slow_node_takes_its_time() {
    let bench = Bench::new();
    let delay = Duration::from_millis(80);
    bench.chain.set_faults(RpcFaults { delay, ..RpcFaults::default() }).await.unwrap();
    let start = std::time::Instant::now();
    bench.get("getSlot", json!([])).await;
    assert!(start.elapsed() >= delay);
}

#[tokio::test]
async fn a_stopped_chain_answers_no_more() {
    let bench = Bench::new();
    bench.chain.stop().await.unwrap();
    assert!(matches!(bench.chain.slot().await, Err(SolanaError::Stopped)));
    assert_eq!(bench.call("getSlot", json!([])).await.unwrap_err().code, -32603);
}
