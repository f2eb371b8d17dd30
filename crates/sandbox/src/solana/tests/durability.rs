use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use solana_account::Account;

use super::*;

fn durable_config(folder: &Path) -> SolanaConfig {
    SolanaConfig { data_dir: Some(folder.to_owned()), ..manual_config() }
}

#[tokio::test]
async fn chain_resumes_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let signature = fixture.pay(SOL).await;
    let hash = fixture.blockhash().await;
    fixture.chain.set_time(fixture.chain.time().await.unwrap() + 1_000).await.unwrap();
    let (slot, time) = (fixture.chain.slot().await.unwrap(), fixture.chain.time().await.unwrap());
    fixture.chain.stop().await.unwrap();

    let fixture = ChainFixture::with(durable_config(folder.path()));
    assert!(fixture.chain.slot().await.unwrap() > slot);
    assert!(fixture.chain.time().await.unwrap() >= time);
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_001 * SOL);
    assert_eq!(fixture.status(&signature).await["confirmationStatus"], "finalized");
    let valid = fixture.get("isBlockhashValid", json!([hash.to_string()])).await;
    assert_eq!(valid["value"], true);
    let shown = fixture.get("getTransaction", json!([signature])).await;
    let block = fixture.get("getBlock", json!([shown["slot"]])).await;
    assert_eq!(block["transactions"][0]["transaction"]["signatures"][0], signature);
    fixture.pay(SOL).await;
}

#[tokio::test]
async fn torn_last_entry_is_cut_and_the_rest_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let first = fixture.pay(SOL).await;
    fixture.pass(1).await;
    let file = folder.path().join("solana.journal");
    let whole = fs::metadata(&file).unwrap().len();
    let second = fixture.pay(2 * SOL).await;
    fixture.pass(1).await;
    // As after a crash: the chain is not stopped, and the last entry is torn.
    let copy = tempfile::tempdir().unwrap();
    let torn = copy.path().join("solana.journal");
    fs::copy(&file, &torn).unwrap();
    let length = fs::metadata(&torn).unwrap().len();
    assert!(length > whole);
    OpenOptions::new().write(true).open(&torn).unwrap().set_len(length - 7).unwrap();

    let fixture = ChainFixture::with(durable_config(copy.path()));
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_001 * SOL);
    assert_eq!(fixture.status(&first).await["confirmationStatus"], "finalized");
    assert_eq!(fixture.status(&second).await, Value::Null);
    fixture.pay(4 * SOL).await;
    fixture.pass(1).await;
    fixture.chain.stop().await.unwrap();
    let fixture = ChainFixture::with(durable_config(copy.path()));
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_005 * SOL);
}

#[tokio::test]
async fn fork_is_undone_in_the_journal_too() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let signature = fixture.pay(SOL).await;
    fixture.pass(1).await;
    fixture.chain.fork(2).await.unwrap();
    let slot = fixture.pass(1).await;
    let height =
        fixture.get("getBlockHeight", json!([{ "commitment": "processed" }])).await.as_u64().unwrap();
    drop(fixture);

    let fixture = ChainFixture::with(durable_config(folder.path()));
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_000 * SOL);
    assert_eq!(fixture.status(&signature).await, Value::Null);
    let passed = fixture.chain.slot().await.unwrap() - slot;
    let now = fixture.get("getBlockHeight", json!([{ "commitment": "processed" }])).await.as_u64().unwrap();
    assert_eq!(now - height, passed);
}

#[tokio::test]
async fn fresh_start_discards_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let signature = fixture.pay(SOL).await;
    fixture.chain.stop().await.unwrap();
    let fixture = ChainFixture::with(SolanaConfig { fresh: true, ..durable_config(folder.path()) });
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "processed").await, 10_000 * SOL);
    assert_eq!(fixture.status(&signature).await, Value::Null);
}

#[tokio::test]
async fn extended_genesis_adds_accounts_and_keeps_existing_ones() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    fixture.pay(SOL).await;
    fixture.chain.stop().await.unwrap();
    let newcomer = Address::new_unique();
    let mut genesis = test_genesis();
    genesis.fund(newcomer, 5);
    let chain = SolanaChain::open(durable_config(folder.path()), genesis).unwrap();
    let fixture = ChainFixture { chain, ..fixture };
    assert_eq!(fixture.balance(&newcomer, "finalized").await, 5);
    assert_eq!(fixture.balance(&fixture.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn foreign_file_is_refused_with_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::create(folder.path().join("solana.journal")).unwrap();
    file.write_all(b"something else entirely").unwrap();
    let error = SolanaChain::open(durable_config(folder.path()), test_genesis()).unwrap_err();
    assert!(error.to_string().contains("start fresh"), "{error}");
}

#[tokio::test]
async fn history_is_bounded() {
    let fixture = ChainFixture::with(SolanaConfig { history: 3, ..manual_config() });
    let mut signatures = Vec::new();
    for lamports in 1..=5 {
        signatures.push(fixture.pay(lamports).await);
    }
    fixture.pass(2).await;
    let found = fixture.get("getSignaturesForAddress", json!([fixture.alice.pubkey().to_string()])).await;
    assert_eq!(found.as_array().unwrap().len(), 3);
    assert_eq!(fixture.status(&signatures[0]).await, Value::Null);
}

#[tokio::test]
async fn long_journal_is_compacted_without_changing_state() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let address = Address::new_unique();
    let signature = fixture.pay(SOL).await;
    for byte in 1..=3 {
        let data = vec![byte; 9 << 20];
        let account = Account { lamports: SOL, data, owner: MEMO, ..Account::default() };
        fixture.chain.set_account(address, Some(account)).await.unwrap();
        fixture.pass(1).await;
    }
    let length = fs::metadata(folder.path().join("solana.journal")).unwrap().len();
    assert!((9 << 20..20 << 20).contains(&length), "{length}");
    drop(fixture);
    let fixture = ChainFixture::with(durable_config(folder.path()));
    let kept = fixture.chain.account(address).await.unwrap().unwrap();
    assert!(kept.data.iter().all(|byte| *byte == 3));
    assert_eq!(fixture.status(&signature).await["confirmationStatus"], "finalized");
}
