use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use causeway_benchmarks::percentile;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::load::stand::{Setup, Stand};
use crate::load::{Scale, open_loop};
use crate::orders::chains::{Chains, Wallet};
use crate::orders::service::{Service, SwapParams};

/// Orders that are polled and streamed.
const ORDERS: usize = 64;
/// Wallets that quotes and builds are for: a payer has at most fifty builds that nobody has paid.
const PAYERS: usize = 256;
/// Above this, the answers are slow.
const SLOW: Duration = Duration::from_millis(100);
const SEARCHES: [&str; 4] = ["usdc", "wrapped", "ethreum", "us"];

/// What the requests are about.
struct Known {
    service: Service,
    orders: Vec<String>,
    payers: Vec<Wallet>,
}

/// 70 % order polls, 15 % quotes, 5 % event streams, 5 % searches, 5 % builds with a submit, at rising rates.
pub(crate) async fn measure(binary: &Path, scale: &Scale) {
    println!("| store | requests/s wanted | answered/s | median | p99 | failed | service, ms a request |");
    println!("|---|---|---|---|---|---|---|");
    for setup in Setup::ALL {
        let Some(stand) = Stand::start(binary, setup) else {
            eprintln!("{} is left out: set CAUSEWAY_TEST_POSTGRES", setup.name());
            continue;
        };
        let known = Arc::new(prepare(&stand).await);
        for rate in scale.rates {
            let before = stand.spent();
            let request = |number| {
                let known = Arc::clone(&known);
                async move { known.request(number).await }
            };
            let step = open_loop::run(*rate, scale.step, request).await;
            let spent = stand.spent().since(before);
            let [median, p99] = [50, 99].map(|percent| percentile(&step.times, percent));
            let failed = step.failed + step.left_out;
            println!(
                "| {} | {rate} | {:.0} | {median:.1?} | {p99:.1?} | {failed} | {:.2} |",
                setup.name(),
                step.times.len() as f64 / step.elapsed.as_secs_f64(),
                spent.each(step.times.len())[0],
            );
            if p99 > SLOW || step.left_out > 0 {
                break;
            }
        }
    }
}

/// Orders that are filled, and wallets for more.
async fn prepare(stand: &Stand) -> Known {
    let (service, chains) = (stand.client(), Chains::new(&stand.chains.url));
    let wallets = chains.wallets("polled", ORDERS).await;
    let made = wallets.into_iter().enumerate().map(|(number, mut wallet)| {
        let (service, chains) = (service.clone(), chains.clone());
        async move {
            let params = SwapParams::for_wallet(&wallet, number);
            service.swap_order(&chains, &mut wallet, &params).await.map(|(order, _)| order)
        }
    });
    let orders = join_all(made).await.into_iter().flatten().collect();
    Known { service, orders, payers: chains.wallets("payer", PAYERS).await }
}

impl Known {
    fn order(&self, number: u64) -> &str {
        let place = usize::try_from(number * 2_654_435_761 % self.orders.len() as u64).unwrap_or_default();
        &self.orders[place]
    }

    fn payer(&self, number: u64) -> (&Wallet, usize) {
        let number = usize::try_from(number).unwrap_or_default();
        (&self.payers[number % self.payers.len()], number)
    }

    /// Whether the request of this number was answered well.
    async fn request(&self, number: u64) -> bool {
        let service = &self.service;
        let get =
            |path: String| async move { service.request(Method::GET, &path, &Value::Null).await.is_ok() };
        // Spread evenly, so that no kind comes in bursts.
        match number * 37 % 100 {
            0..70 => get(format!("/v1/orders/by-id/{}", self.order(number))).await,
            70..85 => {
                let (payer, number) = self.payer(number);
                let ask = SwapParams::for_wallet(payer, number).ask();
                service.request(Method::POST, "/v1/quotes", &ask).await.is_ok()
            }
            85..90 => service.first_event(self.order(number)).await,
            90..95 => {
                let word = SEARCHES[usize::try_from(number).unwrap_or_default() % SEARCHES.len()];
                get(format!("/v1/tokens/search?q={word}")).await
            }
            _ => {
                let (payer, number) = self.payer(number);
                service.try_open(number, payer).await.is_ok()
            }
        }
    }
}

impl SwapParams {
    /// The quote request.
    pub(crate) fn ask(&self) -> Value {
        json!({
            "tradeType": "EXACT_INPUT", "amount": self.amount.to_string(), "fromAddress": self.payer,
            "fromChainId": self.from.0, "fromToken": self.from.1, "toChainId": self.to.0, "toToken": self.to.1,
            "depositMethods": [self.method],
        })
    }
}
