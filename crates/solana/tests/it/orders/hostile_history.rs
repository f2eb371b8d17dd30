//! Anybody can mention the program or an order's address in cheap transactions. None of it stops the follower.

use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::ports::{ChainCursor, ChainFollower as _, ChainUpdate};
use causeway_domain::{Fact, FactKind, IntentTerms, SOLANA_CHAIN_ID, SolanaDeployment, TERMS_VERSION};
use causeway_solana::orders::{SolanaFollowConfig, SolanaOrderFollower};
use serde_json::{Value, json};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_signature::Signature;

use crate::fake_node::{FakeNode, client_with, rpc_error};
use crate::sandbox_chain::PROGRAM;

const FINAL_SLOT: u64 = 1_000;
/// More pages than one scan reads.
const SPAM: u64 = 25_000;

fn terms() -> IntentTerms {
    let mut words = [B256::with_last_byte(7); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(u8::try_from(TERMS_VERSION).unwrap());
    IntentTerms::from_bytes(&words.concat()).unwrap()
}

fn signature(kind: u8, number: u64) -> Signature {
    let mut bytes = [kind; 64];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes.into()
}

fn mention(signature: Signature, slot: u64) -> Value {
    json!({ "signature": signature.to_string(), "slot": slot, "err": null, "blockTime": 1_800_000_000 })
}

/// A successful transaction with this one instruction.
fn transaction(instruction: &Instruction) -> Value {
    let mut keys = vec![instruction.program_id.to_string()];
    keys.extend(instruction.accounts.iter().map(|account| account.pubkey.to_string()));
    let places: Vec<usize> = (1..keys.len()).collect();
    json!({
        "slot": 950,
        "blockTime": 1_800_000_000,
        "transaction": { "message": {
            "accountKeys": keys,
            "instructions": [{
                "programIdIndex": 0,
                "accounts": places,
                "data": bs58::encode(&instruction.data).into_string(),
            }],
        } },
        "meta": { "err": null },
    })
}

/// A node whose blocks, slots and accounts are as usual; all accounts are closed. Lists and transactions come from `more`.
async fn node(
    more: impl Fn(&str, &Value) -> Option<Result<Value, Value>> + Send + Sync + 'static,
) -> FakeNode {
    FakeNode::start(move |method, params| {
        if let Some(answer) = more(method, params) {
            return answer;
        }
        match method {
            "getSlot" => Ok(json!(FINAL_SLOT)),
            "getBlock" => Ok(json!({
                "blockhash": Address::new_from_array([5; 32]).to_string(),
                "blockTime": 1_800_000_000,
            })),
            "getMultipleAccounts" => {
                let asked = params[0].as_array().map_or(0, Vec::len);
                Ok(json!({ "context": { "slot": FINAL_SLOT }, "value": vec![Value::Null; asked] }))
            }
            _ => Ok(json!([])),
        }
    })
    .await
}

async fn follow(node: &FakeNode, after: Option<u64>) -> (Vec<Fact>, ChainCursor) {
    let rpc = client_with(&[node], |config| config.pool.max_response_bytes = 1_000_000);
    let deployment = SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: PROGRAM.id.to_bytes().into(),
        min_grace: 60,
        from_slot: 0,
    };
    let config = SolanaFollowConfig { poll: Duration::from_millis(10), idle_polling: None };
    let after = after.map(|number| ChainCursor { number, hash: B256::repeat_byte(5), time: 1_800_000_000 });
    let mut follower = SolanaOrderFollower::new(rpc, &[deployment], config, after);
    loop {
        if let ChainUpdate::Final { cursor, facts, .. } = follower.next().await.unwrap() {
            return (facts, cursor);
        }
    }
}

/// A page of `total` transactions of slot 900, newest first.
fn flood(params: &Value, total: u64) -> Value {
    let options = &params[1];
    let begin = options["before"].as_str().map_or(0, |before| {
        let before: Signature = before.parse().unwrap();
        1 + u64::from_be_bytes(before.as_ref()[..8].try_into().unwrap())
    });
    let end = total.min(begin + options["limit"].as_u64().unwrap());
    (begin..end).map(|number| mention(signature(1, number), 900)).collect()
}

#[tokio::test]
async fn an_order_mentioned_without_end_and_then_closed_does_not_stop_the_follower() {
    let terms = terms();
    let order = PROGRAM.order(terms.id());
    let caller = AccountMeta::new_readonly(Address::new_from_array([9; 32]), false);
    let refund = transaction(&PROGRAM.refund(&terms, caller, None));
    let node = node(move |method, params| match method {
        "getSignaturesForAddress" if params[0] == order.to_string() => Some(Ok(flood(params, u64::MAX))),
        "getSignaturesForAddress" if params[1]["before"].is_null() => {
            Some(Ok(json!([mention(signature(2, 0), 950)])))
        }
        "getTransaction" => Some(Ok(refund.clone())),
        _ => None,
    })
    .await;
    let (facts, cursor) = follow(&node, Some(940)).await;
    assert_eq!(
        (facts, cursor.number),
        (vec![], FINAL_SLOT),
        "the end of that order is unknown; the chain goes on"
    );
    assert!(
        node.call_count("getSignaturesForAddress") <= 5,
        "{}",
        node.call_count("getSignaturesForAddress")
    );
}

#[tokio::test]
async fn a_long_list_of_mentions_of_the_program_is_read_over_several_scans() {
    let opening = transaction(&PROGRAM.open(&terms(), Address::new_from_array([9; 32]), None));
    let node = node(move |method, params| match method {
        "getSignaturesForAddress" => {
            // The opening is the oldest; all others have failed.
            let mut page = flood(params, SPAM + 1);
            for one in page.as_array_mut().unwrap() {
                if one["signature"] != signature(1, SPAM).to_string() {
                    one["err"] = json!("AccountNotFound");
                }
            }
            Some(Ok(page))
        }
        "getTransaction" => Some(Ok(opening.clone())),
        _ => None,
    })
    .await;
    let (facts, cursor) = follow(&node, Some(899)).await;
    assert_eq!(facts.len(), 1, "{facts:?}");
    assert_eq!(cursor.number, FINAL_SLOT);
    assert_eq!(node.call_count("getTransaction"), 1, "failed transactions are not read");
}

#[tokio::test]
async fn a_transaction_of_a_newer_version_is_skipped_and_the_others_are_read() {
    let terms = terms();
    let opening = transaction(&PROGRAM.open(&terms, Address::new_from_array([9; 32]), None));
    let newer = signature(3, 1).to_string();
    let node = node(move |method, params| match method {
        "getSignaturesForAddress" if params[0] != PROGRAM.id.to_string() => None,
        "getSignaturesForAddress" => {
            let page = [3, 2, 1, 0].map(|number| mention(signature(3, number), 940 + number));
            Some(Ok(json!(page)))
        }
        "getTransaction" if params[0] == newer => {
            Some(rpc_error(-32_015, "Transaction version (1) is not supported by the requesting client"))
        }
        "getTransaction" if params[0] == signature(3, 0).to_string() => Some(Ok(opening.clone())),
        "getTransaction" => Some(Ok(json!({
            "slot": 942,
            "transaction": { "message": { "accountKeys": [], "instructions": [] } },
            "meta": { "err": null },
        }))),
        _ => None,
    })
    .await;
    let (facts, cursor) = follow(&node, Some(930)).await;
    let kinds: Vec<FactKind> = facts.into_iter().map(|fact| fact.kind).collect();
    assert_eq!(kinds, [FactKind::Opened(Box::new(terms))]);
    assert_eq!(cursor.number, FINAL_SLOT);
}
