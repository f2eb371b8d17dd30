use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::B256;
use async_trait::async_trait;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::OrderStatus::{Created, Deposited, Filled, Published, RefundPending};
use causeway_domain::ports::{Attestations, CollectError};
use causeway_domain::{Attestation, CollectedAttestation, IntentTerms, Order, OrderStatus, SignatureBytes};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{order, shown, with_history};
use serde_json::{Value, json};

use crate::service::{Service, json as body_json, send};

/// Attesters that have signed one attestation, or nothing yet.
#[derive(Default)]
struct FakeAttesters {
    attestation: Mutex<Option<Attestation>>,
    calls: AtomicUsize,
    /// Never answers for this order.
    hangs_on: Mutex<Option<B256>>,
}

#[async_trait]
impl Attestations for FakeAttesters {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if *self.hangs_on.lock().unwrap() == Some(terms.id()) {
            std::future::pending::<()>().await;
        }
        let signatures = [1, 2].map(SignatureBytes::repeat_byte).to_vec();
        let collected = self
            .attestation
            .lock()
            .unwrap()
            .map(|attestation| CollectedAttestation { attestation, signatures });
        collected.ok_or(CollectError { have: 1, need: 2, retry: true, answers: Vec::new() })
    }

    async fn is_available(&self, _: &IntentTerms) -> bool {
        true
    }
}

fn delivered() -> Order {
    let mut order = order(1);
    order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
    order.evidence.fill = Some(shown(1, 26, order.dest_amount));
    order
}

struct Fixture {
    ledger: Arc<MemoryStore>,
    attesters: Option<Arc<FakeAttesters>>,
}

impl Fixture {
    fn new(order: Order, statuses: &[OrderStatus]) -> Self {
        let ledger = Arc::new(MemoryStore::with_orders(vec![with_history(order, statuses)]));
        Self { ledger, attesters: Some(Arc::default()) }
    }

    fn set_attestation(&self, attestation: Attestation) {
        *self.attesters.as_ref().unwrap().attestation.lock().unwrap() = Some(attestation);
    }

    async fn get(&self, intent: &str) -> Response<Body> {
        let attesters = self.attesters.clone().map(|attesters| attesters as Arc<dyn Attestations>);
        let service = Service { ledger: Arc::clone(&self.ledger), attesters, ..Service::default() };
        let request = Request::get(format!("/v1/intent/{intent}/attestations")).body(Body::empty()).unwrap();
        send(service.router(), request).await
    }

    async fn json(&self, intent: &str) -> (u16, Value) {
        let response = self.get(intent).await;
        (response.status().as_u16(), body_json(response).await)
    }
}

const PATH: [OrderStatus; 4] = [Created, Deposited, Published, Filled];

