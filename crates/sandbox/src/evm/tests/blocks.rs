use alloy_primitives::{Address, B256};
use serde_json::json;

use super::kit::*;

#[tokio::test]
async fn blocks_follow_each_other_by_hash() {
    let chain = chain();
    chain.mine(3, 0).await.unwrap();
    let mut parent = rpc(&chain, "eth_getBlockByNumber", json!(["earliest", false])).await;
    assert_eq!(parent["number"], "0x0");
    for number in ["0x1", "0x2", "0x3"] {
        let block = rpc(&chain, "eth_getBlockByNumber", json!([number, false])).await;
        assert_eq!(block["parentHash"], parent["hash"]);
        assert_eq!(rpc(&chain, "eth_getBlockByHash", json!([block["hash"], false])).await, block);
        parent = block;
    }
    assert_eq!(rpc(&chain, "eth_blockNumber", json!([])).await, "0x3");
}

#[tokio::test]
async fn the_final_block_is_two_behind() {
    let chain = chain();
    let number =
        async |tag: &str| rpc(&chain, "eth_getBlockByNumber", json!([tag, false])).await["number"].clone();
    assert_eq!(number("finalized").await, "0x0");
    chain.mine(5, 0).await.unwrap();
    assert_eq!(number("finalized").await, "0x3");
    assert_eq!(number("safe").await, "0x3");
    assert_eq!(number("latest").await, "0x5");
    assert_eq!(number("pending").await, "0x6");
    assert_eq!(number("earliest").await, "0x0");
}

#[tokio::test]
async fn past_states_are_kept_for_a_while() {
    let chain = chain();
    let to = Address::repeat_byte(0x33);
    mined(&chain, &Wallet::new(0).transfer(0, to, 1)).await;
    mined(&chain, &Wallet::new(0).transfer(1, to, 1)).await;
    let at = async |block: serde_json::Value| try_rpc(&chain, "eth_getBalance", json!([to, block])).await;
    assert_eq!(at(json!("0x0")).await.unwrap(), "0x0");
    assert_eq!(at(json!("0x1")).await.unwrap(), "0x1");
    assert_eq!(at(json!("latest")).await.unwrap(), "0x2");
    let first = rpc(&chain, "eth_getBlockByNumber", json!(["0x1", false])).await;
    assert_eq!(at(json!({ "blockHash": first["hash"], "requireCanonical": true })).await.unwrap(), "0x1");
    assert_eq!(at(json!({ "blockNumber": "0x1" })).await.unwrap(), "0x1");
    assert_eq!(at(json!("0x9")).await.unwrap_err().message, "header not found");
    let unknown = at(json!({ "blockHash": B256::repeat_byte(1) })).await.unwrap_err();
    assert_eq!(unknown.message, "header for hash not found");

    chain.mine(126, 0).await.unwrap();
    assert_eq!(at(json!("0x1")).await.unwrap(), "0x1");
    chain.mine(1, 0).await.unwrap();
    let pruned = at(json!("0x1")).await.unwrap_err();
    assert_eq!(pruned.code, -32000);
    assert!(pruned.message.starts_with("missing trie node"), "{}", pruned.message);
}

#[tokio::test]
async fn old_empty_blocks_are_pruned_and_those_with_transactions_stay() {
    let chain = chain();
    let receipt = mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    chain.mine(1_100, 0).await.unwrap();
    let empty = try_rpc(&chain, "eth_getBlockByNumber", json!(["0x2", false])).await.unwrap_err();
    assert_eq!((empty.code, empty.message.as_str()), (4444, "pruned history unavailable"));
    let full = rpc(&chain, "eth_getBlockByNumber", json!(["0x1", false])).await;
    assert_eq!(full["hash"], receipt["blockHash"]);
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([receipt["transactionHash"]])).await, receipt);
    let logs = rpc(&chain, "eth_getLogs", json!([{ "fromBlock": "0x0", "address": COUNTER }])).await;
    assert_eq!(logs.as_array().unwrap().len(), 1);
    assert_eq!(rpc(&chain, "eth_getBlockByNumber", json!(["earliest", false])).await["number"], "0x0");
    assert_eq!(rpc(&chain, "eth_getBlockByNumber", json!(["0xffff", false])).await, json!(null));
}

#[tokio::test]
async fn transaction_and_uncle_counts_match_the_block() {
    let chain = chain();
    mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    let block = rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    let hash = &block["hash"];
    assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByNumber", json!(["latest"])).await, "0x1");
    assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByHash", json!([hash])).await, "0x1");
    assert_eq!(rpc(&chain, "eth_getUncleCountByBlockHash", json!([hash])).await, "0x0");
    assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByNumber", json!(["0x7"])).await, json!(null));
}
