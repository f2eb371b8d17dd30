use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use causeway_domain::ports::KeySignerError;
use causeway_domain::ports::OutgoingEnd;
use causeway_evm::{
    EvmAccountKey, Fees, GasLimits, NextStep, SendError, SendPolicy, Sender, Signer, TxRequest,
};
use causeway_testing::{FakeKey, MemoryStore};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake, client, error};

const KEY: [u8; 32] = hex!("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

/// A fake chain that mines on demand.
#[derive(Default)]
struct Mempool {
    head: u64,
    nonce: u64,
    /// The nonce after each block.
    nonces: Vec<u64>,
    pool: HashMap<B256, Bytes>,
    receipts: HashMap<B256, u64>,
    refuse: Option<&'static str>,
    /// Refuses whatever pays somebody, with this message.
    refuse_payments: Option<&'static str>,
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
                if let Some(message) = self.refuse {
                    return error(-32000, message);
                }
                let raw: Bytes = serde_json::from_value(params[0].clone()).unwrap();
                let pays = raw.windows(20).any(|part| part == Address::repeat_byte(7));
                if let Some(message) = self.refuse_payments.filter(|_| pays) {
                    return error(-32000, message);
                }
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

struct Fixture {
    chain: Arc<Mutex<Mempool>>,
    fake: Fake,
    outbox: Arc<MemoryStore>,
}

impl Fixture {
    async fn new() -> Self {
        let chain = Arc::new(Mutex::new(Mempool::default()));
        let answering = chain.clone();
        let fake = Fake::start(move |method, params| answering.lock().unwrap().answer(method, params)).await;
        Self { chain, fake, outbox: Arc::default() }
    }

    /// A process that shares chain and outbox with those before it.
    fn sender(&self) -> Sender {
        self.sender_with(&FakeKey::new(KEY))
    }

    /// The same with a key that may live elsewhere.
    fn sender_with(&self, key: &FakeKey) -> Sender {
        let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
        let key = EvmAccountKey::new(Arc::new(key.clone())).unwrap();
        Sender::new(client(&[&self.fake]), key, self.outbox.clone(), policy)
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

fn decisions(polled: Vec<(causeway_domain::ports::Outgoing, NextStep)>) -> Vec<NextStep> {
    polled.into_iter().map(|(_, next)| next).collect()
}

#[tokio::test]
async fn a_purpose_is_sent_once() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    let first = sender.send("fill:1", &request(), at(0)).await.unwrap();
    let again = sender.send("fill:1", &request(), at(9)).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(fixture.chain().pool.len(), 1);
    assert!(fixture.chain().pool.contains_key(&first.attempts[0].hash));
}

#[tokio::test]
async fn a_transaction_signed_before_a_crash_is_sent_after_it_byte_for_byte() {
    let fixture = Fixture::new().await;
    fixture.chain().refuse = Some("the node is on fire");
    let stored = fixture.sender().send("fill:1", &request(), at(0)).await.unwrap();
    assert!(fixture.chain().pool.is_empty());
    fixture.chain().refuse = None;
    let revived = fixture.sender();
    assert_eq!(decisions(revived.poll_pending(at(5_000)).await.unwrap()), [NextStep::Rebroadcast]);
    assert_eq!(fixture.chain().pool[&stored.attempts[0].hash], stored.attempts[0].raw);
    assert_eq!(decisions(revived.poll_pending(at(5_001)).await.unwrap()), [NextStep::Wait]);
}

#[tokio::test]
async fn a_stuck_transaction_is_replaced_under_its_nonce_until_one_attempt_is_final() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    let first = sender.send("fill:1", &request(), at(0)).await.unwrap();
    assert_eq!(decisions(sender.poll_pending(at(59)).await.unwrap()), [NextStep::Wait]);
    let replaced = decisions(sender.poll_pending(at(60)).await.unwrap());
    assert!(matches!(replaced[..], [NextStep::Replace(Fees::Eip1559 { .. })]), "{replaced:?}");
    let row = fixture.outbox.outgoing().remove(0);
    assert_eq!((row.nonce, row.attempts.len()), (first.nonce, 2));
    assert!(row.attempts[1].max_fee_per_gas * 8 >= row.attempts[0].max_fee_per_gas * 9);
    assert!(fixture.chain().pool.contains_key(&row.attempts[1].hash));
    // The chain may still take the first attempt.
    fixture.chain().mine(Some(row.attempts[0].hash));
    assert_eq!(decisions(sender.poll_pending(at(61)).await.unwrap()), [NextStep::Wait]);
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    let end = OutgoingEnd::Succeeded(row.attempts[0].hash);
    assert_eq!(decisions(sender.poll_pending(at(62)).await.unwrap()), [NextStep::End(end)]);
    assert_eq!(fixture.outbox.outgoing()[0].end, Some(end));
    assert_eq!(decisions(sender.poll_pending(at(63)).await.unwrap()), []);
}

#[tokio::test]
async fn signer_whose_answers_differ_sends_one_transaction_and_only_what_was_stored() {
    let fixture = Fixture::new().await;
    let key = FakeKey::new(KEY).varying();
    // Both processes sign the purpose before either has stored it.
    let (one, two) = (fixture.sender_with(&key), fixture.sender_with(&key));
    let request = request();
    let (first, other) =
        futures::join!(one.send("fill:1", &request, at(0)), two.send("fill:1", &request, at(0)));
    assert_eq!(first.unwrap(), other.unwrap());
    let again = fixture.sender_with(&key).send("fill:1", &request, at(1)).await.unwrap();
    assert_eq!((fixture.outbox.outgoing().len(), fixture.chain().pool.len()), (1, 1));
    assert!(fixture.chain().pool.contains_key(&again.attempts[0].hash));
    fixture.sender_with(&key).poll_pending(at(2)).await.unwrap();
    assert_eq!(fixture.chain().pool.len(), 1);
}

#[tokio::test]
async fn nothing_is_stored_or_sent_without_a_signature_of_the_account() {
    let fixture = Fixture::new().await;
    let liar = fixture.sender_with(&FakeKey::new(KEY).answering_with([9; 32]));
    let refused = liar.send("fill:1", &request(), at(0)).await.unwrap_err().to_string();
    assert!(refused.contains("another key"), "{refused}");
    let key = FakeKey::new(KEY);
    let sender = fixture.sender_with(&key);
    for error in [
        KeySignerError::Slow(Duration::from_secs(5)),
        KeySignerError::Refused("disabled".to_owned()),
        KeySignerError::Forbidden("the limit is reached".to_owned()),
    ] {
        key.fails(Some(error.clone()));
        let refused = sender.send("fill:1", &request(), at(0)).await.unwrap_err().to_string();
        assert!(refused.contains(&error.to_string()), "{refused}");
        assert!(fixture.outbox.outgoing().is_empty() && fixture.chain().pool.is_empty());
    }
    key.fails(None);
    assert_eq!(sender.send("fill:1", &request(), at(1)).await.unwrap().nonce, 0, "no nonce is lost");
}

#[tokio::test]
async fn stuck_transaction_that_cannot_be_signed_again_is_sent_again_and_holds_up_no_other() {
    let fixture = Fixture::new().await;
    let key = FakeKey::new(KEY);
    let sender = fixture.sender_with(&key);
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    sender.send("fill:2", &request(), at(0)).await.unwrap();
    assert_eq!(decisions(sender.poll_pending(at(1)).await.unwrap()), [NextStep::Wait, NextStep::Wait]);
    key.fails(Some(KeySignerError::Unreachable("503".to_owned())));
    let asked = key.asked();
    let polled = decisions(sender.poll_pending(at(70)).await.unwrap());
    assert!(polled.len() == 2 && matches!(polled[0], NextStep::Replace(_)), "{polled:?}");
    assert!(key.asked() > asked, "it was to be signed again");
    assert!(fixture.outbox.outgoing().iter().all(|row| row.attempts.len() == 1));
    key.fails(None);
    sender.poll_pending(at(71)).await.unwrap();
    assert!(
        fixture.outbox.outgoing().iter().any(|row| row.attempts.len() == 2),
        "replaced once it signs again"
    );
}

#[tokio::test]
async fn replacements_stop_at_the_limit() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    let mut last = Vec::new();
    for minute in 1..12 {
        last = decisions(sender.poll_pending(at(minute * 60)).await.unwrap());
    }
    assert!(matches!(last[..], [NextStep::FeeTooHigh(_)]), "{last:?}");
    let attempts = fixture.outbox.outgoing()[0].attempts.clone();
    assert!(attempts.iter().all(|attempt| attempt.max_fee_per_gas <= 2_000_000));
}

#[tokio::test]
async fn senders_of_two_processes_never_share_a_nonce() {
    let fixture = Fixture::new().await;
    let (one, two) = (fixture.sender(), fixture.sender());
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
async fn a_nonce_used_by_another_transaction_frees_the_purpose() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    fixture.chain().mine(Some(B256::repeat_byte(9)));
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    assert_eq!(
        decisions(sender.poll_pending(at(1)).await.unwrap()),
        [NextStep::End(OutgoingEnd::Superseded)]
    );
    let anew = sender.send("fill:1", &request(), at(2)).await.unwrap();
    assert_eq!(anew.nonce, 1);
}

#[tokio::test]
async fn a_transaction_that_would_fail_or_cost_too_much_is_never_signed() {
    let fixture = Fixture::new().await;
    let failing = TxRequest { data: hex!("dead").into(), ..request() };
    let refused = fixture.sender().send("fill:1", &failing, at(0)).await;
    assert!(matches!(refused, Err(SendError::WouldFail(_))), "{refused:?}");
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 10, depth: 2 };
    let low_limit = Sender::new(
        client(&[&fixture.fake]),
        Signer::from_bytes(&KEY).unwrap(),
        fixture.outbox.clone(),
        policy,
    );
    let refused = low_limit.send("fill:1", &request(), at(0)).await;
    assert!(matches!(refused, Err(SendError::FeeTooHigh { .. })), "{refused:?}");
    assert!(fixture.outbox.outgoing().is_empty());
}

