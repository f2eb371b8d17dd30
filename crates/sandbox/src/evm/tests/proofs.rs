use std::collections::BTreeMap;

use alloy_consensus::TxEip2930;
use alloy_primitives::{Address, B256, Bytes, TxKind, address, bytes, keccak256};
use alloy_trie::proof::verify_proof;
use alloy_trie::{EMPTY_ROOT_HASH, HashBuilder, KECCAK_EMPTY, Nibbles, TrieAccount};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::kit::*;
use crate::evm::trie::Trie;
use crate::evm::{EvmChain, Reorged};

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// Requests a proof and verifies it against the header's root.
async fn proved(chain: &EvmChain, address: Address, keys: Value, at: &str) -> Value {
    let block = rpc(chain, "eth_getBlockByNumber", json!([at, false])).await;
    let proof = rpc(chain, "eth_getProof", json!([address, keys, at])).await;
    let account = TrieAccount {
        nonce: number(&proof["nonce"]).to(),
        balance: number(&proof["balance"]),
        storage_root: read(&proof["storageHash"]),
        code_hash: read(&proof["codeHash"]),
    };
    let leaf = (account != TrieAccount::default()).then(|| alloy_rlp::encode(account));
    let nodes: Vec<Bytes> = read(&proof["accountProof"]);
    verify_proof(read(&block["stateRoot"]), Nibbles::unpack(keccak256(address)), leaf, &nodes).unwrap();
    for slot in proof["storageProof"].as_array().unwrap() {
        let key = B256::from(number(&slot["key"]));
        let value = number(&slot["value"]);
        let leaf = (!value.is_zero()).then(|| alloy_rlp::encode(value));
        let nodes: Vec<Bytes> = read(&slot["proof"]);
        verify_proof(account.storage_root, Nibbles::unpack(keccak256(key)), leaf, &nodes).unwrap();
    }
    proof
}

#[tokio::test]
async fn a_proof_leads_from_the_header_to_the_account_and_its_slots() {
    let chain = chain();
    let from = Wallet::new(0);
    mined(&chain, &from.call(0, COUNTER)).await;
    mined(&chain, &from.call(1, COUNTER)).await;
    let proof = proved(&chain, COUNTER, json!(["0x0", "0x7", B256::ZERO]), "latest").await;
    assert_eq!(proof["codeHash"], json!(keccak256(COUNTER_CODE)));
    let answer: Vec<_> =
        proof["storageProof"].as_array().unwrap().iter().map(|slot| (&slot["key"], &slot["value"])).collect();
    let (word, two, none) = (json!(B256::ZERO), json!("0x2"), json!("0x0"));
    assert_eq!(answer, [(&json!("0x0"), &two), (&json!("0x7"), &none), (&word, &two)]);
    assert_eq!(proved(&chain, from.address(), json!([]), "latest").await["nonce"], "0x2");
    // A past state has the root of its own block.
    assert_eq!(proved(&chain, COUNTER, json!(["0x0"]), "0x1").await["storageProof"][0]["value"], "0x1");
    assert_eq!(proved(&chain, COUNTER, json!(["0x0"]), "0x0").await["storageHash"], json!(EMPTY_ROOT_HASH));
}

#[tokio::test]
async fn a_missing_account_is_proved_absent() {
    let chain = chain();
    let proof = proved(&chain, Address::repeat_byte(0x31), json!(["0x1"]), "latest").await;
    assert_eq!((&proof["codeHash"], &proof["balance"]), (&json!(KECCAK_EMPTY), &json!("0x0")));
    assert_eq!(proof["storageProof"], json!([{ "key": "0x1", "value": "0x0", "proof": [] }]));
}

#[tokio::test]
async fn a_state_root_depends_only_on_the_state() {
    let chain = chain();
    let root =
        async |at: &str| rpc(&chain, "eth_getBlockByNumber", json!([at, false])).await["stateRoot"].clone();
    chain.mine(2, 0).await.unwrap();
    assert_eq!(root("0x2").await, root("0x0").await);
    mined(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    let after = root("0x3").await;
    assert_ne!(after, root("0x2").await);
    chain.reorg(1, Reorged::Drop).await.unwrap();
    assert_eq!(root("0x3").await, root("0x0").await);
}

#[tokio::test]
async fn too_many_slots_and_slots_outside_the_state_root_are_rejected() {
    let chain = chain();
    let keys: Vec<_> = (0..1_025).map(|key| format!("{key:#x}")).collect();
    let error = try_rpc(&chain, "eth_getProof", json!([COUNTER, keys, "latest"])).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (-32000, "too many slots (max 1024)"));
    let history = alloy_eips::eip2935::HISTORY_STORAGE_ADDRESS;
    proved(&chain, history, json!([]), "latest").await;
    try_rpc(&chain, "eth_getProof", json!([history, ["0x0"], "latest"])).await.unwrap_err();
}

