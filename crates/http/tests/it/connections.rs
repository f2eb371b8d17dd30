//! What a client may hold of the server, over real connections.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use causeway_http::ConnectionLimits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const LIMITS: ConnectionLimits = ConnectionLimits {
    total: 100,
    per_address: 3,
    first_byte: Duration::from_millis(300),
    head: Duration::from_millis(800),
};

async fn start(limits: ConnectionLimits) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        "slow"
    };
    let router = Router::new().route("/", get(|| async { "here" })).route("/slow", get(slow));
    tokio::spawn(causeway_http::serve(listener, router, limits, CancellationToken::new(), Duration::ZERO));
    address
}

/// Reads until the server closes; what came, and how long it took.
async fn read_to_end(stream: &mut TcpStream) -> (String, Duration) {
    let begun = Instant::now();
    let mut text = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut text)).await.unwrap();
    (String::from_utf8(text).unwrap(), begun.elapsed())
}

#[tokio::test]
async fn a_connection_that_sends_nothing_or_no_whole_head_is_closed_at_its_deadline() {
    let address = start(LIMITS).await;
    for (sent, limit) in [("", LIMITS.first_byte), ("P", LIMITS.head), ("GET / HTT", LIMITS.head)] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let (_, took) = read_to_end(&mut stream).await;
        assert!(took + Duration::from_millis(100) >= limit, "{sent:?}: {took:?}");
        assert!(took < limit + Duration::from_secs(3), "{sent:?}: {took:?}");
    }
}

#[tokio::test]
async fn a_slow_answer_is_not_cut_by_the_deadlines_of_the_request() {
    let address = start(LIMITS).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.0\r\n\r\n").await.unwrap();
    let (text, _) = read_to_end(&mut stream).await;
    assert!(text.starts_with("HTTP/1.0 200") && text.ends_with("slow"), "{text}");
}

#[tokio::test]
async fn one_address_has_a_bounded_number_of_connections_and_is_told_so() {
    let address = start(ConnectionLimits { first_byte: Duration::from_mins(1), ..LIMITS }).await;
    let mut open = Vec::new();
    for _ in 0..LIMITS.per_address {
        open.push(TcpStream::connect(address).await.unwrap());
    }
    let mut more = TcpStream::connect(address).await.unwrap();
    let (text, _) = read_to_end(&mut more).await;
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 429") && head.contains("retry-after: 10"), "{head}");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["name"], "RateLimitedException");
    drop(open);
    // The places come back as soon as the server sees that they are closed.
    for _ in 0..100 {
        let mut again = TcpStream::connect(address).await.unwrap();
        again.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
        if read_to_end(&mut again).await.0.starts_with("HTTP/1.0 200") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the places never came back");
}
