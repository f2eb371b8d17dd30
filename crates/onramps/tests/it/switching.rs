use causeway_domain::ports::{RampError, RampRefusal, RampState};
use causeway_onramps::sandbox::{SandboxPlan, Switches, WebhookSwitches};

use crate::fixture::{RampFixture, raw, usdc};

const VALID_CARD: &str = "4242 4242 4242 4242";

async fn buy(fixture: &RampFixture, switches: &Switches) -> causeway_domain::fiat::FiatOrder {
    fixture.switch(SandboxPlan::Card, switches).await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.pay_by_card(&session, VALID_CARD).await;
    fixture.wait_for(&order, &RampState::Delivered).await;
    order
}

fn webhooks(webhooks: WebhookSwitches) -> Switches {
    Switches { webhooks, ..Switches::default() }
}

#[tokio::test]
async fn provider_can_pay_another_amount_and_pay_twice() {
    let fixture = RampFixture::with_chain().await;
    let switches = Switches { pays_bps: 9_000, pays_twice: true, ..Switches::default() };
    let order = buy(&fixture, &switches).await;
    let report = fixture.wait_for(&order, &RampState::Delivered).await;
    assert_eq!(report.payouts.len(), 2);
    assert_ne!(report.payouts[0], report.payouts[1]);
    let once = order.sold_amount.mul_div_floor(raw(9_000).get(), raw(10_000).get()).unwrap();
    assert_eq!(fixture.balance(&usdc()).await, once.checked_add(once).unwrap());
}

#[tokio::test]
async fn webhooks_can_be_duplicated_reordered_or_disabled() {
    let fixture = RampFixture::with_chain().await;
    let twice = buy(&fixture, &webhooks(WebhookSwitches { twice: true, ..Default::default() })).await;
    let webhook_states = fixture.wait_for_webhooks(&twice, 6).await;
    let (started, paid, done) = (RampState::Started, RampState::Paid, RampState::Delivered);
    let expected = [&started, &started, &paid, &paid, &done, &done];
    assert_eq!(webhook_states.iter().collect::<Vec<_>>(), expected);

    let reversed =
        buy(&fixture, &webhooks(WebhookSwitches { out_of_order: true, ..Default::default() })).await;
    let webhook_states = fixture.wait_for_webhooks(&reversed, 3).await;
    assert_eq!(webhook_states.iter().collect::<Vec<_>>(), [&done, &paid, &started]);

    let without_webhooks =
        buy(&fixture, &webhooks(WebhookSwitches { off: true, ..Default::default() })).await;
    let late = buy(&fixture, &webhooks(WebhookSwitches { late_ms: 700, ..Default::default() })).await;
    fixture.wait_for_webhooks(&late, 3).await;
    assert!(fixture.webhook_states(&without_webhooks).is_empty());
}

#[tokio::test]
async fn rejected_webhook_is_retried_with_the_same_event() {
    let fixture = RampFixture::without_chain().await;
    fixture.inbox.refuse_next(2);
    let order = fixture.order(SandboxPlan::Bank, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    fixture.submit(&session, "cancel", "").await;
    fixture.wait_for_webhooks(&order, 3).await;
    let webhooks = fixture.inbox.for_provider(SandboxPlan::Bank.id());
    assert!(webhooks.iter().all(|webhook| webhook.body == webhooks[0].body));
}

#[tokio::test]
async fn provider_that_is_down_is_retryable() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.switch(SandboxPlan::Card, &Switches { down: true, ..Switches::default() }).await;
    let error = fixture.ramp(SandboxPlan::Card).look_up(&order).await.unwrap_err();
    assert!(matches!(error, RampError::Unavailable(_)) && error.is_retryable(), "{error}");
    assert!(fixture.page(&session).await.contains("is down"));
    // The other provider is not affected.
    fixture.order(SandboxPlan::Bank, usdc()).await;
    fixture.switch(SandboxPlan::Card, &Switches::default()).await;
    fixture.wait_for(&order, &RampState::Waiting).await;
}

#[tokio::test]
async fn a_limit_that_was_lowered_after_the_quote_refuses_the_purchase() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let lowered = Switches { most_pays: Some("20".to_owned()), ..Switches::default() };
    fixture.switch(SandboxPlan::Card, &lowered).await;
    let refused = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap_err();
    let RampError::Refused(RampRefusal::Range { most, .. }) = refused else { panic!("{refused}") };
    assert_eq!(most.to_string(), "20.00");
    fixture.switch(SandboxPlan::Card, &Switches::default()).await;
    fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
}

#[tokio::test]
async fn invalid_switches_are_rejected() {
    let fixture = RampFixture::without_chain().await;
    for body in [r#"{"paysBps":0}"#, r#"{"slowMs":600001}"#, r#"{"unknown":true}"#, r#"{"mostPays":"-1"}"#] {
        let request = axum::http::Request::post("/sandbox/onramps/sandbox-card/switches");
        let request = request.header("content-type", "application/json").body(body.into()).unwrap();
        let (status, text) = fixture.ask(request).await;
        assert!(status.is_client_error(), "{body}: {text}");
    }
}
