use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use causeway_domain::ports::ChainError;
use causeway_solana::{RpcError, SolanaRpc};
use serde_json::{Value, json};

use crate::fake_node::{FakeNode, NodeBehavior, client, client_with, rpc_error};

async fn node(slot: u64) -> FakeNode {
    FakeNode::start(move |method, _| match method {
        "getSlot" => Ok(slot.into()),
        _ => rpc_error(-32_601, "Method not found"),
    })
    .await
}

async fn slot(rpc: &SolanaRpc) -> Result<u64, RpcError> {
    rpc.call("getSlot", json!([])).await
}

#[tokio::test]
async fn every_endpoint_fault_fails_over_to_the_next() {
    let faults = [
        NodeBehavior::NoResponse,
        NodeBehavior::CloseConnection,
        NodeBehavior::Status(500, "oops"),
        NodeBehavior::Status(429, ""),
        NodeBehavior::Status(
            403,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32052,"message":"key is not valid"}}"#,
        ),
        NodeBehavior::Raw("<html>".to_owned()),
        NodeBehavior::Raw(String::new()),
        NodeBehavior::Raw(r#"{"jsonrpc":"2.0","id":0,"result":"many"}"#.to_owned()),
        NodeBehavior::Raw(
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"Node is behind by 42 slots"}}"#
                .to_owned(),
        ),
        NodeBehavior::Raw("[".repeat(50_000)),
        NodeBehavior::EndlessBody,
    ];
    for fault in faults {
        let (bad, good) = (node(1).await, node(2).await);
        let rpc = client(&[&bad, &good]);
        assert_eq!(slot(&rpc).await, Ok(1));
        bad.set_behavior(fault.clone());
        assert_eq!(slot(&rpc).await, Ok(2), "{fault:?}");
        let status = &rpc.endpoints()[0];
        assert!(status.penalty > 0, "{fault:?}: {status:?}");
        let requests = bad.requests();
        assert_eq!(slot(&rpc).await, Ok(2));
        assert_eq!(bad.requests(), requests, "a failed endpoint is skipped while another is healthy");
    }
}

#[tokio::test]
async fn a_single_endpoint_is_asked_again_after_a_pause() {
    let only = node(7).await;
    only.queue([NodeBehavior::Status(502, ""), NodeBehavior::CloseConnection]);
    assert_eq!(slot(&client(&[&only])).await, Ok(7));
}

#[tokio::test]
async fn chain_without_answers_is_unavailable_within_the_timeout() {
    let only = node(7).await;
    only.set_behavior(NodeBehavior::NoResponse);
    let began = Instant::now();
    let error =
        slot(&client_with(&[&only], |config| config.pool.rounds = NonZeroU32::MIN)).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(6));
    assert!(matches!(error, RpcError::Unavailable(_)), "{error}");
    assert!(ChainError::from(error).is_retryable());
}

#[tokio::test]
async fn endpoint_of_another_chain_is_never_used() {
    let foreign =
        FakeNode::with_genesis("EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", |_, _| Ok(666.into())).await;
    let rpc = client(&[&foreign]);
    assert!(matches!(slot(&rpc).await, Err(RpcError::WrongChain(_))));
    assert!(matches!(slot(&rpc).await, Err(RpcError::WrongChain(_))));
    assert_eq!(foreign.call_count("getSlot"), 0);
    assert_eq!(foreign.call_count("getGenesisHash"), 1);
    assert_eq!(rpc.endpoints()[0].serves_chain, Some(false));

    let good = node(2).await;
    assert_eq!(slot(&client(&[&foreign, &good])).await, Ok(2));
    assert_eq!(foreign.call_count("getSlot"), 0);
}

#[tokio::test]
async fn genesis_hash_is_verified_once_and_again_after_a_broken_connection() {
    let only = node(7).await;
    let rpc = client(&[&only]);
    for _ in 0..3 {
        slot(&rpc).await.unwrap();
    }
    assert_eq!(only.call_count("getGenesisHash"), 1);
    only.queue([NodeBehavior::CloseConnection]);
    slot(&rpc).await.unwrap();
    assert_eq!(only.call_count("getGenesisHash"), 2);
}