#[tokio::test]
async fn polling_uses_a_constant_number_of_requests() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    let mut requests = Vec::new();
    for (first, last, now) in [(0, 2, 1), (0, 2, 6), (2, 20, 6)] {
        for n in first..last {
            sender.send(&format!("fill:{n}"), &request(), at(0)).await.unwrap();
        }
        let before = fixture.fake.requests().len();
        let waiting = decisions(sender.poll_pending(at(now)).await.unwrap());
        assert_eq!(waiting, vec![NextStep::Wait; last]);
        let methods: Vec<Vec<String>> = fixture.fake.requests().split_off(before);
        requests.push(methods.iter().filter(|methods| methods[0] != "eth_feeHistory").count());
    }
    assert_eq!(requests, [2, 3, 3], "head, nonces, and pending transactions that were not sent just now");
    let before = fixture.fake.requests().len();
    for row in fixture.outbox.outgoing() {
        fixture.chain().mine(Some(row.attempts[0].hash));
    }
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    let ended = decisions(sender.poll_pending(at(7)).await.unwrap());
    assert!(
        ended.len() == 20
            && ended.iter().all(|next| matches!(next, NextStep::End(OutgoingEnd::Succeeded(_))))
    );
    let methods = fixture.fake.requests().split_off(before);
    assert_eq!(methods.iter().filter(|methods| methods[0] == "eth_getTransactionReceipt").count(), 1);
    assert_eq!(fixture.fake.count("eth_getTransactionReceipt"), 20, "each is read once");
}

