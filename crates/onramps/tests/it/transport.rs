//! How any provider is asked, against a server that answers what it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::RampError;
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::{Served, json, listen, serve};
use causeway_onramps::transport::{Call, Patience, Transport};

const PATIENCE: Patience =
    Patience { total: Duration::from_secs(2), attempts: 3, first_wait: Duration::from_millis(5) };

/// A server that answers the same to everything, and counts.
async fn server(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> (Served, Arc<AtomicU32>) {
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

fn words(error: &RampError) -> String {
    error.to_string()
}

#[tokio::test]
async fn what_may_do_something_twice_is_sent_once() {
    let (served, count) = server(|| StatusCode::BAD_GATEWAY.into_response()).await;
    let transport = Transport::new(PATIENCE).unwrap();
    let post = Call::post(served.origin.clone(), &"buy").unwrap();
    assert!(matches!(transport.ask(&post).await, Err(RampError::Unavailable(_))));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert!(transport.ask(&post.repeatable()).await.is_err());
    assert_eq!(count.load(Ordering::Relaxed), 4, "what does no harm is tried as often as reading");
    assert!(transport.ask(&Call::get(served.origin.clone())).await.is_err());
    assert_eq!(count.load(Ordering::Relaxed), 7);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let (served, _) = server(|| json(format!("\"{}\"", "x".repeat(400_000)))).await;
    let transport = Transport::new(PATIENCE).unwrap();
    let call = Call::get(served.origin.clone());
    let error = transport.ask(&call).await.unwrap_err();
    assert!(words(&error).contains("longer than"), "{error}");
    let answer = transport.ask(&call.up_to(500_000)).await.unwrap();
    assert_eq!(answer.body.len(), 400_002);
}

#[tokio::test]
async fn a_redirect_is_not_followed_even_home() {
    let (served, count) =
        server(|| (StatusCode::FOUND, [(header::LOCATION, "/again")]).into_response()).await;
    let transport = Transport::new(PATIENCE).unwrap();
    let error = transport.ask(&Call::get(served.origin.clone())).await.unwrap_err();
    assert!(matches!(error, RampError::Nonsense(_)), "{error}");
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn no_key_reaches_an_error() {
    let transport = Transport::new(PATIENCE).unwrap();
    // Nobody listens there.
    let call = Call::get("http://127.0.0.1:1/v3/currencies?apiKey=pk_secret".to_owned());
    let call = call.secret_header("authorization", &SecretText::new("sk_secret")).unwrap();
    let error = transport.ask(&call).await.unwrap_err();
    assert!(
        !words(&error).contains("secret") && !format!("{error:?} {call:?}").contains("secret"),
        "{error:?}"
    );
    assert!(call.secret_header("authorization", &SecretText::new("line\nbreak")).is_err());
}
