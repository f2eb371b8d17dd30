use std::time::{Duration, Instant};

use alloy_primitives::{B256, U256};
use causeway_domain::Address;
use causeway_sandbox::genesis::Roles;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::{Told, settle};
use super::chains::{Chains, usdc};
use super::desk::Desk;
use super::dice::{Dice, seed};
use super::payer::{Fate, Payer, Way, Wish};
use super::recover::{assert_same, known, recover};
use super::solana::{SOL, SOLANA};

/// How long what must come is waited for.
const PATIENCE: Duration = Duration::from_mins(2);

/// What the service waits after the program would allow it.
const MARGIN: u64 = 60;

/// What Solana's accounts tell of the order.
async fn told(chains: &Chains, intent: B256) -> Told {
    let all = chains.told_on_solana().await.into_iter().filter(|(of, _)| *of == intent);
    all.fold(Told::default(), |told, (_, also)| Told {
        opened: told.opened + also.opened,
        filled: told.filled + also.filled,
        claimed: told.claimed + also.claimed,
        refunded: told.refunded + also.refunded,
    })
}

/// Moves Solana's time on, and waits until its accounts tell no more than that.
async fn pass(chains: &Chains, desk: &Desk, payer: &Payer, time: u64, expected: Told) {
    chains.control(SOLANA, json!({ "action": "setTime", "timestamp": time })).await;
    let begun = Instant::now();
    while told(chains, payer.deal().intent).await != expected {
        if begun.elapsed() > PATIENCE {
            let story = desk.story(None).await;
            panic!("the accounts of {payer:?} are not closed\n{story}");
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_18_rent_comes_back_to_its_payers_and_the_order_stays_what_it_was() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let (desk, mut dice) = (Desk::start(&chains.base, ""), Dice::new(seed, "rent"));
    let (from, to) = ((SOLANA, SOL), (SOLANA, usdc(SOLANA)));
    let wish = Wish { from, to, amount: U256::from(300_000_000), way: Way::Call, fate: Fate::Filled };
    let mut payer = Payer::new(wish, &mut dice);
    payer.fund(&chains).await;
    payer.build(&desk).await;
    payer.deposit(&chains, &desk, &broadcast::channel(8).0).await;
    settle(&chains, &desk, std::slice::from_ref(&payer), seed).await;

    let lamports = async |of: Address| chains.balance(SOLANA, SOL, of).await;
    let (owner, deal) = (payer.key.address(), payer.deal());
    let (had, rent) = (lamports(owner).await, chains.rent_on_solana(deal.intent).await);
    assert!(rent > 5_000_000);
    let filled = Told { filled: 1, ..Told::default() };
    pass(&chains, &desk, &payer, deal.open_deadline + MARGIN, filled).await;
    assert_eq!(lamports(owner).await - had, U256::from(rent));

    let fillers = Roles::new().unwrap().fillers;
    let hots = fillers.map(|filler| Address::Solana(filler.solana_hot.address));
    let held = async || lamports(hots[0]).await + lamports(hots[1]).await;
    let had = held().await;
    let refund_at: u64 = deal.answer["terms"]["refundAt"].as_str().unwrap().parse().unwrap();
    pass(&chains, &desk, &payer, refund_at + MARGIN, Told::default()).await;
    assert!(held().await > had + U256::from(1_000_000), "the record's rent is more than the fee");
    assert_eq!(desk.orders_of(owner).await[0]["status"], "filled");

    // What is gone from the accounts comes back from the transactions.
    desk.kill();
    let store = desk.store().await;
    let before = known(&store, &payer).await.unwrap();
    store.close().await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", desk.database().display()));
    }
    let (done, words) = recover(&desk);
    assert!(done, "{words}");
    let store = desk.store().await;
    assert_same(&before, &known(&store, &payer).await.unwrap());
    store.close().await;
}
