use causeway_domain::ports::OrderStore as _;
use jiff::SignedDuration;

use super::*;

fn given(built: &Built) -> Vec<u8> {
    to_sign(&built.deposit).unwrap().to_vec()
}

#[tokio::test]
async fn transaction_to_sign_is_stored_and_a_new_build_returns_a_fresh_one() {
    let scene = Scene::new().await;
    let quote = scene.solana_quote();
    let first = scene.take(request(&quote)).await.unwrap();
    assert_eq!(scene.stored(&first.order).await.unsigned_txs(), [given(&first)]);
    let second = scene.take(request(&quote)).await.unwrap();
    assert_ne!(given(&second), given(&first), "with another blockhash");
    assert_eq!(second.order.terms, first.order.terms, "for the same order");
    let stored = scene.stored(&first.order).await;
    assert_eq!(stored.unsigned_txs(), [given(&second), given(&first)]);
    assert_eq!(scene.store.order_events(&stored.id).await.unwrap().len(), 1, "building again is no event");
}

#[tokio::test]
async fn deposit_built_in_time_is_built_again_until_the_escrows_deadline() {
    let scene = Scene::new().await;
    let quote = scene.solana_quote();
    let first = scene.take(request(&quote)).await.unwrap();
    let late = valid_before() + SignedDuration::from_secs(90);
    let again = scene.build.build_at(request(&quote), late).await.unwrap();
    assert_eq!(again.order.terms, first.order.terms);
    assert_ne!(given(&again), given(&first), "the first blockhash is dead by then");
    let over = moment(first.order.terms.open_deadline).unwrap() + SignedDuration::from_secs(1);
    let refused = scene.build.build_at(request(&quote), over).await;
    assert!(matches!(refused, Err(BuildError::QuoteExpired { .. })), "{refused:?}");
}

#[tokio::test]
async fn concurrent_builds_are_all_stored() {
    let scene = Scene::new().await;
    let quote = scene.solana_quote();
    scene.take(request(&quote)).await.unwrap();
    *scene.solana.gate.lock().unwrap() = Some((Arc::new(Barrier::new(3)), 3));
    let builds = join_all((0..3).map(|_| scene.take(request(&quote)))).await;
    let builds: Vec<Built> = builds.into_iter().map(Result::unwrap).collect();
    let stored = scene.stored(&builds[0].order).await;
    assert_eq!(stored.unsigned_txs().len(), 4, "no two are the same");
    for built in &builds {
        assert!(stored.unsigned_txs().contains(&given(built).as_slice()));
    }
}

#[tokio::test]
async fn order_paid_meanwhile_is_not_built_again() {
    let scene = Scene::new().await;
    let quote = scene.solana_quote();
    let order = scene.take(request(&quote)).await.unwrap().order;
    let gate = Arc::new(Barrier::new(2));
    *scene.solana.gate.lock().unwrap() = Some((Arc::clone(&gate), 1));
    let paid = async {
        // Somebody pays while the second build is tried.
        while scene.solana.simulations.load(Ordering::Relaxed) < 2 {
            tokio::task::yield_now().await;
        }
        let stored = scene.stored(&order).await;
        let stored = stored.transition_to(OrderStatus::Deposited, Timestamp::now()).unwrap();
        assert!(scene.store.update_order(&stored, &[]).await.unwrap());
        gate.wait().await;
    };
    let (built, ()) = futures::join!(scene.take(request(&quote)), paid);
    assert!(matches!(built, Err(BuildError::AlreadyTaken { status: OrderStatus::Deposited, .. })));
}

#[tokio::test]
async fn solana_transfer_has_an_address_and_nothing_to_sign() {
    let scene = Scene::new().await;
    let quote = scene.solana_quote();
    let request = BuildRequest { method: Some(DepositMethod::Transfer), ..request(&quote) };
    let built = scene.take(request).await.unwrap();
    assert!(built.order.deposit_address.is_some() && built.order.announced);
    assert_eq!((built.order.built, scene.solana.simulations.load(Ordering::Relaxed)), (None, 0));
}
