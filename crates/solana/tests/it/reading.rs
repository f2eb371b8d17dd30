use causeway_domain::ports::ChainError;
use causeway_solana::{Account, Commitment, Heads, HistoryCursor};
use serde_json::{Value, json};
use solana_address::Address;
use solana_signature::Signature;

use crate::fake_node::{FakeNode, client, rpc_error};

#[tokio::test]
async fn heads_are_the_newest_and_the_final_slot() {
    let fake = FakeNode::start(|_, params| {
        Ok(if params[0]["commitment"] == "finalized" { 100.into() } else { 132.into() })
    })
    .await;
    let rpc = client(&[&fake]);
    assert_eq!(rpc.heads().await.unwrap(), Heads { processed: 132, finalized: 100 });
}

#[tokio::test]
async fn endpoints_that_differ_about_a_final_block_are_a_disagreement() {
    let saying =
        |hash: &'static str| FakeNode::start(move |_, _| Ok(json!({ "blockhash": hash, "parentSlot": 1 })));
    let (a, b, c) = (saying("aaa").await, saying("aaa").await, saying("bbb").await);
    assert_eq!(client(&[&a, &b]).agreed_block(5).await.unwrap(), Some("aaa".to_owned()));
    let error = client(&[&a, &b, &c]).agreed_block(5).await.unwrap_err();
    assert!(matches!(&error, ChainError::Disagreement(_, reason) if reason.contains("slot 5")), "{error}");
}

#[tokio::test]
async fn hundreds_of_accounts_come_in_order_in_one_request() {
    let fake = FakeNode::start(|_, params| {
        let one = |address: &Value| {
            let present = address != "11111111111111111111111111111111";
            let lamports = address.as_str().unwrap_or_default().len();
            present.then(|| json!({ "owner": address, "lamports": lamports, "data": ["AQI=", "base64"], "executable": false }))
        };
        let value: Vec<_> = params[0].as_array().unwrap().iter().map(one).collect();
        Ok(json!({ "context": { "slot": 50 }, "value": value }))
    })
    .await;
    let addresses: Vec<Address> = (0..=249).map(|byte| Address::new_from_array([byte; 32])).collect();
    let seen = client(&[&fake]).accounts(&addresses, Commitment::Finalized, Some(50)).await.unwrap();
    assert_eq!(seen.slot, 50);
    assert_eq!(fake.requests(), 2);
    assert_eq!(seen.value[0], None);
    for (account, address) in seen.value.iter().zip(&addresses).skip(1) {
        let lamports = u64::try_from(address.to_string().len()).unwrap();
        assert_eq!(
            account.as_ref(),
            Some(&Account { owner: *address, lamports, data: vec![1, 2], executable: false })
        );
    }
    assert_eq!(seen.value.len(), addresses.len());
}

#[tokio::test]
async fn response_of_an_earlier_slot_than_requested_is_rejected() {
    let fake = FakeNode::start(|_, _| Ok(json!({ "context": { "slot": 49 }, "value": [null] }))).await;
    let address = Address::new_from_array([1; 32]);
    let error = client(&[&fake]).accounts(&[address], Commitment::Finalized, Some(50)).await.unwrap_err();
    assert!(matches!(error, ChainError::Nonsense(..)));
}

/// A history of `length` transactions, one a slot, in pages as a node gives them.
async fn history(length: u64) -> FakeNode {
    FakeNode::start(move |method, params| {
        if method != "getSignaturesForAddress" {
            return rpc_error(-32_601, "Method not found");
        }
        let before = params[1]["before"].as_str().map(|text| text.parse::<Signature>().unwrap());
        let limit = usize::try_from(params[1]["limit"].as_u64().unwrap()).unwrap();
        let newest_first = (1..=length).rev().skip_while(|slot| before.is_some_and(|b| b != signature(*slot)));
        let page = newest_first.skip(usize::from(before.is_some())).take(limit).map(|slot| {
            let err = if slot % 7 == 0 { json!("AccountInUse") } else { Value::Null };
            json!({ "signature": signature(slot).to_string(), "slot": slot, "err": err, "blockTime": null, "memo": null })
        });
        Ok(page.collect())
    })
    .await
}

fn signature(slot: u64) -> Signature {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(&slot.to_le_bytes());
    Signature::from(bytes)
}

#[tokio::test]
async fn a_backlog_is_read_over_several_pages_without_gap() {
    let fake = history(2_500).await;
    let cursor = HistoryCursor { slot: 100, signature: Some(signature(100)) };
    let address = Address::new_from_array([1; 32]);
    let mentions =
        crate::fake_node::client_with(&[&fake], |config| config.pool.max_response_bytes = 1_000_000)
            .mentions_since(&address, cursor)
            .await
            .unwrap();
    let slots: Vec<u64> = mentions.iter().map(|mention| mention.slot).collect();
    assert_eq!(slots, (101..=2_500).collect::<Vec<u64>>());
    assert!(mentions.iter().all(|mention| mention.failure.is_some() == (mention.slot % 7 == 0)));
    assert_eq!(fake.call_count("getSignaturesForAddress"), 4);
}

#[tokio::test]
async fn history_that_does_not_reach_the_cursor_is_rejected() {
    let fake = history(20).await;
    let cursor = HistoryCursor { slot: 0, signature: Some(signature(9_999)) };
    let error = client(&[&fake]).mentions_since(&Address::new_from_array([1; 32]), cursor).await.unwrap_err();
    assert!(matches!(error, ChainError::Nonsense(..)));
}
