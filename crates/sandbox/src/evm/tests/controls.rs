use std::time::{Duration, Instant};

use alloy_primitives::{Address, U256, bytes};
use serde_json::json;

use super::kit::*;
use crate::evm::{ControlError, EvmChain, EvmNode, Failing, Faults, Reorged};
use crate::jsonrpc::Methods as _;

async fn timestamp(chain: &EvmChain) -> u64 {
    number(&rpc(chain, "eth_getBlockByNumber", json!(["latest", false])).await["timestamp"]).to()
}

#[tokio::test]
async fn the_next_timestamp_can_be_set_and_time_continues_from_there() {
    let chain = chain();
    let far = 2_000_000_000;
    chain.set_next_timestamp(far).unwrap();
    chain.mine(1, 0).await.unwrap();
    assert_eq!(timestamp(&chain).await, far);
    chain.mine(1, 0).await.unwrap();
    assert!((far..far + 5).contains(&timestamp(&chain).await));
    chain.increase_time(3_600);
    chain.mine(1, 0).await.unwrap();
    assert!((far + 3_600..far + 3_605).contains(&timestamp(&chain).await));
    chain.mine(3, 100).await.unwrap();
    assert!((far + 3_800..far + 3_805).contains(&timestamp(&chain).await));
    assert!(
        matches!(chain.set_next_timestamp(far), Err(ControlError::Past { requested, .. }) if requested == far)
    );
}

#[tokio::test]
async fn state_can_be_written() {
    let chain = chain();
    let at = Address::repeat_byte(0x55);
    chain.set_balance(at, U256::from(7)).await.unwrap();
    chain.set_code(at, bytes!("602a5f5260205ff3")).await.unwrap();
    chain.set_storage(at, U256::from(1), U256::from(2)).await.unwrap();
    assert_eq!(balance(&chain, at).await, U256::from(7));
    assert_eq!(number(&rpc(&chain, "eth_call", json!([{ "to": at }])).await), U256::from(42));
    assert_eq!(number(&rpc(&chain, "eth_getStorageAt", json!([at, "0x1"])).await), U256::from(2));
    // Earlier blocks still show the old state.
    assert_eq!(rpc(&chain, "eth_getBalance", json!([at, "0x0"])).await, "0x0");
}

#[tokio::test]
async fn a_write_while_paused_takes_no_transactions() {
    let chain = chain();
    chain.pause();
    send(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    chain.set_balance(Address::repeat_byte(1), U256::ONE).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByNumber", json!(["latest"])).await, "0x0");
    chain.mine(1, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByNumber", json!(["latest"])).await, "0x1");
}

#[tokio::test]
async fn transactions_can_be_dropped_and_delayed() {
    let chain = chain();
    let wallet = Wallet::new(0);
    chain.drop_next(1);
    let lost = send(&chain, &wallet.call(0, COUNTER)).await;
    assert_eq!(rpc(&chain, "eth_getTransactionByHash", json!([lost])).await, json!(null));
    chain.delay_next(1, Duration::from_hours(1));
    let late = send(&chain, &wallet.call(0, COUNTER)).await;
    chain.mine(1, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([late])).await, json!(null));
    assert_ne!(rpc(&chain, "eth_getTransactionByHash", json!([late])).await, json!(null));
    let world = chain.inner.head().world;
    let in_an_hour = Instant::now() + Duration::from_hours(1);
    assert_eq!(chain.inner.pool.lock().ready(&world, Instant::now()).len(), 0);
    assert_eq!(chain.inner.pool.lock().ready(&world, in_an_hour).len(), 1);
}

#[tokio::test]
async fn answers_can_be_slow_and_failing() {
    let chain = chain();
    chain.set_faults(Faults { slow: Duration::from_millis(100), ..Faults::default() });
    let begun = Instant::now();
    rpc(&chain, "eth_blockNumber", json!([])).await;
    assert!(begun.elapsed() >= Duration::from_millis(100));

    let fail = Failing { every: 3, code: -32005, message: "limit exceeded".into(), after_effect: false };
    chain.set_faults(Faults { fail: Some(fail.clone()), ..Faults::default() });
    let mut failed = Vec::new();
    for _ in 0..6 {
        failed.push(try_rpc(&chain, "eth_chainId", json!([])).await.is_err());
    }
    assert_eq!(failed, [false, false, true, false, false, true]);

    let methods = vec!["eth_gasPrice".into()];
    chain.set_faults(Faults { fail: Some(Failing { every: 1, ..fail }), methods, ..Faults::default() });
    assert_eq!(try_rpc(&chain, "eth_gasPrice", json!([])).await.unwrap_err().code, -32005);
    rpc(&chain, "eth_chainId", json!([])).await;
    chain.set_faults(Faults::default());
    rpc(&chain, "eth_gasPrice", json!([])).await;
}

#[tokio::test]
async fn an_answer_can_be_lost_after_execution() {
    let chain = chain();
    let fail = Failing { every: 1, code: -32603, message: "connection lost".into(), after_effect: true };
    let methods = vec!["eth_sendRawTransaction".into()];
    chain.set_faults(Faults { fail: Some(fail), methods, ..Faults::default() });
    let wallet = Wallet::new(0);
    let raw = wallet.call(0, COUNTER);
    assert_eq!(try_rpc(&chain, "eth_sendRawTransaction", json!([raw])).await.unwrap_err().code, -32603);
    chain.mine(1, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([wallet.address(), "latest"])).await, "0x1");
}

