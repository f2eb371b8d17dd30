use std::time::{Duration, Instant};

use causeway_benchmarks::percentile;
use futures::future::join_all;

use crate::orders::Scale;
use crate::orders::chains::Chains;
use crate::orders::service::{Service, SwapParams};

/// Measures whole swaps, first sequentially, then concurrently with many wallets.
pub(crate) async fn measure(service: &Service, chains: &Chains, scale: &Scale) {
    println!("| at a time | filled | orders/s | submit to filled, median | p99 | median, of one alone |");
    println!("|---|---|---|---|---|---|");
    let mut sequential_median = None;
    for (wallet_count, orders) in [(1, scale.sequential), (scale.wallets, scale.orders_per_wallet)] {
        let wallets = chains.wallets(&format!("one of {wallet_count}"), wallet_count).await;
        let started = Instant::now();
        let runs = wallets.into_iter().map(|mut wallet| async move {
            let mut times = Vec::new();
            for number in 0..orders {
                let params = SwapParams::for_wallet(&wallet, number);
                times.push(service.swap(chains, &mut wallet, &params).await);
            }
            times
        });
        let times: Vec<Option<Duration>> = join_all(runs).await.into_iter().flatten().collect();
        let elapsed = started.elapsed();
        let requested = times.len();
        let mut times: Vec<Duration> = times.into_iter().flatten().collect();
        times.sort_unstable();
        let [median, p99] = [50, 99].map(|percent| percentile(&times, percent));
        let sequential_median = *sequential_median.get_or_insert(median);
        println!(
            "| {wallet_count} | {} of {requested} | {:.1} | {median:.2?} | {p99:.2?} | {:.2} |",
            times.len(),
            times.len() as f64 / elapsed.as_secs_f64(),
            median.as_secs_f64() / sequential_median.as_secs_f64(),
        );
    }
}
