use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use solana_account::Account;

use super::*;

fn kept_in(folder: &Path) -> SolanaConfig {
    SolanaConfig { data_dir: Some(folder.to_owned()), ..by_hand() }
}

#[tokio::test]
async fn a_chain_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    let signature = bench.pay(SOL).await;
    let hash = bench.blockhash().await;
    bench.chain.set_time(bench.chain.time().await.unwrap() + 1_000).await.unwrap();
    let (slot, time) = (bench.chain.slot().await.unwrap(), bench.chain.time().await.unwrap());
    bench.chain.stop().await.unwrap();

    let bench = Bench::with(kept_in(folder.path()));
    assert!(bench.chain.slot().await.unwrap() > slot);
    assert!(bench.chain.time().await.unwrap() >= time);
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_001 * SOL);
    assert_eq!(bench.status(&signature).await["confirmationStatus"], "finalized");
    let valid = bench.get("isBlockhashValid", json!([hash.to_string()])).await;
    assert_eq!(valid["value"], true);
    let shown = bench.get("getTransaction", json!([signature])).await;
    let block = bench.get("getBlock", json!([shown["slot"]])).await;
    assert_eq!(block["transactions"][0]["transaction"]["signatures"][0], signature);
    bench.pay(SOL).await;
}

#[tokio::test]
async fn what_a_kill_left_half_written_is_cut_and_the_rest_stands() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    let first = bench.pay(SOL).await;
    bench.pass(1).await;
    let file = folder.path().join("solana.journal");
    let whole = fs::metadata(&file).unwrap().len();
    let second = bench.pay(2 * SOL).await;
    bench.pass(1).await;
    // As a kill leaves it: nobody stops the chain, and the last entry is not all there.
    let copy = tempfile::tempdir().unwrap();
    let torn = copy.path().join("solana.journal");
    fs::copy(&file, &torn).unwrap();
    let length = fs::metadata(&torn).unwrap().len();
    assert!(length > whole);
    OpenOptions::new().write(true).open(&torn).unwrap().set_len(length - 7).unwrap();

    let bench = Bench::with(kept_in(copy.path()));
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_001 * SOL);
    assert_eq!(bench.status(&first).await["confirmationStatus"], "finalized");
    assert_eq!(bench.status(&second).await, Value::Null);
    bench.pay(4 * SOL).await;
    bench.pass(1).await;
    bench.chain.stop().await.unwrap();
    let bench = Bench::with(kept_in(copy.path()));
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_005 * SOL);
}

#[tokio::test]
async fn a_fork_is_undone_in_the_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    let signature = bench.pay(SOL).await;
    bench.pass(1).await;
    bench.chain.fork(2).await.unwrap();
    let slot = bench.pass(1).await;
    let height = bench.get("getBlockHeight", json!([{ "commitment": "processed" }])).await.as_u64().unwrap();
    drop(bench);

    let bench = Bench::with(kept_in(folder.path()));
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_000 * SOL);
    assert_eq!(bench.status(&signature).await, Value::Null);
    let passed = bench.chain.slot().await.unwrap() - slot;
    let now = bench.get("getBlockHeight", json!([{ "commitment": "processed" }])).await.as_u64().unwrap();
    assert_eq!(now - height, passed);
}

#[tokio::test]
async fn a_fresh_start_forgets() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    let signature = bench.pay(SOL).await;
    bench.chain.stop().await.unwrap();
    let bench = Bench::with(SolanaConfig { fresh: true, ..kept_in(folder.path()) });
    assert_eq!(bench.balance(&bench.bob.pubkey(), "processed").await, 10_000 * SOL);
    assert_eq!(bench.status(&signature).await, Value::Null);
}

#[tokio::test]
async fn a_larger_genesis_adds_its_accounts_and_leaves_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    bench.pay(SOL).await;
    bench.chain.stop().await.unwrap();
    let newcomer = Address::new_unique();
    let mut genesis = a_genesis();
    genesis.fund(newcomer, 5);
    let chain = SolanaChain::open(kept_in(folder.path()), genesis).unwrap();
    let bench = Bench { chain, ..bench };
    assert_eq!(bench.balance(&newcomer, "finalized").await, 5);
    assert_eq!(bench.balance(&bench.bob.pubkey(), "finalized").await, 10_001 * SOL);
}

#[tokio::test]
async fn a_file_that_is_none_of_ours_is_refused_with_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::create(folder.path().join("solana.journal")).unwrap();
    file.write_all(b"something else entirely").unwrap();
    let error = SolanaChain::open(kept_in(folder.path()), a_genesis()).unwrap_err();
    assert!(error.to_string().contains("start fresh"), "{error}");
}

#[tokio::test]
async fn history_is_bounded() {
    let bench = Bench::with(SolanaConfig { history: 3, ..by_hand() });
    let mut signatures = Vec::new();
    for lamports in 1..=5 {
        signatures.push(bench.pay(lamports).await);
    }
    bench.pass(2).await;
    let found = bench.get("getSignaturesForAddress", json!([bench.alice.pubkey().to_string()])).await;
    assert_eq!(found.as_array().unwrap().len(), 3);
    assert_eq!(bench.status(&signatures[0]).await, Value::Null);
}

#[tokio::test]
async fn a_long_file_is_written_anew_and_tells_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::with(kept_in(folder.path()));
    let address = Address::new_unique();
    let signature = bench.pay(SOL).await;
    for byte in 1..=3 {
        let data = vec![byte; 9 << 20];
        let account = Account { lamports: SOL, data, owner: MEMO, ..Account::default() };
        bench.chain.set_account(address, Some(account)).await.unwrap();
        bench.pass(1).await;
    }
    let length = fs::metadata(folder.path().join("solana.journal")).unwrap().len();
    assert!((9 << 20..20 << 20).contains(&length), "{length}");
    drop(bench);
    let bench = Bench::with(kept_in(folder.path()));
    let kept = bench.chain.account(address).await.unwrap().unwrap();
    assert!(kept.data.iter().all(|byte| *byte == 3));
    assert_eq!(bench.status(&signature).await["confirmationStatus"], "finalized");
}
