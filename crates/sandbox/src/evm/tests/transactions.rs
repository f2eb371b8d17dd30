use alloy_consensus::{Header, ReceiptEnvelope, TxEip2930};
use alloy_primitives::{Address, B256, Bytes, Log, TxKind, U256};
use alloy_rpc_types_eth::TransactionReceipt;
use serde_json::json;

use super::kit::*;
use crate::evm::block::COINBASE;

#[tokio::test]
async fn a_transfer_moves_value_burns_the_base_fee_and_tips_the_coinbase() {
    let chain = chain();
    let (from, to) = (Wallet::new(0), Address::repeat_byte(0x77));
    let receipt = mined(&chain, &from.transfer(0, to, 5)).await;
    assert_eq!(receipt["status"], "0x1");
    assert_eq!(receipt["type"], "0x2");
    assert_eq!(receipt["gasUsed"], "0x5208");
    assert_eq!(receipt["contractAddress"], json!(null));
    let price = number(&receipt["effectiveGasPrice"]);
    let block = rpc(&chain, "eth_getBlockByNumber", json!([receipt["blockNumber"], true])).await;
    let base_fee = number(&block["baseFeePerGas"]);
    assert_eq!(price, base_fee + U256::from(GWEI));
    let gas = U256::from(21_000);
    assert_eq!(balance(&chain, to).await, U256::from(5));
    assert_eq!(balance(&chain, COINBASE).await, gas * U256::from(GWEI));
    assert_eq!(balance(&chain, from.address()).await, ether(100) - U256::from(5) - gas * price);
    assert_eq!(block["transactions"][0]["hash"], receipt["transactionHash"]);
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([from.address(), "latest"])).await, "0x1");
}

#[tokio::test]
async fn every_transaction_type_is_accepted() {
    let chain = chain();
    let (from, to) = (Wallet::new(1), Address::repeat_byte(0x78));
    assert_eq!(mined(&chain, &from.sign(legacy(0, to))).await["type"], "0x0");
    let access = TxEip2930 {
        chain_id: CHAIN,
        nonce: 1,
        gas_price: 2 * GWEI,
        gas_limit: 40_000,
        to: TxKind::Call(to),
        ..TxEip2930::default()
    };
    assert_eq!(mined(&chain, &from.sign(access)).await["type"], "0x1");
    assert_eq!(mined(&chain, &from.transfer(2, to, 1)).await["type"], "0x2");
}

#[tokio::test]
async fn a_deployed_contract_answers_calls_and_emits_logs() {
    let chain = chain();
    let from = Wallet::new(2);
    let deploy = from.sign(eip1559(0, TxKind::Create, 0, COUNTER_INIT));
    let receipt = mined(&chain, &deploy).await;
    let at = from.address().create(0);
    assert_eq!(receipt["contractAddress"], json!(at));
    assert_eq!(receipt["to"], json!(null));
    assert_eq!(rpc(&chain, "eth_getCode", json!([at, "latest"])).await, json!(COUNTER_CODE));

    let receipt = mined(&chain, &from.call(1, at)).await;
    let log = &receipt["logs"][0];
    assert_eq!(log["address"], json!(at));
    assert_eq!(log["topics"], json!([B256::from(U256::from(0xaa))]));
    assert_eq!(log["data"], json!(B256::from(U256::from(1))));
    assert_eq!(log["logIndex"], "0x0");
    assert_eq!(log["removed"], false);
    assert_eq!(
        rpc(&chain, "eth_getStorageAt", json!([at, "0x0", "latest"])).await,
        json!(B256::from(U256::ONE))
    );
    let returned = rpc(&chain, "eth_call", json!([{ "to": at }, "latest"])).await;
    assert_eq!(returned, json!(B256::from(U256::from(2))));
}

#[tokio::test]
async fn a_revert_costs_gas_and_leaves_no_logs() {
    let chain = chain();
    let receipt = mined(&chain, &Wallet::new(3).call(0, REVERTER)).await;
    assert_eq!(receipt["status"], "0x0");
    assert_eq!(receipt["logs"], json!([]));
    assert!(number(&receipt["gasUsed"]) > U256::from(21_000));
}

#[tokio::test]
async fn a_failed_deployment_still_has_a_contract_address() {
    let chain = chain();
    let from = Wallet::new(3);
    let receipt =
        mined(&chain, &from.sign(eip1559(0, TxKind::Create, 0, Bytes::from_static(&[0x5f, 0x5f, 0xfd]))))
            .await;
    assert_eq!(
        (&receipt["status"], &receipt["contractAddress"]),
        (&json!("0x0"), &json!(from.address().create(0)))
    );
    assert_eq!(rpc(&chain, "eth_getCode", json!([from.address().create(0)])).await, "0x");
}

