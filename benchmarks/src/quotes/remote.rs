//! Quotes with three immediate fillers over HTTP on loopback: requests per second, and how many responses miss a route.
//! Clients, service and fillers share the machine.
//!
//! `quotes remote --target URL` also measures another aggregator, with `--body FILE` as its request. It may use the same three
//! fillers, which listen on `--port N` and the two ports after it, and answer every path but `/quote`: a GET with `--assets FILE`, all
//! else with `--answer FILE`.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::U256;
use axum::Router;
use axum::http::Method;
use causeway_benchmarks::cpu_time;
use causeway_domain::ports::Filler;
use causeway_domain::{Address, ChainId, DepositMethod, IntentTerms, RawAmount};
use causeway_fillers::remote::protocol::{OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};
use causeway_fillers::remote::{RemoteConfig, RemoteFiller, Secret, server as filler_server};
use causeway_store::Store;
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::quotes::load::{Client, head};
use crate::quotes::server;

const SECRET: &str = "correct horse battery staple";
const NAMES: [(&str, u64); 3] = [("north", 0), ("south", 3), ("west", 7)];
const CONNECTIONS: [usize; 3] = [8, 32, 128];
const WARM_UP: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_secs(4);
const ROUNDS: usize = 3;

/// Command line options: another aggregator to compare with.
#[derive(Default)]
pub(crate) struct RemoteOptions {
    target: Option<(Url, String)>,
    port: u16,
    answer: String,
    assets: String,
}

impl RemoteOptions {
    /// Reads the command line.
    pub(crate) fn read(arguments: &[String]) -> Self {
        let after = |name: &str| {
            let place = arguments.iter().position(|argument| argument == name)?;
            Some(arguments.get(place + 1).unwrap_or_else(|| panic!("{name} needs a value")).clone())
        };
        let file = |name: &str| after(name).map(|file| std::fs::read_to_string(file).expect("a file"));
        let body = file("--body").unwrap_or_default();
        Self {
            target: after("--target").map(|url| (url.parse().expect("a URL"), body)),
            port: after("--port").map_or(0, |port| port.parse().expect("a port")),
            answer: file("--answer").unwrap_or_default(),
            assets: file("--assets").unwrap_or_default(),
        }
    }
}

/// Answers immediately.
struct ImmediateFiller(u64);

impl filler_server::FillerHandler for ImmediateFiller {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer {
        let amount: RawAmount = ask.amount.parse().expect("digits");
        let out = amount.get() / U256::from(10_000) * U256::from(9_990 - self.0);
        let account = Address::parse_any(&ask.from_address).expect("an address");
        Ok(ask.offer(amount, RawAmount::new(out), account, Duration::from_secs(30))).into()
    }

    fn order(self: &Arc<Self>, _: OrderNotice, _: IntentTerms) -> OrderAnswer {
        OrderAnswer::declined("benchmark only")
    }
}

async fn filler(port: u16, bps_below_best: u64, options: &RemoteOptions) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let secret = Secret::new(SECRET).expect("long enough");
    let (answer, assets) = (options.answer.clone(), options.assets.clone());
    let other = async move |method: Method| {
        let text = if method == Method::GET { assets.clone() } else { answer.clone() };
        ([("content-type", "application/json")], text)
    };
    let router = filler_server::router(secret, Arc::new(ImmediateFiller(bps_below_best)));
    let router = router.merge(Router::new().fallback(other));
    tokio::spawn(causeway_http::serve(
        listener,
        router,
        causeway_http::ConnectionLimits::NONE,
        CancellationToken::new(),
        Duration::ZERO,
    ));
    address
}

