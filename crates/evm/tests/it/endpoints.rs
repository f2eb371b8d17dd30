use std::num::{NonZeroU32, NonZeroUsize};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::ports::ChainError;
use causeway_evm::{BlockTag, Call, CallError, EvmClient, Fees, Finality, Receipt};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fake::{CHAIN, Fake, Mode, chain, client, config, error};

fn call() -> Call {
    Call::new("who", json!([]))
}

async fn pair() -> (Fake, Fake, EvmClient) {
    let (first, second) = (Fake::named("first", CHAIN, 10).await, Fake::named("second", CHAIN, 10).await);
    let client = client(&[&first, &second]);
    (first, second, client)
}

#[tokio::test]
async fn the_first_healthy_endpoint_is_used() {
    let (_first, second, client) = pair().await;
    assert_eq!(client.call::<String>(call()).await.unwrap(), "first");
    assert!(second.requests().is_empty());
}

#[tokio::test]
async fn every_fault_moves_on_to_the_next_endpoint() {
    for mode in [
        Mode::Status(500),
        Mode::Status(429),
        Mode::Status(404),
        Mode::Hang,
        Mode::Redirect,
        Mode::Raw(b"<html>".to_vec()),
        Mode::Raw(Vec::new()),
        Mode::Raw(b"[]".to_vec()),
        Mode::Raw(br#"{"jsonrpc":"2.0","id":0}"#.to_vec()),
        Mode::Raw(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#.to_vec()),
        Mode::Raw(vec![b'['; 100_000]),
        Mode::Raw(vec![b' '; 11 << 20]),
    ] {
        let (first, _second, client) = pair().await;
        assert_eq!(client.call::<String>(call()).await.unwrap(), "first");
        first.set(mode.clone());
        assert_eq!(client.call::<String>(call()).await.unwrap(), "second", "{mode:?}");
    }
}

#[tokio::test]
async fn a_failing_endpoint_is_tried_last_until_it_recovers() {
    let (first, _second, client) = pair().await;
    first.set(Mode::Status(500));
    assert_eq!(client.call::<String>(call()).await.unwrap(), "second");
    let before = first.requests().len();
    first.set(Mode::Healthy);
    assert_eq!(client.call::<String>(call()).await.unwrap(), "second");
    assert_eq!(first.requests().len(), before);
    assert!(client.endpoints()[0].penalty > 0);
}

#[tokio::test]
async fn an_endpoint_of_another_chain_is_never_used() {
    let wrong = Fake::named("wrong", 1, 99).await;
    let right = Fake::named("right", CHAIN, 10).await;
    let both = client(&[&wrong, &right]);
    assert_eq!(both.call::<String>(call()).await.unwrap(), "right");
    assert_eq!(wrong.count("who"), 0);
    let alone = client(&[&wrong]);
    let error = alone.call::<String>(call()).await.unwrap_err();
    assert!(matches!(error, CallError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("it serves chain 1"), "{error}");
    assert_eq!(wrong.count("who"), 0);
}

#[tokio::test]
async fn a_lagging_endpoint_is_tried_last() {
    let slow = Fake::named("slow", CHAIN, 10).await;
    let quick = Fake::named("quick", CHAIN, 100).await;
    let other = Fake::named("other", CHAIN, 101).await;
    let client = client(&[&slow, &quick, &other]);
    let statuses = client.probe().await;
    assert_eq!(
        statuses.iter().map(|s| (s.lagging, s.head)).collect::<Vec<_>>(),
        [(true, Some(10)), (false, Some(100)), (false, Some(101))]
    );
    assert_eq!(client.call::<String>(call()).await.unwrap(), "quick");
    quick.set(Mode::Status(503));
    other.set(Mode::Status(503));
    assert_eq!(client.call::<String>(call()).await.unwrap(), "slow");
}

#[tokio::test]
async fn rule_27_an_endpoint_gains_no_rank_by_naming_a_huge_block() {
    let honest = Fake::named("honest", CHAIN, 100).await;
    let liar = Fake::named("liar", CHAIN, u64::MAX).await;
    let third = Fake::named("third", CHAIN, 101).await;
    for endpoints in [vec![&honest, &liar], vec![&honest, &liar, &third]] {
        let client = client(&endpoints);
        assert!(client.probe().await.iter().all(|status| !status.lagging));
        assert_eq!(client.call::<String>(call()).await.unwrap(), "honest");
    }
}

#[tokio::test]
async fn keys_in_urls_are_never_shown() {
    let (first, second, client) = pair().await;
    for fake in [&first, &second] {
        fake.set(Mode::Raw(
            br#"{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"key very-secret-key timeout"}}"#
                .to_vec(),
        ));
    }
    let failed = client.call::<String>(call()).await.unwrap_err();
    first.set(Mode::Hang);
    let hung = client.call::<String>(call()).await.unwrap_err();
    let unreachable = EvmClient::new(
        chain(),
        causeway_evm::EvmConfig::new(["http://127.0.0.1:1/very-secret-key".parse().unwrap()]),
    );
    let unreachable = unreachable.unwrap().call::<String>(call()).await.unwrap_err();
    for text in [
        format!("{failed} {failed:?} {hung} {hung:?} {unreachable} {unreachable:?}"),
        format!("{client:?} {:?}", client.endpoints()),
        format!("{:?}", config(&[&first])),
    ] {
        assert!(!text.contains("secret"), "{text}");
    }
    assert!(failed.to_string().contains("http://127.0.0.1:"), "{failed}");
}

#[tokio::test]
async fn a_rejection_is_final_and_keeps_the_chains_message_and_data() {
    let data = "0x08c379a0\
        0000000000000000000000000000000000000000000000000000000000000020\
        0000000000000000000000000000000000000000000000000000000000000005\
        6e6f206f6b000000000000000000000000000000000000000000000000000000";
    let refusing = Fake::start(move |method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => Err(json!({ "code": 3, "message": "execution reverted", "data": data })),
    })
    .await;
    let second = Fake::named("second", CHAIN, 10).await;
    let error = client(&[&refusing, &second]).call::<String>(call()).await.unwrap_err();
    assert!(matches!(&error, CallError::Refused { code: 3, data: Some(_), .. }), "{error}");
    assert!(second.requests().is_empty());
    let port = ChainError::from(error);
    assert_eq!(port.to_string(), "chain 8453 refused: reverted: no ok");
}

#[tokio::test]
async fn a_method_that_no_endpoint_supports_is_a_rejection() {
    let fake = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "eth_gasPrice" => Ok(json!("0x8")),
        _ => error(-32601, "the method does not exist"),
    })
    .await;
    let client = client(&[&fake]);
    assert!(matches!(client.call::<String>(call()).await, Err(CallError::Refused { .. })));
    assert_eq!(client.fees().await.unwrap(), Fees::Legacy { gas_price: 10 });
}