#[tokio::test]
async fn a_header_matches_its_hash_and_commits_to_its_receipts() {
    let chain = chain();
    for seed in 0..3 {
        send(&chain, &Wallet::new(seed).call(0, COUNTER)).await;
    }
    chain.mine(1, 0).await.unwrap();
    let block = rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    assert_eq!(block["transactions"].as_array().unwrap().len(), 3);
    let header: Header = serde_json::from_value(block.clone()).unwrap();
    assert_eq!(json!(header.hash_slow()), block["hash"]);

    let receipts = rpc(&chain, "eth_getBlockReceipts", json!(["latest"])).await;
    let receipts: Vec<TransactionReceipt> = serde_json::from_value(receipts).unwrap();
    assert_eq!(
        receipts.iter().map(|receipt| receipt.inner.logs()[0].log_index).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(2)]
    );
    let bare: Vec<ReceiptEnvelope<Log>> =
        receipts.into_iter().map(|receipt| receipt.inner.map_logs(|log| log.inner)).collect();
    assert_eq!(alloy_consensus::proofs::calculate_receipt_root(&bare), header.receipts_root);
}

#[tokio::test]
async fn a_pooled_transaction_is_reported_as_pending() {
    let chain = chain();
    let from = Wallet::new(4);
    let hash = send(&chain, &from.transfer(0, COUNTER, 0)).await;
    let pending = rpc(&chain, "eth_getTransactionByHash", json!([hash])).await;
    assert_eq!(pending["blockHash"], json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([from.address(), "pending"])).await, "0x1");
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([from.address(), "latest"])).await, "0x0");
    let block = rpc(&chain, "eth_getBlockByNumber", json!(["pending", false])).await;
    assert_eq!(block["hash"], json!(null));
    assert_eq!(block["transactions"], json!([hash]));
    chain.mine(1, 0).await.unwrap();
    let mined = rpc(&chain, "eth_getTransactionByHash", json!([hash])).await;
    assert_eq!(mined["blockNumber"], "0x1");
    let by_place = rpc(&chain, "eth_getTransactionByBlockNumberAndIndex", json!(["0x1", "0x0"])).await;
    assert_eq!(by_place, mined);
    let nothing = rpc(&chain, "eth_getTransactionByBlockNumberAndIndex", json!(["0x1", "0x1"])).await;
    assert_eq!(nothing, json!(null));
}

#[tokio::test]
async fn the_pending_state_includes_pooled_transactions() {
    let chain = chain();
    let to = Address::repeat_byte(0x79);
    send(&chain, &Wallet::new(5).transfer(0, to, 9)).await;
    assert_eq!(rpc(&chain, "eth_getBalance", json!([to, "pending"])).await, "0x9");
    assert_eq!(rpc(&chain, "eth_getBalance", json!([to, "latest"])).await, "0x0");
}

#[tokio::test]
async fn a_delegated_account_runs_its_delegate() {
    use alloy_consensus::TxEip7702;
    use alloy_eips::eip7702::Authorization;

    let chain = chain();
    let (payer, delegating) = (Wallet::new(6), Wallet::new(7));
    let authorization = Authorization { chain_id: U256::from(CHAIN), address: COUNTER, nonce: 0 };
    let signed = delegating.authorize(authorization);
    let tx = TxEip7702 {
        chain_id: CHAIN,
        nonce: 0,
        gas_limit: 200_000,
        max_fee_per_gas: 2 * GWEI,
        max_priority_fee_per_gas: GWEI,
        to: delegating.address(),
        value: U256::ZERO,
        access_list: <_>::default(),
        authorization_list: vec![signed],
        input: Bytes::new(),
    };
    let receipt = mined(&chain, &payer.sign(tx)).await;
    assert_eq!(receipt["type"], "0x4");
    assert_eq!(receipt["logs"][0]["address"], json!(delegating.address()));
    let code = rpc(&chain, "eth_getCode", json!([delegating.address(), "latest"])).await;
    assert!(code.as_str().unwrap().starts_with("0xef0100"));
    // It still signs for itself.
    assert_eq!(mined(&chain, &delegating.transfer(1, COUNTER, 0)).await["status"], "0x0");
}