#[tokio::test]
async fn refusal_is_returned_at_once_with_the_nodes_message() {
    let picky = FakeNode::start(|_, _| rpc_error(-32_602, "Invalid param: WrongSize")).await;
    let spare = node(2).await;
    let rpc = client(&[&picky, &spare]);
    let error = slot(&rpc).await.unwrap_err();
    assert_eq!(error.to_string(), "Invalid param: WrongSize (-32602)");
    assert_eq!(spare.requests(), 0);
    assert_eq!(rpc.endpoints()[0].penalty, 0);
    assert!(matches!(ChainError::from(error), ChainError::Refused(..)));
}

#[tokio::test]
async fn missing_method_is_tried_once_at_each_endpoint() {
    let (first, second) = (node(1).await, node(2).await);
    let rpc = client(&[&first, &second]);
    let error = rpc.call::<Value>("getMoney", json!([])).await.unwrap_err();
    assert!(matches!(error, RpcError::Refused { code: -32_601, .. }), "{error}");
    assert_eq!((first.call_count("getMoney"), second.call_count("getMoney")), (1, 1));
    assert!(rpc.endpoints().iter().all(|endpoint| endpoint.penalty == 0));
}

#[tokio::test]
async fn errors_never_contain_keys_from_urls() {
    let talkative =
        FakeNode::start(|_, _| rpc_error(-32_602, "key secret-key-0123456789 may not do that")).await;
    let error = slot(&client(&[&talkative])).await.unwrap_err();
    assert_eq!(error.to_string(), "key *** may not do that (-32602)");

    let gone = node(1).await;
    gone.set_behavior(NodeBehavior::CloseConnection);
    let rpc = client(&[&gone]);
    let error = slot(&rpc).await.unwrap_err();
    assert!(!format!("{error} {error:?} {rpc:?}").contains("secret-key"), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_read_to_its_end() {
    let only = node(1).await;
    only.set_behavior(NodeBehavior::EndlessBody);
    let error =
        slot(&client_with(&[&only], |config| config.pool.max_response_bytes = 1_000)).await.unwrap_err();
    assert!(matches!(error, RpcError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("larger than 1000 bytes"), "{error}");
}

#[tokio::test]
async fn endpoint_gets_no_more_calls_than_the_rate_limit_allows() {
    let (first, second) = (node(1).await, node(2).await);
    let rpc = client_with(&[&first, &second], |config| {
        config.pool.call_timeout = Duration::from_millis(500);
        for endpoint in &mut config.pool.endpoints {
            endpoint.calls_per_second = NonZeroU32::new(2);
        }
    });
    let began = Instant::now();
    let mut answered = 0;
    for _ in 0..8 {
        answered += usize::from(slot(&rpc).await.is_ok());
    }
    let allowed = 3 + 2 * (usize::try_from(began.elapsed().as_secs()).unwrap() + 1);
    assert!(answered >= 4, "two at each, in addition to the genesis hash");
    for node in [first, second] {
        assert!(node.requests() <= allowed, "{} of {allowed}", node.requests());
    }
    assert!(rpc.endpoints().iter().all(|endpoint| endpoint.penalty == 0), "our own limit is not their fault");
}

#[tokio::test]
async fn providers_that_refuse_batches_get_single_calls() {
    let only = node(5).await;
    let rpc = client(&[&only]);
    slot(&rpc).await.unwrap();
    let refusal =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are for paying customers"}}"#;
    only.queue([NodeBehavior::Raw(refusal.to_owned())]);
    assert_eq!(rpc.heads().await.unwrap().finalized, 5);
    let requests = only.requests();
    rpc.heads().await.unwrap();
    assert_eq!(only.requests(), requests + 2, "the client remembers it");
}

#[tokio::test]
async fn concurrent_calls_are_all_answered() {
    let nodes = [node(5).await, node(5).await];
    nodes[0].queue((0..20).map(|_| NodeBehavior::Status(503, "")));
    let rpc = client(&[&nodes[0], &nodes[1]]);
    let calls = (0..50).map(|_| {
        let rpc = rpc.clone();
        tokio::spawn(async move { slot(&rpc).await })
    });
    for answer in calls.collect::<Vec<_>>() {
        assert_eq!(answer.await.unwrap(), Ok(5));
    }
}

#[tokio::test]
async fn malformed_responses_are_errors() {
    let only = node(1).await;
    let shapes =
        ["null", "[]", "{}", "0", "\"x\"", "[null]", "[{}]", r#"{"result":{}}"#, r#"{"id":0,"result":null}"#];
    for shape in shapes {
        let rpc = client_with(&[&only], |config| config.pool.rounds = NonZeroU32::MIN);
        slot(&rpc).await.unwrap();
        only.queue([NodeBehavior::Raw(shape.to_owned())]);
        assert!(slot(&rpc).await.is_err(), "{shape}");
        let anything: Result<Value, _> = rpc.call("getMoney", json!([])).await;
        assert!(anything.is_err());
    }
}

#[tokio::test]
async fn rule_27_the_final_slot_is_the_median() {
    let (one, other, liar) = (node(5).await, node(7).await, node(u64::MAX).await);
    assert_eq!(client(&[&liar, &one, &other]).final_slot().await.unwrap(), 7);
    assert_eq!(client(&[&liar, &one]).final_slot().await.unwrap(), 5);
}

#[tokio::test]
async fn rule_27_the_priority_fee_is_the_median() {
    let paying = |fee: u64| {
        FakeNode::start(move |method, _| match method {
            "getRecentPrioritizationFees" => Ok(json!([{ "slot": 1, "prioritizationFee": fee }])),
            _ => rpc_error(-32_601, "Method not found"),
        })
    };
    let (one, other, liar) = (paying(100).await, paying(300).await, paying(u64::MAX).await);
    assert_eq!(client(&[&liar, &one, &other]).priority_price(&[]).await.unwrap(), 300);
    assert_eq!(client(&[&liar, &one]).priority_price(&[]).await.unwrap(), 100);
    assert_eq!(client(&[&other]).priority_price(&[]).await.unwrap(), 300);
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_make_a_transaction_expire() {
    let saying = |height: u64, status: Value| {
        FakeNode::start(move |method, _| match method {
            "getBlockHeight" => Ok(json!(height)),
            "getSignatureStatuses" => Ok(json!({ "context": { "slot": 9 }, "value": [status] })),
            _ => rpc_error(-32_601, "Method not found"),
        })
    };
    let landed = json!({ "slot": 5, "err": null, "confirmationStatus": "processed" });
    let (one, other) = (saying(101, Value::Null).await, saying(150, Value::Null).await);
    let (behind, knows) = (saying(100, Value::Null).await, saying(100, landed).await);
    let fails = FakeNode::start(|_, _| rpc_error(-32_005, "Node is behind")).await;
    let signature = solana_signature::Signature::default();
    for (nodes, is_expired) in [
        (vec![&one, &other], true),
        (vec![&one, &fails, &other], true),
        (vec![&one], true),
        (vec![&one, &behind], false),
        (vec![&one, &fails], false),
        (vec![&one, &other, &knows], false),
    ] {
        let said = client(&nodes).is_agreed_absence(&signature, 100).await;
        assert_eq!(said, is_expired, "{} nodes", nodes.len());
    }
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_make_a_transaction_fail() {
    let saying = |err: Value, commitment: &'static str| {
        FakeNode::start(move |method, _| match method {
            "getSignatureStatuses" => Ok(json!({
                "context": { "slot": 9 },
                "value": [{ "slot": 5, "err": err, "confirmationStatus": commitment }],
            })),
            _ => rpc_error(-32_601, "Method not found"),
        })
    };
    let failed = || json!({ "InstructionError": [0, { "Custom": 1 }] });
    let (one, other) = (saying(failed(), "finalized").await, saying(failed(), "finalized").await);
    let (succeeded, recent) = (saying(Value::Null, "finalized").await, saying(failed(), "confirmed").await);
    let unknown = FakeNode::start(|_, _| Ok(json!({ "context": { "slot": 9 }, "value": [null] }))).await;
    let signature = solana_signature::Signature::default();
    for (nodes, is_failed) in [
        (vec![&one, &other], true),
        (vec![&one, &unknown, &other], true),
        (vec![&one], true),
        (vec![&one, &unknown], false),
        (vec![&one, &recent], false),
        (vec![&one, &other, &succeeded], false),
    ] {
        assert_eq!(client(&nodes).is_agreed_failure(&signature).await, is_failed, "{} nodes", nodes.len());
    }
}
