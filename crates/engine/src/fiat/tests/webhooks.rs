use std::sync::atomic::Ordering;

use causeway_domain::FiatOrderId;
use causeway_domain::fiat::FiatStatus;
use causeway_domain::ports::{FiatStore as _, RampState};

use crate::build_deposit::fake::usdc;
use crate::fiat::fake::Scene;
use crate::fiat::{FiatCode, FiatError, WebhookOutcome};

async fn take(scene: &Scene, signature: &'static str, body: &str) -> Result<WebhookOutcome, FiatError> {
    let header = move |name: &str| (name == "signature").then(|| signature.to_owned());
    scene.webhook.take("card", &header, body.as_bytes()).await
}

#[tokio::test]
async fn rule_22_a_webhook_is_believed_when_it_is_signed_and_about_this_purchase() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    let body = format!("e1 {} 10000", order.id);
    assert_eq!(take(&scene, "bad", &body).await.unwrap_err().code(), FiatCode::WebhookRejected);
    assert_eq!(take(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    assert_eq!(take(&scene, "good", &body).await.unwrap(), WebhookOutcome::Duplicate);
    let cheaper = format!("e2 {} 9999", order.id);
    assert_eq!(take(&scene, "good", &cheaper).await.unwrap(), WebhookOutcome::Rejected);
    let nobody = format!("e3 {} 10000", FiatOrderId::random().unwrap());
    assert_eq!(take(&scene, "good", &nobody).await.unwrap(), WebhookOutcome::UnknownOrder);
}

#[tokio::test]
async fn rule_22_a_webhook_only_makes_us_ask_the_provider() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    let body = format!("e1 {} 10000", order.id);
    assert_eq!(take(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    scene.ramp().is_away.store(true, Ordering::Relaxed);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Created, "the webhook said that it is paid");
    scene.ramp().is_away.store(false, Ordering::Relaxed);
    scene.ramp().says(RampState::Started, &[]);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Pending, "the provider says this");
}

#[tokio::test]
async fn rule_22_what_is_taken_back_after_the_end_is_written_down_and_nothing_else() {
    let scene = Scene::new().await;
    let order = scene.bought(usdc()).await;
    scene.ramp().says(RampState::Canceled, &[]);
    scene.turn().await;
    let canceled = scene.stored(&order.id).await;
    assert_eq!(canceled.status, FiatStatus::Canceled);
    let lines = scene.store.fiat_story(&order.id).await.unwrap().len();
    let body = format!("e9 {} 10000 chargeback", order.id);
    assert_eq!(take(&scene, "good", &body).await.unwrap(), WebhookOutcome::Accepted);
    scene.turn().await;
    assert_eq!(scene.stored(&order.id).await.status, FiatStatus::Canceled);
    let story = scene.store.fiat_story(&order.id).await.unwrap();
    assert_eq!(story.len(), lines + 1);
    assert!(story.last().unwrap().detail.contains("chargeback"));
}
