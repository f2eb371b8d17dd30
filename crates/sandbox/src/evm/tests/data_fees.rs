use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, Bytes, TxKind, U256, keccak256};
use causeway_domain::ChainId;
use serde_json::json;

use super::kit::*;
use crate::evm::data_fee::{ARB_FEE_POOL, OP_FEE_VAULT};
use crate::evm::{ARB_GAS_INFO, EvmChain, OP_ORACLE, Options};
use crate::genesis::EvmGenesis;

const BASE: u64 = 8_453;
const MANTLE: u64 = 5_000;
const ARBITRUM: u64 = 42_161;

/// A chain that charges for data as that one does.
fn charging_as(chain: u64) -> EvmChain {
    let mut genesis = genesis();
    genesis.accounts.extend(EvmGenesis::data_fee_account(ChainId::new(chain).unwrap()));
    EvmChain::open(&genesis, Options::default()).unwrap()
}

async fn ask(chain: &EvmChain, to: Address, signature: &str, arguments: &[u8]) -> Vec<U256> {
    let data = Bytes::from([&keccak256(signature)[..4], arguments].concat());
    let answer = rpc(chain, "eth_call", json!([{ "to": to, "data": data }, "latest"])).await;
    let answer: Bytes = answer.as_str().unwrap().parse().unwrap();
    answer.chunks_exact(32).map(U256::from_be_slice).collect()
}

/// What the oracle says about so many bytes.
async fn l1_fee(chain: &EvmChain, bytes: usize) -> U256 {
    let words = [U256::from(32), U256::from(bytes)].map(|word| word.to_be_bytes::<32>()).concat();
    let arguments = [words, vec![7; bytes.next_multiple_of(32)]].concat();
    ask(chain, OP_ORACLE, "getL1Fee(bytes)", &arguments).await[0]
}

#[tokio::test]
async fn the_op_stack_charges_what_its_oracle_says_besides_gas() {
    let chain = charging_as(BASE);
    let (payer, other) = (Wallet::new(0), Wallet::new(1).address());
    let before = balance(&chain, payer.address()).await;
    let raw = payer.transfer(0, other, 5);
    let receipt = mined(&chain, &raw).await;
    let fee = l1_fee(&chain, raw.len()).await;
    assert_eq!(fee, U256::from(7_000_000 * raw.len()));
    assert_eq!(number(&receipt["l1Fee"]), fee);
    assert_eq!(receipt["gasUsed"], "0x5208");
    let gas = U256::from(21_000) * number(&receipt["effectiveGasPrice"]);
    assert_eq!(before - balance(&chain, payer.address()).await, gas + fee + U256::from(5));
    assert_eq!(balance(&chain, OP_FEE_VAULT).await, fee);
    let receipts = rpc(&chain, "eth_getBlockReceipts", json!(["latest"])).await;
    assert_eq!(receipts[0]["l1Fee"], receipt["l1Fee"]);
}

#[tokio::test]
async fn mantles_fee_is_in_its_own_coin() {
    let chain = charging_as(MANTLE);
    let raw = Wallet::new(0).transfer(0, Wallet::new(1).address(), 5);
    let receipt = mined(&chain, &raw).await;
    let ratio = ask(&chain, OP_ORACLE, "tokenRatio()", &[]).await[0];
    assert_eq!(ratio, U256::from(3_000));
    assert_eq!(number(&receipt["l1Fee"]), l1_fee(&chain, raw.len()).await * ratio);
}

#[tokio::test]
async fn arbitrum_charges_for_data_as_gas() {
    let chain = charging_as(ARBITRUM);
    let payer = Wallet::new(0);
    let prices = ask(&chain, ARB_GAS_INFO, "getPricesInWei()", &[]).await;
    assert_eq!(prices.len(), 6);
    assert_eq!(prices[1], U256::from(3_200_000_000_u64));
    let other = Wallet::new(1).address();
    let call = json!([{ "from": payer.address(), "to": other, "value": "0x5" }]);
    let estimate = number(&rpc(&chain, "eth_estimateGas", call).await);
    let message = rejection_of(
        &chain,
        &payer
            .sign(TxEip1559 { gas_limit: 21_000, ..eip1559(0, TxKind::Call(other), 5, vec![1; 500].into()) }),
    )
    .await;
    assert!(message.contains("gas"), "{message}");
    let before = balance(&chain, payer.address()).await;
    let gas_limit = estimate.to::<u64>() * 6 / 5;
    let raw = payer.sign(TxEip1559 { gas_limit, ..eip1559(0, TxKind::Call(other), 5, Bytes::new()) });
    let receipt = mined(&chain, &raw).await;
    let base_fee =
        number(&rpc(&chain, "eth_getBlockByNumber", json!(["latest", false])).await["baseFeePerGas"]);
    let for_data = (prices[1] * U256::from(raw.len())).div_ceil(base_fee);
    assert_eq!(number(&receipt["gasUsedForL1"]), for_data);
    assert_eq!(number(&receipt["gasUsed"]), U256::from(21_000) + for_data);
    assert!(number(&receipt["gasUsed"]) <= estimate * U256::from(6) / U256::from(5));
    let price = number(&receipt["effectiveGasPrice"]);
    let spent = before - balance(&chain, payer.address()).await;
    assert_eq!(spent, number(&receipt["gasUsed"]) * price + U256::from(5));
    assert_eq!(balance(&chain, ARB_FEE_POOL).await, for_data * price);
}

#[tokio::test]
async fn who_cannot_pay_for_the_data_is_refused() {
    let chain = charging_as(BASE);
    let (payer, poor) = (Wallet::new(0), Wallet::new(77));
    let cost = 21_000 * 2 * GWEI;
    // Enough for the gas and nothing else.
    let gift = u64::try_from(cost).unwrap();
    mined(&chain, &payer.transfer(0, poor.address(), gift)).await;
    let message = rejection_of(&chain, &poor.transfer(0, payer.address(), 0)).await;
    assert!(message.contains("insufficient funds"), "{message}");
}

#[tokio::test]
async fn other_chains_charge_nothing_for_data() {
    for chain in [1, 56, 137, 59_144] {
        assert!(EvmGenesis::data_fee_account(ChainId::new(chain).unwrap()).is_none(), "{chain}");
    }
    let receipt = mined(&chain(), &Wallet::new(0).transfer(0, Wallet::new(1).address(), 5)).await;
    assert!(receipt["l1Fee"].is_null() && receipt["gasUsedForL1"].is_null());
}
