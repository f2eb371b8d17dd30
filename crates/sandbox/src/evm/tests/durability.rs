use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use alloy_primitives::{Address, U256};
use serde_json::{Value, json};

use super::kit::*;
use crate::evm::journal::Record;
use crate::evm::ledger::RecentBlock;
use crate::evm::{EvmChain, Genesis, OpenError, Options, Reorged, Write};

fn open(folder: &Path) -> EvmChain {
    let options = Options { data_dir: Some(folder.into()), ..Options::default() };
    EvmChain::open(&genesis(), options).unwrap()
}

/// Everything that must be the same after a restart.
async fn snapshot(chain: &EvmChain) -> Value {
    let head = chain.block_number();
    let mut blocks = Vec::new();
    for number in 0..=head {
        blocks.push(
            try_rpc(chain, "eth_getBlockByNumber", json!([format!("{number:#x}"), true]))
                .await
                .unwrap_or_default(),
        );
    }
    let wallets: Vec<Address> = (0..10).map(|seed| Wallet::new(seed).address()).collect();
    let mut balances = Vec::new();
    for number in head.saturating_sub(100)..=head {
        for wallet in &wallets {
            balances.push(rpc(chain, "eth_getBalance", json!([wallet, format!("{number:#x}")])).await);
        }
    }
    let receipts = rpc(chain, "eth_getBlockReceipts", json!(["latest"])).await;
    let logs = rpc(chain, "eth_getLogs", json!([{ "fromBlock": "0x0" }])).await;
    let count = rpc(chain, "eth_getStorageAt", json!([COUNTER, "0x0"])).await;
    json!([blocks, balances, receipts, logs, count])
}

async fn add_history(chain: &EvmChain) {
    let wallet = Wallet::new(0);
    let first = number(&rpc(chain, "eth_getTransactionCount", json!([wallet.address()])).await).to::<u64>();
    for nonce in first..first + 3 {
        mined(chain, &wallet.call(nonce, COUNTER)).await;
        chain.mine(2, 0).await.unwrap();
    }
    mined(chain, &wallet.sign(eip1559(first + 3, alloy_primitives::TxKind::Create, 0, COUNTER_INIT))).await;
    chain.write(vec![Write::Credit { address: wallet.address(), amount: ether(1) }]).await.unwrap();
    chain.reorg(2, Reorged::Drop).await.unwrap();
    chain.mine(2, 0).await.unwrap();
    mined(chain, &Wallet::new(1).call(first / 3, COUNTER)).await;
}

#[tokio::test]
async fn a_chain_is_restored_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let chain = open(folder.path());
    add_history(&chain).await;
    let before = snapshot(&chain).await;
    drop(chain);
    let again = open(folder.path());
    assert_eq!(snapshot(&again).await, before);
    add_history(&again).await;
    let before = snapshot(&again).await;
    drop(again);
    assert_eq!(snapshot(&open(folder.path())).await, before);
}

#[tokio::test]
async fn an_incomplete_end_is_cut_and_the_rest_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let chain = open(folder.path());
    add_history(&chain).await;
    let before = snapshot(&chain).await;
    let file = folder.path().join("evm-8453.journal");
    let whole = std::fs::metadata(&file).unwrap().len();
    mined(&chain, &Wallet::new(2).call(0, COUNTER)).await;
    drop(chain);
    let after = std::fs::read(&file).unwrap();
    // The last entry is cut at any byte, or its end is zeroed.
    for torn in [whole + 1, whole + 7, whole + 9, u64::try_from(after.len()).unwrap() - 1] {
        let mut bytes = after[..usize::try_from(torn).unwrap()].to_vec();
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(snapshot(&open(folder.path())).await, before);
        assert_eq!(std::fs::metadata(&file).unwrap().len(), whole);
        bytes.resize(after.len() + 64, 0);
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(snapshot(&open(folder.path())).await, before);
    }
    OpenOptions::new().append(true).open(&file).unwrap().write_all(&[0xff; 100]).unwrap();
    let chain = open(folder.path());
    assert_eq!(snapshot(&chain).await, before);
    mined(&chain, &Wallet::new(2).call(0, COUNTER)).await;
    let before = snapshot(&chain).await;
    drop(chain);
    assert_eq!(snapshot(&open(folder.path())).await, before);
}

