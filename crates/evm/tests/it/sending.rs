use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use causeway_domain::ports::OutgoingEnd;
use causeway_evm::{Fees, Next, SendError, SendPolicy, Sender, Signer, TxRequest};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake, client, error};
use crate::outbox::MemoryOutbox;

const KEY: [u8; 32] = hex!("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

/// A chain that mines what it is told to.
#[derive(Default)]
struct Mempool {
    head: u64,
    nonce: u64,
    /// The nonce after each block.
    nonces: Vec<u64>,
    pool: HashMap<B256, Bytes>,
    receipts: HashMap<B256, u64>,
    refuse: Option<&'static str>,
}

impl Mempool {
    fn mine(&mut self, hash: Option<B256>) {
        self.head += 1;
        if let Some(hash) = hash {
            self.pool.remove(&hash);
            self.receipts.insert(hash, self.head);
            self.nonce += 1;
        }
        self.nonces.push(self.nonce);
    }

    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        let quantity = |number: u64| json!(format!("{number:#x}"));
        let hash = || serde_json::from_value::<B256>(params[0].clone()).unwrap();
        match method {
            "eth_chainId" => Ok(json!("0x2105")),
            "eth_call" if params[0]["data"] == "0xdead" => error(3, "execution reverted"),
            "eth_call" => Ok(json!("0x")),
            "eth_estimateGas" => Ok(json!("0x5208")),
            "eth_feeHistory" => Ok(json!({ "baseFeePerGas": ["0x64"], "reward": [["0xf4240"]] })),
            "eth_getBlockByNumber" => {
                let zero = B256::ZERO;
                Ok(
                    json!({ "number": quantity(self.head), "hash": zero, "parentHash": zero, "timestamp": "0x1" }),
                )
            }
            "eth_getTransactionCount" => match params[1].as_str().unwrap() {
                "latest" => Ok(quantity(self.nonce)),
                number => {
                    let number = usize::from_str_radix(&number[2..], 16).unwrap();
                    Ok(quantity(number.checked_sub(1).map_or(0, |at| self.nonces[at])))
                }
            },
            "eth_sendRawTransaction" => {
                if let Some(words) = self.refuse {
                    return error(-32000, words);
                }
                let raw: Bytes = serde_json::from_value(params[0].clone()).unwrap();
                let hash = keccak256(&raw);
                if self.pool.insert(hash, raw).is_some() {
                    error(-32000, "already known")
                } else {
                    Ok(json!(hash))
                }
            }
            "eth_getTransactionByHash" => Ok(self.pool.get(&hash()).map_or(Value::Null, |_| json!({}))),
            "eth_getTransactionReceipt" => Ok(self.receipts.get(&hash()).map_or(Value::Null, |block| {
                json!({ "transactionHash": hash(), "blockHash": B256::ZERO, "blockNumber": quantity(*block),
                    "status": "0x1", "gasUsed": "0x5208" })
            })),
            _ => error(-32601, "no such method"),
        }
    }
}

struct Stage {
    chain: Arc<Mutex<Mempool>>,
    fake: Fake,
    outbox: Arc<MemoryOutbox>,
}

impl Stage {
    async fn new() -> Self {
        let chain = Arc::new(Mutex::new(Mempool::default()));
        let answering = chain.clone();
        let fake = Fake::start(move |method, params| answering.lock().unwrap().answer(method, params)).await;
        Self { chain, fake, outbox: Arc::default() }
    }

    /// A process that shares chain and outbox with those before it.
    fn sender(&self) -> Sender {
        let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
        Sender::new(client(&[&self.fake]), Signer::from_bytes(&KEY).unwrap(), self.outbox.clone(), policy)
    }

    fn chain(&self) -> std::sync::MutexGuard<'_, Mempool> {
        self.chain.lock().unwrap()
    }
}

fn request() -> TxRequest {
    TxRequest { to: Address::repeat_byte(7), value: U256::from(5), data: Bytes::new() }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn decisions(tended: Vec<(causeway_domain::ports::Outgoing, Next)>) -> Vec<Next> {
    tended.into_iter().map(|(_, next)| next).collect()
}

#[tokio::test]
async fn a_purpose_is_sent_once() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    let first = sender.send("fill:1", &request(), at(0)).await.unwrap();
    let again = sender.send("fill:1", &request(), at(9)).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(stage.chain().pool.len(), 1);
    assert!(stage.chain().pool.contains_key(&first.attempts[0].hash));
}

