//! One endpoint of Solana lies, of three, and it is the one that is asked first: it shows the transaction and the account of
//! a deposit that nobody made.

use std::time::{Duration, Instant};

use alloy_primitives::U256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::{Address, IntentTerms};
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{OrderAccount, OrderStatus, TokenSource};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, Chains, usdc};
use super::lying_endpoint::terms;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;
use super::solana::{SOLANA, token_account};
use super::solana_accounts::PROGRAM;

/// Three endpoints of each chain; the first answers falsely.
const THREE_NODES: &str = "[sandbox]\nnodes = 3\n";
const LIAR: u8 = 1;
const TIMEOUT: Duration = Duration::from_mins(3);

fn plan(outcome: Outcome) -> SwapPlan {
    let (from, to) = ((SOLANA, usdc(SOLANA)), (BASE, usdc(BASE)));
    SwapPlan { from, to, amount: U256::from(50_000_000), via: DepositVia::Call, outcome }
}

/// The account of an order that is open, as the program writes it.
fn invented_account(terms: &IntentTerms, time: u64) -> Value {
    let mut data = vec![0; 808];
    data[..2].copy_from_slice(&[1, 1]);
    data[8..16].copy_from_slice(&time.to_le_bytes());
    data[136..].copy_from_slice(&terms.to_bytes());
    let account = OrderAccount::parse(&data).unwrap();
    assert_eq!((account.status, &account.terms), (OrderStatus::Open, terms));
    json!({
        "lamports": 7_000_000, "owner": PROGRAM.id.to_string(), "data": [STANDARD.encode(data), "base64"],
        "executable": false, "rentEpoch": 0, "space": 808,
    })
}

/// The transaction of the deposit.
fn invented_transaction(terms: &IntentTerms, slot: u64) -> Value {
    let Address::Solana(mint) = usdc(SOLANA) else { panic!("a mint") };
    let account = token_account(mint, terms.user.0).into();
    let source = TokenSource { account, token_program: TOKEN_PROGRAM };
    let open = PROGRAM.open(terms, terms.user.0.into(), Some(source));
    let mut keys = vec![open.program_id.to_string()];
    keys.extend(open.accounts.iter().map(|account| account.pubkey.to_string()));
    let places: Vec<usize> = (1..keys.len()).collect();
    let data = bs58::encode(&open.data).into_string();
    json!({
        "slot": slot, "blockTime": 1_800_000_000, "meta": { "err": null },
        "transaction": { "message": {
            "accountKeys": keys,
            "instructions": [{ "programIdIndex": 0, "accounts": places, "data": data }],
        } },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_27_one_lying_endpoint_of_solana_moves_no_money_and_stops_none() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, THREE_NODES);
    let mut rng = SeededRng::new(27, "liar of solana");
    let mut robber = Payer::new(plan(Outcome::NeverDeposited), &mut rng);
    robber.fund(&chains).await;
    robber.build(&service).await;
    let terms = terms(robber.built_order());

    let newest = chains.solana("getSlot", json!([{ "commitment": "finalized" }])).await.unwrap();
    let newest = newest.as_u64().unwrap();
    let order = PROGRAM.order(terms.id()).to_string();
    let invented = |ahead: u8| {
        let slot = newest + 10 * u64::from(ahead);
        json!({
            "signature": bs58::encode([ahead; 64]).into_string(), "slot": slot,
            "addresses": [PROGRAM.id.to_string(), order], "transaction": invented_transaction(&terms, slot),
        })
    };
    let lies = json!({
        "transactions": [invented(1), invented(2), invented(3)],
        "accounts": { &order: invented_account(&terms, terms.open_deadline - 600) },
    });
    chains.control(SOLANA, json!({ "action": "faults", "node": LIAR, "lies": lies })).await;

    // Who pays is served meanwhile.
    let mut honest = Payer::new(plan(Outcome::Filled), &mut rng);
    honest.fund(&chains).await;
    honest.build(&service).await;
    honest.deposit(&chains, &service, &broadcast::channel(1).0).await;
    wait_until_ended(&chains, &service, &[honest], 27).await;

    // The liar was heard, and not believed.
    let begun = Instant::now();
    while !service.has_logged("show a transaction alike") {
        let paid = chains.balance(BASE, usdc(BASE), robber.recipient).await;
        assert_eq!(paid, U256::ZERO, "the robber was paid");
        assert!(begun.elapsed() < TIMEOUT, "the liar was not asked\n{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let paid = chains.balance(BASE, usdc(BASE), robber.recipient).await;
        assert_eq!(paid, U256::ZERO, "the robber was paid");
    }
    let orders = service.orders_of(robber.key.address()).await;
    assert!(orders.iter().all(|order| order["status"] == "created"), "{orders:#?}");
}