#[tokio::test]
async fn answers_can_be_stale() {
    let chain = chain();
    let to = Address::repeat_byte(0x66);
    chain.mine(2, 0).await.unwrap();
    let filter = rpc(&chain, "eth_newBlockFilter", json!([])).await;
    let receipt = mined(&chain, &Wallet::new(0).transfer(0, to, 4)).await;
    chain.set_faults(Faults { stale: 2, ..Faults::default() });
    assert_eq!(rpc(&chain, "eth_blockNumber", json!([])).await, "0x1");
    assert_eq!(balance(&chain, to).await, U256::ZERO);
    assert_eq!(rpc(&chain, "eth_getBlockByNumber", json!(["0x3", false])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await["number"], "0x1");
    let hash = &receipt["transactionHash"];
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getFilterChanges", json!([filter])).await, json!([]));
    chain.mine(2, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, receipt);
    assert_eq!(rpc(&chain, "eth_getFilterChanges", json!([filter])).await, json!([receipt["blockHash"]]));
    chain.set_faults(Faults::default());
    assert_eq!(rpc(&chain, "eth_blockNumber", json!([])).await, "0x5");
}

#[tokio::test]
async fn a_frozen_node_keeps_showing_an_abandoned_fork() {
    let chain = chain();
    let to = Address::repeat_byte(0x67);
    chain.mine(1, 0).await.unwrap();
    let receipt = mined(&chain, &Wallet::new(0).transfer(0, to, 4)).await;
    chain.set_faults_at(2, Faults { frozen: true, ..Faults::default() });
    chain.reorg(1, Reorged::Drop).await.unwrap();
    chain.mine(1, 0).await.unwrap();
    let other = EvmNode { chain: &chain, node: 2 };
    let latest = json!(["latest", false]);
    let theirs = other.call("eth_getBlockByNumber", latest.clone()).await.unwrap();
    assert_eq!((&theirs["number"], &theirs["hash"]), (&json!("0x2"), &receipt["blockHash"]));
    let hash = json!([receipt["transactionHash"]]);
    assert_eq!(other.call("eth_getTransactionReceipt", hash.clone()).await.unwrap(), receipt);
    assert_eq!(other.call("eth_getBalance", json!([to, "pending"])).await.unwrap(), "0x4");
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", hash).await, json!(null));
    assert_ne!(
        rpc(&chain, "eth_getBlockByNumber", json!(["0x2", false])).await["hash"],
        receipt["blockHash"]
    );
    chain.set_faults_at(2, Faults::default());
    assert_eq!(
        other.call("eth_getBlockByNumber", latest.clone()).await.unwrap(),
        rpc(&chain, "eth_getBlockByNumber", latest).await
    );
}

#[tokio::test]
async fn each_node_has_its_own_faults() {
    let chain = chain();
    let fail = Failing { every: 1, code: -32603, message: "internal error".into(), after_effect: false };
    chain.set_faults_at(2, Faults { fail: Some(fail), ..Faults::default() });
    let other = EvmNode { chain: &chain, node: 2 };
    assert_eq!(other.call("eth_blockNumber", json!([])).await.unwrap_err().code, -32603);
    assert_eq!(rpc(&chain, "eth_blockNumber", json!([])).await, "0x0");
}

#[tokio::test]
async fn mined_blocks_per_request_are_limited() {
    let error = chain().mine(10_001, 0).await.unwrap_err();
    assert_eq!(error.to_string(), "10001 blocks are too many at once: at most 10000");
}
