use alloy_primitives::{Address, B256, U256};
use serde_json::{Value, json};

use super::kit::*;
use crate::evm::EvmChain;

async fn count(chain: &EvmChain, filter: Value) -> usize {
    rpc(chain, "eth_getLogs", json!([filter])).await.as_array().unwrap().len()
}

async fn counted(calls: u64) -> EvmChain {
    let chain = chain();
    for nonce in 0..calls {
        mined(&chain, &Wallet::new(0).call(nonce, COUNTER)).await;
    }
    chain
}

#[tokio::test]
async fn logs_are_found_by_range_address_and_topic() {
    let chain = counted(3).await;
    let topic = B256::from(U256::from(0xaa));
    assert_eq!(count(&chain, json!({})).await, 1);
    assert_eq!(count(&chain, json!({ "fromBlock": "earliest" })).await, 3);
    assert_eq!(count(&chain, json!({ "fromBlock": "0x1", "toBlock": "0x2" })).await, 2);
    assert_eq!(count(&chain, json!({ "fromBlock": "0x0", "address": COUNTER, "topics": [topic] })).await, 3);
    assert_eq!(
        count(&chain, json!({ "fromBlock": "0x0", "address": [COUNTER, CONTEXT_READER], "topics": [] }))
            .await,
        3
    );
    assert_eq!(count(&chain, json!({ "fromBlock": "0x0", "topics": [[B256::ZERO, topic]] })).await, 3);
    assert_eq!(count(&chain, json!({ "fromBlock": "0x0", "topics": [null, topic] })).await, 0);
    assert_eq!(count(&chain, json!({ "fromBlock": "0x0", "address": Address::ZERO })).await, 0);
    assert_eq!(count(&chain, json!({ "fromBlock": "0x50", "toBlock": "0x60" })).await, 0);
}

#[tokio::test]
async fn logs_are_found_by_block_hash() {
    let chain = counted(2).await;
    let block = rpc(&chain, "eth_getBlockByNumber", json!(["0x1", false])).await;
    let logs = rpc(&chain, "eth_getLogs", json!([{ "blockHash": block["hash"] }])).await;
    assert_eq!(logs[0]["blockNumber"], "0x1");
    assert_eq!(logs[0]["data"], json!(B256::from(U256::ONE)));
    let unknown = json!([{ "blockHash": B256::repeat_byte(7) }]);
    assert_eq!(try_rpc(&chain, "eth_getLogs", unknown).await.unwrap_err().message, "unknown block");
    let both = json!([{ "blockHash": block["hash"], "fromBlock": "0x1" }]);
    let error = try_rpc(&chain, "eth_getLogs", both).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("cannot specify both BlockHash and FromBlock/ToBlock"));
}

#[tokio::test]
async fn a_range_that_is_too_wide_is_rejected_with_the_limit() {
    let chain = counted(1).await;
    let wide = json!([{ "fromBlock": "0x0", "toBlock": "0xf4240" }]);
    let error = try_rpc(&chain, "eth_getLogs", wide).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(
        error.message.starts_with("exceed maximum block range: 10000; 1000001 blocks"),
        "{}",
        error.message
    );
    let backwards = json!([{ "fromBlock": "0x5", "toBlock": "0x1" }]);
    let error = try_rpc(&chain, "eth_getLogs", backwards).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32602, "invalid block range params"));
    let topics = json!([{ "topics": [null, null, null, null, null] }]);
    assert!(try_rpc(&chain, "eth_getLogs", topics).await.unwrap_err().message.contains("exceed max topics"));
    let many: Vec<Address> = (0..1_001_u64).map(|n| Address::from_word(B256::from(U256::from(n)))).collect();
    let error = try_rpc(&chain, "eth_getLogs", json!([{ "address": many }])).await.unwrap_err();
    assert_eq!(error.message, "exceed max addresses or topics per search position");
}
