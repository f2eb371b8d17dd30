//! What the service itself computes for a quote: the router alone, in one task, without clients, sockets and their parsers.
//!
//! `quotes routers COUNT` makes so many requests and no more, for a profiler that counts instructions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use causeway_store::Store;
use tower::ServiceExt as _;

use crate::quotes::load::unique_ask;
use crate::quotes::{immediate_fillers, median, server};

const ROUNDS: usize = 15;
const REQUESTS: u32 = 20_000;

pub(crate) async fn measure(store: Arc<Store>, count: Option<&String>) {
    let ours = server::router(store, immediate_fillers()).await;
    let body = answer(&ours).await;
    if let Some(count) = count {
        time(&ours, count.parse().expect("a number")).await;
        return;
    }
    let bare = server::bare_router(String::from_utf8(body).expect("text"));
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push([time(&bare, REQUESTS).await, time(&ours, REQUESTS).await]);
    }
    println!("| router alone, one core, median of {ROUNDS} rounds | a request |\n|---|---|");
    for (this, name) in super::NAMES.into_iter().enumerate() {
        let time = median(rounds.iter().map(|round| round[this].as_secs_f64()));
        println!("| {name} | {:.1?} |", Duration::from_secs_f64(time));
    }
    println!();
}

/// How long a request takes.
async fn time(router: &Router, count: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        answer(router).await;
    }
    start.elapsed() / count
}

async fn answer(router: &Router) -> Vec<u8> {
    let request = Request::post("/v1/quotes").header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(unique_ask())).expect("a request");
    let answer = router.clone().oneshot(request).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    to_bytes(answer.into_body(), usize::MAX).await.expect("a body").to_vec()
}
