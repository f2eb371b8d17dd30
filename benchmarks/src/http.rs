//! Requests per second of real routes against an axum route that returns a constant string of the same size.
//!
//! Client and servers share the cores; both servers get the same client.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use causeway_benchmarks::plain_service;
use causeway_engine::WatchOrders;
use causeway_store::{Location, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

const CONNECTIONS: usize = 32;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(1_500);

const QR: &str = "/api/qrcode/transfer?amount=1.5&recipient=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\
                  &caip2=eip155:8453&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&decimals=6";
const ROUTES: [(&str, &str); 3] = [
    ("QR transfer", QR),
    ("icon", "/v1/chain/8453/icon"),
    ("search", "/v1/tokens/search?q=usdc&chainIds=8453"),
];

pub(crate) async fn measure_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = start(service(folder.path()).await).await;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    println!("{CONNECTIONS} connections, {cores} cores, best of {ROUNDS} rounds each, taken in turn");
    println!("| route | bytes | requests/s | constant string, requests/s | ratio |\n|---|---|---|---|---|");
    for (name, path) in ROUTES {
        let body = body_of(service, path).await;
        let size = body.len();
        let constant = start(Router::new().route("/constant", get(async move || body.clone()))).await;
        let (mut ours, mut plain) = (0.0_f64, 0.0_f64);
        for _ in 0..ROUNDS {
            plain = plain.max(rate(constant, "/constant").await);
            ours = ours.max(rate(service, path).await);
        }
        println!("| {name} | {size} | {ours:.0} | {plain:.0} | {:.2} |", ours / plain);
    }
}

async fn service(folder: &std::path::Path) -> Router {
    let store =
        Arc::new(Store::open(&Location::Sqlite(folder.join("bench.db"))).await.expect("the store opens"));
    let watch_orders = Arc::new(WatchOrders::new(store.clone()));
    causeway_http::router(plain_service(store, watch_orders).await, Router::new())
}

async fn start(router: Router) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(causeway_http::serve(
        listener,
        router,
        causeway_http::ConnectionLimits::NONE,
        CancellationToken::new(),
        Duration::ZERO,
    ));
    address
}

async fn body_of(address: std::net::SocketAddr, path: &str) -> String {
    let response = reqwest::get(format!("http://{address}{path}")).await.expect("an answer");
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.expect("a body")
}

async fn rate(address: std::net::SocketAddr, path: &str) -> f64 {
    let start = Instant::now();
    let clients: Vec<_> =
        (0..CONNECTIONS).map(|_| tokio::spawn(run_client(address, path.to_owned(), start))).collect();
    let mut count = 0_usize;
    for client in clients {
        count += client.await.expect("the client ends");
    }
    count as f64 / start.elapsed().as_secs_f64()
}

/// Sends the same request repeatedly on one connection.
async fn run_client(address: std::net::SocketAddr, path: String, start: Instant) -> usize {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("no delay");
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let (mut buffer, mut count) = (vec![0; 256 * 1024], 0);
    while start.elapsed() < ROUND {
        stream.write_all(request.as_bytes()).await.expect("the request is sent");
        let mut filled = 0;
        loop {
            let read = stream.read(&mut buffer[filled..]).await.expect("an answer");
            assert_ne!(read, 0, "the server closed the connection");
            filled += read;
            if is_complete(&buffer[..filled]) {
                break;
            }
        }
        count += 1;
    }
    count
}

fn is_complete(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.split("\r\n").next()?.parse::<usize>().ok());
    answer.len() >= end + 4 + length.expect("a content length")
}
