use std::time::{Duration, Instant};

use alloy_primitives::U256;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::{audit, operator_balances, wait_until_ended};
use super::chains::{ARBITRUM, BASE, Chains, ETHEREUM, OPTIMISM, coin, usdc};
use super::fault_injection::NODES;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, seed};
use super::solana::SOLANA;

/// Deliveries begin up to half a minute after the price has ended, so that a copy is soon too old to deliver by.
const CONFIG: &str = "[orders]\nopen_slack_seconds = 10\nfill_window_seconds = 80\nintent_book_seconds = 1\n\n\
     [sandbox]\nnodes = 2\ndrifting_prices = false\n";

/// Where deposits come from, and where they are delivered: what goes wrong on one side must not touch the other.
const ORIGINS: [u64; 2] = [BASE, ETHEREUM];
const DESTINATIONS: [u64; 3] = [OPTIMISM, ARBITRUM, SOLANA];

/// Destinations whose nodes show the service no new blocks from before the fills on, but accept its transactions.
const FROZEN: [u64; 2] = [OPTIMISM, ARBITRUM];

/// How long deliveries may take.
const TIMEOUT: Duration = Duration::from_mins(1);

/// No delivery begins later than this before its deadline.
const FILL_CUT_OFF: i64 = 60;

/// How long the service works on what the origins show before the destinations speak again.
const BLIND_PERIOD: Duration = Duration::from_secs(20);

/// More transactions than the service sends.
const ALL: u64 = 10_000;

fn payers_for_every_route(rng: &mut SeededRng) -> Vec<Payer> {
    let plan = |(number, to): (usize, u64)| {
        let from = ORIGINS[number % ORIGINS.len()];
        let amount = U256::from(30_000_000 + 1_000 * number);
        SwapPlan {
            from: (from, usdc(from)),
            to: (to, coin(to)),
            amount,
            via: DepositVia::Silent,
            outcome: Outcome::Filled,
        }
    };
    let destinations = DESTINATIONS.into_iter().cycle().take(2 * DESTINATIONS.len());
    destinations.enumerate().map(plan).map(|plan| Payer::new(plan, rng)).collect()
}

async fn build(payers: &mut [Payer], service: &RestartableService) {
    for payer in payers {
        payer.build(service).await;
    }
}

async fn each(chains: &Chains, which: &[u64], action: serde_json::Value) {
    for chain in which {
        chains.control(*chain, action.clone()).await;
    }
}

/// Whether some destinations show the service nothing new.
async fn freeze(chains: &Chains, frozen: bool) {
    for node in 1..=NODES {
        each(chains, &FROZEN, json!({ "action": "faults", "node": node, "frozen": frozen })).await;
    }
}

/// Waits until all recipients have been paid, in whichever block.
async fn delivered(chains: &Chains, service: &RestartableService, payers: &[Payer], seed: u64) {
    let begun = Instant::now();
    for payer in payers {
        let (chain, token) = payer.plan.to;
        while chains.balance(chain, token, payer.recipient).await < payer.built_order().amount_out {
            if begun.elapsed() > TIMEOUT {
                let orders = service.orders_of(payer.key.address()).await;
                let diagnostics =
                    service.diagnostics(orders.first().and_then(|order| order["id"].as_str())).await;
                panic!("seed {seed}: {payer:?} is not delivered\n{orders:#?}\n{diagnostics}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The store is put back from a copy that knows some orders as built and others not at all. Meanwhile all of them were
/// deposited and delivered, and nobody was paid for it. By the time the service is back it is too late to deliver anything, and the
/// origins show the deposits long before some of the destinations show what was delivered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restored_older_store_refunds_no_filled_order() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, CONFIG);
    let mut payers = payers_for_every_route(&mut SeededRng::new(seed, "restore"));
    stream::iter(&payers).for_each_concurrent(4, |payer| payer.fund(&chains)).await;
    let before = operator_balances(&chains).await;

    let known = payers.len() / 2;
    build(&mut payers[..known], &service).await;
    let copy = service.database().with_extension("copy");
    let made = service.run(&["backup", copy.to_str().unwrap()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    build(&mut payers[known..], &service).await;
    freeze(&chains, true).await;
    let (stages, _) = broadcast::channel(64);
    for payer in &mut payers {
        payer.deposit(&chains, &service, &stages).await;
    }
    // Whatever the service sends to the origins from here on is lost: the claims.
    each(&chains, &ORIGINS, json!({ "action": "drop", "transactions": ALL })).await;
    delivered(&chains, &service, &payers, seed).await;
    service.kill();
    each(&chains, &ORIGINS, json!({ "action": "drop", "transactions": 0 })).await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", service.database().display()));
    }
    std::fs::rename(&copy, service.database()).unwrap();

    let last =
        payers.iter().map(|payer| i64::try_from(payer.built_order().fill_deadline).unwrap()).max().unwrap();
    while Timestamp::now().as_second() <= last - FILL_CUT_OFF {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    service.restart();
    tokio::time::sleep(BLIND_PERIOD).await;
    freeze(&chains, false).await;
    wait_until_ended(&chains, &service, &payers, seed).await;
    audit(&chains, &service, &payers, &before, seed).await;
}