#[tokio::test]
async fn many_calls_share_requests_and_come_back_in_order() {
    let fake = Fake::start(|method, params| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => Ok(params[0].clone()),
    })
    .await;
    let calls: Vec<Call> = (0..250).map(|n| Call::new("echo", json!([n]))).collect();
    let client = client(&[&fake]);
    for mode in [Mode::Healthy, Mode::RefuseBatches] {
        fake.set(mode);
        let answers: Vec<u64> = client.batch(&calls).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, (0..250).collect::<Vec<u64>>());
    }
    let sizes: Vec<usize> = fake.requests().iter().map(Vec::len).collect();
    assert_eq!(sizes.iter().filter(|size| **size == 100).count(), 4, "{sizes:?}");
    assert!(client.batch::<u64>(&[]).await.is_empty());
}

#[tokio::test]
async fn calls_left_out_of_a_batch_are_retried_elsewhere() {
    let (first, second, client) = pair().await;
    first.set(Mode::LeaveOutHalf);
    let answers: Vec<String> =
        client.batch(&vec![call(); 10]).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|name| *name == "first").count(), 5);
    assert_eq!(second.count("who"), 5);
}

#[tokio::test]
async fn a_batch_with_a_too_large_response_is_split() {
    let fake = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "huge" => Ok(json!("x".repeat(9_000))),
        _ => Ok(json!("x".repeat(1_000))),
    })
    .await;
    let mut config = config(&[&fake]);
    config.pool.max_response_bytes = 5_000;
    let client = EvmClient::new(chain(), config).unwrap();
    let mut calls = vec![call(); 9];
    calls.push(Call::new("huge", json!([])));
    let answers: Vec<Result<String, CallError>> = client.batch(&calls).await;
    assert!(answers[..9].iter().all(Result::is_ok), "{answers:?}");
    assert!(answers[9].as_ref().unwrap_err().wants_smaller_range(), "{:?}", answers[9]);
}

#[tokio::test]
async fn concurrent_requests_and_calls_per_second_are_limited() {
    let fake = Fake::named("bounded", CHAIN, 10).await;
    let mut config = config(&[&fake]);
    config.pool.call_timeout = Duration::from_secs(5);
    config.pool.endpoints[0].in_flight = NonZeroUsize::new(2).unwrap();
    config.pool.endpoints[0].calls_per_second = NonZeroU32::new(20);
    let client = EvmClient::new(chain(), config).unwrap();
    let start = Instant::now();
    let asked = (0..30).map(|_| client.call::<String>(call()));
    let answers = futures::future::join_all(asked).await;
    assert!(answers.iter().all(Result::is_ok));
    // Twenty in the first second's burst, the rest at twenty a second.
    assert!(start.elapsed() >= Duration::from_millis(400), "{:?}", start.elapsed());
    assert!(fake.max_concurrent() <= 2, "{}", fake.max_concurrent());
}

