//! Quotes: what the endpoint costs beside a bare handler, how long it takes at half of its rate, and how soon streamed routes
//! arrive.
//!
//! The clients run beside the servers on the same cores; every server bears the same clients.

mod filler;
mod load;
mod server;
mod streams;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use causeway_benchmarks::percentile;
use causeway_domain::Quote;
use causeway_domain::ports::QuoteStore as _;
use causeway_store::{Location, Store};
use causeway_wire::QuoteAnswer;

use crate::filler::BenchFiller;
use crate::load::{body_of, paced, rate};

/// The allocator of the binary, for all servers.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CONNECTIONS: usize = 256;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = async |name: &str| {
        let location = Location::Sqlite(folder.path().join(name));
        Arc::new(Store::open(&location).await.expect("the store opens"))
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    println!("{CONNECTIONS} connections, {cores} cores, best of {ROUNDS} rounds each, taken in turn\n");
    rates(open("rates.db").await, open("beside.db").await).await;
    streams::measure(open("streams.db").await).await;
}

/// Requests per second of the endpoint with fillers that answer at once, beside handlers that do less.
async fn rates(store: Arc<Store>, beside: Arc<Store>) {
    let fillers = [("north", 0), ("south", 3), ("west", 7)];
    let fillers = fillers.map(|(name, worse)| BenchFiller::at_once(name, worse));
    let ours = server::ours(Arc::clone(&store), &fillers).await;
    let body = body_of(ours).await;
    let size = body.len();
    let like = stored(&store, &body).await;
    let bare = server::bare(body.clone()).await;
    let writing = server::writing(body, beside, like).await;
    let mut best = [0.0_f64; 3];
    for _ in 0..ROUNDS {
        for (best, server) in best.iter_mut().zip([bare, writing, ours]) {
            *best = best.max(rate(server, CONNECTIONS, ROUND).await);
        }
    }
    println!(
        "| answer of {size} bytes | requests/s | of the bare handler | of the one that writes |\n|---|---|---|---|"
    );
    let names = [
        "bare handler, same request and size",
        "the same, and the same batched write",
        "quotes, three fillers, durable",
    ];
    for (name, rate) in names.into_iter().zip(best) {
        println!("| {name} | {rate:.0} | {:.2} | {:.2} |", rate / best[0], rate / best[1]);
    }
    let half = best[2] / 2.0;
    let times = paced(ours, CONNECTIONS, half, ROUND * 2).await;
    println!("\n| at half of its rate | median | p99 | slowest |\n|---|---|---|---|");
    let of = |percent| percentile(&times, percent);
    println!("| {half:.0} requests/s | {:.1?} | {:.1?} | {:.1?} |\n", of(50), of(99), of(100));
}

/// The quote that was answered, as the store has it.
async fn stored(store: &Store, answer: &str) -> Quote {
    let answer: QuoteAnswer = serde_json::from_str(answer).expect("a quote");
    let id = answer.quote_id.parse().expect("an id");
    store.quote(&id).await.expect("the store answers").expect("the quote is stored")
}
