use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use causeway_benchmarks::percentile;
use causeway_domain::ports::Filler;
use causeway_store::Store;

use crate::quotes::filler::BenchFiller;
use crate::quotes::load::Client;
use crate::quotes::server;

const RUNS: usize = 60;
const CLIENTS: usize = 1_000;
const FILLERS: [(&str, u64); 3] = [("fast", 5), ("middling", 50), ("slow", 200)];

/// Latency of routes with fillers that take 5, 50 and 200 ms.
pub(crate) async fn measure(store: Arc<Store>) {
    let fillers = FILLERS.map(|(name, millis)| BenchFiller::delayed(name, millis));
    let [fast, _, slow] = &fillers;
    let all = fillers.each_ref().map(|filler| Arc::clone(filler) as Arc<dyn Filler>).into();
    let address = server::ours(store, all).await;
    let (mut first, mut last, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    let mut client = Client::connect(address).await;
    for _ in 0..RUNS {
        let times = stream(&mut client).await;
        first.push(fast.answered_before(times.first));
        last.push(slow.answered_before(times.last));
        client.request_quote().await;
        plain.push(slow.answered_before(Instant::now()));
    }
    println!("| fillers at 5, 50 and 200 ms, {RUNS} runs | median | p99 |\n|---|---|---|");
    for (name, mut times) in [
        ("first streamed line, after the fastest filler's answer", first),
        ("end of the stream, after the slowest's", last),
        ("plain answer, after the slowest's", plain),
    ] {
        times.sort_unstable();
        println!("| {name} | {:.1?} | {:.1?} |", percentile(&times, 50), percentile(&times, 99));
    }
    println!("\n{}", concurrent_streams(address).await);
}

struct StreamTimes {
    first: Instant,
    last: Instant,
    lines: usize,
}

/// Requests a stream and measures when its first line and its end arrive.
async fn stream(client: &mut Client) -> StreamTimes {
    client.send("/v1/quotes?mode=stream").await;
    let mut first = None;
    let answer = client
        .read_until(|answer| {
            if first.is_none() && lines(answer) > 0 {
                first = Some(Instant::now());
            }
            answer.ends_with(b"\r\n0\r\n\r\n")
        })
        .await;
    let lines = lines(answer);
    StreamTimes { first: first.expect("a line"), last: Instant::now(), lines }
}

fn lines(answer: &[u8]) -> usize {
    answer.windows(2).filter(|bytes| *bytes == b"}\n").count()
}

/// Streams with a thousand concurrent clients and counts those that got every route.
async fn concurrent_streams(address: SocketAddr) -> String {
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(Client::connect(address).await);
    }
    let start = Instant::now();
    let streams: Vec<_> = clients
        .into_iter()
        .map(|mut client| tokio::spawn(async move { stream(&mut client).await.lines }))
        .collect();
    let mut complete = 0;
    for stream in streams {
        complete += usize::from(stream.await.expect("the client ends") == FILLERS.len());
    }
    format!(
        "{CLIENTS} clients streaming at once: {complete} got every route, the last after {:.0?}",
        start.elapsed()
    )
}
