use alloy_primitives::{Address, B256, U256, bytes};
use serde_json::{Value, json};

use super::kit::*;
use crate::evm::EvmChain;
use crate::jsonrpc::RpcError;

async fn estimate(chain: &EvmChain, request: Value) -> Result<Value, RpcError> {
    try_rpc(chain, "eth_estimateGas", json!([request])).await
}

#[tokio::test]
async fn a_revert_is_code_3_with_its_data_and_reason() {
    let chain = chain();
    for method in ["eth_call", "eth_estimateGas"] {
        let error = try_rpc(&chain, method, json!([{ "to": REVERTER }, "latest"])).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (3, "execution reverted: no"));
        assert_eq!(error.data, Some(json!(REVERT_DATA)));
    }
}

#[tokio::test]
async fn a_panic_has_a_reason_and_an_empty_revert_has_none() {
    let chain = chain();
    let overflow = "0x634e487b7160e01b5f5260116004526024 5ffd".replace(' ', "");
    let cases = [
        (overflow, "execution reverted: arithmetic underflow or overflow"),
        ("0x5f5ffd".into(), "execution reverted"),
        ("0x60ff5f5260205ffd".into(), "execution reverted"),
    ];
    for (code, message) in cases {
        let with = json!({ CONTEXT_READER.to_string(): { "code": code } });
        let error =
            try_rpc(&chain, "eth_call", json!([{ "to": CONTEXT_READER }, "latest", with])).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (3, message));
    }
}

#[tokio::test]
async fn an_endless_call_runs_out_of_gas() {
    let chain = chain();
    let request = json!({ "to": LOOPER, "gas": "0x8000" });
    let error = try_rpc(&chain, "eth_call", json!([request, "latest"])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32000, "out of gas"));
    let error = estimate(&chain, request).await.unwrap_err();
    assert_eq!(error.message, "gas required exceeds allowance (32768)");
    let error = try_rpc(&chain, "eth_call", json!([{ "data": "0xfe" }, "latest"])).await.unwrap_err();
    assert_eq!(error.message, "invalid opcode: INVALID");
}

#[tokio::test]
async fn a_call_runs_at_the_requested_block() {
    let chain = chain();
    chain.set_next_timestamp(START + 1_000_000).unwrap();
    chain.mine(3, 7).await.unwrap();
    let parent = rpc(&chain, "eth_getBlockByNumber", json!(["0x1", false])).await;
    let answer = rpc(&chain, "eth_call", json!([{ "to": CONTEXT_READER }, "0x2"])).await;
    let answer: String = answer.as_str().unwrap()[2..].into();
    assert_eq!(U256::from_str_radix(&answer[..64], 16).unwrap(), U256::from(2));
    assert_eq!(U256::from_str_radix(&answer[64..128], 16).unwrap(), U256::from(START + 1_000_007));
    // A call without a gas price has no base fee.
    assert_eq!(U256::from_str_radix(&answer[128..192], 16).unwrap(), U256::ZERO);
    assert_eq!(format!("0x{}", &answer[192..]), parent["hash"].as_str().unwrap());
}

#[tokio::test]
async fn the_history_contract_returns_past_hashes() {
    let chain = chain();
    chain.mine(5, 0).await.unwrap();
    let history = alloy_eips::eip2935::HISTORY_STORAGE_ADDRESS;
    for number in [0_u64, 3, 4] {
        let block = rpc(&chain, "eth_getBlockByNumber", json!([format!("{number:#x}"), false])).await;
        let data = B256::from(U256::from(number));
        let answer = rpc(&chain, "eth_call", json!([{ "to": history, "data": data }, "latest"])).await;
        assert_eq!(answer, block["hash"]);
        assert_eq!(rpc(&chain, "eth_getStorageAt", json!([history, format!("{number:#x}")])).await, answer);
    }
}

#[tokio::test]
async fn overrides_affect_only_their_call() {
    let chain = chain();
    let at = json!({
        COUNTER.to_string(): { "stateDiff": { B256::ZERO.to_string(): B256::from(U256::from(41)) } }
    });
    let answer = rpc(&chain, "eth_call", json!([{ "to": COUNTER }, "latest", at])).await;
    assert_eq!(answer, json!(B256::from(U256::from(42))));
    assert_eq!(rpc(&chain, "eth_call", json!([{ "to": COUNTER }])).await, json!(B256::from(U256::from(1))));
    let later = json!({ "time": "0x77", "number": "0x99" });
    let answer = rpc(&chain, "eth_call", json!([{ "to": CONTEXT_READER }, "latest", {}, later])).await;
    assert!(answer.as_str().unwrap()[2..66].ends_with("99"));
    assert!(answer.as_str().unwrap()[66..130].ends_with("77"));
}

#[tokio::test]
async fn a_call_with_a_gas_price_must_pay_it() {
    let chain = chain();
    let from = Wallet::new(0).address();
    let cheap = json!({ "from": from, "to": COUNTER, "gas": "0x10000", "maxFeePerGas": "0x1" });
    let error = try_rpc(&chain, "eth_call", json!([cheap, "latest"])).await.unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "err: max fee per gas less than block base fee: address {from}, maxFeePerGas: 1, \
             baseFee: 1000000000 (supplied gas 65536)"
        )
    );
    let poor = json!({ "from": Address::repeat_byte(9), "to": COUNTER, "value": "0x1" });
    let error = try_rpc(&chain, "eth_call", json!([poor, "latest"])).await.unwrap_err();
    assert!(error.message.starts_with("err: insufficient funds for gas * price + value: address 0x0909"));
    let error = estimate(&chain, poor).await.unwrap_err();
    assert!(error.message.contains("insufficient funds for gas * price + value"), "{}", error.message);
    let both = json!({ "gasPrice": "0x1", "maxFeePerGas": "0x1" });
    assert!(
        try_rpc(&chain, "eth_call", json!([both])).await.unwrap_err().message.starts_with("both gasPrice")
    );
}

#[tokio::test]
async fn estimates_are_sufficient_and_tight() {
    let chain = chain();
    let from = Wallet::new(0);
    let plain = json!({ "from": from.address(), "to": Address::repeat_byte(5), "value": "0x1" });
    assert_eq!(estimate(&chain, plain).await.unwrap(), "0x5208");
    let estimated =
        number(&estimate(&chain, json!({ "from": from.address(), "to": COUNTER })).await.unwrap());
    let receipt = mined(&chain, &from.call(0, COUNTER)).await;
    let used = number(&receipt["gasUsed"]);
    assert!(
        estimated >= used && estimated < used * U256::from(11) / U256::from(10),
        "{estimated} for {used}"
    );
    let tight = alloy_consensus::TxEip1559 {
        gas_limit: estimated.to(),
        ..eip1559(1, alloy_primitives::TxKind::Call(COUNTER), 0, bytes!(""))
    };
    assert_eq!(mined(&chain, &from.sign(tight)).await["status"], "0x1");
    let deploy = json!({ "from": from.address(), "data": COUNTER_INIT });
    assert!(number(&estimate(&chain, deploy).await.unwrap()) > U256::from(53_000));
}

#[tokio::test]
async fn an_endless_call_with_maximum_gas_times_out() {
    let chain = chain();
    let begun = std::time::Instant::now();
    let error = try_rpc(&chain, "eth_call", json!([{ "to": LOOPER }, "latest"])).await.unwrap_err();
    assert!(begun.elapsed().as_secs() < 30);
    assert!(matches!(error.message.as_str(), "out of gas" | "execution aborted (timeout = 5s)"));
}
