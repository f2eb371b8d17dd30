//! Swap orders over the real binary: how many a second go from submit to filled, and what open orders cost in calls to the
//! chains and in memory.
//!
//! The chains run in a process of their own, and the clients beside both on the same cores. `orders PATH-TO-CAUSEWAY`, or the
//! binary in `CAUSEWAY_BIN`; with `--quick`, few orders, to try the benchmark itself.

mod chains;
mod open_orders;
mod process;
mod proxy;
mod service;
mod throughput;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chains::Chains;
use crate::open_orders::OpenOrders;
use crate::process::Process;
use crate::proxy::Proxy;
use crate::service::Service;

/// How much is measured.
struct Scale {
    /// Orders one after the other.
    alone: usize,
    /// Wallets side by side, and the orders of each.
    lanes: usize,
    each: usize,
    /// How many orders are open at each stage.
    open: &'static [usize],
    /// How long calls are counted at each stage.
    window: Duration,
    /// How long chains that nobody uses take to become slow, which is waited for first.
    calm: Duration,
}

const WHOLE: Scale = Scale {
    alone: 10,
    lanes: 128,
    each: 4,
    open: &[10, 100, 1_000, 10_000],
    window: Duration::from_secs(20),
    calm: Duration::from_secs(65),
};
const QUICK: Scale = Scale {
    alone: 2,
    lanes: 10,
    each: 2,
    open: &[10, 100],
    window: Duration::from_secs(10),
    calm: Duration::ZERO,
};

#[tokio::main]
async fn main() {
    causeway_benchmarks::install_tls();
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let whole = arguments.len();
    arguments.retain(|argument| argument != "--quick");
    let scale = if arguments.len() < whole { QUICK } else { WHOLE };
    let binary = arguments.pop().or_else(|| std::env::var("CAUSEWAY_BIN").ok());
    let binary = PathBuf::from(binary.expect("usage: orders [--quick] PATH-TO-CAUSEWAY"));
    speed(&binary, &scale).await;
    println!();
    open(&binary, &scale).await;
}

async fn speed(binary: &Path, scale: &Scale) {
    let chains = Process::chains(binary);
    let service = Process::service(binary, &chains.url);
    throughput::measure(&Service::new(&service.url), &Chains::new(&chains.url), scale).await;
}

async fn open(binary: &Path, scale: &Scale) {
    let chains = Process::chains(binary);
    let proxy = Proxy::start(&chains.url).await;
    let process = Process::service(binary, &proxy.url);
    let (service, wallets) = (Service::new(&process.url), Chains::new(&chains.url));
    OpenOrders { process: &process, service: &service, chains: &wallets, proxy: &proxy, scale }
        .measure()
        .await;
}
