use spl_associated_token_account_interface::address::get_associated_token_address_with_program_id as ata;
use spl_associated_token_account_interface::instruction::create_associated_token_account;
use spl_token_2022_interface::instruction::{sync_native, transfer_checked};

use super::*;

impl ChainFixture {
    async fn token_balance(&self, account: &Address) -> Value {
        let config = json!([account.to_string(), { "commitment": "processed" }]);
        self.get("getTokenAccountBalance", config).await["value"].take()
    }
}

#[tokio::test]
async fn a_token_moves_to_an_associated_account_made_for_it() {
    for (token, program, length) in [(USDC, TOKEN, 165), (PYUSD, TOKEN_2022, 170)] {
        let fixture = ChainFixture::new();
        let alice = fixture.alice.pubkey();
        let stranger = Address::new_unique();
        let (from, to) = (ata(&alice, &token, &program), ata(&stranger, &token, &program));
        let transaction = fixture
            .sign(&[
                create_associated_token_account(&alice, &stranger, &token, &program),
                transfer_checked(&program, &from, &token, &to, &alice, &[], 1_500_000, 6).unwrap(),
            ])
            .await;
        let signature = fixture.send(&transaction, json!({})).await.unwrap();
        let balance = fixture.token_balance(&to).await;
        assert_eq!(
            balance,
            json!({ "amount": "1500000", "decimals": 6, "uiAmount": 1.5, "uiAmountString": "1.5" })
        );

        fixture.pass(2).await;
        let info = fixture.get("getAccountInfo", json!([to.to_string(), { "encoding": "base64" }])).await;
        assert_eq!(info["value"]["space"], length);
        let config = json!({ "encoding": "jsonParsed", "maxSupportedTransactionVersion": 0 });
        let shown = fixture.get("getTransaction", json!([signature, config])).await;
        assert_eq!(shown["meta"]["err"], Value::Null);
        assert_eq!(shown["version"], "legacy");
        let after = shown["meta"]["postTokenBalances"].as_array().unwrap();
        let received = after.iter().find(|balance| balance["owner"] == stranger.to_string()).unwrap();
        assert_eq!(received["uiTokenAmount"]["amount"], "1500000");
        assert_eq!(received["mint"], token.to_string());
        let parsed = &shown["transaction"]["message"]["instructions"][1]["parsed"];
        assert_eq!(parsed["type"], "transferChecked");
        assert!(!shown["meta"]["innerInstructions"].as_array().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_wallets_token_accounts_are_found_by_mint_and_by_program() {
    let fixture = ChainFixture::new();
    let alice = fixture.alice.pubkey().to_string();
    let config = json!({ "encoding": "jsonParsed" });
    for (program, token, amount) in [(TOKEN, USDC, "1000000000000"), (TOKEN_2022, PYUSD, "5000000")] {
        for filter in [json!({ "programId": program.to_string() }), json!({ "mint": token.to_string() })] {
            let found = fixture.get("getTokenAccountsByOwner", json!([alice, filter, config])).await;
            let found = found["value"].as_array().unwrap();
            assert_eq!(found.len(), 1);
            let info = &found[0]["account"]["data"]["parsed"]["info"];
            assert_eq!(info["mint"], token.to_string());
            assert_eq!(info["owner"], alice);
            assert_eq!(info["tokenAmount"]["amount"], amount);
        }
    }
    let filter = json!({ "mint": USDC.to_string() });
    let found =
        fixture.get("getTokenAccountsByOwner", json!([alice, filter, { "encoding": "base64" }])).await;
    assert_eq!(found["value"][0]["account"]["data"][1], "base64");
    let error =
        fixture.call("getTokenAccountsByOwner", json!([alice, { "programId": MEMO.to_string() }])).await;
    assert_eq!(error.unwrap_err().message, "Invalid param: unrecognized Token program id");
    let error = fixture.call("getTokenAccountsByOwner", json!([alice, { "mint": alice }])).await;
    assert_eq!(error.unwrap_err().message, "Invalid param: not a Token mint");
}

#[tokio::test]
async fn mint_shows_its_supply_and_authority() {
    let fixture = ChainFixture::new();
    let supply = fixture.get("getTokenSupply", json!([USDC.to_string()])).await;
    assert_eq!(supply["value"]["amount"], "10000000000000");
    let info = fixture.get("getAccountInfo", json!([USDC.to_string(), { "encoding": "jsonParsed" }])).await;
    let parsed = &info["value"]["data"]["parsed"];
    assert_eq!(parsed["type"], "mint");
    assert_eq!(parsed["info"]["decimals"], 6);
    assert_eq!(info["value"]["owner"], TOKEN.to_string());
}

#[tokio::test]
async fn the_faucet_gives_tokens_to_a_wallet_without_an_account() {
    let fixture = ChainFixture::new();
    let stranger = Address::new_unique();
    fixture.chain.give_tokens(stranger, USDC, 7).await.unwrap();
    fixture.chain.give_tokens(stranger, USDC, 7).await.unwrap();
    fixture.chain.give_tokens(stranger, PYUSD, 8).await.unwrap();
    fixture.chain.give_tokens(stranger, NATIVE_MINT, 9).await.unwrap();
    assert_eq!(fixture.token_balance(&ata(&stranger, &USDC, &TOKEN)).await["amount"], "14");
    assert_eq!(fixture.token_balance(&ata(&stranger, &PYUSD, &TOKEN_2022)).await["amount"], "8");
    assert_eq!(fixture.token_balance(&ata(&stranger, &NATIVE_MINT, &TOKEN)).await["amount"], "9");
    let error = fixture.chain.give_tokens(stranger, USDC, u64::MAX).await.unwrap_err();
    assert!(error.to_string().contains("would fail"), "{error}");
    let error = fixture.chain.give_tokens(stranger, stranger, 1).await.unwrap_err();
    assert!(error.to_string().contains("is not a token"), "{error}");
}

#[tokio::test]
async fn sol_is_wrapped_and_counted() {
    let fixture = ChainFixture::new();
    let alice = fixture.alice.pubkey();
    let account = ata(&alice, &NATIVE_MINT, &TOKEN);
    let transaction = fixture
        .sign(&[
            create_associated_token_account(&alice, &alice, &NATIVE_MINT, &TOKEN),
            transfer(&alice, &account, 3 * SOL),
            sync_native(&TOKEN, &account).unwrap(),
        ])
        .await;
    fixture.send(&transaction, json!({})).await.unwrap();
    assert_eq!(fixture.token_balance(&account).await["uiAmountString"], "3");
}
