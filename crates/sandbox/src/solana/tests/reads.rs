use super::*;

#[tokio::test]
async fn cluster_info_is_served() {
    let fixture = ChainFixture::new();
    assert_eq!(fixture.get("getHealth", json!([])).await, "ok");
    let hash = fixture.get("getGenesisHash", json!([])).await;
    assert_eq!(hash, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d");
    assert!(hash.as_str().unwrap().starts_with(causeway_domain::SOLANA_REFERENCE));
    assert!(fixture.get("getVersion", json!([])).await["solana-core"].is_string());
    assert!(fixture.get("getIdentity", json!([])).await["identity"].is_string());
    let epoch = fixture.get("getEpochInfo", json!([])).await;
    assert_eq!(epoch["slotsInEpoch"], 432_000);
    let slot = epoch["absoluteSlot"].as_u64().unwrap();
    assert_eq!(epoch["epoch"], slot / 432_000);
    assert_eq!(fixture.get("getMinimumBalanceForRentExemption", json!([165])).await, 2_039_280);
    assert_eq!(fixture.get("getRecentPrioritizationFees", json!([])).await[0]["prioritizationFee"], 0);
}

#[tokio::test]
async fn slots_and_blockhashes_lag_with_the_commitment() {
    let fixture = ChainFixture::new();
    let open = fixture.pass(10).await;
    for (commitment, behind) in [("processed", 0), ("confirmed", 1), ("finalized", 2)] {
        let config = json!([{ "commitment": commitment }]);
        assert_eq!(fixture.get("getSlot", config.clone()).await, open - behind);
        let answer = fixture.get("getLatestBlockhash", config.clone()).await;
        assert_eq!(answer["context"]["slot"], open - behind);
        let height = fixture.get("getBlockHeight", config).await.as_u64().unwrap();
        assert_eq!(answer["value"]["lastValidBlockHeight"], height + 150);
        assert_ne!(height, open - behind);
    }
    assert_eq!(fixture.get("getSlot", json!([])).await, open - 2);
    let error = fixture.call("getSlot", json!([{ "minContextSlot": open }])).await.unwrap_err();
    assert_eq!((error.code, error.data), (-32016, Some(json!({ "contextSlot": open - 2 }))));
}

#[tokio::test]
async fn an_account_shows_in_every_encoding() {
    let fixture = ChainFixture::new();
    let mint = USDC.to_string();
    let mut shown = Vec::new();
    for encoding in ["base58", "base64", "base64+zstd"] {
        let answer = fixture.get("getAccountInfo", json!([mint, { "encoding": encoding }])).await;
        assert_eq!(answer["value"]["data"][1], encoding);
        shown.push(answer["value"]["data"][0].as_str().unwrap().to_owned());
    }
    assert_eq!(bs58::decode(&shown[0]).into_vec().unwrap(), BASE64_STANDARD.decode(&shown[1]).unwrap());
    let slice = json!({ "encoding": "base64", "dataSlice": { "offset": 44, "length": 1 } });
    let answer = fixture.get("getAccountInfo", json!([mint, slice])).await;
    assert_eq!(answer["value"]["data"][0], BASE64_STANDARD.encode([6]));
    let token = json!([TOKEN.to_string(), { "encoding": "base58" }]);
    let token = fixture.call("getAccountInfo", token).await;
    assert!(token.is_ok() || token.unwrap_err().message.contains("Base64"));
    let missing = fixture.get("getAccountInfo", json!([Address::new_unique().to_string()])).await;
    assert_eq!(missing["value"], Value::Null);
    let both = json!([[mint, Address::new_unique().to_string()], { "encoding": "base64" }]);
    let answer = fixture.get("getMultipleAccounts", both).await;
    assert_eq!((answer["value"][0]["lamports"].is_u64(), &answer["value"][1]), (true, &Value::Null));
}

#[tokio::test]
async fn program_accounts_are_filtered() {
    let fixture = ChainFixture::new();
    let alice = fixture.alice.pubkey().to_string();
    let filters = json!([{ "dataSize": 165 }, { "memcmp": { "offset": 32, "bytes": alice } }]);
    let config = json!({ "encoding": "base64", "filters": filters, "withContext": true });
    let answer = fixture.get("getProgramAccounts", json!([TOKEN.to_string(), config])).await;
    assert_eq!(answer["value"].as_array().unwrap().len(), 1);
    let all = fixture.get("getProgramAccounts", json!([TOKEN.to_string(), { "encoding": "base64" }])).await;
    assert_eq!(all.as_array().unwrap().len(), 12);
    let many = json!({ "filters": [{ "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }] });
    let error = fixture.call("getProgramAccounts", json!([TOKEN.to_string(), many])).await.unwrap_err();
    assert_eq!(error.message, "Too many filters provided; max 4");
}

#[tokio::test]
async fn a_block_holds_its_transactions() {
    let fixture = ChainFixture::new();
    let (one, two) = (fixture.pay(1).await, fixture.pay(2).await);
    let slot = fixture.chain.slot().await.unwrap();
    let error = fixture.call("getBlock", json!([slot])).await.unwrap_err();
    assert_eq!((error.code, error.message), (-32004, format!("Block not available for slot {slot}")));
    fixture.pass(2).await;
    let block = fixture.get("getBlock", json!([slot, { "transactionDetails": "signatures" }])).await;
    assert_eq!(block["signatures"], json!([one, two]));
    assert_eq!(block["parentSlot"], slot - 1);
    let parent = fixture.get("getBlock", json!([slot - 1])).await;
    assert_eq!(block["previousBlockhash"], parent["blockhash"]);
    assert_eq!(fixture.get("getBlockTime", json!([slot])).await, block["blockTime"]);
    assert_eq!(fixture.get("getBlocks", json!([slot - 1, slot])).await, json!([slot - 1, slot]));
    let first = fixture.get("getFirstAvailableBlock", json!([])).await.as_u64().unwrap();
    let error = fixture.call("getBlock", json!([first - 1])).await.unwrap_err();
    assert_eq!(error.code, -32001);
}

#[tokio::test]
async fn a_wallets_signatures_are_paged_newest_first() {
    let fixture = ChainFixture::new();
    let bob = fixture.bob.pubkey().to_string();
    let mut sent = Vec::new();
    for lamports in 1..=4 {
        sent.push(fixture.pay(lamports).await);
    }
    assert_eq!(fixture.get("getSignaturesForAddress", json!([bob])).await, json!([]));
    fixture.pass(1).await;
    let page = |config: Value| {
        let mut config = config;
        config["commitment"] = json!("confirmed");
        let answer = fixture.get("getSignaturesForAddress", json!([bob, config]));
        async move {
            let answer = answer.await;
            let list = answer.as_array().unwrap().clone();
            list.iter().map(|entry| entry["signature"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        }
    };
    assert_eq!(page(json!({ "limit": 2 })).await, [sent[3].clone(), sent[2].clone()]);
    assert_eq!(page(json!({ "before": sent[2] })).await, [sent[1].clone(), sent[0].clone()]);
    assert_eq!(page(json!({ "until": sent[1] })).await, [sent[3].clone(), sent[2].clone()]);
    let unknown = solana_signature::Signature::from([3; 64]).to_string();
    let error =
        fixture.call("getSignaturesForAddress", json!([bob, { "before": unknown }])).await.unwrap_err();
    assert_eq!(error.code, -32020);
    let error = fixture.call("getSignaturesForAddress", json!([bob, { "limit": 1_001 }])).await.unwrap_err();
    assert_eq!(error.message, "Invalid limit; max 1000");
}

#[tokio::test]
async fn a_transaction_shows_in_every_encoding() {
    let fixture = ChainFixture::new();
    let signature = fixture.pay(SOL).await;
    assert_eq!(fixture.get("getTransaction", json!([signature])).await, Value::Null);
    fixture.pass(2).await;
    let shown = fixture.get("getTransaction", json!([signature])).await;
    assert_eq!(shown["transaction"]["signatures"][0], signature);
    assert_eq!(shown["meta"]["fee"], 5_000);
    assert_eq!(shown["meta"]["postBalances"][1], 10_001 * SOL);
    assert_eq!(shown["meta"]["status"], json!({ "Ok": null }));
    let parsed = fixture.get("getTransaction", json!([signature, "jsonParsed"])).await;
    let instruction = &parsed["transaction"]["message"]["instructions"][0];
    assert_eq!(instruction["parsed"]["type"], "transfer");
    let config = json!({ "encoding": "base64", "maxSupportedTransactionVersion": 0 });
    let raw = fixture.get("getTransaction", json!([signature, config])).await;
    assert_eq!(raw["transaction"][1], "base64");
    assert_eq!(raw["version"], "legacy");
    let error = fixture.call("getTransaction", json!([signature, { "commitment": "processed" }])).await;
    assert_eq!(error.unwrap_err().message, "Method does not support commitment below `confirmed`");
}
