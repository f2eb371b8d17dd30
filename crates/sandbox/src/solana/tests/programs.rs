use solana_instruction::AccountMeta;
use solana_system_interface::instruction::{advance_nonce_account, create_nonce_account};

use super::*;

const COMPUTE_BUDGET: Address = Address::from_str_const("ComputeBudget111111111111111111111111111111");

/// The code of a program that logs what it is given.
async fn some_code(chain: &SolanaChain) -> Vec<u8> {
    chain.account(MEMO).await.unwrap().unwrap().data
}

fn say(program: Address, text: &str) -> Instruction {
    Instruction { program_id: program, accounts: Vec::new(), data: text.as_bytes().to_vec() }
}

#[tokio::test]
async fn a_program_of_the_genesis_runs_and_survives_a_restart() {
    let code = some_code(&ChainFixture::new().chain).await;
    let (program, fixed, authority) = (Address::new_unique(), Address::new_unique(), Address::new_unique());
    let mut genesis = test_genesis();
    genesis.add_program(program, &code, Some(authority));
    genesis.add_program(fixed, &code, None);
    let folder = tempfile::tempdir().unwrap();
    let config = SolanaConfig { data_dir: Some(folder.path().to_owned()), ..manual_config() };
    for _ in 0..2 {
        let chain = SolanaChain::open(config.clone(), genesis.clone()).unwrap();
        let fixture = ChainFixture { chain, ..ChainFixture::new() };
        let transaction = fixture.sign(&[say(program, "hello"), say(fixed, "there")]).await;
        let signature = fixture.send(&transaction, json!({})).await.unwrap();
        assert_eq!(fixture.status(&signature).await["err"], Value::Null);
        for (address, owner) in [(program, json!(authority.to_string())), (fixed, Value::Null)] {
            let config = json!({ "encoding": "jsonParsed", "commitment": "processed" });
            let shown = fixture.get("getAccountInfo", json!([address.to_string(), config])).await;
            let data = &shown["value"]["data"]["parsed"]["info"]["programData"];
            let shown = fixture.get("getAccountInfo", json!([data, config])).await;
            assert_eq!(shown["value"]["data"]["parsed"]["info"]["authority"], owner);
        }
        fixture.chain.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_program_set_while_the_chain_runs_is_undone_by_a_fork() {
    let fixture = ChainFixture::new();
    let program = Address::new_unique();
    let code = some_code(&fixture.chain).await;
    fixture.chain.set_program(program, &code, None).await.unwrap();
    let transaction = fixture.sign(&[say(program, "hello")]).await;
    fixture.send(&transaction, json!({})).await.unwrap();
    fixture.chain.fork(1).await.unwrap();
    let transaction = fixture.sign(&[say(program, "again")]).await;
    let error = fixture.send(&transaction, json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "ProgramAccountNotFound");
    assert!(fixture.chain.set_program(program, b"no program", None).await.is_err());
    fixture.pay(1).await;
}

#[tokio::test]
async fn priority_fee_is_reported_and_charged() {
    let fixture = ChainFixture::new();
    let budget = |data: Vec<u8>| Instruction { program_id: COMPUTE_BUDGET, accounts: Vec::new(), data };
    let limit = budget([&[2][..], &300_000_u32.to_le_bytes()].concat());
    let price = budget([&[3][..], &20_000_u64.to_le_bytes()].concat());
    let pay = transfer(&fixture.alice.pubkey(), &fixture.bob.pubkey(), 1);
    let transaction = fixture.sign(&[limit, price, pay]).await;
    let message = BASE64_STANDARD.encode(transaction.message.serialize());
    let fee = fixture.get("getFeeForMessage", json!([message, { "commitment": "processed" }])).await;
    assert_eq!(fee["value"], 5_000 + 6_000);
    let signature = fixture.send(&transaction, json!({})).await.unwrap();
    fixture.pass(2).await;
    assert_eq!(fixture.get("getTransaction", json!([signature])).await["meta"]["fee"], 11_000);
}

#[tokio::test]
async fn a_durable_nonce_outlives_blockhashes_and_is_good_once() {
    let fixture = ChainFixture::new();
    let alice = fixture.alice.pubkey();
    let nonce = Keypair::new();
    let create = create_nonce_account(&alice, &nonce.pubkey(), &alice, 2_000_000);
    let message = Message::new_with_blockhash(&create, Some(&alice), &fixture.blockhash().await);
    let keys = [&fixture.alice, &nonce];
    let transaction = VersionedTransaction::try_new(VersionedMessage::Legacy(message), &keys).unwrap();
    fixture.send(&transaction, json!({})).await.unwrap();

    let config = json!({ "encoding": "jsonParsed", "commitment": "processed" });
    let shown = fixture.get("getAccountInfo", json!([nonce.pubkey().to_string(), config])).await;
    let value: Hash =
        shown["value"]["data"]["parsed"]["info"]["blockhash"].as_str().unwrap().parse().unwrap();
    let signed = |lamports: u64| {
        let instructions = [
            advance_nonce_account(&nonce.pubkey(), &alice),
            transfer(&alice, &fixture.bob.pubkey(), lamports),
        ];
        let message = Message::new_with_blockhash(&instructions, Some(&alice), &value);
        VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&fixture.alice]).unwrap()
    };
    fixture.pass(200).await;
    fixture.send(&signed(1), json!({})).await.unwrap();
    let error = fixture.send(&signed(2), json!({})).await.unwrap_err();
    assert_eq!(error.data.unwrap()["err"], "BlockhashNotFound");
}

#[tokio::test]
async fn account_can_be_set_directly() {
    let fixture = ChainFixture::new();
    let address = Address::new_unique();
    let account = solana_account::Account { lamports: 5, owner: MEMO, ..Default::default() };
    fixture.chain.set_account(address, Some(account)).await.unwrap();
    assert_eq!(fixture.balance(&address, "processed").await, 5);
    assert_eq!(fixture.balance(&address, "finalized").await, 0);
    fixture.pass(2).await;
    assert_eq!(fixture.balance(&address, "finalized").await, 5);
    fixture.chain.set_account(address, None).await.unwrap();
    assert!(fixture.chain.account(address).await.unwrap().is_none());
    let missing =
        Instruction { program_id: address, accounts: vec![AccountMeta::new(address, false)], data: vec![] };
    let transaction = fixture.sign(&[missing]).await;
    assert!(fixture.send(&transaction, json!({})).await.is_err());
}
