use std::sync::atomic::Ordering;

use causeway_domain::FiatOrderId;
use causeway_domain::fiat::FiatStatus;
use causeway_domain::ports::{FiatStore as _, RampState};

use crate::build_deposit::fake::usdc;
use crate::fiat::fake::Scene;
use crate::fiat::{FiatCode, FiatError, WebhookOutcome};

async fn receive(scene: &Scene, signature: &'static str, body: &str) -> Result<WebhookOutcome, FiatError> {
    let header = move |name: &str| (name == "signature").then(|| signature.to_owned());
    scene.webhook.receive("card", &header, body.as_bytes()).await
}

#[tokio::test]
async fn rule_22_webhook_is_accepted_only_if_signed_and_about_this_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    let body = format!("e1 {} 10000", order.id);
    assert_eq!(receive(&scene, "bad", &body).await.unwrap_err().code(), FiatCode::WebhookRejected);
    assert_eq!(receive(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    assert_eq!(receive(&scene, "good", &body).await.unwrap(), WebhookOutcome::Duplicate);
    let cheaper = format!("e2 {} 9999", order.id);
    assert_eq!(receive(&scene, "good", &cheaper).await.unwrap(), WebhookOutcome::Rejected);
    let nobody = format!("e3 {} 10000", FiatOrderId::random().unwrap());
    assert_eq!(receive(&scene, "good", &nobody).await.unwrap(), WebhookOutcome::UnknownOrder);
}

#[tokio::test]
async fn rule_22_webhook_only_triggers_a_lookup() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    let body = format!("e1 {} 10000", order.id);
    assert_eq!(receive(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    scene.ramp().is_away.store(true, Ordering::Relaxed);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Created, "the webhook said that it is paid");
    scene.ramp().is_away.store(false, Ordering::Relaxed);
    scene.ramp().says(RampState::Started, &[]);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Pending, "the provider says this");
}

#[tokio::test]
async fn rule_22_reversal_after_completion_is_only_recorded() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Canceled, &[]);
    scene.run_once().await;
    let canceled = scene.stored(&order.id).await;
    assert_eq!(canceled.status, FiatStatus::Canceled);
    let lines = scene.store.fiat_order_events(&order.id).await.unwrap().len();
    let body = format!("e9 {} 10000 chargeback", order.id);
    assert_eq!(receive(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    scene.run_once().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Canceled);
    let events = scene.store.fiat_order_events(&order.id).await.unwrap();
    assert_eq!(events.len(), lines + 1);
    assert!(events.last().unwrap().detail.contains("chargeback"));
}