#[tokio::test]
async fn endpoints_with_different_blocks_are_a_disagreement() {
    let block = |hash: &str| json!({ "number": "0x5", "hash": format!("0x{}", hash.repeat(32)), "parentHash": format!("0x{}", "00".repeat(32)), "timestamp": "0x1" });
    let (one, two) = (block("11"), block("22"));
    let serve_block = |block: Value| {
        move |method: &str, _: &Value| match method {
            "eth_chainId" => Ok(json!("0x2105")),
            _ => Ok(block.clone()),
        }
    };
    let (first, second, third) = (
        Fake::start(serve_block(one.clone())).await,
        Fake::start(serve_block(two)).await,
        Fake::start(serve_block(one)).await,
    );
    let agreeing = client(&[&first, &third]).agreed_block(5).await.unwrap().unwrap();
    assert_eq!(agreeing.number, 5);
    let error = client(&[&first, &second]).agreed_block(5).await.unwrap_err();
    assert!(matches!(error, CallError::Disagreement { .. }), "{error}");
    assert!(
        client(&[&first]).block(BlockTag::Number(6)).await.is_err(),
        "another block than requested is an invalid response"
    );
}

/// A node whose newest block is `head`, and whose every block has `hash`.
async fn node(head: u64, hash: &str) -> Fake {
    let hash = format!("0x{}", hash.repeat(32));
    let parent = format!("0x{}", "00".repeat(32));
    Fake::start(move |method: &str, params: &Value| {
        let number = match (method, params[0].as_str()) {
            ("eth_chainId", _) => return Ok(json!("0x2105")),
            (_, Some("latest")) => format!("{head:#x}"),
            (_, Some("finalized")) => format!("{:#x}", head.saturating_sub(3)),
            (_, Some(number)) => number.to_owned(),
            (_, None) => return Ok(Value::Null),
        };
        Ok(json!({ "number": number, "hash": hash, "parentHash": parent, "timestamp": "0x1" }))
    })
    .await
}

#[tokio::test]
async fn an_endpoint_on_a_fork_that_is_not_final_is_ignored() {
    let finalized = Finality::Tag { tag: BlockTag::Finalized, or_depth: 9 };
    let (ours, behind, final_fork) = (node(20, "11").await, node(6, "22").await, node(8, "22").await);
    for finality in [Finality::Depth(2), finalized] {
        let client = client(&[&behind, &ours]);
        assert!(client.agreed_block(5).await.is_err());
        let block = client.finalized_block(5, finality).await.unwrap().unwrap();
        assert_eq!(block.hash, B256::repeat_byte(0x11));
        assert_eq!(
            client.finalized_block(19, finality).await.unwrap(),
            None,
            "no endpoint considers it final"
        );
    }
    let error = client(&[&final_fork, &ours]).finalized_block(5, Finality::Depth(2)).await.unwrap_err();
    assert!(matches!(error, CallError::Disagreement { .. }), "{error}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "0x[0-9a-f]{0,70}".prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "number",
        "hash",
        "parentHash",
        "timestamp",
        "baseFeePerGas",
        "reward",
        "data",
        "message",
    ]);
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

#[test]
fn no_server_response_causes_a_panic() {
    use causeway_domain::ports::BalanceReader;
    use causeway_domain::{Address, Family, TokenId};

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let response = std::sync::Arc::new(std::sync::Mutex::new(Value::Null));
    let answer = response.clone();
    let fake = runtime.block_on(Fake::start(move |method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => Ok(answer.lock().unwrap().clone()),
    }));
    let mut config = config(&[&fake]);
    config.pool.rounds = NonZeroU32::MIN;
    let client = EvmClient::new(chain(), config).unwrap();
    proptest!(ProptestConfig::with_cases(48), |(value in any_json())| {
        *response.lock().unwrap() = value;
        runtime.block_on(async {
            let owner = Address::native(Family::Evm);
            let _ = client.balances(owner, &[TokenId::native(chain())]).await;
            let _ = client.block(BlockTag::Latest).await;
            let _ = client.blocks(&[1, 2]).await;
            let _ = client.range_logs(&[], 0, 9).await;
            let _ = client.fees().await;
            let _ = client.call::<Option<Receipt>>(call()).await;
        });
    });
}
