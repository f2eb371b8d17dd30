use alloy_consensus::{TxEip1559, TxLegacy};
use alloy_primitives::{Address, Bytes, TxKind, U256};
use serde_json::json;

use super::kit::*;
use crate::evm::{EvmChain, Options};

const TO: Address = Address::repeat_byte(0x11);

fn priced(nonce: u64, fee: u128, tip: u128) -> TxEip1559 {
    TxEip1559 {
        max_fee_per_gas: fee,
        max_priority_fee_per_gas: tip,
        gas_limit: 21_000,
        ..eip1559(nonce, TxKind::Call(TO), 1, Bytes::new())
    }
}

#[tokio::test]
async fn a_used_nonce_is_too_low() {
    let chain = chain();
    let from = Wallet::new(0);
    for nonce in 0..5 {
        mined(&chain, &from.transfer(nonce, TO, 1)).await;
    }
    assert_eq!(
        rejection_of(&chain, &from.transfer(4, TO, 2)).await,
        "nonce too low: next nonce 5, tx nonce 4"
    );
    assert_eq!(
        rejection_of(&chain, &from.transfer(4, TO, 1)).await,
        "nonce too low: next nonce 5, tx nonce 4"
    );
}

#[tokio::test]
async fn a_nonce_gap_waits_until_it_is_filled() {
    let chain = chain();
    let from = Wallet::new(0);
    let later = send(&chain, &from.transfer(1, TO, 1)).await;
    chain.mine(2, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([later])).await, json!(null));
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([from.address(), "pending"])).await, "0x0");
    send(&chain, &from.transfer(0, TO, 1)).await;
    assert_eq!(rpc(&chain, "eth_getTransactionCount", json!([from.address(), "pending"])).await, "0x2");
    chain.mine(1, 0).await.unwrap();
    let receipt = rpc(&chain, "eth_getTransactionReceipt", json!([later])).await;
    assert_eq!((&receipt["blockNumber"], &receipt["transactionIndex"]), (&json!("0x3"), &json!("0x1")));
}

#[tokio::test]
async fn a_replacement_must_pay_a_tenth_more_of_both_prices() {
    let chain = chain();
    let from = Wallet::new(0);
    let first = send(&chain, &from.sign(priced(0, 20 * GWEI, 10 * GWEI))).await;
    assert_eq!(rejection_of(&chain, &from.sign(priced(0, 20 * GWEI, 10 * GWEI))).await, "already known");
    let message = "replacement transaction underpriced";
    assert_eq!(rejection_of(&chain, &from.sign(priced(0, 30 * GWEI, 10 * GWEI))).await, message);
    assert_eq!(rejection_of(&chain, &from.sign(priced(0, 22 * GWEI - 1, 11 * GWEI))).await, message);
    let second = send(&chain, &from.sign(priced(0, 22 * GWEI, 11 * GWEI))).await;
    chain.mine(1, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionByHash", json!([first])).await, json!(null));
    let receipt = rpc(&chain, "eth_getTransactionReceipt", json!([second])).await;
    assert_eq!(receipt["status"], "0x1");
}

#[tokio::test]
async fn better_tips_go_first_and_nonces_keep_their_order() {
    let chain = chain();
    let (low, high) = (Wallet::new(0), Wallet::new(1));
    let a = send(&chain, &low.sign(priced(0, 20 * GWEI, GWEI))).await;
    let b = send(&chain, &low.sign(priced(1, 20 * GWEI, 9 * GWEI))).await;
    let c = send(&chain, &high.sign(priced(0, 20 * GWEI, 5 * GWEI))).await;
    chain.mine(1, 0).await.unwrap();
    let block = rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await;
    assert_eq!(block["transactions"], json!([c, a, b]));
}

#[tokio::test]
async fn a_fee_under_the_base_fee_waits_for_it_to_fall() {
    let chain = chain();
    let hash = send(&chain, &Wallet::new(0).sign(priced(0, GWEI / 2, 1))).await;
    chain.mine(1, 0).await.unwrap();
    assert_eq!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, json!(null));
    chain.mine(8, 0).await.unwrap();
    assert_ne!(rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await, json!(null));
}

#[tokio::test]
async fn a_transaction_of_another_chain_is_rejected() {
    let other = TxEip1559 { chain_id: 1, ..eip1559(0, TxKind::Call(TO), 0, Bytes::new()) };
    let message = rejection_of(&chain(), &Wallet::new(0).sign(other)).await;
    assert_eq!(message, "invalid sender: invalid chain id for signer: have 1 want 8453");
}

