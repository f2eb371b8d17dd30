use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use causeway_domain::ChainId;
use futures::{StreamExt as _, stream};
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::Chains;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::random_orders::random_plan;
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number, seed};

/// How many orders are swapped unless `CAUSEWAY_GAS_ORDERS` says so.
const ORDERS: u64 = 40;

/// How many payers swap, and are funded, concurrently.
const CONCURRENCY: usize = 8;

/// How long after the last order its transactions may take to be final.
const FINAL_TIMEOUT: Duration = Duration::from_mins(2);

/// Chains with fewer transactions than this say nothing about an average.
const MIN_ORDERS: u64 = 5;

/// A chain's fees move between quote and transaction: the average of fewer transactions than this may be a little below the cost.
const FULL_SAMPLE: u64 = 100;

/// Every claim alone: what a claim among others costs is learned over hours, and this run is too short for that. Prices do not
/// move, so that nothing is waived.
const CONFIG: &str = "[claims]\norders = 1\n\n[sandbox]\ndrifting_prices = false\n";

/// The counters of one chain and kind of transaction.
#[derive(Clone, Copy, Debug, Default)]
struct Gas {
    orders: u64,
    overruns: u64,
    charged: u64,
    spent: u64,
}

impl Gas {
    fn add(&mut self, other: &Self) {
        self.orders += other.orders;
        self.overruns += other.overruns;
        self.charged += other.charged;
        self.spent += other.spent;
    }
}

/// By chain and kind, as `/metrics` shows them.
async fn gas(service: &RestartableService) -> BTreeMap<(u64, String), Gas> {
    let text = reqwest::get(format!("{}/metrics", service.url())).await.unwrap().text().await.unwrap();
    let mut all: BTreeMap<(u64, String), Gas> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("causeway_gas_")) {
        let (name, rest) = line.split_once('{').unwrap();
        let (labels, value) = rest.split_once("} ").unwrap();
        let label = |name: &str| {
            let value = labels.split(',').find_map(|label| label.strip_prefix(name)).unwrap();
            value.trim_matches(['=', '"']).to_owned()
        };
        let gas = all.entry((label("chain").parse().unwrap(), label("kind"))).or_default();
        let value: u64 = value.parse().unwrap();
        match name {
            "causeway_gas_orders_total" => gas.orders = value,
            "causeway_gas_overruns_total" => gas.overruns = value,
            "causeway_gas_charged_gwei_total" => gas.charged = value,
            "causeway_gas_spent_gwei_total" => gas.spent = value,
            other => panic!("an unknown counter {other}"),
        }
    }
    all
}

fn total(all: &BTreeMap<(u64, String), Gas>, kind: &str) -> u64 {
    all.iter().filter(|((_, found), _)| found == kind).map(|(_, gas)| gas.orders).sum()
}

/// The orders that the service opens itself.
fn is_opened_by_us(plan: &SwapPlan) -> bool {
    matches!(plan.via, DepositVia::Transfer | DepositVia::Permit)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_orders_are_charged_what_they_cost_and_at_most_a_quarter_more() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, CONFIG);
    let mut rng = SeededRng::new(seed, "gas");
    let count = number("CAUSEWAY_GAS_ORDERS").unwrap_or(ORDERS);
    let mut payers = Vec::new();
    for number in 0..usize::try_from(count).unwrap() {
        let plan = SwapPlan { outcome: Outcome::Filled, ..random_plan(number, &mut rng) };
        // Late deposits may be waived by the rules.
        let via = if plan.via == DepositVia::Late { DepositVia::Call } else { plan.via };
        payers.push(Payer::new(SwapPlan { via, ..plan }, &mut rng));
    }
    stream::iter(&payers).for_each_concurrent(CONCURRENCY, |payer| payer.fund(&chains)).await;
    let (stages, _) = broadcast::channel(64);
    let swap = async |payer: &mut Payer| {
        payer.build(&service).await;
        payer.deposit(&chains, &service, &stages).await;
    };
    stream::iter(&mut payers).for_each_concurrent(CONCURRENCY, swap).await;
    wait_until_ended(&chains, &service, &payers, seed).await;

    let opened = payers.iter().filter(|payer| is_opened_by_us(&payer.plan)).count() as u64;
    let begun = Instant::now();
    let all = loop {
        let all = gas(&service).await;
        if (total(&all, "fill"), total(&all, "claim"), total(&all, "opening")) == (count, count, opened) {
            break all;
        }
        assert!(
            begun.elapsed() < FINAL_TIMEOUT,
            "seed {seed}: {count} orders, {opened} opened by us: {all:?}"
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    let mut by_chain: BTreeMap<u64, Gas> = BTreeMap::new();
    for ((chain, kind), gas) in &all {
        let Gas { orders, overruns, charged, spent } = *gas;
        eprintln!("{chain} {kind}: {orders} orders, {overruns} overruns, charged {charged} of {spent} gwei");
        by_chain.entry(*chain).or_default().add(gas);
    }
    for (chain, gas) in by_chain {
        let percent = gas.charged * 100 / gas.spent.max(1);
        eprintln!("{chain}: {} transactions of orders, {percent} percent of the cost charged", gas.orders);
        if gas.orders < MIN_ORDERS {
            continue;
        }
        let name = ChainId::new(chain).unwrap();
        let least_percent = if gas.orders < FULL_SAMPLE { 95 } else { 100 };
        assert!(
            gas.charged * 100 >= gas.spent * least_percent,
            "seed {seed}: chain {name} is charged less than it costs: {all:?}"
        );
        assert!(
            gas.charged * 4 <= gas.spent * 5,
            "seed {seed}: chain {name} is charged a quarter more: {all:?}"
        );
    }
}
