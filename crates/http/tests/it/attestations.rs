use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::B256;
use async_trait::async_trait;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::OrderStatus::{Created, Deposited, Filled, Published, RefundPending};
use causeway_domain::ports::{Attestations, CollectError};
use causeway_domain::{Attestation, Collected, Order, OrderStatus, SignatureBytes, Terms};
use serde_json::{Value, json};

use crate::ledger::FakeLedger;
use crate::sample::{order, shown, story};
use crate::service::{Service, json as body_json, send};

/// Attesters that have signed this, or nothing yet.
#[derive(Default)]
struct Signed {
    word: Mutex<Option<Attestation>>,
    asked: AtomicUsize,
    /// Never answers about this order.
    hangs: Mutex<Option<B256>>,
}

#[async_trait]
impl Attestations for Signed {
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if *self.hangs.lock().unwrap() == Some(terms.id()) {
            std::future::pending::<()>().await;
        }
        let signatures = [1, 2].map(SignatureBytes::repeat_byte).to_vec();
        let collected = self.word.lock().unwrap().map(|attestation| Collected { attestation, signatures });
        collected.ok_or(CollectError { have: 1, need: 2, retry: true, answers: Vec::new() })
    }
}

fn delivered() -> Order {
    let mut order = order(1);
    order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
    order.evidence.fill = Some(shown(1, 26, order.dest_amount));
    order
}

struct Scene {
    ledger: Arc<FakeLedger>,
    attesters: Option<Arc<Signed>>,
}

impl Scene {
    fn new(order: Order, statuses: &[OrderStatus]) -> Self {
        let ledger = Arc::new(FakeLedger::with(vec![story(order, statuses)]));
        Self { ledger, attesters: Some(Arc::default()) }
    }

    fn say(&self, word: Attestation) {
        *self.attesters.as_ref().unwrap().word.lock().unwrap() = Some(word);
    }

    async fn ask(&self, intent: &str) -> Response<Body> {
        let attesters = self.attesters.clone().map(|attesters| attesters as Arc<dyn Attestations>);
        let service = Service { ledger: Arc::clone(&self.ledger), attesters, ..Service::default() };
        let request = Request::get(format!("/v1/intent/{intent}/attestations")).body(Body::empty()).unwrap();
        send(service.router(), request).await
    }

    async fn json(&self, intent: &str) -> (u16, Value) {
        let response = self.ask(intent).await;
        (response.status().as_u16(), body_json(response).await)
    }
}

const PATH: [OrderStatus; 4] = [Created, Deposited, Published, Filled];

