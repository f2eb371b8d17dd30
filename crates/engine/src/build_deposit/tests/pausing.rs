use causeway_domain::DepositMethod;

use crate::build_deposit::BuildError;
use crate::build_deposit::fake::{ARBITRUM, BASE, Scene, request, usdc};
use crate::pauses::tests::paused;

#[tokio::test]
async fn route_through_a_paused_component_is_rejected_with_the_reason() {
    let scene = Scene::new().await;
    for (kind, name) in [
        ("chain", BASE.to_string()),
        ("chain", ARBITRUM.to_string()),
        ("token", usdc().to_string()),
        ("filler", "house".to_owned()),
    ] {
        scene.pauses.set(vec![paused(kind, &name)]);
        let quote = scene.quote(|_| {});
        let refused = scene.take(request(&quote)).await.unwrap_err();
        assert!(
            matches!(&refused, BuildError::Paused { reason, .. } if reason.contains("is paused: maintenance")),
            "{kind} {name}: {refused:?}"
        );
        assert!(refused.is_retryable() && !scene.is_taken(&quote).await, "{kind} {name}");
    }
    scene.pauses.set(vec![paused("chain", "10"), paused("filler", "nobody")]);
    scene.order(DepositMethod::ContractCall).await;
}

#[tokio::test]
async fn existing_deposit_is_built_again_despite_pauses() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let first = scene.take(request(&quote)).await.unwrap();
    scene.pauses.set(vec![paused("chain", &BASE.to_string()), paused("filler", "house")]);
    let again = scene.take(request(&quote)).await.unwrap();
    assert_eq!((again.order.id, again.deposit), (first.order.id, first.deposit));
}
