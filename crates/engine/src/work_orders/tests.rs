use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::ports::{BroadcastError, ChainError, DepositBuilder, OrderStore as _};
use causeway_domain::{Order, RawAmount, SOLANA_CHAIN_ID};

use super::*;
use crate::build_deposit::BuildRequest;
use crate::build_deposit::fake::{Scene, request, signature_of, signed_by_payer};
use crate::submit_deposit::{Proof, SubmitRequest};

struct NoGas;

impl GasFeed for NoGas {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}

fn worker(scene: &Scene) -> WorkOrders {
    WorkOrders::new(WorkParts {
        orders: scene.store.clone(),
        facts: scene.store.clone(),
        executors: ExecutorRegistry::default(),
        relayers: HashMap::new(),
        deposit_builders: HashMap::from([(SOLANA_CHAIN_ID, scene.solana.clone() as Arc<dyn DepositBuilder>)]),
        forwarding_signers: HashMap::new(),
        attestations: None,
        prices: scene.prices.clone(),
        gas: Arc::new(NoGas),
        catalog: Arc::clone(&crate::build_deposit::fake::CATALOG),
        row_keys: Arc::new(RowKeys::new(0)),
        cursors: Arc::default(),
    })
}

/// An order whose signed deposit is being broadcast.
async fn with_signed_payload(scene: &Scene) -> (Order, Vec<u8>) {
    let order = scene.take(request(&scene.solana_quote())).await.unwrap().order;
    let given = order.unsigned_txs()[0].to_vec();
    submit(scene, &order, &given).await;
    (scene.stored(&order).await, given)
}

/// Builds the route of an order again.
fn same_route(order: &Order) -> BuildRequest {
    let (quote, route, from) = (order.quote.clone(), order.route.clone(), order.author);
    BuildRequest { quote, route, from, recipient: None, refund_to: None, method: None, client: None }
}

async fn submit(scene: &Scene, order: &Order, given: &[u8]) {
    let proof = Proof::Signed(signed_by_payer(given));
    let request = SubmitRequest { quote: order.quote.clone(), route: order.route.clone(), proof };
    scene.submit.submit_at(request, crate::build_deposit::fake::now()).await.unwrap();
}

async fn run_once(scene: &Scene) {
    let soon = Timestamp::now() + SignedDuration::from_hours(24);
    worker(scene).run_once(soon).await.unwrap();
}

fn sent(scene: &Scene) -> usize {
    scene.solana.broadcasts.lock().unwrap().len()
}

#[tokio::test]
async fn signed_deposit_is_rebroadcast_until_the_chain_shows_it() {
    let scene = Scene::new().await;
    let (order, given) = with_signed_payload(&scene).await;
    let answers = [
        None,
        Some(BroadcastError::Chain(ChainError::Unavailable(SOLANA_CHAIN_ID))),
        Some(BroadcastError::Refused("the payer has too little".to_owned())),
    ];
    for answer in answers {
        let before = sent(&scene);
        *scene.solana.broadcast_refusal.lock().unwrap() = answer;
        run_once(&scene).await;
        assert_eq!(sent(&scene), before + 1);
        assert_eq!(
            scene.stored(&order).await.signed_payload,
            Some(signed_by_payer(&given)),
            "none of it is the end"
        );
    }
}

#[tokio::test]
async fn expired_deposit_is_dropped_with_an_event_and_a_new_one_is_accepted() {
    let scene = Scene::new().await;
    let (order, given) = with_signed_payload(&scene).await;
    assert_eq!(order.submitted_tx, Some(signature_of(&given)));
    let expired = BroadcastError::Expired { tx: signature_of(&given) };
    *scene.solana.broadcast_refusal.lock().unwrap() = Some(expired);
    run_once(&scene).await;
    let dropped = scene.stored(&order).await;
    assert_eq!((&dropped.signed_payload, &dropped.submitted_tx, dropped.announced), (&None, &None, true));
    let events = scene.store.order_events(&order.id).await.unwrap();
    assert!(events.last().unwrap().detail.contains("expired before the chain took it"), "{events:?}");
    let before = sent(&scene);
    run_once(&scene).await;
    assert_eq!(sent(&scene), before, "nothing is left to send");

    let again = scene.take(same_route(&order)).await.unwrap().order;
    let fresh = again.unsigned_txs()[0].to_vec();
    submit(&scene, &again, &fresh).await;
    assert_eq!(scene.stored(&order).await.signed_payload, Some(signed_by_payer(&fresh)));
}

#[tokio::test]
async fn payload_submitted_meanwhile_is_not_dropped_with_the_expired_one() {
    let scene = Scene::new().await;
    let (order, given) = with_signed_payload(&scene).await;
    let again = scene.take(same_route(&order)).await.unwrap().order;
    let fresh = again.unsigned_txs()[0].to_vec();
    // The worker holds the order as it was when the fresh one comes.
    let stale = scene.stored(&order).await;
    submit(&scene, &again, &fresh).await;
    let mut held = stale;
    let tx = signature_of(&given);
    worker(&scene).drop_expired(&mut held, &tx, Timestamp::now()).await.unwrap();
    assert_eq!(scene.stored(&order).await.signed_payload, Some(signed_by_payer(&fresh)));
    assert!(held.signed_payload.is_some(), "the next look judges what was written");
}