#[tokio::test]
async fn what_the_attesters_have_signed_is_what_a_claim_wants() {
    let order = delivered();
    let id = order.intent.to_string();
    let scene = Scene::new(order.clone(), &PATH);
    let fill_ref = B256::repeat_byte(7);
    scene.say(Attestation::Filled { order: order.intent, filled_at: 1_794_744_026, fill_ref });
    let (status, answer) = scene.json(&id).await;
    assert_eq!(status, 200, "{answer}");
    let expected = json!({
        "intentId": id, "chainId": 8453, "outcome": "filled", "filledAt": "1794744026", "fillRef": fill_ref.to_string(),
        "epoch": "3", "signatures": [format!("0x{}", "01".repeat(65)), format!("0x{}", "02".repeat(65))],
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn until_they_have_it_is_not_there_yet() {
    let order = delivered();
    let id = order.intent.to_string();
    let waiting = Scene::new(order.clone(), &PATH).ask(&id).await;
    assert_eq!((waiting.status().as_u16(), waiting.headers()["retry-after"].as_bytes()), (404, &b"1"[..]));
    let answer = body_json(waiting).await;
    assert_eq!(answer["name"], "NotFoundException");
    assert!(answer["message"].as_str().unwrap().contains("1 of 2 attesters"), "{answer}");

    let mut undelivered = order;
    undelivered.evidence.fill = None;
    let scene = Scene::new(undelivered, &PATH[..3]);
    assert_eq!(scene.json(&id).await.0, 404);
    let asked = scene.attesters.as_ref().unwrap().asked.load(Ordering::Relaxed);
    assert_eq!(asked, 0, "nobody is asked about what the chain has not shown");
}

#[tokio::test]
async fn that_nobody_delivered_is_told_too() {
    let mut order = delivered();
    order.evidence.fill = None;
    let id = order.intent.to_string();
    let scene = Scene::new(order.clone(), &[Created, Deposited, RefundPending]);
    scene.say(Attestation::Unfilled { order: order.intent, destination_time: 1_794_750_000 });
    let (_, answer) = scene.json(&id).await;
    assert_eq!((&answer["outcome"], &answer["destinationTime"]), (&json!("unfilled"), &json!("1794750000")));
    assert!(answer.get("filledAt").is_none());
}

#[tokio::test]
async fn within_one_chain_the_escrow_looks_itself() {
    let mut order = delivered();
    order.terms.destination_chain_id = order.terms.origin_chain_id;
    let (id, time) = (order.intent.to_string(), order.evidence.fill.as_ref().unwrap().time);
    let scene = Scene { attesters: None, ..Scene::new(order, &PATH) };
    let (status, answer) = scene.json(&id).await;
    assert_eq!(
        (status, &answer["signatures"], &answer["filledAt"]),
        (200, &json!([]), &json!(time.to_string()))
    );
    assert_eq!(answer["fillRef"], B256::ZERO.to_string());
}

#[tokio::test]
async fn an_intent_that_nobody_knows_and_a_malformed_one_are_told_apart() {
    let scene = Scene::new(delivered(), &PATH);
    let (status, answer) = scene.json(&B256::repeat_byte(9).to_string()).await;
    assert_eq!((status, &answer["name"]), (404, &json!("IntentNotFoundException")));
    let (status, answer) = scene.json("0x12").await;
    assert_eq!((status, &answer["name"]), (400, &json!("ValidationException")));
}

#[tokio::test]
async fn what_was_signed_once_is_not_asked_for_again() {
    let order = delivered();
    let scene = Scene::new(order.clone(), &PATH);
    scene.say(Attestation::Filled { order: order.intent, filled_at: 1_794_744_026, fill_ref: B256::ZERO });
    let attesters = scene.attesters.clone().unwrap();
    let asked = Some(attesters.clone() as Arc<dyn Attestations>);
    let router = Service { ledger: scene.ledger, attesters: asked, ..Service::default() }.router();
    for _ in 0..3 {
        let path = format!("/v1/intent/{}/attestations", order.intent);
        let response = send(router.clone(), Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
    }
    assert_eq!(attesters.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn however_often_one_order_is_asked_about_others_are_answered_at_once() {
    let (slow, mut quick) = (delivered(), delivered());
    quick.id = causeway_domain::OrderId::random().unwrap();
    quick.terms.nonce = B256::repeat_byte(0x77);
    quick.intent = quick.terms.id();
    let stories = vec![story(slow.clone(), &PATH), story(quick.clone(), &PATH)];
    let attesters = Arc::new(Signed::default());
    *attesters.hangs.lock().unwrap() = Some(slow.terms.id());
    let asked = Some(attesters.clone() as Arc<dyn Attestations>);
    let ledger = Arc::new(FakeLedger::with(stories));
    let router = Service { ledger, attesters: asked, ..Service::default() }.router();
    let ask = |order: &Order| {
        let path = format!("/v1/intent/{}/attestations", order.intent);
        send(router.clone(), Request::get(path).body(Body::empty()).unwrap())
    };
    let slow_ones: Vec<_> = (0..64).map(|_| tokio::spawn(ask(&slow))).collect();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(attesters.asked.load(Ordering::Relaxed), 1, "about one order they hear once at a time");
    let answered = tokio::time::timeout(std::time::Duration::from_secs(3), ask(&quick)).await.unwrap();
    assert_eq!((answered.status().as_u16(), answered.headers()["retry-after"].as_bytes()), (404, &b"1"[..]));
    assert_eq!(ask(&quick).await.status(), 404);
    assert_eq!(attesters.asked.load(Ordering::Relaxed), 2, "who has just not signed is not asked again");
    slow_ones.iter().for_each(tokio::task::JoinHandle::abort);
}
