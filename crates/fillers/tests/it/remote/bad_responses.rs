//! Invalid behaviour of a filler's server: each case is an error with a reason, and holds
//! no resources of ours.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use causeway_domain::ports::{Filler as _, FillerError};
use causeway_fillers::remote::{NONCE, RequestAuthenticator, SIGNATURE, Secret};
use serde_json::{Value, json};

use super::server::{ask, filler, filler_within, honest, offer, secret, serve, serve_raw, signed};

fn invalid_reason(error: FillerError) -> String {
    match error {
        FillerError::Nonsense(reason) => reason,
        FillerError::Unavailable(reason) => panic!("retryable: {reason}"),
    }
}

async fn fault(url: &str) -> FillerError {
    filler(url).quote(&ask()).await.unwrap_err()
}

/// The reason of the error when a signed response has this changed in its offer.
async fn changed(field: &'static str, value: Value) -> String {
    let url = honest(move |call| {
        let mut offer = offer(&call.body);
        offer[field] = value.clone();
        json!({ "offers": [offer] })
    })
    .await;
    invalid_reason(fault(&url).await)
}

#[tokio::test]
async fn hanging_server_times_out_at_the_deadline() {
    let url = serve_raw(Vec::new(), false).await;
    let error = filler_within(&url, Duration::from_millis(50)).quote(&ask()).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn unreachable_server_is_unavailable() {
    assert!(fault("http://127.0.0.1:1").await.is_retryable());
}

#[tokio::test]
async fn late_response_is_not_read() {
    let late = || async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        Html("too late")
    };
    let url = serve(Router::new().fallback(late)).await;
    let error = filler_within(&url, Duration::from_millis(50)).quote(&ask()).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn oversized_response_is_rejected() {
    const TEN: usize = 10 * 1024 * 1024;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {TEN}\r\n\r\n");
    let url = serve_raw([head.as_bytes(), &vec![b' '; TEN]].concat(), true).await;
    assert!(invalid_reason(fault(&url).await).contains("longer than 65536"));
    // The same without a content-length.
    let endless = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let url = serve_raw([&endless[..], &vec![b' '; TEN]].concat(), true).await;
    assert!(invalid_reason(fault(&url).await).contains("longer than 65536"));
}

#[tokio::test]
async fn connection_closed_mid_response_is_unavailable() {
    let part =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"offers\":[";
    assert!(fault(&serve_raw(part.to_vec(), true).await).await.is_retryable());
    assert!(fault(&serve_raw(b"HTTP/1.1 200".to_vec(), true).await).await.is_retryable());
    assert!(fault(&serve_raw(Vec::new(), true).await).await.is_retryable());
}

#[tokio::test]
async fn non_http_response_is_an_error() {
    let _ = fault(&serve_raw(b"\x16\x03\x01\x02\x00\x01 hello\r\n\r\n".to_vec(), true).await).await;
}

#[tokio::test]
async fn html_response_is_rejected() {
    let url = serve(Router::new().fallback(|| async { Html("<h1>Welcome to nginx!</h1>") })).await;
    let reason = invalid_reason(fault(&url).await);
    assert!(reason.contains("application/json") && reason.contains("Welcome"), "{reason}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let honest = honest(|call| json!({ "offers": [offer(&call.body)] })).await;
    let url = serve(Router::new().fallback(move || async move { Redirect::temporary(&honest) })).await;
    assert!(invalid_reason(fault(&url).await).contains("redirects are not followed"));
}

#[tokio::test]
async fn too_many_offers_are_rejected() {
    let url = honest(|call| json!({ "offers": vec![offer(&call.body); 1_000] })).await;
    assert!(invalid_reason(fault(&url).await).contains("longer than"));
    let url = honest(|call| json!({ "offers": vec![offer(&call.body); 100] })).await;
    assert!(invalid_reason(fault(&url).await).contains("100 offers"));
}

#[tokio::test]
async fn numeric_amount_is_rejected() {
    assert!(changed("amountOut", json!(999_000_000)).await.contains("expected a string"));
}

#[tokio::test]
async fn negative_or_zero_amount_is_rejected() {
    assert!(changed("amountOut", json!("-1")).await.contains("amountOut"));
    assert!(changed("amountOut", json!("0")).await.contains("zero"));
}

#[tokio::test]
async fn expired_offer_is_rejected() {
    assert!(changed("validBefore", json!("2026-01-01T00:00:00Z")).await.contains("has passed"));
}

#[tokio::test]
async fn offer_for_other_tokens_is_rejected() {
    let other = json!({ "chainId": 1, "token": "0x0000000000000000000000000000000000000000" });
    assert!(changed("to", other).await.contains("not the token"));
}

#[tokio::test]
async fn contradicting_amounts_are_rejected() {
    assert!(changed("minAmountOut", json!("999000001")).await.contains("above amountOut"));
    assert!(changed("amountIn", json!("1")).await.contains("was asked for"));
}

/// The server repeats its first valid response with its signature.
#[tokio::test]
async fn replayed_response_is_rejected() {
    type FirstResponse = Arc<Mutex<Option<(String, String)>>>;
    let (first, authenticator) = (FirstResponse::default(), Arc::new(RequestAuthenticator::new(secret())));
    let replay = move |headers: HeaderMap, body: Bytes| {
        let (first, authenticator) = (Arc::clone(&first), Arc::clone(&authenticator));
        async move {
            let asked: Value = serde_json::from_slice(&body).unwrap();
            let answer = json!({ "offers": [offer(&asked)] }).to_string();
            let nonce = headers[NONCE].to_str().unwrap();
            let fresh = (authenticator.sign(nonce, 200, answer.as_bytes()), answer);
            let (signature, answer) = first.lock().unwrap().get_or_insert(fresh).clone();
            ([("content-type", "application/json"), (SIGNATURE, &signature)], answer).into_response()
        }
    };
    let filler = filler(&serve(Router::new().fallback(replay)).await);
    assert!(filler.quote(&ask()).await.is_ok());
    for _ in 0..3 {
        let reason = invalid_reason(filler.quote(&ask()).await.unwrap_err());
        assert!(reason.contains("not signed for this call"), "{reason}");
    }
}

#[tokio::test]
async fn wrongly_signed_or_unsigned_response_is_rejected() {
    let foreign = Arc::new(RequestAuthenticator::new(Secret::new("wrong horse battery staple").unwrap()));
    let answer = |asked: &[u8]| {
        let asked: Value = serde_json::from_slice(asked).unwrap();
        json!({ "offers": [offer(&asked)] }).to_string()
    };
    let wrong = move |headers: HeaderMap, body: Bytes| async move {
        signed(&foreign, headers[NONCE].to_str().unwrap(), answer(&body))
    };
    assert!(invalid_reason(fault(&serve(Router::new().fallback(wrong)).await).await).contains("not signed"));
    let unsigned = move |body: Bytes| async move {
        let answer: Response = ([("content-type", "application/json")], answer(&body)).into_response();
        answer
    };
    assert!(
        invalid_reason(fault(&serve(Router::new().fallback(unsigned)).await).await).contains("not signed")
    );
}

#[tokio::test]
async fn server_errors_are_retryable_and_client_errors_are_not() {
    for (status, is_retryable) in
        [(500, true), (503, true), (429, true), (400, false), (401, false), (404, false)]
    {
        let status = axum::http::StatusCode::from_u16(status).unwrap();
        let url = serve(Router::new().fallback(move || async move { (status, "no") })).await;
        assert_eq!(fault(&url).await.is_retryable(), is_retryable, "{status}");
    }
}
