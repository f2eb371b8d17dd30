use alloy_primitives::{Address, U256};
use serde_json::json;

use super::kit::*;
use crate::evm::{ControlError, Reorged, Write};

#[tokio::test]
async fn a_reorg_replaces_blocks_and_returns_their_transactions() {
    let chain = chain();
    let to = Address::repeat_byte(0x44);
    chain.mine(1, 0).await.unwrap();
    let receipt = mined(&chain, &Wallet::new(0).transfer(0, to, 3)).await;
    chain.mine(1, 0).await.unwrap();
    let before = rpc(&chain, "eth_getBlockByNumber", json!(["0x3", false])).await;

    let hash = &receipt["transactionHash"];
    let returned = chain.reorg(2, Reorged::Return).await.unwrap();
    assert_eq!(json!(returned), json!([hash]));
    assert_eq!(rpc(&chain, "eth_blockNumber", json!([])).await, "0x3");
    let after = rpc(&chain, "eth_getBlockByNumber", json!(["0x3", false])).await;
    assert_ne!(before["hash"], after["hash"]);
    assert_eq!(rpc(&chain, "eth_getBlockByHash", json!([receipt["blockHash"], false])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionByHash", json!([hash])).await["blockHash"], json!(null));
    assert_eq!(balance(&chain, to).await, U256::ZERO);

    chain.mine(1, 0).await.unwrap();
    let again = rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await;
    assert_eq!(again["blockNumber"], "0x4");
    assert_eq!(balance(&chain, to).await, U256::from(3));
}

#[tokio::test]
async fn a_reorg_can_drop_transactions_permanently() {
    let chain = chain();
    let wallet = Wallet::new(0);
    let raw = wallet.transfer(0, Address::repeat_byte(0x45), 3);
    let receipt = mined(&chain, &raw).await;
    chain.reorg(1, Reorged::Drop).await.unwrap();
    chain.mine(2, 0).await.unwrap();
    let hash = &receipt["transactionHash"];
    assert_eq!(rpc(&chain, "eth_getTransactionByHash", json!([hash])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([wallet.address(), "latest"])).await, "0x0");
    assert_eq!(mined(&chain, &raw).await["status"], "0x1");
}

#[tokio::test]
async fn empty_blocks_are_replaced_by_different_ones() {
    let chain = chain();
    chain.mine(2, 0).await.unwrap();
    let mut view = Vec::new();
    for _ in 0..3 {
        view.push(rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await["hash"].clone());
        chain.reorg(2, Reorged::Return).await.unwrap();
    }
    assert!(view[0] != view[1] && view[1] != view[2] && view[0] != view[2]);
}

#[tokio::test]
async fn filters_report_what_a_reorg_removed() {
    let chain = chain();
    let blocks = rpc(&chain, "eth_newBlockFilter", json!([])).await;
    let logs = rpc(&chain, "eth_newFilter", json!([{ "address": COUNTER }])).await;
    let unpolled = rpc(&chain, "eth_newFilter", json!([{ "address": COUNTER }])).await;
    let receipt = mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    let answer = rpc(&chain, "eth_getFilterChanges", json!([logs])).await;
    assert_eq!(
        (answer[0]["removed"].clone(), answer[0]["blockHash"].clone()),
        (json!(false), receipt["blockHash"].clone())
    );
    rpc(&chain, "eth_getFilterChanges", json!([blocks])).await;

    chain.reorg(1, Reorged::Return).await.unwrap();
    let answer = rpc(&chain, "eth_getFilterChanges", json!([logs])).await;
    assert_eq!(answer.as_array().unwrap().len(), 1);
    assert_eq!((&answer[0]["removed"], &answer[0]["blockHash"]), (&json!(true), &receipt["blockHash"]));
    let answer = rpc(&chain, "eth_getFilterChanges", json!([unpolled])).await;
    let removed: Vec<_> = answer.as_array().unwrap().iter().map(|log| log["removed"].clone()).collect();
    assert_eq!(removed, [json!(false), json!(true)]);
    let answer = rpc(&chain, "eth_getFilterChanges", json!([blocks])).await;
    let head = rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    assert_eq!(answer, json!([head["hash"]]));
}

#[tokio::test]
async fn writes_survive_a_reorg_of_their_block() {
    let chain = chain();
    let (rich, slot) = (Address::repeat_byte(0x46), U256::from(5));
    let writes = vec![
        Write::Balance { address: rich, balance: ether(1) },
        Write::Credit { address: rich, amount: ether(2) },
        Write::Storage { address: COUNTER, key: slot, value: U256::from(6) },
    ];
    chain.write(writes).await.unwrap();
    assert_eq!(balance(&chain, rich).await, ether(3));
    chain.reorg(1, Reorged::Drop).await.unwrap();
    assert_eq!(balance(&chain, rich).await, ether(3));
    let stored = rpc(&chain, "eth_getStorageAt", json!([COUNTER, "0x5", "latest"])).await;
    assert_eq!(number(&stored), U256::from(6));
}

#[tokio::test]
async fn a_reorg_is_limited_to_the_kept_states() {
    let chain = chain();
    chain.mine(5, 0).await.unwrap();
    let error = chain.reorg(6, Reorged::Return).await.unwrap_err();
    assert!(matches!(error, ControlError::TooDeep { requested: 6, kept: 5 }));
    chain.reorg(5, Reorged::Return).await.unwrap();
    chain.mine(200, 0).await.unwrap();
    assert!(chain.reorg(128, Reorged::Return).await.is_err());
    chain.reorg(127, Reorged::Return).await.unwrap();
    assert_eq!(chain.block_number(), 205);
}
