use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::fiat::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus};
use causeway_testing::MemoryStore;

use super::services::checkout_keys;
use super::{FiatFixture, fixture, fixture_with, purchase, read};
use crate::service::{bytes, send};

const PATH: &str = "/v1/fiat/widget/00000000000000000000000000000001";

/// The page of that purchase, as its creator was given it.
fn path(number: u8) -> String {
    let id = format!("{number:032x}");
    format!("/v1/fiat/widget/{id}?token={}", checkout_keys().current.checkout_token(&id).unwrap())
}

async fn page(fixture: &FiatFixture, path: &str) -> (u16, String, String) {
    let response = fixture.get(path).await;
    let status = response.status().as_u16();
    let policy = header(&response, "content-security-policy");
    (status, policy, String::from_utf8(bytes(response).await).unwrap())
}

fn header(response: &Response<Body>, name: &str) -> String {
    response.headers().get(name).unwrap_or_else(|| panic!("{name} is missing")).to_str().unwrap().to_owned()
}

fn fixture_for(order: FiatOrder, embed_origins: Option<Vec<String>>) -> FiatFixture {
    fixture_with(MemoryStore::with_fiat_orders(vec![order]), embed_origins)
}

#[tokio::test]
async fn page_embeds_the_checkout_with_a_strict_policy() {
    let response = fixture_for(purchase(1, FiatStatus::Created), None).get(&path(1)).await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "content-type"), "text/html; charset=utf-8");
    assert_eq!(header(&response, "x-content-type-options"), "nosniff");
    assert_eq!(header(&response, "referrer-policy"), "no-referrer");
    assert_eq!(header(&response, "cache-control"), "no-store");
    let (policy, permissions) =
        (header(&response, "content-security-policy"), header(&response, "permissions-policy"));
    let html = String::from_utf8(bytes(response).await).unwrap();
    let nonce = html.split("nonce=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(nonce.len(), 32);
    insta::assert_snapshot!("policy", policy.replace(nonce, "[nonce]"));
    insta::assert_snapshot!("permissions", permissions);
    insta::assert_snapshot!("page", html.replace(nonce, "[nonce]"));
}

#[tokio::test]
async fn a_nonce_is_used_once() {
    let fixture = fixture_for(purchase(1, FiatStatus::Created), None);
    assert_ne!(page(&fixture, &path(1)).await.1, page(&fixture, &path(1)).await.1);
}

#[tokio::test]
async fn every_string_is_escaped() {
    let evil = "</script><img src=x onerror=alert(1)>\"'";
    let mut order = purchase(1, FiatStatus::Failed);
    order.failure = Some(FiatFailure {
        code: evil.to_owned(),
        source: FiatFailureSource::Provider,
        message: evil.to_owned(),
    });
    order.origin = Some(evil.to_owned());
    order.metadata = Some(format!("{{\"note\":\"{evil}\"}}"));
    order.widget_url = format!("https://sandbox-card.example/{evil}");
    let (status, _, html) = page(&fixture_for(order.clone(), None), &path(1)).await;
    assert_eq!(status, 200);
    assert!(!html.contains("<img") && !html.contains("onerror=alert(1)>\"'"), "{html}");
    assert!(html.contains("&lt;img src=x"), "the text is shown escaped");
    order.status = FiatStatus::Created;
    let (_, _, html) = page(&fixture_for(order, None), &path(1)).await;
    assert!(!html.contains("<img"), "{html}");
    assert!(html.contains("Sandbox &lt;Card&gt; &amp; Sons"));
}

#[tokio::test]
async fn terminal_order_shows_its_outcome_without_a_frame() {
    let (_, _, html) = page(&fixture_for(purchase(1, FiatStatus::Completed), None), &path(1)).await;
    assert!(html.contains("It has arrived in your wallet.") && !html.contains("<iframe"), "{html}");
}

#[tokio::test]
async fn checkout_url_of_another_origin_is_not_embedded() {
    let mut order = purchase(1, FiatStatus::Created);
    for url in
        ["javascript:alert(1)", "https://evil.example/", "https://sandbox-card.example.evil.example/", ""]
    {
        url.clone_into(&mut order.widget_url);
        let (status, _, html) = page(&fixture_for(order.clone(), None), &path(1)).await;
        assert_eq!(status, 200);
        assert!(
            !html.contains("<iframe") && !html.contains("evil.example") && !html.contains("javascript:"),
            "{url}"
        );
    }
}

#[tokio::test]
async fn in_production_only_configured_origins_embed_the_page_and_get_messages() {
    let listed = || Some(vec!["https://dapp.example".to_owned()]);
    let (_, policy, html) = page(&fixture_for(purchase(1, FiatStatus::Created), listed()), &path(1)).await;
    assert!(policy.contains("frame-ancestors 'self' https://dapp.example;"), "{policy}");
    assert!(html.contains(r#""targets":["https://dapp.example"]"#), "{html}");
    let mut order = purchase(1, FiatStatus::Created);
    order.origin = Some("https://other.example".to_owned());
    let fixture = fixture_for(order, listed());
    let (status, policy, html) = page(&fixture, &path(1)).await;
    assert_eq!(status, 403);
    assert!(policy.contains("frame-src 'none'") && html.contains("ORIGIN_NOT_ALLOWED"), "{html}");
    let request = Request::get(path(1)).header("accept", "application/json").body(Body::empty()).unwrap();
    let (status, body) = read(send(fixture.router, request).await).await;
    assert_eq!((status, body["error"]["code"].as_str()), (403, Some("ORIGIN_NOT_ALLOWED")));
}

#[tokio::test]
async fn messages_go_to_the_origin_that_created_the_order() {
    let fixture = fixture();
    let path = |order: serde_json::Value| {
        let url = order["wrapperUrl"].as_str().unwrap();
        url[url.find("/v1/").unwrap()..].to_owned()
    };
    let known = path(fixture.order(Some("https://dapp.example")).await);
    let (_, _, html) = page(&fixture, &known).await;
    assert!(html.contains(r#""targets":["https://dapp.example"]"#), "{html}");
    for origin in [None, Some("null"), Some("https://a/;b")] {
        let unknown = path(fixture.order(origin).await);
        let (_, _, html) = page(&fixture, &unknown).await;
        assert!(html.contains(r#""targets":["*"]"#), "{html}");
    }
}

#[tokio::test]
async fn unknown_order_is_a_404_page() {
    let fixture = fixture();
    for path in ["/v1/fiat/widget/..%2F..%2Fetc", "/v1/fiat/widget/%3Cscript%3Ealert(1)%3C%2Fscript%3E", PATH]
    {
        let (status, policy, html) = page(&fixture, path).await;
        assert_eq!(status, 404, "{path}");
        assert!(html.contains("There is no such order") && !html.contains("alert(1)"), "{html}");
        assert!(policy.contains("default-src 'none'"));
    }
}

#[tokio::test]
async fn checkout_is_shown_only_to_whoever_was_given_its_address() {
    let fixture = fixture_for(purchase(1, FiatStatus::Created), None);
    assert_eq!(page(&fixture, &path(1)).await.0, 200);
    let other = path(2).split_once('?').unwrap().1.to_owned();
    for query in [String::new(), "?token=".to_owned(), "?token=00".to_owned(), format!("?{other}")] {
        let (status, _, html) = page(&fixture, &format!("{PATH}{query}")).await;
        assert_eq!(status, 404, "{query}");
        assert!(!html.contains("<iframe") && !html.contains("sandbox-card.example"), "{html}");
    }
}