#[tokio::test]
async fn what_was_signed_before_a_crash_is_sent_after_it_byte_for_byte() {
    let stage = Stage::new().await;
    stage.chain().refuse = Some("the node is on fire");
    let stored = stage.sender().send("fill:1", &request(), at(0)).await.unwrap();
    assert!(stage.chain().pool.is_empty());
    stage.chain().refuse = None;
    let revived = stage.sender();
    assert_eq!(decisions(revived.tend(at(5_000)).await.unwrap()), [Next::Rebroadcast]);
    assert_eq!(stage.chain().pool[&stored.attempts[0].hash], stored.attempts[0].raw);
    assert_eq!(decisions(revived.tend(at(5_001)).await.unwrap()), [Next::Wait]);
}

#[tokio::test]
async fn a_stuck_transaction_is_replaced_under_its_nonce_until_one_attempt_is_final() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    let first = sender.send("fill:1", &request(), at(0)).await.unwrap();
    assert_eq!(decisions(sender.tend(at(59)).await.unwrap()), [Next::Wait]);
    let replaced = decisions(sender.tend(at(60)).await.unwrap());
    assert!(matches!(replaced[..], [Next::Replace(Fees::Eip1559 { .. })]), "{replaced:?}");
    let row = stage.outbox.rows().remove(0);
    assert_eq!((row.nonce, row.attempts.len()), (first.nonce, 2));
    assert!(row.attempts[1].max_fee_per_gas * 8 >= row.attempts[0].max_fee_per_gas * 9);
    assert!(stage.chain().pool.contains_key(&row.attempts[1].hash));
    // The chain may still take the first attempt.
    stage.chain().mine(Some(row.attempts[0].hash));
    assert_eq!(decisions(sender.tend(at(61)).await.unwrap()), [Next::Wait]);
    stage.chain().mine(None);
    stage.chain().mine(None);
    let end = OutgoingEnd::Succeeded(row.attempts[0].hash);
    assert_eq!(decisions(sender.tend(at(62)).await.unwrap()), [Next::End(end)]);
    assert_eq!(stage.outbox.rows()[0].end, Some(end));
    assert_eq!(decisions(sender.tend(at(63)).await.unwrap()), []);
}

#[tokio::test]
async fn replacements_stop_at_the_limit() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    let mut last = Vec::new();
    for minute in 1..12 {
        last = decisions(sender.tend(at(minute * 60)).await.unwrap());
    }
    assert!(matches!(last[..], [Next::TooDear(_)]), "{last:?}");
    let attempts = stage.outbox.rows()[0].attempts.clone();
    assert!(attempts.iter().all(|attempt| attempt.max_fee_per_gas <= 2_000_000));
}

#[tokio::test]
async fn senders_of_two_processes_never_share_a_nonce() {
    let stage = Stage::new().await;
    let (one, two) = (stage.sender(), stage.sender());
    let names: Vec<String> = (0..6).map(|n| format!("fill:{n}")).collect();
    let request = request();
    let sent = names.iter().enumerate().map(|(n, purpose)| {
        let sender = if n % 2 == 0 { &one } else { &two };
        sender.send(purpose, &request, at(0))
    });
    let mut nonces: Vec<u64> =
        futures::future::join_all(sent).await.into_iter().map(|sent| sent.unwrap().nonce).collect();
    nonces.sort_unstable();
    assert_eq!(nonces, [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_nonce_that_went_to_another_transaction_frees_the_purpose() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    stage.chain().mine(Some(B256::repeat_byte(9)));
    stage.chain().mine(None);
    stage.chain().mine(None);
    assert_eq!(decisions(sender.tend(at(1)).await.unwrap()), [Next::End(OutgoingEnd::Superseded)]);
    let anew = sender.send("fill:1", &request(), at(2)).await.unwrap();
    assert_eq!(anew.nonce, 1);
}

#[tokio::test]
async fn what_would_fail_or_cost_too_much_is_never_signed() {
    let stage = Stage::new().await;
    let doomed = TxRequest { data: hex!("dead").into(), ..request() };
    let refused = stage.sender().send("fill:1", &doomed, at(0)).await;
    assert!(matches!(refused, Err(SendError::WouldFail(_))), "{refused:?}");
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 10, depth: 2 };
    let miser =
        Sender::new(client(&[&stage.fake]), Signer::from_bytes(&KEY).unwrap(), stage.outbox.clone(), policy);
    let refused = miser.send("fill:1", &request(), at(0)).await;
    assert!(matches!(refused, Err(SendError::TooDear { .. })), "{refused:?}");
    assert!(stage.outbox.rows().is_empty());
}

#[tokio::test]
async fn tending_takes_the_same_few_requests_however_many_are_open() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    let mut requests = Vec::new();
    for (first, last) in [(0, 2), (2, 20)] {
        for n in first..last {
            sender.send(&format!("fill:{n}"), &request(), at(0)).await.unwrap();
        }
        let before = stage.fake.requests().len();
        let waiting = decisions(sender.tend(at(1)).await.unwrap());
        assert_eq!(waiting, vec![Next::Wait; last]);
        let methods: Vec<Vec<String>> = stage.fake.requests().split_off(before);
        requests.push(methods.iter().filter(|methods| methods[0] != "eth_feeHistory").count());
    }
    assert_eq!(requests, [3, 3], "head, nonces, and what nodes still have");
    let before = stage.fake.requests().len();
    for row in stage.outbox.rows() {
        stage.chain().mine(Some(row.attempts[0].hash));
    }
    stage.chain().mine(None);
    stage.chain().mine(None);
    let ended = decisions(sender.tend(at(2)).await.unwrap());
    assert!(
        ended.len() == 20 && ended.iter().all(|next| matches!(next, Next::End(OutgoingEnd::Succeeded(_))))
    );
    let methods = stage.fake.requests().split_off(before);
    assert_eq!(methods.iter().filter(|methods| methods[0] == "eth_getTransactionReceipt").count(), 1);
    assert_eq!(stage.fake.count("eth_getTransactionReceipt"), 20, "each is asked for once");
}

