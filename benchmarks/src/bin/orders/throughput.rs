use std::time::{Duration, Instant};

use causeway_benchmarks::percentile;
use futures::future::join_all;

use crate::Scale;
use crate::chains::Chains;
use crate::service::{Service, Wish};

/// Orders through the whole path: first one after the other, then as many side by side as there are wallets.
pub(crate) async fn measure(service: &Service, chains: &Chains, scale: &Scale) {
    println!("| at a time | filled | orders/s | submit to filled, median | p99 | median, of one alone |");
    println!("|---|---|---|---|---|---|");
    let mut alone = None;
    for (lanes, each) in [(1, scale.alone), (scale.lanes, scale.each)] {
        let wallets = chains.wallets(&format!("lane of {lanes}"), lanes).await;
        let begun = Instant::now();
        let lanes_run = wallets.into_iter().map(|mut wallet| async move {
            let mut times = Vec::new();
            for number in 0..each {
                let wish = Wish::of(&wallet, number);
                times.push(service.swap(chains, &mut wallet, &wish).await);
            }
            times
        });
        let times: Vec<Option<Duration>> = join_all(lanes_run).await.into_iter().flatten().collect();
        let whole = begun.elapsed();
        let asked = times.len();
        let mut times: Vec<Duration> = times.into_iter().flatten().collect();
        times.sort_unstable();
        let [median, p99] = [50, 99].map(|percent| percentile(&times, percent));
        let alone = *alone.get_or_insert(median);
        println!(
            "| {lanes} | {} of {asked} | {:.1} | {median:.2?} | {p99:.2?} | {:.2} |",
            times.len(),
            times.len() as f64 / whole.as_secs_f64(),
            median.as_secs_f64() / alone.as_secs_f64(),
        );
    }
}
