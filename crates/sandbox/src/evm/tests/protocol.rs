use serde_json::{Value, json};

use super::kit::*;

async fn post(body: &str) -> Value {
    serde_json::from_slice(&chain().rpc(body.as_bytes()).await).unwrap()
}

#[tokio::test]
async fn a_batch_is_answered_in_order() {
    let answers = post(
        r#"[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},
            {"jsonrpc":"2.0","id":"b","method":"nope","params":[]},
            {"jsonrpc":"2.0","id":3,"method":"net_version","params":[]}]"#,
    )
    .await;
    assert_eq!(answers[0], json!({ "jsonrpc": "2.0", "id": 1, "result": "0x2105" }));
    assert_eq!(answers[1]["error"]["code"], -32601);
    assert_eq!(answers[1]["error"]["message"], "the method nope does not exist/is not available");
    assert_eq!(answers[2]["result"], "8453");
}

#[tokio::test]
async fn malformed_requests_are_rejected() {
    assert_eq!(post("{nonsense").await["error"]["code"], -32700);
    assert_eq!(post("[]").await["error"]["code"], -32600);
    assert_eq!(post("{}").await["error"]["code"], -32600);
    let many = vec![r#"{"id":1,"method":"eth_chainId"}"#; 1_001].join(",");
    assert_eq!(post(&format!("[{many}]")).await["error"]["code"], -32600);
}

#[tokio::test]
async fn a_node_introduces_itself() {
    let chain = chain();
    assert!(
        rpc(&chain, "web3_clientVersion", json!([]))
            .await
            .as_str()
            .unwrap()
            .starts_with("causeway-sandbox/v")
    );
    assert_eq!(rpc(&chain, "eth_syncing", json!([])).await, false);
    assert_eq!(rpc(&chain, "eth_accounts", json!([])).await, json!([]));
    assert_eq!(rpc(&chain, "net_listening", json!([])).await, true);
    assert_eq!(rpc(&chain, "eth_coinbase", json!([])).await, json!(crate::evm::block::COINBASE));
    let hash = rpc(&chain, "web3_sha3", json!(["0x68656c6c6f20776f726c64"])).await;
    assert_eq!(hash, "0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad");
}

#[tokio::test]
async fn there_are_no_notifications_and_no_accounts() {
    let chain = chain();
    let error = try_rpc(&chain, "eth_subscribe", json!(["newHeads"])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32601, "notifications not supported"));
    let error = try_rpc(&chain, "eth_unsubscribe", json!(["0x1"])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32000, "subscription not found"));
    send(&chain, &Wallet::new(0).transfer(0, COUNTER, 0)).await;
    assert_eq!(rpc(&chain, "eth_pendingTransactions", json!([])).await, json!([]));
}

#[tokio::test]
async fn arguments_are_parsed_strictly() {
    let chain = chain();
    let cases = [
        ("eth_getBalance", json!([]), "missing value for required argument 0"),
        (
            "eth_getBalance",
            json!(["0x12", "latest"]),
            "invalid argument 0: hex string has length 2, want 40 for common.Address",
        ),
        (
            "eth_getBalance",
            json!([COUNTER, "soon"]),
            "invalid argument 1: json: cannot unmarshal hex string without 0x prefix into Go value of type rpc.BlockNumber",
        ),
        (
            "eth_getBalance",
            json!([COUNTER, "0x01"]),
            "invalid argument 1: json: cannot unmarshal hex number with leading zero digits into Go value of type rpc.BlockNumber",
        ),
        ("eth_getBalance", json!([COUNTER, "latest", 1]), "too many arguments, want at most 2"),
        ("eth_getBalance", json!({}), "non-array args"),
        (
            "eth_sendRawTransaction",
            json!(["abc"]),
            "invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type hexutil.Bytes",
        ),
        (
            "eth_sendRawTransaction",
            json!(["0xabc"]),
            "invalid argument 0: json: cannot unmarshal hex string of odd length into Go value of type hexutil.Bytes",
        ),
        (
            "eth_getBlockByNumber",
            json!([5, false]),
            "invalid argument 0: json: cannot unmarshal non-string into Go value of type rpc.BlockNumber",
        ),
        (
            "eth_getTransactionByHash",
            json!([7]),
            "invalid argument 0: json: cannot unmarshal number into Go value of type common.Hash",
        ),
        (
            "eth_getBlockByNumber",
            json!(["0x10000000000000000", false]),
            "invalid argument 0: json: cannot unmarshal hex number > 64 bits into Go value of type rpc.BlockNumber",
        ),
    ];
    for (method, params, message) in cases {
        let error = try_rpc(&chain, method, params).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (-32602, message));
    }
}

mod any_input {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "0x[0-9a-f]{0,70}".prop_map(Value::from),
            Just(json!("latest")),
            Just(json!("pending")),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(
                    (
                        prop::sample::select(vec![
                            "to",
                            "from",
                            "data",
                            "gas",
                            "gasPrice",
                            "value",
                            "fromBlock",
                            "toBlock",
                            "topics",
                            "address",
                            "blockHash",
                            "blockNumber",
                            "balance",
                        ]),
                        inner
                    ),
                    0..4
                )
                .prop_map(|fields| Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )),
            ]
        })
    }

    const METHODS: [&str; 22] = [
        "eth_call",
        "eth_createAccessList",
        "eth_estimateGas",
        "eth_feeHistory",
        "eth_getBalance",
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getBlockReceipts",
        "eth_getBlockTransactionCountByNumber",
        "eth_getCode",
        "eth_getFilterChanges",
        "eth_getFilterLogs",
        "eth_getLogs",
        "eth_getProof",
        "eth_getStorageAt",
        "eth_getTransactionByBlockNumberAndIndex",
        "eth_getTransactionByHash",
        "eth_getTransactionCount",
        "eth_newFilter",
        "eth_sendRawTransaction",
        "eth_uninstallFilter",
        "web3_sha3",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn is_answered(method in prop::sample::select(METHODS.to_vec()), params in prop::collection::vec(value(), 0..4)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let chain = chain();
            // Rejected or not, the call returns and no handler crashes.
            if let Err(error) = runtime.block_on(try_rpc(&chain, method, Value::Array(params))) {
                prop_assert_ne!(error.message, "method handler crashed");
            }
        }
    }
}
