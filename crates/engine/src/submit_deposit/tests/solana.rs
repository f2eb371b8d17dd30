use causeway_domain::ports::{BroadcastError, OrderStore as _};

use super::*;
use crate::build_deposit::fake::{request, signature_of, signed_by_payer};

/// An order on Solana with the transactions that its payer was given, newest first.
async fn built(scene: &Scene, times: usize) -> (Order, Vec<Vec<u8>>) {
    let quote = scene.solana_quote();
    let mut order = None;
    for _ in 0..times {
        order = Some(scene.take(request(&quote)).await.unwrap().order);
    }
    let order = scene.stored(&order.unwrap()).await;
    let given = order.unsigned_txs().into_iter().map(<[u8]>::to_vec).collect();
    (order, given)
}

#[tokio::test]
async fn any_built_transaction_is_accepted_once_signed() {
    let scene = Scene::new().await;
    for place in 0..3 {
        let (order, given) = built(&scene, 3).await;
        let raw = signed_by_payer(&given[place]);
        let submitted = submit(&scene, &order, Proof::Signed(raw.clone())).await.unwrap();
        assert_eq!(submitted, answer(&order, &signature_of(&given[place])));
        let stored = scene.stored(&order).await;
        assert_eq!((stored.signed_payload, stored.announced), (Some(raw), true));
    }
}

#[tokio::test]
async fn unknown_transaction_is_rejected_with_the_difference() {
    let scene = Scene::new().await;
    let (order, given) = built(&scene, 2).await;
    let (_, others) = built(&scene, 1).await;
    for raw in [signed_by_payer(&others[0]), given[0].clone(), vec![1]] {
        let error = submit(&scene, &order, Proof::Signed(raw)).await.unwrap_err();
        assert!(matches!(&error, SubmitError::Altered(why) if why == "its blockhash is another"), "{error}");
        assert!(!error.is_retryable());
    }
    assert_eq!(scene.stored(&order).await, order, "nothing was written");
}

#[tokio::test]
async fn expired_transaction_is_refused_and_a_new_build_is_accepted() {
    let scene = Scene::new().await;
    let (order, given) = built(&scene, 2).await;
    let (stale, fresh) = (&given[1], &given[0]);
    let expired = BroadcastError::Expired { tx: signature_of(stale) };
    *scene.solana.broadcast_refusal.lock().unwrap() = Some(expired);
    let error = submit(&scene, &order, Proof::Signed(signed_by_payer(stale))).await.unwrap_err();
    assert!(
        matches!(&error, SubmitError::Refused(why) if why.contains("build the deposit again")),
        "{error}"
    );
    let stored = scene.stored(&order).await;
    assert_eq!(
        (stored.signed_payload, stored.submitted_tx),
        (None, None),
        "it is not tried again behind the payer's back"
    );
    let submitted = submit(&scene, &order, Proof::Signed(signed_by_payer(fresh))).await.unwrap();
    assert_eq!(submitted, answer(&order, &signature_of(fresh)));
}

#[tokio::test]
async fn signature_identifies_a_deposit_that_the_wallet_sent() {
    let scene = Scene::new().await;
    let (order, given) = built(&scene, 1).await;
    let tx = signature_of(&given[0]);
    assert_eq!(submit(&scene, &order, Proof::Hash(tx.clone())).await.unwrap(), answer(&order, &tx));
    assert_eq!(scene.store.order(&order.id).await.unwrap().unwrap().submitted_tx, Some(tx));
}

#[tokio::test]
async fn evm_hash_for_a_solana_order_is_rejected_with_the_expected_format() {
    let scene = Scene::new().await;
    let (order, _) = built(&scene, 1).await;
    let error = submit(&scene, &order, Proof::Hash(hash("ab"))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a transaction of chain 20011000000 is named by its signature: 64 bytes in base58"
    );
    let call = scene.order(DepositMethod::ContractCall).await;
    let error = submit(&scene, &call, Proof::Hash("5".repeat(88))).await.unwrap_err();
    assert!(matches!(error, SubmitError::MalformedHash { .. }), "{error}");
}