#[tokio::test]
async fn a_legacy_transaction_without_a_chain_id_needs_the_option() {
    let from = Wallet::new(0);
    let raw = from.sign(TxLegacy { chain_id: None, ..legacy(0, TO) });
    let message = "only replay-protected (EIP-155) transactions allowed over RPC";
    assert_eq!(rejection_of(&chain(), &raw).await, message);
    let options = Options { allow_unprotected: true, ..Options::default() };
    let open = EvmChain::open(&genesis(), options).unwrap();
    assert_eq!(mined(&open, &raw).await["status"], "0x1");
}

#[tokio::test]
async fn a_bad_signature_is_rejected() {
    let mut raw = Wallet::new(0).transfer(0, TO, 1).to_vec();
    // The last byte belongs to `s`; the first byte of `s` makes it too large for the curve's lower half.
    let s = raw.len() - 32;
    raw[s] = 0xff;
    assert_eq!(
        rejection_of(&chain(), &raw.into()).await,
        "invalid sender: invalid transaction v, r, s values"
    );
}

#[tokio::test]
async fn gas_below_the_intrinsic_cost_is_rejected() {
    let tx = TxEip1559 { gas_limit: 20_999, ..priced(0, GWEI, 1) };
    let message = rejection_of(&chain(), &Wallet::new(0).sign(tx)).await;
    assert_eq!(message, "intrinsic gas too low: gas 20999, minimum needed 21000");
    let floor = TxEip1559 { gas_limit: 25_000, input: vec![1; 200].into(), ..priced(0, GWEI, 1) };
    let message = rejection_of(&chain(), &Wallet::new(0).sign(floor)).await;
    assert_eq!(message, "insufficient gas for floor data gas cost: gas 25000, minimum needed 29000");
}

#[tokio::test]
async fn spending_more_than_the_balance_is_rejected() {
    let chain = chain();
    let from = Wallet::new(0);
    let all = TxEip1559 { value: ether(100), ..priced(0, GWEI, 1) };
    let message = rejection_of(&chain, &from.sign(all)).await;
    assert_eq!(
        message,
        "insufficient funds for gas * price + value: balance 100000000000000000000, \
         tx cost 100000021000000000000, overshot 21000000000000"
    );
    let most = TxEip1559 { value: ether(60), ..priced(0, GWEI, 1) };
    send(&chain, &from.sign(most.clone())).await;
    let message = rejection_of(&chain, &from.sign(TxEip1559 { nonce: 1, ..most })).await;
    assert!(message.contains("queued cost 60000021000000000000"), "{message}");
}

#[tokio::test]
async fn a_transaction_larger_than_a_block_is_rejected() {
    let chain = chain();
    let from = Wallet::new(0);
    let huge = TxEip1559 { gas_limit: 30_000_001, ..priced(0, GWEI, 1) };
    assert_eq!(rejection_of(&chain, &from.sign(huge)).await, "exceeds block gas limit");
    let tip = priced(0, GWEI, 2 * GWEI);
    let message = "max priority fee per gas higher than max fee per gas";
    assert_eq!(rejection_of(&chain, &from.sign(tip)).await, message);
    let init = eip1559(0, TxKind::Create, 0, vec![0; 49_153].into());
    let message = "max initcode size exceeded: code size 49153, limit 49152";
    assert_eq!(rejection_of(&chain, &from.sign(init)).await, message);
    let last = TxEip1559 { nonce: u64::MAX, ..priced(0, GWEI, 1) };
    assert_eq!(rejection_of(&chain, &from.sign(last)).await, "nonce has max value");
    let data = eip1559(0, TxKind::Call(TO), 0, vec![0; 200_000].into());
    assert!(rejection_of(&chain, &from.sign(data)).await.starts_with("oversized data: transaction size 200"));
}

#[tokio::test]
async fn bytes_that_are_not_a_transaction_are_rejected() {
    let chain = chain();
    for raw in [&b""[..], b"\x02", b"\x02\xc0", b"\xc0", b"\xff\xff", b"hello"] {
        rejection_of(&chain, &Bytes::from_static(raw)).await;
    }
    assert_eq!(
        rejection_of(&chain, &Bytes::from_static(&[0x09, 0xc0])).await,
        "transaction type not supported"
    );
    let trailing = [&Wallet::new(0).transfer(0, TO, 1)[..], &[0]].concat();
    assert!(rejection_of(&chain, &trailing.into()).await.starts_with("rlp: "));
}

#[tokio::test]
async fn queued_transactions_per_account_are_limited() {
    let chain = chain();
    let from = Wallet::new(0);
    for nonce in 0..1_000 {
        send(&chain, &from.transfer(nonce, TO, 0)).await;
    }
    assert_eq!(
        rejection_of(&chain, &from.transfer(1_000, TO, 0)).await,
        "account limit exceeded: pooled 1000 txs"
    );
    chain.mine(1, 0).await.unwrap();
    assert_eq!(
        number(&rpc(&chain, "eth_getTransactionCount", json!([from.address()])).await),
        U256::from(1_000)
    );
}
