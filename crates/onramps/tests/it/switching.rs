use causeway_domain::ports::{RampError, RampState};
use causeway_onramps::sandbox::{SandboxPlan, Switches, WebhookSwitches};

use crate::kit::{World, raw, usdc};

const GOOD: &str = "4242 4242 4242 4242";

async fn bought(world: &World, switches: &Switches) -> causeway_domain::fiat::FiatOrder {
    world.switch(SandboxPlan::Card, switches).await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.pay_by_card(&session, GOOD).await;
    world.until(&order, &RampState::Delivered).await;
    order
}

fn webhooks(webhooks: WebhookSwitches) -> Switches {
    Switches { webhooks, ..Switches::default() }
}

#[tokio::test]
async fn a_provider_can_pay_another_amount_and_pay_twice() {
    let world = World::with_chain().await;
    let switches = Switches { pays_bps: 9_000, pays_twice: true, ..Switches::default() };
    let order = bought(&world, &switches).await;
    let report = world.until(&order, &RampState::Delivered).await;
    assert_eq!(report.payouts.len(), 2);
    assert_ne!(report.payouts[0], report.payouts[1]);
    let once = order.sold_amount.mul_div_floor(raw(9_000).get(), raw(10_000).get()).unwrap();
    assert_eq!(world.balance(&usdc()).await, once.checked_add(once).unwrap());
}

#[tokio::test]
async fn webhooks_come_twice_out_of_order_or_never() {
    let world = World::with_chain().await;
    let twice = bought(&world, &webhooks(WebhookSwitches { twice: true, ..Default::default() })).await;
    let heard = world.until_heard(&twice, 6).await;
    let (started, paid, done) = (RampState::Started, RampState::Paid, RampState::Delivered);
    let expected = [&started, &started, &paid, &paid, &done, &done];
    assert_eq!(heard.iter().collect::<Vec<_>>(), expected);

    let reversed =
        bought(&world, &webhooks(WebhookSwitches { out_of_order: true, ..Default::default() })).await;
    let heard = world.until_heard(&reversed, 3).await;
    assert_eq!(heard.iter().collect::<Vec<_>>(), [&done, &paid, &started]);

    let silent = bought(&world, &webhooks(WebhookSwitches { off: true, ..Default::default() })).await;
    let late = bought(&world, &webhooks(WebhookSwitches { late_ms: 700, ..Default::default() })).await;
    world.until_heard(&late, 3).await;
    assert!(world.heard(&silent).is_empty());
}

#[tokio::test]
async fn a_webhook_that_is_not_taken_comes_again_with_the_same_event() {
    let world = World::without_chain().await;
    world.inbox.refuse_next(2);
    let order = world.order(SandboxPlan::Bank, usdc()).await;
    let session = world.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    world.press(&session, "cancel", "").await;
    world.until_heard(&order, 3).await;
    let hooks = world.inbox.of(SandboxPlan::Bank.id());
    assert!(hooks.iter().all(|hook| hook.body == hooks[0].body));
}

#[tokio::test]
async fn a_provider_that_is_down_can_be_asked_again_later() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.switch(SandboxPlan::Card, &Switches { down: true, ..Switches::default() }).await;
    let error = world.ramp(SandboxPlan::Card).look_up(&order).await.unwrap_err();
    assert!(matches!(error, RampError::Unavailable(_)) && error.is_retryable(), "{error}");
    assert!(world.page(&session).await.contains("is down"));
    // The other one is not.
    world.order(SandboxPlan::Bank, usdc()).await;
    world.switch(SandboxPlan::Card, &Switches::default()).await;
    world.until(&order, &RampState::Waiting).await;
}

#[tokio::test]
async fn switches_that_make_no_sense_are_refused() {
    let world = World::without_chain().await;
    for body in [r#"{"paysBps":0}"#, r#"{"slowMs":600001}"#, r#"{"unknown":true}"#] {
        let request = axum::http::Request::post("/sandbox/onramps/sandbox-card/switches");
        let request = request.header("content-type", "application/json").body(body.into()).unwrap();
        let (status, text) = world.ask(request).await;
        assert!(status.is_client_error(), "{body}: {text}");
    }
}
