//! Shared parts of the benchmarks: test quotes, statistics and process measurements.

mod no_fiat;
mod plain_service;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::{
    Address, Ask, ChainId, Family, Quote, QuoteId, QuoteKey, QuoteKeys, RawAmount, RouteSeal, RowKeys,
    TokenId, TradeType,
};
use causeway_engine::{BuildDeposit, BuildParts, ExecutorRegistry, OrderTiming, SubmitDeposit, SubmitParts};
use causeway_prices::FixedPrices;
use causeway_store::Store;

pub use no_fiat::no_fiat;
pub use plain_service::{no_operator, plain_service};

/// The value below which `percent` of the sorted times lie.
pub fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted
        .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// The HTTP client needs a TLS provider even for plain HTTP.
pub fn install_tls() {
    rustls::crypto::ring::default_provider().install_default().expect("no other provider");
}

/// A client that closes idle connections before the service does, because reusing a connection that is being closed fails.
pub fn client() -> reqwest::Client {
    let client = reqwest::Client::builder().pool_idle_timeout(Duration::from_secs(2));
    client.build().expect("a client")
}

/// A typical quote.
pub fn quote() -> Quote {
    let wallet = Address::native(Family::Evm);
    let token = |id| TokenId::native(ChainId::new(id).expect("a chain id"));
    Quote {
        id: QuoteId::random().expect("random bytes"),
        ask: Ask {
            trade_type: TradeType::ExactInput,
            from: token(1),
            to: token(8453),
            amount: RawAmount::from_decimal("1", 18).expect("an amount"),
            from_address: wallet,
            recipient: wallet,
            refund_to: wallet,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
            deposit_window: None,
        },
        integrator: None,
        routes: Vec::new(),
    }
}

fn quote_keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}

/// Seals the routes of the benchmarks.
pub fn seal() -> Arc<RouteSeal> {
    Arc::new(RouteSeal::new(&quote_keys()))
}

/// Deposit use cases of a service without chains.
pub fn no_deposits(
    catalog: Arc<Catalog>,
    store: Arc<Store>,
    keys: Arc<RowKeys>,
) -> (BuildDeposit, SubmitDeposit) {
    let seal = seal();
    let build = BuildParts {
        catalog,
        seal: Arc::clone(&seal),
        orders: store.clone(),
        deposit_builders: HashMap::new(),
        executors: ExecutorRegistry::default(),
        prices: Arc::new(FixedPrices::default()),
        row_keys: Arc::clone(&keys),
        quote_keys: quote_keys(),
        timing: OrderTiming::default(),
    };
    let submit = SubmitParts {
        seal,
        orders: store,
        deposit_builders: HashMap::new(),
        relayers: HashMap::new(),
        row_keys: keys,
    };
    (BuildDeposit::new(build), SubmitDeposit::new(submit))
}

/// The first URL that a started process prints, without a trailing slash.
pub fn printed_url(child: &mut Child) -> String {
    let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let word =
        |line: String| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
    let url = lines.map_while(Result::ok).find_map(word).expect("the summary names an address");
    url.trim_end_matches('/').to_owned()
}

/// Resident memory in kilobytes.
pub fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process lives");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

/// CPU time of a process (`self` for this one); zero if `/proc` is not available.
pub fn cpu_time(process: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let hundredths =
        after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(hundredths.sum::<u64>() * 10)
}
