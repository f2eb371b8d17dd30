use std::collections::BTreeSet;

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolEvent as _;
use causeway_evm::contracts::Escrow;
use serde_json::json;
use tokio::sync::broadcast;

use super::audit::{audit, operator_balances, wait_until_ended};
use super::chains::{ARBITRUM, BASE, Chains, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, seed};

const ORDERS: u64 = 20;

/// After which deposit the service is killed.
const KILLED_AFTER: usize = 9;

/// Claims wait until all orders of the test can be claimed.
const CONFIG: &str = "[claims]\norders = 20\nage_seconds = 60\n";

/// The transactions that claimed something on a chain, and how many orders they claimed.
async fn claims(chains: &Chains, chain: u64) -> (BTreeSet<B256>, usize) {
    let filter =
        json!({ "fromBlock": "0x0", "toBlock": "latest", "topics": [Escrow::Claimed::SIGNATURE_HASH] });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getLogs", "params": [filter] });
    let answer = chains.rpc(chain, &call).await;
    let logs = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let hash = |log: &serde_json::Value| log["transactionHash"].as_str().unwrap().parse().unwrap();
    (logs.iter().map(hash).collect(), logs.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_31_twenty_orders_of_one_pair_are_claimed_by_few_transactions_and_the_books_balance() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, CONFIG);
    let mut rng = SeededRng::new(seed, "batches");
    let before = operator_balances(&chains).await;
    let mut payers = Vec::new();
    for _ in 0..ORDERS {
        let plan = SwapPlan {
            from: (BASE, usdc(BASE)),
            to: (ARBITRUM, usdc(ARBITRUM)),
            amount: U256::from(25_000_000 + rng.below(50_000_000)),
            via: DepositVia::Call,
            outcome: Outcome::Filled,
        };
        let payer = Payer::new(plan, &mut rng);
        payer.fund(&chains).await;
        payers.push(payer);
    }
    let (stages, _) = broadcast::channel(64);
    for (number, payer) in payers.iter_mut().enumerate() {
        payer.build(&service).await;
        payer.deposit(&chains, &service, &stages).await;
        // Halfway it is killed: what was recorded goes on.
        if number == KILLED_AFTER {
            service.kill();
            service.restart();
        }
    }
    wait_until_ended(&chains, &service, &payers, seed).await;
    audit(&chains, &service, &payers, &before, seed).await;
    let (transactions, orders) = claims(&chains, BASE).await;
    assert_eq!(orders, payers.len());
    assert!(transactions.len() <= 5, "seed {seed}: {} transactions", transactions.len());
    eprintln!("{orders} orders were claimed by {} transactions", transactions.len());
}
