//! Everything that a filler's server may do instead of answering: each is that filler's fault, told in words, and holds
//! nothing of ours.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use causeway_domain::ports::{Filler as _, FillerError};
use causeway_fillers::remote::{Doorkeeper, NONCE, SIGNATURE, Secret};
use serde_json::{Value, json};

use super::server::{ask, filler, filler_within, honest, offer, raw, secret, serve, signed};

fn nonsense(error: FillerError) -> String {
    match error {
        FillerError::Nonsense(words) => words,
        FillerError::Unavailable(words) => panic!("it may pass: {words}"),
    }
}

async fn fault(url: &str) -> FillerError {
    filler(url).quote(&ask()).await.unwrap_err()
}

/// The words of the fault when a signed answer has this changed in its offer.
async fn changed(field: &'static str, value: Value) -> String {
    let url = honest(move |call| {
        let mut offer = offer(&call.body);
        offer[field] = value.clone();
        json!({ "offers": [offer] })
    })
    .await;
    nonsense(fault(&url).await)
}

#[tokio::test]
async fn one_that_hangs_is_given_up_at_its_deadline() {
    let url = raw(Vec::new(), false).await;
    let error = filler_within(&url, Duration::from_millis(50)).quote(&ask()).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn one_that_is_not_there_is_unavailable() {
    assert!(fault("http://127.0.0.1:1").await.is_retryable());
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_not_read() {
    let late = || async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        Html("too late")
    };
    let url = serve(Router::new().fallback(late)).await;
    let error = filler_within(&url, Duration::from_millis(50)).quote(&ask()).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn ten_megabytes_are_not_held() {
    const TEN: usize = 10 * 1024 * 1024;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {TEN}\r\n\r\n");
    let url = raw([head.as_bytes(), &vec![b' '; TEN]].concat(), true).await;
    assert!(nonsense(fault(&url).await).contains("longer than 65536"));
    // Nor when it does not say how much will come.
    let endless = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let url = raw([&endless[..], &vec![b' '; TEN]].concat(), true).await;
    assert!(nonsense(fault(&url).await).contains("longer than 65536"));
}

#[tokio::test]
async fn one_that_hangs_up_in_the_middle_is_unavailable() {
    let part =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"offers\":[";
    assert!(fault(&raw(part.to_vec(), true).await).await.is_retryable());
    assert!(fault(&raw(b"HTTP/1.1 200".to_vec(), true).await).await.is_retryable());
    assert!(fault(&raw(Vec::new(), true).await).await.is_retryable());
}

#[tokio::test]
async fn what_is_not_http_is_a_fault() {
    let _ = fault(&raw(b"\x16\x03\x01\x02\x00\x01 hello\r\n\r\n".to_vec(), true).await).await;
}

#[tokio::test]
async fn html_is_no_answer() {
    let url = serve(Router::new().fallback(|| async { Html("<h1>Welcome to nginx!</h1>") })).await;
    let words = nonsense(fault(&url).await);
    assert!(words.contains("application/json") && words.contains("Welcome"), "{words}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let honest = honest(|call| json!({ "offers": [offer(&call.body)] })).await;
    let url = serve(Router::new().fallback(move || async move { Redirect::temporary(&honest) })).await;
    assert!(nonsense(fault(&url).await).contains("redirects are not followed"));
}

#[tokio::test]
async fn a_thousand_routes_are_no_answer() {
    let url = honest(|call| json!({ "offers": vec![offer(&call.body); 1_000] })).await;
    assert!(nonsense(fault(&url).await).contains("longer than"));
    let url = honest(|call| json!({ "offers": vec![offer(&call.body); 100] })).await;
    assert!(nonsense(fault(&url).await).contains("100 offers"));
}

#[tokio::test]
async fn a_number_where_a_string_belongs_is_a_fault() {
    assert!(changed("amountOut", json!(999_000_000)).await.contains("expected a string"));
}

#[tokio::test]
async fn a_negative_amount_is_a_fault() {
    assert!(changed("amountOut", json!("-1")).await.contains("amountOut"));
    assert!(changed("amountOut", json!("0")).await.contains("zero"));
}

#[tokio::test]
async fn an_expired_offer_is_a_fault() {
    assert!(changed("validBefore", json!("2026-01-01T00:00:00Z")).await.contains("is over"));
}

#[tokio::test]
async fn an_offer_for_other_tokens_is_a_fault() {
    let other = json!({ "chainId": 1, "token": "0x0000000000000000000000000000000000000000" });
    assert!(changed("to", other).await.contains("not the token"));
}

#[tokio::test]
async fn less_than_it_says_at_most_is_a_fault() {
    assert!(changed("minAmountOut", json!("999000001")).await.contains("above amountOut"));
    assert!(changed("amountIn", json!("1")).await.contains("was asked for"));
}

/// Answers every call with the first good answer that it ever made, signature and all.
#[tokio::test]
async fn an_earlier_answer_does_not_fit_a_later_call() {
    type Kept = Arc<Mutex<Option<(String, String)>>>;
    let (kept, door) = (Kept::default(), Arc::new(Doorkeeper::new(secret())));
    let replay = move |headers: HeaderMap, body: Bytes| {
        let (kept, door) = (Arc::clone(&kept), Arc::clone(&door));
        async move {
            let asked: Value = serde_json::from_slice(&body).unwrap();
            let answer = json!({ "offers": [offer(&asked)] }).to_string();
            let nonce = headers[NONCE].to_str().unwrap();
            let fresh = (door.sign(nonce, 200, answer.as_bytes()), answer);
            let (signature, answer) = kept.lock().unwrap().get_or_insert(fresh).clone();
            ([("content-type", "application/json"), (SIGNATURE, &signature)], answer).into_response()
        }
    };
    let filler = filler(&serve(Router::new().fallback(replay)).await);
    assert!(filler.quote(&ask()).await.is_ok());
    for _ in 0..3 {
        let words = nonsense(filler.quote(&ask()).await.unwrap_err());
        assert!(words.contains("not signed for this call"), "{words}");
    }
}

#[tokio::test]
async fn an_answer_with_another_secret_or_none_is_a_fault() {
    let stranger = Arc::new(Doorkeeper::new(Secret::new("wrong horse battery staple").unwrap()));
    let answer = |asked: &[u8]| {
        let asked: Value = serde_json::from_slice(asked).unwrap();
        json!({ "offers": [offer(&asked)] }).to_string()
    };
    let wrong = move |headers: HeaderMap, body: Bytes| async move {
        signed(&stranger, headers[NONCE].to_str().unwrap(), answer(&body))
    };
    assert!(nonsense(fault(&serve(Router::new().fallback(wrong)).await).await).contains("not signed"));
    let unsigned = move |body: Bytes| async move {
        let answer: Response = ([("content-type", "application/json")], answer(&body)).into_response();
        answer
    };
    assert!(nonsense(fault(&serve(Router::new().fallback(unsigned)).await).await).contains("not signed"));
}

#[tokio::test]
async fn its_own_trouble_may_pass_and_what_it_does_not_understand_does_not() {
    for (status, passes) in [(500, true), (503, true), (429, true), (400, false), (401, false), (404, false)]
    {
        let status = axum::http::StatusCode::from_u16(status).unwrap();
        let url = serve(Router::new().fallback(move || async move { (status, "no") })).await;
        assert_eq!(fault(&url).await.is_retryable(), passes, "{status}");
    }
}
