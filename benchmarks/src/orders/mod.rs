//! Swap orders with the real binary: throughput from submit to filled, and the chain calls and memory of open orders.
//!
//! The chains run in a separate process, on the same cores as service and clients. Usage: `orders PATH-TO-CAUSEWAY`, or set
//! `CAUSEWAY_BIN`; `--quick` uses few orders, to test the benchmark itself.

pub(crate) mod chains;
mod open_orders;
pub(crate) mod process;
mod proxy;
pub(crate) mod service;
mod throughput;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::orders::chains::Chains;
use crate::orders::open_orders::OpenOrders;
use crate::orders::process::Process;
use crate::orders::proxy::Proxy;
use crate::orders::service::Service;

/// How much is measured.
struct Scale {
    /// Sequential orders.
    sequential: usize,
    /// Concurrent wallets, and the orders of each.
    wallets: usize,
    orders_per_wallet: usize,
    /// How many orders are open at each stage.
    open: &'static [usize],
    /// How long calls are counted at each stage.
    window: Duration,
    /// Initial wait until unused chains slow down their block production.
    warm_up: Duration,
}

const FULL: Scale = Scale {
    sequential: 10,
    wallets: 128,
    orders_per_wallet: 4,
    open: &[10, 100, 1_000, 10_000],
    window: Duration::from_secs(20),
    warm_up: Duration::from_secs(65),
};
const QUICK: Scale = Scale {
    sequential: 2,
    wallets: 10,
    orders_per_wallet: 2,
    open: &[10, 100],
    window: Duration::from_secs(10),
    warm_up: Duration::ZERO,
};

pub(crate) async fn measure_all(mut arguments: Vec<String>) {
    let given = arguments.len();
    arguments.retain(|argument| argument != "--quick");
    let scale = if arguments.len() < given { QUICK } else { FULL };
    let binary = arguments.pop().or_else(|| std::env::var("CAUSEWAY_BIN").ok());
    let binary = PathBuf::from(binary.expect("usage: orders [--quick] PATH-TO-CAUSEWAY"));
    measure_throughput(&binary, &scale).await;
    println!();
    measure_open_orders(&binary, &scale).await;
}

async fn measure_throughput(binary: &Path, scale: &Scale) {
    let chains = Process::chains(binary);
    let service = Process::service(binary, &chains.url);
    throughput::measure(&Service::new(&service.url), &Chains::new(&chains.url), scale).await;
}

async fn measure_open_orders(binary: &Path, scale: &Scale) {
    let chains = Process::chains(binary);
    let proxy = Proxy::start(&chains.url).await;
    let process = Process::service(binary, &proxy.url);
    let (service, wallets) = (Service::new(&process.url), Chains::new(&chains.url));
    OpenOrders { process: &process, service: &service, chains: &wallets, proxy: &proxy, scale }
        .measure()
        .await;
}
