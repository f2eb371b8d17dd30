//! The transport, against a server with fixed responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::RampError;
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::{RunningServer, json, listen, serve};
use causeway_onramps::transport::{ApiRequest, RetryPolicy, Transport};

const RETRY_POLICY: RetryPolicy =
    RetryPolicy { total: Duration::from_secs(2), attempts: 3, first_backoff: Duration::from_millis(5) };

/// A server with one response, and a counter.
async fn server(
    answer: impl Fn() -> Response + Clone + Send + Sync + 'static,
) -> (RunningServer, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    let all = move || {
        seen.fetch_add(1, Ordering::Relaxed);
        let answer = answer();
        async move { answer }
    };
    let (listener, origin) = listen(0).await.unwrap();
    (serve(listener, origin, Router::new().fallback(all)), count)
}

fn error_text(error: &RampError) -> String {
    error.to_string()
}

#[tokio::test]
async fn non_idempotent_request_is_sent_once() {
    let (server, count) = server(|| StatusCode::BAD_GATEWAY.into_response()).await;
    let transport = Transport::new(RETRY_POLICY).unwrap();
    let post = ApiRequest::post(server.origin.clone(), &"buy").unwrap();
    assert!(matches!(transport.send(&post).await, Err(RampError::Unavailable(_))));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert!(transport.send(&post.retryable()).await.is_err());
    assert_eq!(count.load(Ordering::Relaxed), 4, "an idempotent POST is retried like a GET");
    assert!(transport.send(&ApiRequest::get(server.origin.clone())).await.is_err());
    assert_eq!(count.load(Ordering::Relaxed), 7);
}

#[tokio::test]
async fn oversized_response_is_rejected() {
    let (server, _) = server(|| json(format!("\"{}\"", "x".repeat(400_000)))).await;
    let transport = Transport::new(RETRY_POLICY).unwrap();
    let call = ApiRequest::get(server.origin.clone());
    let error = transport.send(&call).await.unwrap_err();
    assert!(error_text(&error).contains("longer than"), "{error}");
    let answer = transport.send(&call.max_bytes(500_000)).await.unwrap();
    assert_eq!(answer.body.len(), 400_002);
}

#[tokio::test]
async fn redirect_is_not_followed_even_to_the_same_host() {
    let (server, count) =
        server(|| (StatusCode::FOUND, [(header::LOCATION, "/again")]).into_response()).await;
    let transport = Transport::new(RETRY_POLICY).unwrap();
    let error = transport.send(&ApiRequest::get(server.origin.clone())).await.unwrap_err();
    assert!(matches!(error, RampError::Nonsense(_)), "{error}");
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn errors_contain_no_keys() {
    let transport = Transport::new(RETRY_POLICY).unwrap();
    // Nothing listens there.
    let call = ApiRequest::get("http://127.0.0.1:1/v3/currencies?apiKey=pk_secret".to_owned());
    let call = call.secret_header("authorization", &SecretText::new("sk_secret")).unwrap();
    let error = transport.send(&call).await.unwrap_err();
    assert!(
        !error_text(&error).contains("secret") && !format!("{error:?} {call:?}").contains("secret"),
        "{error:?}"
    );
    assert!(call.secret_header("authorization", &SecretText::new("line\nbreak")).is_err());
}