#[tokio::test]
async fn the_chain_is_asked_for_a_nonce_only_while_it_may_be_ahead_of_the_outbox() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    let send = async |n: u64| sender.send(&format!("fill:{n}"), &request(), at(0)).await.unwrap().nonce;
    for n in 0..5 {
        assert_eq!(send(n).await, n);
    }
    assert_eq!(stage.fake.count("eth_getTransactionCount"), 1);
    // Another process goes on where this one is, and this one where the other was.
    assert_eq!(stage.sender().send("fill:5", &request(), at(0)).await.unwrap().nonce, 5);
    assert_eq!(stage.fake.count("eth_getTransactionCount"), 2);
    assert_eq!(send(6).await, 6);
    assert_eq!(stage.fake.count("eth_getTransactionCount"), 2);
}

#[tokio::test]
async fn a_key_that_is_used_elsewhere_costs_one_lost_attempt_and_no_purpose() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    for stranger in 1..=3 {
        stage.chain().mine(Some(B256::repeat_byte(stranger)));
    }
    let lost = sender.send("fill:2", &request(), at(1)).await.unwrap();
    assert_eq!(lost.nonce, 1);
    stage.chain().mine(None);
    stage.chain().mine(None);
    let superseded = Next::End(OutgoingEnd::Superseded);
    assert_eq!(decisions(sender.tend(at(2)).await.unwrap()), [superseded, superseded]);
    assert_eq!(sender.send("fill:2", &request(), at(3)).await.unwrap().nonce, 3);
}

#[tokio::test]
async fn a_contract_that_needs_more_gas_than_it_seems_gets_it() {
    let stage = Stage::new().await;
    let sender = stage.sender();
    for (purpose, least, limit) in [("some", 900_000, 900_000), ("none", 0, 25_220)] {
        let sent = sender.send_with_gas(purpose, &request(), least, at(0)).await.unwrap();
        let signed = TxEnvelope::decode_2718(&mut sent.attempts[0].raw.as_slice()).unwrap();
        assert_eq!(signed.gas_limit(), limit, "{purpose}");
    }
}

#[tokio::test]
async fn what_one_endpoint_cannot_tell_supersedes_nothing() {
    let stage = Stage::new().await;
    let silent = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => error(-32603, "internal error"),
    })
    .await;
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
    let signer = Signer::from_bytes(&KEY).unwrap();
    let sender = Sender::new(client(&[&stage.fake, &silent]), signer, stage.outbox.clone(), policy);
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    stage.chain().mine(Some(B256::repeat_byte(9)));
    stage.chain().mine(None);
    stage.chain().mine(None);
    assert_eq!(decisions(sender.tend(at(1)).await.unwrap()), [Next::Wait]);
}
