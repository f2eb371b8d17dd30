use causeway_client::{Client, wire::QuoteAsk};
use futures::{FutureExt as _, StreamExt as _};

use crate::server::Server;
use crate::table::Behaviour;

async fn server(behaviour: serde_json::Value) -> Server {
    let behaviour: Behaviour = serde_json::from_value(behaviour).unwrap();
    Server::start(vec![behaviour]).await
}

#[tokio::test]
async fn dropping_a_future_closes_the_connection() {
    let mut server = server(serde_json::json!({ "end": "hang" })).await;
    let client = Client::new(&server.url).unwrap();
    let request = tokio::spawn(async move { client.chains().await });
    server.responded.recv().await.unwrap();
    request.abort();
    server.disconnected.recv().await.unwrap();
}

#[tokio::test]
async fn dropping_a_stream_closes_the_connection() {
    let mut server =
        server(serde_json::json!({ "status": 200, "lines": [], "chunks": null, "end": "hang" })).await;
    let client = Client::new(&server.url).unwrap();
    let mut routes = Box::pin(client.stream_quotes(&QuoteAsk::default()).await.unwrap());
    assert!(routes.next().now_or_never().is_none());
    drop(routes);
    server.disconnected.recv().await.unwrap();
}

#[tokio::test]
async fn unreachable_service_is_a_transient_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = Client::new(&format!("http://{address}")).unwrap().chains().await.unwrap_err();
    assert!(error.is_transient());
    assert!(error.to_string().contains("refused"), "{error}");
}