#[tokio::test]
async fn a_compacted_journal_restores_the_same_chain() {
    let folder = tempfile::tempdir().unwrap();
    let chain = open(folder.path());
    add_history(&chain).await;
    chain.mine(150, 0).await.unwrap();
    add_history(&chain).await;
    let before = snapshot(&chain).await;
    {
        let mut producer = chain.inner.producer.lock();
        let (journal, start) = producer.journal.as_mut().unwrap();
        journal.compact(start, &chain.inner.ledger.read()).unwrap();
    }
    assert_eq!(snapshot(&chain).await, before);
    add_history(&chain).await;
    let before = snapshot(&chain).await;
    drop(chain);
    let again = open(folder.path());
    assert_eq!(snapshot(&again).await, before);
    again.reorg(20, Reorged::Return).await.unwrap();
    let before = snapshot(&again).await;
    drop(again);
    assert_eq!(snapshot(&open(folder.path())).await, before);
}

#[tokio::test]
async fn many_empty_blocks_are_compacted_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let chain = open(folder.path());
    chain.mine(10_000, 0).await.unwrap();
    let long = std::fs::metadata(folder.path().join("evm-8453.journal")).unwrap().len();
    assert!(long < 10_000 * 30, "{long}");
    chain.mine(7_000, 0).await.unwrap();
    drop(chain);
    let short = std::fs::metadata(folder.path().join("evm-8453.journal")).unwrap().len();
    assert!(short < 1_000_000, "{short}");
    assert_eq!(open(folder.path()).block_number(), 17_000);
}

#[tokio::test]
async fn fresh_restarts_the_chain_and_another_genesis_requires_it() {
    let folder = tempfile::tempdir().unwrap();
    let chain = open(folder.path());
    chain.mine(3, 0).await.unwrap();
    drop(chain);
    let mut other = genesis();
    other.accounts[5].balance = U256::ONE;
    let options = Options { data_dir: Some(folder.path().into()), ..Options::default() };
    let error = EvmChain::open(&other, options.clone()).unwrap_err();
    assert!(matches!(error, OpenError::OtherGenesis { .. }));
    assert!(error.to_string().ends_with("start with --fresh"));
    // The first block's time is the one that was stored.
    let later = Genesis { timestamp: START + 500, ..genesis() };
    assert_eq!(EvmChain::open(&later, options.clone()).unwrap().block_number(), 3);
    let fresh = EvmChain::open(&other, Options { fresh: true, ..options }).unwrap();
    assert_eq!(fresh.block_number(), 0);
}

#[tokio::test]
async fn a_file_without_a_start_record_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("evm-8453.journal");
    drop(open(folder.path()));
    std::fs::write(&file, b"").unwrap();
    let options = Options { data_dir: Some(folder.path().into()), ..Options::default() };
    assert!(matches!(EvmChain::open(&genesis(), options), Err(OpenError::Damaged { .. })));
}

#[tokio::test]
async fn a_state_that_does_not_match_the_newest_block_is_damaged() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let chain = open(other.path());
    mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    let RecentBlock { block, writes, branch, .. } = chain.inner.head();
    // The block without its changes.
    let record = Record::Block { block, change: Arc::default(), writes, branch };
    let forged = open(folder.path());
    forged.inner.producer.lock().journal.as_mut().unwrap().0.append(&[record], true).unwrap();
    drop(forged);
    let options = Options { data_dir: Some(folder.path().into()), ..Options::default() };
    let error = EvmChain::open(&genesis(), options).unwrap_err();
    assert!(error.to_string().contains("its state does not match its newest block"), "{error}");
}

mod any_history {
    use proptest::prelude::*;

    use super::super::conservation::{apply_op, op};
    use super::open;
    use crate::evm::EvmChain;

    fn head(chain: &EvmChain) -> (u64, alloy_primitives::B256, Vec<(alloy_primitives::Address, String)>) {
        let head = chain.inner.head();
        let mut accounts: Vec<_> = head
            .world
            .accounts()
            .map(|(address, account)| {
                let mut slots: Vec<_> = account.slots.iter().collect();
                slots.sort_unstable();
                (*address, format!("{:?} {slots:?}", account.core()))
            })
            .collect();
        accounts.sort_unstable();
        (head.block.number(), head.block.hash, accounts)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

        #[test]
        fn a_restarted_chain_has_the_same_state(ops in prop::collection::vec(op(), 1..40), rewrite: bool) {
            let folder = tempfile::tempdir().unwrap();
            let chain = open(folder.path());
            for (at, op) in ops.iter().enumerate() {
                apply_op(&chain, op);
                if rewrite && at == ops.len() / 2 {
                    let mut producer = chain.inner.producer.lock();
                    let (journal, start) = producer.journal.as_mut().unwrap();
                    journal.compact(start, &chain.inner.ledger.read()).unwrap();
                }
            }
            let before = head(&chain);
            drop(chain);
            prop_assert_eq!(head(&open(folder.path())), before);
        }
    }
}
