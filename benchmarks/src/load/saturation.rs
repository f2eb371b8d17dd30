use std::path::Path;
use std::time::{Duration, Instant};

use causeway_benchmarks::percentile;
use futures::future::join_all;

use crate::load::Scale;
use crate::load::stand::{Setup, Stand};
use crate::orders::chains::Chains;
use crate::orders::service::SwapParams;

/// How long the services go on after the last fill: claims are part of an order.
const CLAIMS: Duration = Duration::from_secs(12);

/// Whole swaps with more and more wallets at a time.
pub(crate) async fn measure(binary: &Path, scale: &Scale) {
    println!(
        "| store | at a time | filled | orders/s | submit to filled, median | p99 | service, ms an order | chains | clients | database |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for setup in Setup::ALL {
        let Some(stand) = Stand::start(binary, setup) else {
            eprintln!("{} is left out: set CAUSEWAY_TEST_POSTGRES", setup.name());
            continue;
        };
        for (wallets, orders) in scale.at_a_time {
            measure_one(&stand, &setup.name(), *wallets, *orders).await;
        }
    }
}

async fn measure_one(stand: &Stand, setup: &str, wallet_count: usize, orders: usize) {
    let (service, chains) = (stand.client(), Chains::new(&stand.chains.url));
    let wallets = chains.wallets(&format!("{wallet_count} at a time"), wallet_count).await;
    let (before, started) = (stand.spent(), Instant::now());
    let runs = wallets.into_iter().map(|mut wallet| {
        let (service, chains) = (service.clone(), chains.clone());
        tokio::spawn(async move {
            let mut times = Vec::new();
            for number in 0..orders {
                let params = SwapParams::for_wallet(&wallet, number);
                times.push(service.swap(&chains, &mut wallet, &params).await);
            }
            times
        })
    });
    let runs = join_all(runs).await;
    let elapsed = started.elapsed();
    tokio::time::sleep(CLAIMS).await;
    let spent = stand.spent().since(before);
    let times: Vec<Option<Duration>> =
        runs.into_iter().flat_map(|run| run.expect("a client does not panic")).collect();
    let requested = times.len();
    let mut times: Vec<Duration> = times.into_iter().flatten().collect();
    times.sort_unstable();
    let [median, p99] = [50, 99].map(|percent| percentile(&times, percent));
    let [services, chains, clients, database] = spent.each(times.len());
    let database = if stand.is_postgres { format!("{database:.1}") } else { String::new() };
    println!(
        "| {setup} | {wallet_count} | {} of {requested} | {:.1} | {median:.2?} | {p99:.2?} | {services:.1} | {chains:.1} | {clients:.1} | {database} |",
        times.len(),
        times.len() as f64 / elapsed.as_secs_f64(),
    );
}
