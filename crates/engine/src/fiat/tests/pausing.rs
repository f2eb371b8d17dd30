use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatStatus, Payout};
use causeway_domain::ports::{OrderStore as _, RampState};

use crate::build_deposit::fake::{ARBITRUM, BASE, usdc};
use crate::fiat::fake::{Behavior, FakeRamp, Scene, ask, request, target};
use crate::fiat::{FaultCode, FiatError};
use crate::pauses::tests::paused;

#[tokio::test]
async fn paused_on_ramp_is_skipped_with_a_reason() {
    let scene =
        Scene::with(vec![FakeRamp::new("card", Behavior::Sells), FakeRamp::new("bank", Behavior::Sells)])
            .await;
    let earlier = scene.best(usdc()).await;
    let provider = earlier.provider.clone();
    scene.pauses.set(vec![paused("onramp", &provider)]);
    let gathered = scene.quote.gather(ask(usdc())).await.unwrap();
    assert_eq!(gathered.quotes.len(), 1);
    let [fault] = &gathered.errors[..] else { panic!("{:?}", gathered.errors) };
    assert_eq!(
        (&fault.provider, fault.code, fault.retryable),
        (&provider, FaultCode::ProviderDisabled, true)
    );
    assert_eq!(fault.message, format!("on-ramp {provider} is paused: maintenance"));
    let refused = scene.order.order(request(&earlier)).await.unwrap_err();
    assert!(
        matches!(&refused, FiatError::ProviderPaused(reason) if reason.contains("maintenance")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn purchase_through_a_paused_component_is_rejected() {
    let scene = Scene::new().await;
    let earlier = scene.best(usdc()).await;
    scene.pauses.set(vec![paused("chain", &BASE.to_string())]);
    assert!(matches!(scene.quote.gather(ask(usdc())).await, Err(FiatError::Paused(_))));
    assert!(matches!(scene.order.order(request(&earlier)).await, Err(FiatError::Paused(_))));
    // The money would come to the chain that is paused, and go on from there.
    let jumped = scene.quote.gather(ask(target())).await.unwrap();
    assert!(jumped.quotes.is_empty() && jumped.errors[0].message.contains("is paused"), "{jumped:?}");
}

#[tokio::test]
async fn existing_purchase_continues_despite_pauses() {
    let scene = Scene::new().await;
    let order = scene.bought(target()).await;
    let provider = paused("onramp", &order.provider);
    scene.pauses.set(vec![
        provider,
        paused("chain", &BASE.to_string()),
        paused("chain", &ARBITRUM.to_string()),
    ]);
    let again = scene.order.order(request(&scene.quoted(&order).await)).await.unwrap();
    assert_eq!(again.id, order.id, "its checkout is shown again");
    scene.ramp().says(RampState::Paid, &[]);
    let amount = RawAmount::new(U256::from(90_000_000));
    scene.chain.pay(Payout { token: usdc(), tx: "0xpaid".to_owned(), index: 3, amount }, order.deliver_to());
    for _ in 0..3 {
        scene.run_once().await;
    }
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Processing);
    assert_eq!(scene.store.orders_at(order.deliver_to()).await.unwrap().len(), 1, "what came is swapped");
}
