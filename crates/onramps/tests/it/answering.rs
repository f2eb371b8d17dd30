use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use causeway_domain::ports::{OnRamp as _, WebhookError};
use causeway_onramps::sandbox::SandboxPlan;
use jiff::Timestamp;
use tower::ServiceExt as _;

use crate::kit::{World, path_of, usdc};

#[tokio::test]
async fn the_interface_answers_nobody_without_the_key() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let path = format!("/sandbox-card/api/purchases/{}", order.id);
    for key in [None, Some("Bearer "), Some("Bearer 00"), Some("00")] {
        let mut request = Request::get(&path);
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, key);
        }
        let (status, text) = world.ask(request.body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{text}");
        assert!(!text.contains(order.id.as_str()), "{text}");
    }
}

#[tokio::test]
async fn the_checkout_runs_no_script_but_its_own_and_is_framed_where_it_may_be() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let request = Request::get(path_of(&session)).body(Body::empty()).unwrap();
    let response = world.ramps.routes().oneshot(request).await.unwrap();
    let headers = response.headers();
    let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors http://127.0.0.1:*"), "{policy}");
    assert!(policy.ends_with("https://swap.example"), "{policy}");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    let page = world.page(&session).await;
    for part in ["Card number", "Expiry", "CVC", ">Pay <", "50.00 USD", "USDC", "on Base", "Cancel"] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert!(page.contains(&order.recipient.to_string()));
}

#[tokio::test]
async fn addresses_of_no_checkout_lead_nowhere() {
    let world = World::without_chain().await;
    for path in
        ["/sandbox-card/checkout/00", "/nobody/checkout/00", "/sandbox-card/checkout/..%2f..%2fsecrets"]
    {
        let (status, page) = world.ask(Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {page}");
    }
    for act in ["challenge", "nothing"] {
        let path = format!("/sandbox-bank/checkout/00/{act}");
        let (status, _) = world.ask(Request::post(path).body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn without_its_secret_a_provider_believes_no_webhook() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.press(&session, "cancel", "").await;
    world.until_heard(&order, 1).await;
    let hook = world.inbox.of(SandboxPlan::Card.id()).remove(0);
    let ramp = world.ramps.adapter(SandboxPlan::Card).unwrap().without_webhook_secret();
    let read = ramp.read_webhook(&|name| hook.header(name), &hook.body, Timestamp::now());
    assert_eq!(read, Err(WebhookError::NotConfigured));
}