#[tokio::test]
async fn the_nonce_is_read_from_the_chain_only_while_it_may_be_ahead_of_the_outbox() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    let send = async |n: u64| sender.send(&format!("fill:{n}"), &request(), at(0)).await.unwrap().nonce;
    for n in 0..5 {
        assert_eq!(send(n).await, n);
    }
    assert_eq!(fixture.fake.count("eth_getTransactionCount"), 1);
    // Another process continues after this one, and this one after the other.
    assert_eq!(fixture.sender().send("fill:5", &request(), at(0)).await.unwrap().nonce, 5);
    assert_eq!(fixture.fake.count("eth_getTransactionCount"), 2);
    assert_eq!(send(6).await, 6);
    assert_eq!(fixture.fake.count("eth_getTransactionCount"), 2);
}

#[tokio::test]
async fn a_key_used_elsewhere_costs_one_attempt_and_no_purpose() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    for other in 1..=3 {
        fixture.chain().mine(Some(B256::repeat_byte(other)));
    }
    let lost = sender.send("fill:2", &request(), at(1)).await.unwrap();
    assert_eq!(lost.nonce, 1);
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    let superseded = NextStep::End(OutgoingEnd::Superseded);
    assert_eq!(decisions(sender.poll_pending(at(2)).await.unwrap()), [superseded, superseded]);
    assert_eq!(sender.send("fill:2", &request(), at(3)).await.unwrap().nonce, 3);
}

