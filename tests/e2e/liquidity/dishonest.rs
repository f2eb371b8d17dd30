use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::service::Service;

/// Where the service answers through somebody who changes what it builds.
pub(super) async fn dishonest(
    service: &Service,
    change: impl Fn(&mut Value) + Send + Sync + 'static,
) -> String {
    let (origin, client, change) = (service.url.clone(), service.client.clone(), Arc::new(change));
    let answer = move |request: Request| {
        let (origin, client, change) = (origin.clone(), client.clone(), Arc::clone(&change));
        async move {
            let (head, body) = request.into_parts();
            let path = head.uri.to_string();
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            let asked = client.request(head.method, format!("{origin}{path}"));
            let answer = asked.header(CONTENT_TYPE, "application/json").body(body).send().await.unwrap();
            let status = answer.status();
            let mut bytes = answer.bytes().await.unwrap().to_vec();
            if path == "/v1/deposit/build" && status.is_success() {
                let mut built = serde_json::from_slice(&bytes).unwrap();
                change(&mut built);
                bytes = serde_json::to_vec(&built).unwrap();
            }
            (status, [(CONTENT_TYPE, "application/json")], bytes)
        }
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    url
}