fn remote(name: &str, address: SocketAddr) -> Arc<dyn Filler> {
    let methods = vec![DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
    let chains = [1, 8453].map(|id| (ChainId::new(id).expect("a chain"), methods.clone()));
    let config = RemoteConfig {
        name: name.to_owned(),
        url: format!("http://{address}"),
        secret: Secret::new(SECRET).expect("long enough"),
        deadline: Duration::from_secs(2),
        public_only: false,
    };
    Arc::new(RemoteFiller::new(config, HashMap::from(chains)).expect("a filler"))
}

pub(crate) async fn measure(store: Arc<Store>, options: &RemoteOptions) {
    let mut fillers = Vec::new();
    for (index, (name, bps_below_best)) in (0..).zip(NAMES) {
        let port = if options.port == 0 { 0 } else { options.port + index };
        fillers.push(remote(name, filler(port, bps_below_best, options).await));
    }
    let ours = server::ours(store, fillers).await;
    println!(
        "\n| three fillers over HTTP, best of {ROUNDS} rounds | connections | quotes/s | without every route | processor time |"
    );
    println!("|---|---|---|---|---|");
    for connections in CONNECTIONS {
        best("Causeway", connections, async || round(ours, connections).await).await;
        if let Some((url, body)) = &options.target {
            let target = Target::new(url, body).await;
            best("target", connections, async || target.round(connections).await).await;
        }
    }
}

/// The result of a round.
#[derive(Clone, Copy, Default)]
struct Count {
    complete: u32,
    incomplete: u32,
}

impl Count {
    fn add(&mut self, complete: bool) {
        *(if complete { &mut self.complete } else { &mut self.incomplete }) += 1;
    }
}

async fn best(name: &str, connections: usize, mut round: impl AsyncFnMut() -> (Count, Duration)) {
    let (mut rate, mut least, mut all) = (0.0_f64, Duration::MAX, Count::default());
    for _ in 0..ROUNDS {
        let cpu = cpu_time("self");
        let (count, time) = round().await;
        rate = rate.max(f64::from(count.complete) / time.as_secs_f64());
        least = least.min(cpu_time("self").saturating_sub(cpu) / (count.complete + count.incomplete).max(1));
        all.complete += count.complete;
        all.incomplete += count.incomplete;
    }
    println!(
        "| {name} | {connections} | {rate:.0} | {} of {} | {least:.1?} |",
        all.incomplete,
        all.complete + all.incomplete
    );
}

/// Runs clients that send the next request after each response; the warm-up does not count.
async fn run_clients<F: Future<Output = Count> + Send + 'static>(
    connections: usize,
    ask: impl Fn(Instant, Instant) -> F,
) -> (Count, Duration) {
    let start = Instant::now() + WARM_UP;
    let clients: Vec<_> = (0..connections).map(|_| tokio::spawn(ask(start, start + ROUND))).collect();
    let mut all = Count::default();
    for client in clients {
        let count = client.await.expect("the client ends");
        all.complete += count.complete;
        all.incomplete += count.incomplete;
    }
    (all, ROUND)
}

async fn round(address: SocketAddr, connections: usize) -> (Count, Duration) {
    run_clients(connections, |start, end| async move {
        let (mut client, mut count) = (Client::connect(address).await, Count::default());
        while Instant::now() < end {
            client.send("/v1/quotes").await;
            let answer = client.read_until(is_complete).await;
            let routes = answer.windows(9).filter(|bytes| bytes == b"\"routeId\"").count();
            let whole = routes == NAMES.len();
            if Instant::now() >= start {
                count.add(whole);
            }
        }
        count
    })
    .await
}

/// Another aggregator that gets the same request repeatedly.
struct Target {
    address: SocketAddr,
    request: Arc<Vec<u8>>,
}

impl Target {
    async fn new(url: &Url, body: &str) -> Self {
        let (host, port) = (url.host_str().expect("a host"), url.port_or_known_default().expect("a port"));
        let address = tokio::net::lookup_host((host, port)).await.expect("an address").next().expect("one");
        let request = format!(
            "POST {} HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            url.path(),
            body.len()
        );
        Self { address, request: Arc::new(request.into_bytes()) }
    }

    async fn round(&self, connections: usize) -> (Count, Duration) {
        let (address, request) = (self.address, Arc::clone(&self.request));
        run_clients(connections, move |start, end| {
            let request = Arc::clone(&request);
            async move {
                let mut stream = TcpStream::connect(address).await.expect("a connection");
                stream.set_nodelay(true).expect("no delay");
                let (mut buffer, mut count) = (vec![0; 256 * 1024], Count::default());
                while Instant::now() < end {
                    stream.write_all(&request).await.expect("the request is sent");
                    let whole = read(&mut stream, &mut buffer).await;
                    if Instant::now() >= start {
                        count.add(whole);
                    }
                }
                count
            }
        })
        .await
    }
}

/// Reads one response; whether it is a success.
async fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> bool {
    let mut filled = 0;
    while !is_complete(&buffer[..filled]) {
        let read = stream.read(&mut buffer[filled..]).await.expect("an answer");
        assert_ne!(read, 0, "the target closed the connection");
        filled += read;
    }
    buffer.starts_with(b"HTTP/1.1 200")
}

/// Whether the response is complete.
fn is_complete(answer: &[u8]) -> bool {
    let Some(head) = head(answer) else { return false };
    let text = String::from_utf8_lossy(&answer[..head]).to_lowercase();
    match text.lines().find_map(|line| line.strip_prefix("content-length:")) {
        Some(length) => answer.len() >= head + length.trim().parse::<usize>().expect("a number"),
        None => answer.ends_with(b"\r\n0\r\n\r\n"),
    }
}
