//! Quotes: cost of the endpoint compared with a bare handler, latency at half of its maximum rate, latency of streamed
//! routes, and throughput with fillers over HTTP.
//!
//! Clients and servers share the cores; every server gets the same clients.

mod filler;
mod load;
mod remote;
mod routers;
mod server;
mod streams;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use causeway_benchmarks::percentile;
use causeway_domain::ports::Filler;
use causeway_store::{Location, Store};

use crate::quotes::filler::BenchFiller;
use crate::quotes::load::{Speed, body_of, paced, rate};

/// Unless the command line says otherwise.
const CONNECTIONS: usize = 256;
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_secs(1);
const PACED_ROUNDS: usize = 5;
const PACED_ROUND: Duration = Duration::from_secs(2);

const NAMES: [&str; 2] = ["bare handler, same request and size", "quotes, three fillers, sealed"];

pub(crate) async fn measure_all(arguments: Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let open = async |name: &str| {
        let location = Location::Sqlite(folder.path().join(name));
        Arc::new(Store::open(&location).await.expect("the store opens"))
    };
    if arguments.first().is_some_and(|name| name == "remote") {
        return remote::measure(open("remote.db").await, &remote::RemoteOptions::read(&arguments)).await;
    }
    if arguments.first().is_some_and(|name| name == "routers") {
        return routers::measure(open("routers.db").await, arguments.get(1)).await;
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let connections = arguments.first().map_or(CONNECTIONS, |count| count.parse().expect("a number"));
    println!("{connections} connections, {cores} cores, medians of {ROUNDS} rounds, taken in turn\n");
    rates(connections, open("rates.db").await).await;
    streams::measure(open("streams.db").await).await;
    remote::measure(open("remote.db").await, &remote::RemoteOptions::default()).await;
}

/// Requests per second of the endpoint with immediate fillers, compared with simpler handlers.
async fn rates(connections: usize, store: Arc<Store>) {
    let ours = server::ours(store, immediate_fillers()).await;
    let body = body_of(ours).await;
    let size = body.len();
    let servers = [server::bare(body).await, ours];
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let mut round = [Speed::default(); 2];
        for (speed, server) in round.iter_mut().zip(servers) {
            *speed = rate(server, connections, ROUND).await;
        }
        rounds.push(round);
    }
    println!("| answer of {size} bytes | requests/s | of the bare handler | processor time |");
    println!("|---|---|---|---|");
    // Other load on the machine slows all servers of a round alike, so ratios are taken within rounds.
    let of = |this: usize, other: usize| {
        median(rounds.iter().map(|round| round[this].per_second / round[other].per_second))
    };
    let per_second = |this: usize| median(rounds.iter().map(|round| round[this].per_second));
    for (this, name) in NAMES.into_iter().enumerate() {
        let of_bare = of(this, 0);
        let cpu = Duration::from_secs_f64(median(rounds.iter().map(|round| round[this].cpu.as_secs_f64())));
        println!("| {name} | {:.0} | {of_bare:.2} | {cpu:.1?} |", per_second(this));
    }
    latency_at_half_rate(connections, ours, per_second(1) / 2.0).await;
}

fn immediate_fillers() -> Vec<Arc<dyn Filler>> {
    let fillers = [("north", 0), ("south", 3), ("west", 7)];
    fillers.map(|(name, bps)| BenchFiller::immediate(name, bps) as Arc<dyn Filler>).into()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Latency at half of the maximum rate, in the best round.
async fn latency_at_half_rate(connections: usize, server: SocketAddr, per_second: f64) {
    let mut best = [Duration::MAX; 3];
    for _ in 0..PACED_ROUNDS {
        let times = paced(server, connections, per_second, PACED_ROUND).await;
        best = best.min([99, 50, 100].map(|percent| percentile(&times, percent)));
    }
    let [p99, median, slowest] = best;
    println!("\n| at half of its rate | median | p99 | slowest |\n|---|---|---|---|");
    println!("| {per_second:.0} requests/s | {median:.1?} | {p99:.1?} | {slowest:.1?} |\n");
}