#[tokio::test]
async fn attestations_contain_the_arguments_of_a_claim() {
    let order = delivered();
    let id = order.intent_id.to_string();
    let fixture = Fixture::new(order.clone(), &PATH);
    let fill_ref = B256::repeat_byte(7);
    fixture.set_attestation(Attestation::Filled {
        order: order.intent_id,
        filled_at: 1_794_744_026,
        fill_ref,
    });
    let (status, answer) = fixture.json(&id).await;
    assert_eq!(status, 200, "{answer}");
    let expected = json!({
        "intentId": id, "chainId": 8453, "outcome": "filled", "filledAt": "1794744026", "fillRef": fill_ref.to_string(),
        "epoch": "3", "signatures": [format!("0x{}", "01".repeat(65)), format!("0x{}", "02".repeat(65))],
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn missing_signatures_are_404_with_retry_after() {
    let order = delivered();
    let id = order.intent_id.to_string();
    let waiting = Fixture::new(order.clone(), &PATH).get(&id).await;
    assert_eq!((waiting.status().as_u16(), waiting.headers()["retry-after"].as_bytes()), (404, &b"1"[..]));
    let answer = body_json(waiting).await;
    assert_eq!(answer["name"], "NotFoundException");
    assert!(answer["message"].as_str().unwrap().contains("1 of 2 attesters"), "{answer}");

    let mut undelivered = order;
    undelivered.evidence.fill = None;
    let fixture = Fixture::new(undelivered, &PATH[..3]);
    assert_eq!(fixture.json(&id).await.0, 404);
    let asked = fixture.attesters.as_ref().unwrap().calls.load(Ordering::Relaxed);
    assert_eq!(asked, 0, "attesters are not called before a fill is final");
}

#[tokio::test]
async fn unfilled_outcome_is_returned() {
    let mut order = delivered();
    order.evidence.fill = None;
    let id = order.intent_id.to_string();
    let fixture = Fixture::new(order.clone(), &[Created, Deposited, RefundPending]);
    fixture
        .set_attestation(Attestation::Unfilled { order: order.intent_id, destination_time: 1_794_750_000 });
    let (_, answer) = fixture.json(&id).await;
    assert_eq!((&answer["outcome"], &answer["destinationTime"]), (&json!("unfilled"), &json!("1794750000")));
    assert!(answer.get("filledAt").is_none());
}

#[tokio::test]
async fn same_chain_order_needs_no_signatures() {
    let mut order = delivered();
    order.terms.destination_chain_id = order.terms.origin_chain_id;
    let (id, time) = (order.intent_id.to_string(), order.evidence.fill.as_ref().unwrap().time);
    let fixture = Fixture { attesters: None, ..Fixture::new(order, &PATH) };
    let (status, answer) = fixture.json(&id).await;
    assert_eq!(
        (status, &answer["signatures"], &answer["filledAt"]),
        (200, &json!([]), &json!(time.to_string()))
    );
    assert_eq!(answer["fillRef"], B256::ZERO.to_string());
}

#[tokio::test]
async fn unknown_and_malformed_intents_are_different_errors() {
    let fixture = Fixture::new(delivered(), &PATH);
    let (status, answer) = fixture.json(&B256::repeat_byte(9).to_string()).await;
    assert_eq!((status, &answer["name"]), (404, &json!("IntentNotFoundException")));
    let (status, answer) = fixture.json("0x12").await;
    assert_eq!((status, &answer["name"]), (400, &json!("ValidationException")));
}

#[tokio::test]
async fn signed_attestations_are_cached() {
    let order = delivered();
    let fixture = Fixture::new(order.clone(), &PATH);
    fixture.set_attestation(Attestation::Filled {
        order: order.intent_id,
        filled_at: 1_794_744_026,
        fill_ref: B256::ZERO,
    });
    let attesters = fixture.attesters.clone().unwrap();
    let asked = Some(attesters.clone() as Arc<dyn Attestations>);
    let router = Service { ledger: fixture.ledger, attesters: asked, ..Service::default() }.router();
    for _ in 0..3 {
        let path = format!("/v1/intent/{}/attestations", order.intent_id);
        let response = send(router.clone(), Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
    }
    assert_eq!(attesters.calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn slow_order_does_not_block_other_orders() {
    let (slow, mut quick) = (delivered(), delivered());
    quick.id = causeway_domain::OrderId::random().unwrap();
    quick.terms.nonce = B256::repeat_byte(0x77);
    quick.intent_id = quick.terms.id();
    let orders = vec![with_history(slow.clone(), &PATH), with_history(quick.clone(), &PATH)];
    let attesters = Arc::new(FakeAttesters::default());
    *attesters.hangs_on.lock().unwrap() = Some(slow.terms.id());
    let asked = Some(attesters.clone() as Arc<dyn Attestations>);
    let ledger = Arc::new(MemoryStore::with_orders(orders));
    let router = Service { ledger, attesters: asked, ..Service::default() }.router();
    let ask = |order: &Order| {
        let path = format!("/v1/intent/{}/attestations", order.intent_id);
        send(router.clone(), Request::get(path).body(Body::empty()).unwrap())
    };
    let slow_ones: Vec<_> = (0..64).map(|_| tokio::spawn(ask(&slow))).collect();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(attesters.calls.load(Ordering::Relaxed), 1, "requests for one order share a call");
    let answered = tokio::time::timeout(std::time::Duration::from_secs(3), ask(&quick)).await.unwrap();
    assert_eq!((answered.status().as_u16(), answered.headers()["retry-after"].as_bytes()), (404, &b"1"[..]));
    assert_eq!(ask(&quick).await.status(), 404);
    assert_eq!(attesters.calls.load(Ordering::Relaxed), 2, "the negative answer is cached");
    slow_ones.iter().for_each(tokio::task::JoinHandle::abort);
}
