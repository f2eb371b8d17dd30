use serde_json::{Value, json};

use super::kit::*;
use crate::evm::EvmChain;

async fn changes(chain: &EvmChain, id: &Value) -> Vec<Value> {
    rpc(chain, "eth_getFilterChanges", json!([id])).await.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_block_filter_reports_each_new_block_once() {
    let chain = chain();
    let id = rpc(&chain, "eth_newBlockFilter", json!([])).await;
    assert_eq!(id.as_str().unwrap().len(), 34);
    assert!(changes(&chain, &id).await.is_empty());
    chain.mine(2, 0).await.unwrap();
    let answer = changes(&chain, &id).await;
    let head = rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    assert_eq!((answer.len(), &answer[1]), (2, &head["hash"]));
    assert!(changes(&chain, &id).await.is_empty());
    assert_eq!(rpc(&chain, "eth_uninstallFilter", json!([id])).await, true);
    assert_eq!(rpc(&chain, "eth_uninstallFilter", json!([id])).await, false);
    let error = try_rpc(&chain, "eth_getFilterChanges", json!([id])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32000, "filter not found"));
}

#[tokio::test]
async fn a_filter_id_is_a_number_without_a_leading_zero() {
    let chain = chain();
    for _ in 0..200 {
        let id = rpc(&chain, "eth_newBlockFilter", json!([])).await;
        let digits = id.as_str().unwrap().strip_prefix("0x").unwrap();
        assert!(digits.len() == 32 && !digits.starts_with('0'), "{id}");
    }
}

#[tokio::test]
async fn a_log_filter_reports_new_logs_and_finds_old_ones() {
    let chain = chain();
    mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    let filter = json!([{ "fromBlock": "0x0", "address": COUNTER }]);
    let id = rpc(&chain, "eth_newFilter", filter).await;
    assert!(changes(&chain, &id).await.is_empty());
    mined(&chain, &Wallet::new(0).call(1, COUNTER)).await;
    assert_eq!(changes(&chain, &id).await.len(), 1);
    assert_eq!(rpc(&chain, "eth_getFilterLogs", json!([id])).await.as_array().unwrap().len(), 2);
    let blocks = rpc(&chain, "eth_newBlockFilter", json!([])).await;
    assert!(try_rpc(&chain, "eth_getFilterLogs", json!([blocks])).await.is_err());
}

#[tokio::test]
async fn a_pending_filter_reports_new_transactions() {
    let chain = chain();
    let id = rpc(&chain, "eth_newPendingTransactionFilter", json!([])).await;
    let hash = send(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    assert_eq!(changes(&chain, &id).await, [hash]);
    chain.mine(1, 0).await.unwrap();
    assert!(changes(&chain, &id).await.is_empty());
}

#[tokio::test]
async fn the_number_of_filters_is_limited() {
    let chain = chain();
    let first = rpc(&chain, "eth_newBlockFilter", json!([])).await;
    for _ in 0..1_000 {
        rpc(&chain, "eth_newBlockFilter", json!([])).await;
    }
    assert!(try_rpc(&chain, "eth_getFilterChanges", json!([first])).await.is_err());
}

#[test]
fn a_filter_that_is_not_polled_expires() {
    use crate::evm::filters::{FilterKind, Filters};
    use std::time::{Duration, Instant};

    let mut filters = Filters::default();
    let start = Instant::now();
    let id = filters.install(FilterKind::Blocks, 0, 1, start);
    assert!(filters.poll(id, start + Duration::from_secs(299)).is_some());
    assert!(filters.poll(id, start + Duration::from_secs(598)).is_some());
    assert!(filters.poll(id, start + Duration::from_secs(899)).is_none());
}
