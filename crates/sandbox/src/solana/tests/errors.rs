use super::*;

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let fixture = ChainFixture::new();
    let error = fixture.call("getMoney", json!([])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32601, "Method not found"));
}

#[tokio::test]
async fn bad_arguments_are_named() {
    let fixture = ChainFixture::new();
    let cases = [
        ("getBalance", json!([]), "`params` should have at least 1 argument(s)"),
        ("getBalance", json!([7]), "Invalid params: invalid type: integer `7`, expected a string."),
        ("getBalance", json!(["abc"]), "Invalid param: WrongSize"),
        ("getBalance", json!(["0OIl"]), "Invalid param: Invalid"),
        ("getBalance", json!({ "a": 1 }), "`params` should be an array"),
        ("getTransaction", json!(["abc"]), "Invalid param: WrongSize"),
        ("getTokenAccountBalance", json!([MEMO.to_string()]), "Invalid param: not a Token account"),
        (
            "getTokenSupply",
            json!([Address::new_from_array([5; 32]).to_string()]),
            "Invalid param: could not find account",
        ),
        (
            "sendTransaction",
            json!(["AAAA", { "encoding": "json" }]),
            "unsupported encoding: json. Supported encodings: base58, base64",
        ),
        (
            "sendTransaction",
            json!(["!", { "encoding": "base64" }]),
            "invalid base64 encoding: InvalidByte(0, 33)",
        ),
    ];
    for (method, params, message) in cases {
        let error = fixture.call(method, params.clone()).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (-32602, message), "{method} {params}");
    }
    let addresses: Vec<_> = (0..101).map(|_| USDC.to_string()).collect();
    let error = fixture.call("getMultipleAccounts", json!([addresses])).await.unwrap_err();
    assert_eq!(error.message, "Too many inputs provided; max 100");
    let statuses = vec![fixture.pay(1).await; 257];
    let error = fixture.call("getSignatureStatuses", json!([statuses])).await.unwrap_err();
    assert_eq!(error.message, "Too many inputs provided; max 256");
}

#[tokio::test]
async fn malformed_transaction_is_refused() {
    let fixture = ChainFixture::new();
    let send = |text: String| fixture.call("sendTransaction", json!([text, { "encoding": "base64" }]));
    let error = send(BASE64_STANDARD.encode([1, 2, 3])).await.unwrap_err();
    assert!(error.message.starts_with("failed to deserialize"), "{}", error.message);
    let error = send("A".repeat(1_648)).await.unwrap_err();
    assert!(
        error.message.contains("too large: 1648 bytes (max: encoded/raw 1644/1232)"),
        "{}",
        error.message
    );
    let mut payment = fixture.payment(1).await;
    payment.signatures.push(solana_signature::Signature::default());
    let error = send(encoded(&payment)).await.unwrap_err();
    assert_eq!((error.code, error.message.starts_with("invalid transaction: ")), (-32602, true));
}

#[tokio::test]
async fn batch_is_answered_in_order_and_malformed_input_with_an_error() {
    let fixture = ChainFixture::new();
    let batch =
        br#"[{"jsonrpc":"2.0","id":1,"method":"getHealth"},{"jsonrpc":"2.0","id":"b","method":"nothing"}]"#;
    let answer: Value = serde_json::from_slice(&fixture.chain.rpc(batch).await).unwrap();
    assert_eq!(answer[0]["result"], "ok");
    assert_eq!((&answer[1]["id"], &answer[1]["error"]["code"]), (&json!("b"), &json!(-32601)));
    let answer: Value = serde_json::from_slice(&fixture.chain.rpc(b"{").await).unwrap();
    assert_eq!(answer["error"]["code"], -32700);
}
