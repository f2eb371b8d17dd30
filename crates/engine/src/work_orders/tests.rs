use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::ports::{BroadcastError, ChainError, DepositDesk, OrderStore as _};
use causeway_domain::{Order, RawAmount, SOLANA_CHAIN_ID};

use super::*;
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
        hands: Hands::default(),
        relayers: HashMap::new(),
        desks: HashMap::from([(SOLANA_CHAIN_ID, scene.solana.clone() as Arc<dyn DepositDesk>)]),
        jump_desks: HashMap::new(),
        attestations: None,
        prices: scene.prices.clone(),
        gas: Arc::new(NoGas),
        catalog: Arc::clone(&crate::build_deposit::fake::CATALOG),
        row_keys: Arc::new(RowKeys::new(0)),
        marks: Arc::default(),
    })
}

/// An order whose signed deposit is being brought to the chain.
async fn handed(scene: &Scene) -> (Order, Vec<u8>) {
    let order = scene.take(request(&scene.solana_quote().await)).await.unwrap().order;
    let given = order.given_to_sign()[0].to_vec();
    submit(scene, &order, &given).await;
    (scene.stored(&order).await, given)
}

async fn submit(scene: &Scene, order: &Order, given: &[u8]) {
    let proof = Proof::Signed(signed_by_payer(given));
    let request = SubmitRequest { quote: order.quote.clone(), route: order.route.clone(), proof };
    scene.submit.submit_at(request, crate::build_deposit::fake::now()).await.unwrap();
}

async fn turn(scene: &Scene) {
    let soon = Timestamp::now() + SignedDuration::from_hours(24);
    worker(scene).turn(soon).await.unwrap();
}

fn sent(scene: &Scene) -> usize {
    scene.solana.broadcasts.lock().unwrap().len()
}

#[tokio::test]
async fn a_signed_deposit_is_sent_again_until_the_chain_shows_it() {
    let scene = Scene::new().await;
    let (order, given) = handed(&scene).await;
    let answers = [
        None,
        Some(BroadcastError::Chain(ChainError::Unavailable(SOLANA_CHAIN_ID))),
        Some(BroadcastError::Refused("the payer has too little".to_owned())),
    ];
    for answer in answers {
        let before = sent(&scene);
        *scene.solana.broadcast_refusal.lock().unwrap() = answer;
        turn(&scene).await;
        assert_eq!(sent(&scene), before + 1);
        assert_eq!(scene.stored(&order).await.handed, Some(signed_by_payer(&given)), "none of it is the end");
    }
}

#[tokio::test]
async fn an_expired_deposit_is_dropped_with_a_note_and_a_fresh_one_is_taken_up() {
    let scene = Scene::new().await;
    let (order, given) = handed(&scene).await;
    assert_eq!(order.told_tx, Some(signature_of(&given)));
    let expired = BroadcastError::Expired { tx: signature_of(&given) };
    *scene.solana.broadcast_refusal.lock().unwrap() = Some(expired);
    turn(&scene).await;
    let dropped = scene.stored(&order).await;
    assert_eq!((&dropped.handed, &dropped.told_tx, dropped.announced), (&None, &None, true));
    let story = scene.store.story(&order.id).await.unwrap();
    assert!(story.last().unwrap().detail.contains("expired before the chain took it"), "{story:?}");
    let before = sent(&scene);
    turn(&scene).await;
    assert_eq!(sent(&scene), before, "nothing is left to send");

    let quote = scene.store.order(&order.id).await.unwrap().unwrap().quote;
    let quote = causeway_domain::ports::QuoteStore::quote(&*scene.store, &quote).await.unwrap().unwrap();
    let again = scene.take(request(&quote)).await.unwrap().order;
    let fresh = again.given_to_sign()[0].to_vec();
    submit(&scene, &again, &fresh).await;
    assert_eq!(scene.stored(&order).await.handed, Some(signed_by_payer(&fresh)));
}

#[tokio::test]
async fn what_somebody_handed_over_meanwhile_is_not_dropped_with_the_expired_one() {
    let scene = Scene::new().await;
    let (order, given) = handed(&scene).await;
    let quote =
        causeway_domain::ports::QuoteStore::quote(&*scene.store, &order.quote).await.unwrap().unwrap();
    let again = scene.take(request(&quote)).await.unwrap().order;
    let fresh = again.given_to_sign()[0].to_vec();
    // The worker holds the order as it was when the fresh one comes.
    let stale = scene.stored(&order).await;
    submit(&scene, &again, &fresh).await;
    let mut held = stale;
    let tx = signature_of(&given);
    worker(&scene).drop_expired(&mut held, &tx, Timestamp::now()).await.unwrap();
    assert_eq!(scene.stored(&order).await.handed, Some(signed_by_payer(&fresh)));
    assert!(held.handed.is_some(), "the next look judges what was written");
}
