use std::time::{Duration, Instant};

use alloy_primitives::U256;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::{audit, books, settle};
use super::chains::{ARBITRUM, BASE, Chains, ETHEREUM, OPTIMISM, coin, usdc};
use super::desk::Desk;
use super::dice::{Dice, seed};
use super::payer::{Fate, Payer, Way, Wish};
use super::solana::SOLANA;
use super::storm::NODES;

/// Deliveries begin up to half a minute after the price has ended, so that a copy is soon too old to deliver by.
const CONFIG: &str = "[orders]\nopen_slack_seconds = 10\nfill_window_seconds = 80\nintent_book_seconds = 1\n\n\
     [sandbox]\nnodes = 2\n";

/// Where deposits come from, and where they are delivered: what goes wrong on one side must not touch the other.
const ORIGINS: [u64; 2] = [BASE, ETHEREUM];
const DESTINATIONS: [u64; 3] = [OPTIMISM, ARBITRUM, SOLANA];

/// Those whose nodes stand still for the service from before the deliveries on. What it sends is taken all the same.
const BEHIND: [u64; 2] = [OPTIMISM, ARBITRUM];

/// How long deliveries may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// No delivery begins later than this before its deadline.
const CUT_OFF: i64 = 60;

/// How long the service works on what the origins show before the destinations speak again.
const IN_THE_DARK: Duration = Duration::from_secs(20);

/// More transactions than the service sends.
const ALL: u64 = 10_000;

fn everybody(dice: &mut Dice) -> Vec<Payer> {
    let wish = |(number, to): (usize, u64)| {
        let from = ORIGINS[number % ORIGINS.len()];
        let amount = U256::from(30_000_000 + 1_000 * number);
        Wish { from: (from, usdc(from)), to: (to, coin(to)), amount, way: Way::Silent, fate: Fate::Filled }
    };
    let destinations = DESTINATIONS.into_iter().cycle().take(2 * DESTINATIONS.len());
    destinations.enumerate().map(wish).map(|wish| Payer::new(wish, dice)).collect()
}

async fn build(payers: &mut [Payer], desk: &Desk) {
    for payer in payers {
        payer.build(desk).await;
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
        each(chains, &BEHIND, json!({ "action": "faults", "node": node, "frozen": frozen })).await;
    }
}

/// Waits until all recipients have been paid, in whichever block.
async fn delivered(chains: &Chains, desk: &Desk, payers: &[Payer], seed: u64) {
    let begun = Instant::now();
    for payer in payers {
        let (chain, token) = payer.wish.to;
        while chains.balance(chain, token, payer.recipient).await < payer.deal().amount_out {
            if begun.elapsed() > PATIENCE {
                let orders = desk.orders_of(payer.key.address()).await;
                let story = desk.story(orders.first().and_then(|order| order["id"].as_str())).await;
                panic!("seed {seed}: {payer:?} is not delivered\n{orders:#?}\n{story}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The store is put back from a copy that knows some orders as built and others not at all. Meanwhile all of them were
/// deposited and delivered, and nobody was paid for it. By the time the service is back it is too late to deliver anything, and the
/// origins show the deposits long before some of the destinations show what was delivered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_older_than_the_chains_gives_nothing_back_that_was_delivered() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let desk = Desk::start(&chains.base, CONFIG);
    let mut payers = everybody(&mut Dice::new(seed, "restore"));
    stream::iter(&payers).for_each_concurrent(4, |payer| payer.fund(&chains)).await;
    let before = books(&chains).await;

    let known = payers.len() / 2;
    build(&mut payers[..known], &desk).await;
    let copy = desk.database().with_extension("copy");
    let made = desk.run(&["backup", copy.to_str().unwrap()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    build(&mut payers[known..], &desk).await;
    freeze(&chains, true).await;
    let (tell, _) = broadcast::channel(64);
    for payer in &mut payers {
        payer.deposit(&chains, &desk, &tell).await;
    }
    // Whatever the service sends to the origins from here on is lost: the claims.
    each(&chains, &ORIGINS, json!({ "action": "drop", "transactions": ALL })).await;
    delivered(&chains, &desk, &payers, seed).await;
    desk.kill();
    each(&chains, &ORIGINS, json!({ "action": "drop", "transactions": 0 })).await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", desk.database().display()));
    }
    std::fs::rename(&copy, desk.database()).unwrap();

    let last = payers.iter().map(|payer| i64::try_from(payer.deal().fill_deadline).unwrap()).max().unwrap();
    while Timestamp::now().as_second() <= last - CUT_OFF {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    desk.revive();
    tokio::time::sleep(IN_THE_DARK).await;
    freeze(&chains, false).await;
    settle(&chains, &desk, &payers, seed).await;
    audit(&chains, &desk, &payers, &before, seed).await;
}
