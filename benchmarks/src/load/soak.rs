use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use causeway_benchmarks::resident_kb;
use futures::future::join_all;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::load::Scale;
use crate::load::stand::{Setup, Stand};
use crate::orders::chains::{Chains, Wallet};
use crate::orders::service::{Service, SwapParams};

/// Wallets of the soak.
const WALLETS: usize = 256;
/// Orders of each wallet in the run that finds out what saturation is.
const CALIBRATION: usize = 2;
/// The share of saturation.
const SHARE: f64 = 0.7;
/// How many lines the table has.
const SAMPLES: u32 = 10;

/// Orders at seven tenths of saturation for a long time: nothing of the service may grow but the database, and that by the orders.
pub(crate) async fn measure(binary: &Path, scale: &Scale) {
    let Some(stand) = Stand::start(binary, Setup::Sqlite) else { return };
    let (service, chains) = (stand.client(), Chains::new(&stand.chains.url));
    let mut wallets = chains.wallets("soak", WALLETS).await;
    let started = Instant::now();
    let runs = wallets.iter_mut().map(|wallet| async {
        for number in 0..CALIBRATION {
            let params = SwapParams::for_wallet(wallet, number);
            service.swap(&chains, wallet, &params).await;
        }
    });
    join_all(runs).await;
    let saturation = (WALLETS * CALIBRATION) as f64 / started.elapsed().as_secs_f64();
    let rate = saturation * SHARE;
    println!("Saturation is {saturation:.1} orders/s; the soak begins {rate:.1} a second.\n");
    println!(
        "| after | filled | not filled | memory | descriptors | database | its log | service, ms an order |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let wallets: Arc<Mutex<Vec<Wallet>>> = Arc::new(Mutex::new(wallets));
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let (started, mut begun, mut sample, mut tasks) = (Instant::now(), 0.0, 1, JoinSet::new());
    let mut before = (stand.spent(), 0);
    while sample <= SAMPLES {
        tokio::time::sleep(Duration::from_millis(20)).await;
        while tasks.try_join_next().is_some() {}
        if started.elapsed() >= scale.soak * sample / SAMPLES {
            let filled = counts[0].load(Ordering::Relaxed);
            let each = stand.spent().since(before.0).each(filled - before.1)[0];
            print_sample(&stand, started.elapsed(), &counts, each);
            (before, sample) = ((stand.spent(), filled), sample + 1);
        }
        while begun < started.elapsed().as_secs_f64() * rate {
            begun += 1.0;
            // A wallet that is free; with none the service is slower than it was.
            let Some(wallet) = wallets.lock().await.pop() else { break };
            tasks.spawn(swap(
                service.clone(),
                chains.clone(),
                wallet,
                Arc::clone(&wallets),
                Arc::clone(&counts),
            ));
        }
    }
    while tasks.join_next().await.is_some() {}
}

async fn swap(
    service: Service,
    chains: Chains,
    mut wallet: Wallet,
    wallets: Arc<Mutex<Vec<Wallet>>>,
    counts: Arc<[AtomicUsize; 2]>,
) {
    let params = SwapParams::for_wallet(&wallet, counts[0].load(Ordering::Relaxed));
    let filled = service.swap(&chains, &mut wallet, &params).await.is_some();
    counts[usize::from(!filled)].fetch_add(1, Ordering::Relaxed);
    wallets.lock().await.insert(0, wallet);
}

fn print_sample(stand: &Stand, after: Duration, counts: &[AtomicUsize; 2], each: f64) {
    let Some(service) = stand.services.first() else { return };
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", service.id())).map_or(0, Iterator::count);
    let size = |name: &str| {
        let file = std::fs::metadata(service.folder().join(name));
        file.map_or(0.0, |file| file.len() as f64 / 1_048_576.0)
    };
    println!(
        "| {:.0} s | {} | {} | {:.0} MB | {descriptors} | {:.1} MB | {:.1} MB | {each:.1} |",
        after.as_secs_f64(),
        counts[0].load(Ordering::Relaxed),
        counts[1].load(Ordering::Relaxed),
        resident_kb(service.id()) as f64 / 1_024.0,
        size("causeway.db"),
        size("causeway.db-wal"),
    );
}
