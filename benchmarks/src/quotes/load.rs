use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use causeway_benchmarks::cpu_time;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Warm-up time of a paced run.
const WARM_UP: Duration = Duration::from_millis(300);

/// One client connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, buffer: vec![0; 64 * 1024] }
    }

    /// Sends a unique request, so that no response can be shared.
    pub(crate) async fn send(&mut self, path: &str) {
        let body = unique_ask();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await.expect("the request is sent");
    }

    /// Reads until `done` accepts the bytes received since the request.
    pub(crate) async fn read_until(&mut self, mut done: impl FnMut(&[u8]) -> bool) -> &[u8] {
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("an answer");
            assert_ne!(read, 0, "the server closed the connection");
            filled += read;
            if done(&self.buffer[..filled]) {
                return &self.buffer[..filled];
            }
        }
    }

    pub(crate) async fn request_quote(&mut self) -> &[u8] {
        self.send("/v1/quotes").await;
        let mut expected = 0;
        self.read_until(|answer| {
            if expected == 0 {
                expected = length(answer).unwrap_or(0);
            }
            expected != 0 && answer.len() >= expected
        })
        .await
    }
}

/// The body of a request that no other equals.
pub(crate) fn unique_ask() -> String {
    static AMOUNT: AtomicU64 = AtomicU64::new(1_000_000_000_000_000_000);
    let amount = AMOUNT.fetch_add(10_000, Ordering::Relaxed);
    format!(
        r#"{{"tradeType":"EXACT_INPUT","fromChainId":1,"fromToken":"0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE","toChainId":8453,"toToken":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","amount":"{amount}","fromAddress":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","slippageTolerance":0.005}}"#
    )
}

/// The length of an answer with its head, once the head is there.
fn length(answer: &[u8]) -> Option<usize> {
    let head = head(answer)?;
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(answer));
    let text = std::str::from_utf8(&answer[..head]).expect("a head is text");
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    Some(head + length.expect("a content length").trim().parse::<usize>().expect("a number"))
}

/// The length of an answer's head.
pub(crate) fn head(answer: &[u8]) -> Option<usize> {
    answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|at| at + 4)
}

pub(crate) async fn body_of(address: SocketAddr) -> String {
    let mut client = Client::connect(address).await;
    let answer = client.request_quote().await;
    let head = head(answer).expect("a head");
    String::from_utf8_lossy(&answer[head..]).into_owned()
}

/// The speed of a server, including its clients.
#[derive(Clone, Copy, Default)]
pub(crate) struct Speed {
    pub(crate) per_second: f64,
    /// CPU time per request, of all cores.
    pub(crate) cpu: Duration,
}

/// Requests per second when every connection sends the next request after each response.
pub(crate) async fn rate(address: SocketAddr, connections: usize, time: Duration) -> Speed {
    let (start, cpu) = (Instant::now(), cpu_time("self"));
    let ask = || async move {
        let (mut client, mut count) = (Client::connect(address).await, 0_u32);
        while start.elapsed() < time {
            client.request_quote().await;
            count += 1;
        }
        count
    };
    let clients: Vec<_> = (0..connections).map(|_| tokio::spawn(ask())).collect();
    let mut count = 0;
    for client in clients {
        count += client.await.expect("the client ends");
    }
    let per_second = f64::from(count) / start.elapsed().as_secs_f64();
    Speed { per_second, cpu: cpu_time("self").saturating_sub(cpu) / count }
}

/// Sorted latencies at a fixed request rate, each measured from the scheduled time.
pub(crate) async fn paced(
    address: SocketAddr,
    connections: usize,
    per_second: f64,
    time: Duration,
) -> Vec<Duration> {
    let every = Duration::from_secs_f64(connections as f64 / per_second);
    let mut connected = Vec::new();
    for _ in 0..connections {
        connected.push(Client::connect(address).await);
    }
    let start = Instant::now() + Duration::from_millis(50);
    let ask = |mut client: Client, mut due: Instant| async move {
        let mut times = Vec::new();
        while due < start + WARM_UP + time {
            tokio::time::sleep_until(due.into()).await;
            client.request_quote().await;
            if due >= start + WARM_UP {
                times.push(due.elapsed());
            }
            due += every;
        }
        times
    };
    let offset = |n: usize| every.mul_f64(n as f64 / connections as f64);
    let clients: Vec<_> = connected
        .into_iter()
        .enumerate()
        .map(|(n, client)| tokio::spawn(ask(client, start + offset(n))))
        .collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.expect("the client ends"));
    }
    times.sort_unstable();
    times
}