/// Keys with long common prefixes, which hashes rarely have.
fn key() -> impl Strategy<Value = B256> {
    let nibbles = prop::sample::select(vec![0x00_u8, 0x01, 0x10, 0x11, 0xff]);
    (prop::collection::vec(nibbles.clone(), 3), nibbles).prop_map(|(head, tail)| {
        let mut key = B256::ZERO;
        key[..3].copy_from_slice(&head);
        key[31] = tail;
        key
    })
}

proptest! {
    #[test]
    fn a_trie_root_and_its_proofs_depend_only_on_its_contents(
        ops in prop::collection::vec((key(), prop::option::of(prop::collection::vec(any::<u8>(), 1..60))), 0..60),
        asked in prop::collection::vec(key(), 0..8),
    ) {
        let (mut trie, mut held) = (Trie::default(), BTreeMap::new());
        for (key, value) in ops {
            let before = (trie.clone(), trie.root());
            if let Some(value) = value {
                trie.insert(key, value.clone());
                held.insert(key, value);
            } else {
                trie.remove(key);
                held.remove(&key);
            }
            // A clone keeps the old contents.
            prop_assert_eq!(before.0.root(), before.1);
            let mut builder = HashBuilder::default();
            for (key, value) in &held {
                builder.add_leaf(Nibbles::unpack(key), value);
            }
            prop_assert_eq!(trie.root(), builder.root());
        }
        for key in asked.into_iter().chain(held.keys().copied()) {
            let proof = trie.prove(key);
            let verified = verify_proof(trie.root(), Nibbles::unpack(key), held.get(&key).cloned(), &proof);
            prop_assert!(verified.is_ok(), "{:?}", verified);
        }
    }
}

/// Calls the counter, then reads the balance of another account.
const CALLER: Address = address!("0x00000000000000000000000000000000000c0de6");
const FAR: Address = Address::repeat_byte(0x42);

fn caller_code() -> Bytes {
    let call = [&bytes!("5f5f5f5f5f73")[..], COUNTER.as_slice(), &bytes!("5af150")].concat();
    [&call[..], &bytes!("73"), FAR.as_slice(), &bytes!("315000")].concat().into()
}

#[tokio::test]
async fn an_access_list_names_what_is_touched_and_its_gas_is_what_it_costs() {
    let chain = chain();
    let from = Wallet::new(0);
    chain.write(vec![crate::evm::Write::Code { address: CALLER, code: caller_code() }]).await.unwrap();
    let request = json!({ "from": from.address(), "to": CALLER });
    let answer = rpc(&chain, "eth_createAccessList", json!([request, "latest"])).await;
    let list = json!([
        { "address": COUNTER, "storageKeys": [B256::ZERO] },
        { "address": FAR, "storageKeys": [] },
    ]);
    assert_eq!(answer["accessList"], list);
    assert!(answer.get("error").is_none());
    let tx = TxEip2930 {
        chain_id: CHAIN,
        gas_price: 2 * GWEI,
        gas_limit: 200_000,
        to: TxKind::Call(CALLER),
        access_list: read(&list),
        ..TxEip2930::default()
    };
    assert_eq!(mined(&chain, &from.sign(tx)).await["gasUsed"], answer["gasUsed"]);
}

#[tokio::test]
async fn an_access_list_of_a_failing_call_says_why_it_fails() {
    let chain = chain();
    let answer = rpc(&chain, "eth_createAccessList", json!([{ "to": REVERTER }])).await;
    assert_eq!((&answer["error"], &answer["accessList"]), (&json!("execution reverted"), &json!([])));
    let poor = json!([{ "from": Address::repeat_byte(9), "to": COUNTER, "value": "0x1" }]);
    let error = try_rpc(&chain, "eth_createAccessList", poor).await.unwrap_err();
    assert!(
        error.message.starts_with("failed to apply transaction: insufficient funds"),
        "{}",
        error.message
    );
}
