use alloy_consensus::TxEip1559;
use alloy_primitives::{Bytes, TxKind, U256};
use serde_json::json;

use super::kit::*;
use crate::evm::{EvmChain, Options};

/// A transaction that burns all of its gas.
fn burner(nonce: u64, gas_limit: u64) -> TxEip1559 {
    TxEip1559 {
        gas_limit,
        max_fee_per_gas: 100 * GWEI,
        max_priority_fee_per_gas: GWEI,
        ..eip1559(nonce, TxKind::Call(BURNER), 0, Bytes::new())
    }
}

async fn base_fee(chain: &EvmChain) -> U256 {
    number(&rpc(chain, "eth_getBlockByNumber", json!(["latest", false])).await["baseFeePerGas"])
}

#[tokio::test]
async fn the_base_fee_follows_how_full_blocks_are() {
    let chain = chain();
    let wallet = Wallet::new(0);
    chain.mine(1, 0).await.unwrap();
    // An empty block lowers it by an eighth.
    assert_eq!(base_fee(&chain).await, U256::from(875_000_000));
    mined(&chain, &wallet.sign(burner(0, 30_000_000))).await;
    assert_eq!(base_fee(&chain).await, U256::from(765_625_000));
    chain.mine(1, 0).await.unwrap();
    // A full one raises it by an eighth.
    assert_eq!(base_fee(&chain).await, U256::from(861_328_125));
    mined(&chain, &wallet.sign(burner(1, 15_000_000))).await;
    let before = base_fee(&chain).await;
    chain.mine(1, 0).await.unwrap();
    // One at the target leaves it.
    assert_eq!(base_fee(&chain).await, before);
}

#[tokio::test]
async fn the_base_fee_can_have_a_minimum() {
    let options = Options { min_base_fee: 900_000_000, ..Options::default() };
    let chain = EvmChain::open(&genesis(), options).unwrap();
    chain.mine(3, 0).await.unwrap();
    assert_eq!(base_fee(&chain).await, U256::from(900_000_000));
}

#[tokio::test]
async fn a_transaction_that_does_not_fit_waits_for_the_next_block() {
    let chain = chain();
    for seed in 0..3 {
        send(&chain, &Wallet::new(seed).sign(burner(0, 20_000_000))).await;
    }
    chain.mine(3, 0).await.unwrap();
    for block in ["0x1", "0x2", "0x3"] {
        assert_eq!(rpc(&chain, "eth_getBlockTransactionCountByNumber", json!([block])).await, "0x1");
    }
}

#[tokio::test]
async fn the_fee_history_matches_the_blocks() {
    let chain = chain();
    mined(&chain, &Wallet::new(0).sign(burner(0, 15_000_000))).await;
    for (seed, tip) in [(1, 3), (2, 5)] {
        let tx = TxEip1559 { max_priority_fee_per_gas: tip * GWEI, ..burner(0, 100_000) };
        send(&chain, &Wallet::new(seed).sign(tx)).await;
    }
    chain.mine(1, 0).await.unwrap();
    let history = rpc(&chain, "eth_feeHistory", json!(["0x2", "latest", [0, 49.9, 100]])).await;
    assert_eq!(history["oldestBlock"], "0x1");
    assert_eq!(history["baseFeePerGas"].as_array().unwrap().len(), 3);
    assert_eq!(history["gasUsedRatio"], json!([0.5, 0.006_666_666]));
    assert_eq!(history["reward"][0], json!(["0x3b9aca00", "0x3b9aca00", "0x3b9aca00"]));
    assert_eq!(history["reward"][1], json!(["0xb2d05e00", "0xb2d05e00", "0x12a05f200"]));
    let bare = rpc(&chain, "eth_feeHistory", json!([2, "latest"])).await;
    assert_eq!(bare.get("reward"), None);
    let error = try_rpc(&chain, "eth_feeHistory", json!(["0x1", "0x99"])).await.unwrap_err();
    assert_eq!(error.message, "request beyond head block: requested 153, head 2");
    for wrong in [json!([101]), json!([50, 20]), json!([-1])] {
        let error = try_rpc(&chain, "eth_feeHistory", json!(["0x1", "latest", wrong])).await.unwrap_err();
        assert!(error.message.contains("invalid reward percentile"), "{}", error.message);
    }
}

#[tokio::test]
async fn suggested_fees_follow_recent_tips() {
    let chain = chain();
    assert_eq!(rpc(&chain, "eth_maxPriorityFeePerGas", json!([])).await, "0x3b9aca00");
    // The next base fee is an eighth under the first.
    let price = number(&rpc(&chain, "eth_gasPrice", json!([])).await);
    assert_eq!(price, U256::from(1_875_000_000));
    let tx = TxEip1559 { max_priority_fee_per_gas: 7 * GWEI, ..burner(0, 100_000) };
    mined(&chain, &Wallet::new(0).sign(tx)).await;
    assert_eq!(number(&rpc(&chain, "eth_maxPriorityFeePerGas", json!([])).await), U256::from(7 * GWEI));
}
