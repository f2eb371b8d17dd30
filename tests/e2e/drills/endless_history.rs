//! A stranger mentions the program and an order's account in more transactions than anybody reads, and then closes the
//! account. The service finds all of it when it starts: it goes on, and what it delivers on Solana is claimed.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use alloy_primitives::{B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::{Address, IntentTerms};
use causeway_solana::{RecentBlockhash, TOKEN_PROGRAM, UnsignedTransaction, compute_unit_limit};
use serde_json::{Value, json};
use solana_instruction::{AccountMeta, Instruction};
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, Chains, usdc};
use super::lying_endpoint::terms;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::payer_key::Key;
use super::rent_farming::open;
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number};
use super::solana::{SOL, SOLANA, SolanaWallet};
use super::solana_accounts::PROGRAM;

/// Of an ordinary run, and more than the follower reads of one order's history; `CAUSEWAY_MENTIONS` is another number.
const MENTIONS: u64 = 2_100;
/// Transactions that are sent in one request.
const BATCH: u64 = 100;
/// A page of a node's list.
const PAGE: usize = 1_000;
/// More slots than the follower reads again.
const SLOTS: u64 = 100;
const TIMEOUT: Duration = Duration::from_mins(4);

fn payer(from: u64, to: u64, outcome: Outcome, rng: &mut SeededRng) -> Payer {
    let amount = U256::from(20_000_000);
    let plan =
        SwapPlan { from: (from, usdc(from)), to: (to, usdc(to)), amount, via: DepositVia::Call, outcome };
    Payer::new(plan, rng)
}

async fn swap(chains: &Chains, service: &RestartableService, mut payer: Payer) {
    payer.fund(chains).await;
    payer.build(service).await;
    payer.deposit(chains, service, &broadcast::channel(1).0).await;
    wait_until_ended(chains, service, &[payer], 1).await;
}

async fn recent(chains: &Chains) -> RecentBlockhash {
    let newest = chains.solana("getLatestBlockhash", json!([{ "commitment": "confirmed" }])).await.unwrap();
    let blockhash = newest["value"]["blockhash"].as_str().unwrap().parse().unwrap();
    RecentBlockhash { blockhash, last_valid_block_height: 0 }
}

async fn signed(wallet: &SolanaWallet, instructions: &[Instruction], recent: RecentBlockhash) -> String {
    let unsigned = UnsignedTransaction::build(&wallet.address.into(), instructions, &[], recent).unwrap();
    wallet.sign(&STANDARD.encode(unsigned.to_wire())).await
}

/// How many transactions a node lists for the account.
async fn mentions(chains: &Chains, account: &str) -> u64 {
    let (mut count, mut before) = (0, Value::Null);
    loop {
        let options = json!({ "commitment": "confirmed", "limit": PAGE, "before": before });
        let page = chains.solana("getSignaturesForAddress", json!([account, options])).await.unwrap();
        let page = page.as_array().unwrap();
        count += u64::try_from(page.len()).unwrap();
        match page.last() {
            Some(last) if page.len() == PAGE => before = last["signature"].clone(),
            _ => return count,
        }
    }
}

/// Mentions the program and the order's account in that many transactions that do nothing.
async fn flood(chains: &Chains, wallet: &SolanaWallet, order: B256, count: u64) {
    let account = PROGRAM.order(order);
    let (begun, mut units) = (Instant::now(), 0);
    while mentions(chains, &account.to_string()).await <= count {
        assert!(begun.elapsed() < TIMEOUT, "too few transactions of {count} come into slots");
        let recent = recent(chains).await;
        let mut calls = Vec::new();
        for id in 0..BATCH {
            units += 1;
            let mut nothing = compute_unit_limit(1_000 + units);
            let mentioned = [account, PROGRAM.id].map(|one| AccountMeta::new_readonly(one, false));
            nothing.accounts.extend(mentioned);
            let options = json!({ "encoding": "base64", "skipPreflight": true });
            let params = json!([signed(wallet, &[nothing], recent).await, options]);
            calls.push(json!({ "jsonrpc": "2.0", "id": id, "method": "sendTransaction", "params": params }));
        }
        chains.rpc(SOLANA, &calls.into()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_history_of_an_order_stops_neither_the_follower_nor_a_claim() {
    let count = number("CAUSEWAY_MENTIONS").unwrap_or(MENTIONS);
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, "");
    let mut rng = SeededRng::new(25, "endless");
    let stranger = Key::new(SOLANA, &mut rng);
    let Key::Solana(wallet) = &stranger else { panic!("a key of Solana") };
    chains.fund_address(SOLANA, stranger.address(), SOL, U256::from(20_000_000_000_u64)).await;
    chains.fund_address(SOLANA, stranger.address(), usdc(SOLANA), U256::from(1_000_000)).await;

    // An order that nobody quoted. The service has read its opening long before its end.
    let mut sample = payer(SOLANA, BASE, Outcome::NeverDeposited, &mut rng);
    sample.fund(&chains).await;
    sample.build(&service).await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let dust = IntentTerms {
        user: B256::from(wallet.address),
        nonce: B256::from(rng.secret()),
        refund_to: B256::from(wallet.address),
        amount_in: U256::from(100),
        open_deadline: now + 100,
        fill_deadline: now + 110,
        refund_at: now + 420,
        ..terms(sample.built_order())
    };
    open(&chains, wallet, &dust).await;
    chains.control(SOLANA, json!({ "action": "mine", "blocks": SLOTS })).await;
    swap(&chains, &service, payer(SOLANA, BASE, Outcome::Filled, &mut rng)).await;
    service.kill();

    flood(&chains, wallet, dust.id(), count).await;
    chains.control(SOLANA, json!({ "action": "setTime", "timestamp": dust.refund_at + 5 })).await;
    let caller = AccountMeta::new_readonly(wallet.address.into(), false);
    let end = [
        compute_unit_limit(600_000),
        PROGRAM.refund(&dust, caller, Some(TOKEN_PROGRAM)),
        PROGRAM.close_order(&dust, wallet.address.into(), Some(TOKEN_PROGRAM)),
    ];
    while chains.send_on_solana(&signed(wallet, &end, recent(&chains).await).await).await.is_none() {}
    let account = Address::Solana(PROGRAM.order(dust.id()).to_bytes());
    assert_eq!(chains.balance(SOLANA, SOL, account).await, U256::ZERO, "the order is closed");

    service.restart();
    swap(&chains, &service, payer(BASE, SOLANA, Outcome::Filled, &mut rng)).await;
    swap(&chains, &service, payer(SOLANA, BASE, Outcome::Filled, &mut rng)).await;
}
