use super::*;

#[tokio::test]
async fn the_cluster_introduces_itself() {
    let bench = Bench::new();
    assert_eq!(bench.get("getHealth", json!([])).await, "ok");
    let hash = bench.get("getGenesisHash", json!([])).await;
    assert_eq!(hash, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d");
    assert!(hash.as_str().unwrap().starts_with(causeway_domain::SOLANA_REFERENCE));
    assert!(bench.get("getVersion", json!([])).await["solana-core"].is_string());
    assert!(bench.get("getIdentity", json!([])).await["identity"].is_string());
    let epoch = bench.get("getEpochInfo", json!([])).await;
    assert_eq!(epoch["slotsInEpoch"], 432_000);
    let slot = epoch["absoluteSlot"].as_u64().unwrap();
    assert_eq!(epoch["epoch"], slot / 432_000);
    assert_eq!(bench.get("getMinimumBalanceForRentExemption", json!([165])).await, 2_039_280);
    assert_eq!(bench.get("getRecentPrioritizationFees", json!([])).await[0]["prioritizationFee"], 0);
}

#[tokio::test]
async fn slots_and_blockhashes_lag_with_the_commitment() {
    let bench = Bench::new();
    let open = bench.pass(10).await;
    for (commitment, behind) in [("processed", 0), ("confirmed", 1), ("finalized", 2)] {
        let config = json!([{ "commitment": commitment }]);
        assert_eq!(bench.get("getSlot", config.clone()).await, open - behind);
        let answer = bench.get("getLatestBlockhash", config.clone()).await;
        assert_eq!(answer["context"]["slot"], open - behind);
        let height = bench.get("getBlockHeight", config).await.as_u64().unwrap();
        assert_eq!(answer["value"]["lastValidBlockHeight"], height + 150);
        assert_ne!(height, open - behind);
    }
    assert_eq!(bench.get("getSlot", json!([])).await, open - 2);
    let error = bench.call("getSlot", json!([{ "minContextSlot": open }])).await.unwrap_err();
    assert_eq!((error.code, error.data), (-32016, Some(json!({ "contextSlot": open - 2 }))));
}

#[tokio::test]
async fn an_account_shows_in_every_encoding() {
    let bench = Bench::new();
    let mint = USDC.to_string();
    let mut shown = Vec::new();
    for encoding in ["base58", "base64", "base64+zstd"] {
        let answer = bench.get("getAccountInfo", json!([mint, { "encoding": encoding }])).await;
        assert_eq!(answer["value"]["data"][1], encoding);
        shown.push(answer["value"]["data"][0].as_str().unwrap().to_owned());
    }
    assert_eq!(bs58::decode(&shown[0]).into_vec().unwrap(), BASE64_STANDARD.decode(&shown[1]).unwrap());
    let slice = json!({ "encoding": "base64", "dataSlice": { "offset": 44, "length": 1 } });
    let answer = bench.get("getAccountInfo", json!([mint, slice])).await;
    assert_eq!(answer["value"]["data"][0], BASE64_STANDARD.encode([6]));
    let token = json!([TOKEN.to_string(), { "encoding": "base58" }]);
    let token = bench.call("getAccountInfo", token).await;
    assert!(token.is_ok() || token.unwrap_err().message.contains("Base64"));
    let missing = bench.get("getAccountInfo", json!([Address::new_unique().to_string()])).await;
    assert_eq!(missing["value"], Value::Null);
    let both = json!([[mint, Address::new_unique().to_string()], { "encoding": "base64" }]);
    let answer = bench.get("getMultipleAccounts", both).await;
    assert_eq!((answer["value"][0]["lamports"].is_u64(), &answer["value"][1]), (true, &Value::Null));
}

#[tokio::test]
async fn program_accounts_are_filtered() {
    let bench = Bench::new();
    let alice = bench.alice.pubkey().to_string();
    let filters = json!([{ "dataSize": 165 }, { "memcmp": { "offset": 32, "bytes": alice } }]);
    let config = json!({ "encoding": "base64", "filters": filters, "withContext": true });
    let answer = bench.get("getProgramAccounts", json!([TOKEN.to_string(), config])).await;
    assert_eq!(answer["value"].as_array().unwrap().len(), 1);
    let all = bench.get("getProgramAccounts", json!([TOKEN.to_string(), { "encoding": "base64" }])).await;
    assert_eq!(all.as_array().unwrap().len(), 12);
    let many = json!({ "filters": [{ "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }, { "dataSize": 1 }] });
    let error = bench.call("getProgramAccounts", json!([TOKEN.to_string(), many])).await.unwrap_err();
    assert_eq!(error.message, "Too many filters provided; max 4");
}

#[tokio::test]
async fn a_block_holds_its_transactions() {
    let bench = Bench::new();
    let (one, two) = (bench.pay(1).await, bench.pay(2).await);
    let slot = bench.chain.slot().await.unwrap();
    let error = bench.call("getBlock", json!([slot])).await.unwrap_err();
    assert_eq!((error.code, error.message), (-32004, format!("Block not available for slot {slot}")));
    bench.pass(2).await;
    let block = bench.get("getBlock", json!([slot, { "transactionDetails": "signatures" }])).await;
    assert_eq!(block["signatures"], json!([one, two]));
    assert_eq!(block["parentSlot"], slot - 1);
    let parent = bench.get("getBlock", json!([slot - 1])).await;
    assert_eq!(block["previousBlockhash"], parent["blockhash"]);
    assert_eq!(bench.get("getBlockTime", json!([slot])).await, block["blockTime"]);
    assert_eq!(bench.get("getBlocks", json!([slot - 1, slot])).await, json!([slot - 1, slot]));
    let first = bench.get("getFirstAvailableBlock", json!([])).await.as_u64().unwrap();
    let error = bench.call("getBlock", json!([first - 1])).await.unwrap_err();
    assert_eq!(error.code, -32001);
}

#[tokio::test]
async fn a_wallets_signatures_are_paged_newest_first() {
    let bench = Bench::new();
    let bob = bench.bob.pubkey().to_string();
    let mut sent = Vec::new();
    for lamports in 1..=4 {
        sent.push(bench.pay(lamports).await);
    }
    assert_eq!(bench.get("getSignaturesForAddress", json!([bob])).await, json!([]));
    bench.pass(1).await;
    let page = |config: Value| {
        let mut config = config;
        config["commitment"] = json!("confirmed");
        let answer = bench.get("getSignaturesForAddress", json!([bob, config]));
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
    let error = bench.call("getSignaturesForAddress", json!([bob, { "before": unknown }])).await.unwrap_err();
    assert_eq!(error.code, -32020);
    let error = bench.call("getSignaturesForAddress", json!([bob, { "limit": 1_001 }])).await.unwrap_err();
    assert_eq!(error.message, "Invalid limit; max 1000");
}

#[tokio::test]
async fn a_transaction_shows_in_every_encoding() {
    let bench = Bench::new();
    let signature = bench.pay(SOL).await;
    assert_eq!(bench.get("getTransaction", json!([signature])).await, Value::Null);
    bench.pass(2).await;
    let shown = bench.get("getTransaction", json!([signature])).await;
    assert_eq!(shown["transaction"]["signatures"][0], signature);
    assert_eq!(shown["meta"]["fee"], 5_000);
    assert_eq!(shown["meta"]["postBalances"][1], 10_001 * SOL);
    assert_eq!(shown["meta"]["status"], json!({ "Ok": null }));
    let parsed = bench.get("getTransaction", json!([signature, "jsonParsed"])).await;
    let instruction = &parsed["transaction"]["message"]["instructions"][0];
    assert_eq!(instruction["parsed"]["type"], "transfer");
    let config = json!({ "encoding": "base64", "maxSupportedTransactionVersion": 0 });
    let raw = bench.get("getTransaction", json!([signature, config])).await;
    assert_eq!(raw["transaction"][1], "base64");
    assert_eq!(raw["version"], "legacy");
    let error = bench.call("getTransaction", json!([signature, { "commitment": "processed" }])).await;
    assert_eq!(error.unwrap_err().message, "Method does not support commitment below `confirmed`");
}
