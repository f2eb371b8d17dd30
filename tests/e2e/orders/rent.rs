use std::time::{Duration, Instant};

use alloy_primitives::{B256, U256};
use causeway_domain::Address;
use causeway_sandbox::genesis::Roles;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::{EventCounts, wait_until_ended};
use super::chains::{Chains, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::recover::{assert_same, known, recover};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, seed};
use super::solana::{SOL, SOLANA};

/// How long what must come is waited for.
const TIMEOUT: Duration = Duration::from_mins(2);

/// What the service waits after the program would allow it.
const MARGIN: u64 = 60;

/// The event counts of the order, from Solana's accounts.
async fn event_counts(chains: &Chains, intent: B256) -> EventCounts {
    let all = chains.event_counts_on_solana().await.into_iter().filter(|(of, _)| *of == intent);
    all.fold(EventCounts::default(), |event_counts, (_, also)| EventCounts {
        opened: event_counts.opened + also.opened,
        filled: event_counts.filled + also.filled,
        claimed: event_counts.claimed + also.claimed,
        refunded: event_counts.refunded + also.refunded,
    })
}

/// Advances Solana's clock and waits for the expected event counts.
async fn advance_time(
    chains: &Chains,
    service: &RestartableService,
    payer: &Payer,
    time: u64,
    expected: EventCounts,
) {
    chains.control(SOLANA, json!({ "action": "setTime", "timestamp": time })).await;
    let begun = Instant::now();
    while event_counts(chains, payer.built_order().intent).await != expected {
        if begun.elapsed() > TIMEOUT {
            let diagnostics = service.diagnostics(None).await;
            panic!("the accounts of {payer:?} are not closed\n{diagnostics}");
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_18_rent_is_refunded_to_its_payers_and_the_order_is_unchanged() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let (service, mut rng) = (RestartableService::start(&chains.base, ""), SeededRng::new(seed, "rent"));
    let (from, to) = ((SOLANA, SOL), (SOLANA, usdc(SOLANA)));
    let plan = SwapPlan {
        from,
        to,
        amount: U256::from(300_000_000),
        via: DepositVia::Call,
        outcome: Outcome::Filled,
    };
    let mut payer = Payer::new(plan, &mut rng);
    payer.fund(&chains).await;
    payer.build(&service).await;
    payer.deposit(&chains, &service, &broadcast::channel(8).0).await;
    wait_until_ended(&chains, &service, std::slice::from_ref(&payer), seed).await;

    let lamports = async |of: Address| chains.balance(SOLANA, SOL, of).await;
    let (owner, built_order) = (payer.key.address(), payer.built_order());
    let (had, rent) = (lamports(owner).await, chains.rent_on_solana(built_order.intent).await);
    assert!(rent > 5_000_000);
    let filled = EventCounts { filled: 1, ..EventCounts::default() };
    advance_time(&chains, &service, &payer, built_order.open_deadline + MARGIN, filled).await;
    assert_eq!(lamports(owner).await - had, U256::from(rent));

    let fillers = Roles::new().unwrap().fillers;
    let hot_accounts = fillers.map(|filler| Address::Solana(filler.solana_hot.address));
    let held = async || lamports(hot_accounts[0]).await + lamports(hot_accounts[1]).await;
    let had = held().await;
    let refund_at: u64 = built_order.answer["terms"]["refundAt"].as_str().unwrap().parse().unwrap();
    advance_time(&chains, &service, &payer, refund_at + MARGIN, EventCounts::default()).await;
    assert!(held().await > had + U256::from(1_000_000), "the record's rent is more than the fee");
    assert_eq!(service.orders_of(owner).await[0]["status"], "filled");

    // What is gone from the accounts comes back from the transactions.
    service.kill();
    let store = service.store().await;
    let before = known(&store, &payer).await.unwrap();
    store.close().await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", service.database().display()));
    }
    let (done, output) = recover(&chains, &service);
    assert!(done, "{output}");
    let store = service.store().await;
    assert_same(&before, &known(&store, &payer).await.unwrap());
    store.close().await;
}
