use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use causeway_domain::ports::{OnRamp as _, WebhookError};
use causeway_onramps::sandbox::SandboxPlan;
use jiff::Timestamp;
use tower::ServiceExt as _;

use crate::fixture::{RampFixture, path, usdc};

#[tokio::test]
async fn api_requires_the_key() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let path = format!("/sandbox-card/api/purchases/{}", order.id);
    for key in [None, Some("Bearer "), Some("Bearer 00"), Some("00")] {
        let mut request = Request::get(&path);
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, key);
        }
        let (status, text) = fixture.ask(request.body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{text}");
        assert!(!text.contains(order.id.as_str()), "{text}");
    }
}

#[tokio::test]
async fn checkout_has_a_strict_security_policy() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let request = Request::get(path(&session)).body(Body::empty()).unwrap();
    let response = fixture.ramps.routes().oneshot(request).await.unwrap();
    let headers = response.headers();
    let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors http://127.0.0.1:*"), "{policy}");
    assert!(policy.ends_with("https://swap.example"), "{policy}");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    let page = fixture.page(&session).await;
    for part in ["Card number", "Expiry", "CVC", ">Pay <", "50.00 USD", "USDC", "on Base", "Cancel"] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert!(page.contains(&order.recipient.to_string()));
}

#[tokio::test]
async fn unknown_checkout_is_not_found() {
    let fixture = RampFixture::without_chain().await;
    for path in
        ["/sandbox-card/checkout/00", "/nobody/checkout/00", "/sandbox-card/checkout/..%2f..%2fsecrets"]
    {
        let (status, page) = fixture.ask(Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {page}");
    }
    for act in ["challenge", "nothing"] {
        let path = format!("/sandbox-bank/checkout/00/{act}");
        let (status, _) = fixture.ask(Request::post(path).body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn without_a_secret_every_webhook_is_rejected() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.submit(&session, "cancel", "").await;
    fixture.wait_for_webhooks(&order, 1).await;
    let webhook = fixture.inbox.for_provider(SandboxPlan::Card.id()).remove(0);
    let ramp = fixture.ramps.adapter(SandboxPlan::Card).unwrap().without_webhook_secret();
    let read = ramp.read_webhook(&|name| webhook.header(name), &webhook.body, Timestamp::now());
    assert_eq!(read, Err(WebhookError::NotConfigured));
}