#[tokio::test]
async fn a_transaction_has_at_least_the_minimum_gas() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    for (purpose, min, limit) in [("some", 900_000, 900_000), ("none", 0, 25_220)] {
        let gas = GasLimits { min, ..GasLimits::default() };
        let sent = sender.send_with_gas(purpose, &request(), gas, at(0)).await.unwrap();
        let signed = TxEnvelope::decode_2718(&mut sent.attempts[0].raw.as_slice()).unwrap();
        assert_eq!(signed.gas_limit(), limit, "{purpose}");
    }
}

#[tokio::test]
async fn a_failing_endpoint_prevents_superseding() {
    let fixture = Fixture::new().await;
    let broken = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => error(-32603, "internal error"),
    })
    .await;
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
    let signer = Signer::from_bytes(&KEY).unwrap();
    let sender = Sender::new(client(&[&fixture.fake, &broken]), signer, fixture.outbox.clone(), policy);
    sender.send("fill:1", &request(), at(0)).await.unwrap();
    fixture.chain().mine(Some(B256::repeat_byte(9)));
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    assert_eq!(decisions(sender.poll_pending(at(1)).await.unwrap()), [NextStep::Wait]);
}

#[tokio::test]
async fn rule_26_a_transaction_that_every_endpoint_refuses_does_not_hold_later_ones() {
    let fixture = Fixture::new().await;
    let sender = fixture.sender();
    fixture.chain().refuse_payments = Some("exceeds block gas limit");
    let first = sender.send("fill:1", &request(), at(0)).await.unwrap();
    for second in [1, 60, 119] {
        assert_eq!(decisions(sender.poll_pending(at(second)).await.unwrap()), [NextStep::Rebroadcast]);
    }
    let cancelled = decisions(sender.poll_pending(at(120)).await.unwrap());
    assert!(matches!(cancelled[..], [NextStep::Cancel(_)]), "{cancelled:?}");
    let row = fixture.outbox.outgoing().remove(0);
    assert_eq!((row.nonce, row.attempts.len()), (first.nonce, 2));
    let nothing = row.attempts[1].hash;
    assert!(fixture.chain().pool.contains_key(&nothing), "a transfer of nothing takes the nonce");
    fixture.chain().mine(Some(nothing));
    fixture.chain().mine(None);
    fixture.chain().mine(None);
    let superseded = NextStep::End(OutgoingEnd::Superseded);
    assert_eq!(decisions(sender.poll_pending(at(130)).await.unwrap()), [superseded]);
    // The purpose is free, and the next nonce goes on.
    fixture.chain().refuse_payments = None;
    let again = sender.send("fill:1", &request(), at(140)).await.unwrap();
    assert_eq!(again.nonce, first.nonce + 1);
    assert!(fixture.chain().pool.contains_key(&again.attempts[0].hash));
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_neither_raises_a_nonce_nor_ends_a_transaction() {
    for status in ["0x0", "0x1"] {
        liar_ends_nothing(status).await;
    }
}

/// One of two endpoints counts a thousand transactions, and shows a receipt of this status for all of them.
async fn liar_ends_nothing(status: &'static str) {
    let fixture = Fixture::new().await;
    let honest = fixture.chain.clone();
    let liar = Fake::start(move |method, params| match method {
        "eth_getTransactionCount" => Ok(json!("0x3e8")),
        "eth_getTransactionReceipt" => Ok(json!({
            "transactionHash": params[0], "blockHash": B256::repeat_byte(6), "blockNumber": "0x1",
            "status": status, "gasUsed": "0x5208",
        })),
        _ => honest.lock().unwrap().answer(method, params),
    })
    .await;
    let sender = || {
        let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
        let signer = Signer::from_bytes(&KEY).unwrap();
        Sender::new(client(&[&liar, &fixture.fake]), signer, fixture.outbox.clone(), policy)
    };
    let first = sender().send("fill:1", &request(), at(0)).await.unwrap();
    let started = sender();
    let second = started.send("fill:2", &request(), at(0)).await.unwrap();
    assert_eq!((first.nonce, second.nonce), (0, 1), "nothing is signed after a gap");
    for _ in 0..3 {
        fixture.chain().mine(None);
    }
    started.poll_pending(at(1)).await.unwrap();
    let stuck = decisions(started.poll_pending(at(62)).await.unwrap());
    assert!(matches!(stuck[..], [NextStep::Replace(_), NextStep::Wait]), "{status}: {stuck:?}");
    let mined = fixture.outbox.outgoing()[0].attempts[1].hash;
    fixture.chain().mine(Some(mined));
    for _ in 0..2 {
        fixture.chain().mine(None);
    }
    let contradicted = decisions(started.poll_pending(at(63)).await.unwrap());
    assert!(!contradicted.iter().any(|next| matches!(next, NextStep::End(_))), "{status}: {contradicted:?}");
}

#[tokio::test]
async fn rule_27_two_endpoints_that_agree_end_a_transaction() {
    let fixture = Fixture::new().await;
    let other = fixture.chain.clone();
    let other = Fake::start(move |method, params| match method {
        "eth_getTransactionReceipt" if other.lock().unwrap().head < 4 => Ok(Value::Null),
        _ => other.lock().unwrap().answer(method, params),
    })
    .await;
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
    let signer = Signer::from_bytes(&KEY).unwrap();
    let sender = Sender::new(client(&[&fixture.fake, &other]), signer, fixture.outbox.clone(), policy);
    let sent = sender.send("fill:1", &request(), at(0)).await.unwrap();
    fixture.chain().mine(Some(sent.attempts[0].hash));
    for _ in 0..2 {
        fixture.chain().mine(None);
    }
    assert_eq!(decisions(sender.poll_pending(at(1)).await.unwrap()), [NextStep::Wait], "the other lags");
    fixture.chain().mine(None);
    let end = OutgoingEnd::Succeeded(sent.attempts[0].hash);
    assert_eq!(decisions(sender.poll_pending(at(2)).await.unwrap()), [NextStep::End(end)]);
}

/// An endpoint of the chain that answers simulations and estimates by itself.
async fn simulating(fixture: &Fixture, call: Answer, estimate: Answer) -> Fake {
    let chain = fixture.chain.clone();
    Fake::start(move |method, params| match method {
        "eth_call" => call.clone(),
        "eth_estimateGas" => estimate.clone(),
        _ => chain.lock().unwrap().answer(method, params),
    })
    .await
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_hold_a_transaction_up() {
    let fixture = Fixture::new().await;
    let gas = |gas: u64| Ok(json!(format!("{gas:#x}")));
    let passes = || Ok(json!("0x"));
    let refusing = simulating(&fixture, error(3, "execution reverted"), gas(40_000)).await;
    let stingy = simulating(&fixture, passes(), gas(1)).await;
    let costly = simulating(&fixture, passes(), gas(15_000_000)).await;
    let honest = [
        simulating(&fixture, passes(), gas(40_000)).await,
        simulating(&fixture, passes(), gas(40_000)).await,
    ];
    let limits = GasLimits { min: 0, max: 100_000 };
    let sent = async |purpose: &str, fakes: &[&Fake]| {
        let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 2_000_000, depth: 2 };
        let signer = Signer::from_bytes(&KEY).unwrap();
        let sender = Sender::new(client(fakes), signer, fixture.outbox.clone(), policy);
        let sent = sender.send_with_gas(purpose, &request(), limits, at(0)).await?;
        let envelope = TxEnvelope::decode_2718(&mut sent.attempts[0].raw.as_slice()).unwrap();
        Ok::<u64, SendError>(envelope.gas_limit())
    };
    let [one, other] = &honest;
    let mut purposes = (1..).map(|number| format!("fill:{number}"));
    for fakes in [
        vec![&refusing, one, other],
        vec![&stingy, one, other],
        vec![&costly, one, other],
        vec![&refusing, one],
        vec![&stingy, one],
        vec![&costly, one],
    ] {
        let limit = sent(&purposes.next().unwrap(), &fakes).await.unwrap();
        assert!((40_000..60_000).contains(&limit), "{limit}");
    }
    let would_fail = sent(&purposes.next().unwrap(), &[one, &refusing, &refusing]).await;
    assert!(matches!(would_fail, Err(SendError::WouldFail(_))), "{would_fail:?}");
    let too_costly = sent(&purposes.next().unwrap(), &[one, &costly, &costly]).await;
    assert!(
        matches!(too_costly, Err(SendError::GasAboveCeiling { needed: 15_000_000, ceiling: 100_000 })),
        "{too_costly:?}"
    );
}
