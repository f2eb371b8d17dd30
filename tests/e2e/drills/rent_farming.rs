//! A stranger who wants us to pay for token accounts on Solana: many orders with dust, each to go back to a wallet without an
//! account for it. Such a wallet could close the account afterwards and keep its rent.

use std::time::{Duration, Instant};

use alloy_primitives::{B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::{Address, IntentTerms};
use causeway_sandbox::genesis::Roles;
use causeway_solana::program::TokenSource;
use causeway_solana::{RecentBlockhash, TOKEN_PROGRAM, UnsignedTransaction, compute_unit_limit};
use futures::{StreamExt as _, stream};
use serde_json::json;

use super::chains::{BASE, Chains, usdc};
use super::lying_endpoint::terms;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number};
use super::solana::{SOL, SOLANA, SolanaWallet, token_account};
use super::solana_accounts::PROGRAM;

/// What an account for a token costs, in lamports.
const RENT: u64 = 2_039_280;
/// A hundredth of a cent.
const DUST: u64 = 100;
/// Worth more than three accounts.
const ENOUGH: u64 = 5_000_000;

const AT_ONCE: usize = 20;
const TIMEOUT: Duration = Duration::from_mins(3);

/// Addresses of ended orders are looked at often.
const SETTINGS: &str = "[orders]\nlook_back_seconds = 2\n";

fn payer(via: DepositVia, rng: &mut SeededRng) -> Payer {
    let (from, to) = ((SOLANA, usdc(SOLANA)), (BASE, usdc(BASE)));
    let (amount, outcome) = (U256::from(20_000_000), Outcome::NeverDeposited);
    Payer::new(SwapPlan { from, to, amount, via, outcome }, rng)
}

/// What all accounts of the service that pay for anything on Solana have.
async fn lamports(chains: &Chains) -> U256 {
    let roles = Roles::new().unwrap();
    let own = [roles.solana_relayer, roles.fillers[0].solana_hot, roles.fillers[1].solana_hot];
    let mut sum = U256::ZERO;
    for wallet in own {
        sum += chains.balance(SOLANA, SOL, Address::Solana(wallet.address)).await;
    }
    sum
}

async fn wait_for_tokens(chains: &Chains, service: &RestartableService, owner: Address, amount: u64) {
    let begun = Instant::now();
    while chains.balance(SOLANA, usdc(SOLANA), owner).await < U256::from(amount) {
        assert!(begun.elapsed() < TIMEOUT, "{owner} gets nothing back\n{}", service.diagnostics(None).await);
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

/// Opens an order that nobody quoted, as anybody can who knows the program.
pub(super) async fn open(chains: &Chains, wallet: &SolanaWallet, terms: &IntentTerms) {
    let Address::Solana(mint) = usdc(SOLANA) else { panic!("a mint") };
    let account = token_account(mint, wallet.address).into();
    let source = TokenSource { account, token_program: TOKEN_PROGRAM };
    let payer = wallet.address.into();
    let instructions = [compute_unit_limit(400_000), PROGRAM.open(terms, payer, Some(source))];
    loop {
        let newest =
            chains.solana("getLatestBlockhash", json!([{ "commitment": "confirmed" }])).await.unwrap();
        let blockhash = newest["value"]["blockhash"].as_str().unwrap().parse().unwrap();
        let recent = RecentBlockhash { blockhash, last_valid_block_height: 0 };
        let unsigned = UnsignedTransaction::build(&payer, &instructions, &[], recent).unwrap();
        let signed = wallet.sign(&STANDARD.encode(unsigned.to_wire())).await;
        if chains.send_on_solana(&signed).await.is_some() {
            return;
        }
    }
}

/// Opens orders of dust that name our filler and that nobody quoted.
async fn open_dust(
    chains: &Chains,
    service: &RestartableService,
    (wallet, rng): (&SolanaWallet, &mut SeededRng),
    count: usize,
) {
    let mut sample = payer(DepositVia::Call, rng);
    sample.fund(chains).await;
    sample.build(service).await;
    let quoted = terms(sample.built_order());
    let dust = |_| IntentTerms {
        user: B256::from(wallet.address),
        nonce: B256::from(rng.secret()),
        refund_to: Key::new(SOLANA, rng).address().to_word(),
        amount_in: U256::from(DUST),
        ..quoted
    };
    let orders: Vec<IntentTerms> = (0..count).map(dust).collect();
    stream::iter(&orders).for_each_concurrent(AT_ONCE, |terms| open(chains, wallet, terms)).await;
}

/// Builds orders whose addresses get dust instead of the deposit, and two more that get nothing yet.
async fn pay_dust(
    chains: &Chains,
    service: &RestartableService,
    (stranger, rng): (&Key, &mut SeededRng),
    count: usize,
) -> (Vec<Payer>, [Payer; 2]) {
    let mut controls = [payer(DepositVia::Transfer, rng), payer(DepositVia::Transfer, rng)];
    let mut dusted: Vec<Payer> = (0..count).map(|_| payer(DepositVia::Transfer, rng)).collect();
    for payer in dusted.iter_mut().chain(&mut controls) {
        payer.build(service).await;
    }
    stream::iter(&dusted).for_each_concurrent(AT_ONCE, |payer| pay(chains, stranger, payer, DUST)).await;
    (dusted, controls)
}

async fn pay(chains: &Chains, stranger: &Key, payer: &Payer, amount: u64) {
    let address = payer.built_order().deposit_address();
    chains.pay(SOLANA, stranger, usdc(SOLANA), address, U256::from(amount)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_16_orders_of_dust_on_solana_earn_a_stranger_no_rent() {
    let count = number("CAUSEWAY_DUST_ORDERS").map_or(12, |count| usize::try_from(count).unwrap());
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, SETTINGS);
    let mut rng = SeededRng::new(16, "rent");
    let stranger = Key::new(SOLANA, &mut rng);
    let Key::Solana(wallet) = &stranger else { panic!("a key of Solana") };
    let fees = U256::from(20_000_000_000_u64);
    chains.fund_address(SOLANA, stranger.address(), SOL, fees).await;
    let tokens = U256::from(2 * ENOUGH + 2 * DUST * (u64::try_from(count).unwrap() + 1));
    chains.fund_address(SOLANA, stranger.address(), usdc(SOLANA), tokens).await;
    let before = lamports(&chains).await;

    open_dust(&chains, &service, (wallet, &mut rng), count).await;
    let (dusted, controls) = pay_dust(&chains, &service, (&stranger, &mut rng), count).await;

    // Past their time, what lies at the addresses is to go back. The second control is paid when the first has its money
    // back: between the two returns, every address of dust was looked at.
    let orders = dusted.iter().chain(&controls);
    let latest = orders.map(|payer| payer.built_order().open_deadline).max().unwrap();
    chains.control(SOLANA, json!({ "action": "setTime", "timestamp": latest + 60 })).await;
    for control in &controls {
        chains.fund_address(SOLANA, control.refund_to, usdc(SOLANA), U256::ONE).await;
        pay(&chains, &stranger, control, ENOUGH).await;
        wait_for_tokens(&chains, &service, control.refund_to, ENOUGH + 1).await;
    }
    chains.wait_for_solana().await;
    for payer in &dusted {
        assert_eq!(chains.balance(SOLANA, usdc(SOLANA), payer.refund_to).await, U256::ZERO, "{payer:?}");
    }
    let spent = before.saturating_sub(lamports(&chains).await);
    println!("{spent} lamports went for {} orders of dust and two returns", 2 * count);
    assert!(spent < U256::from(RENT), "{spent} lamports went for {} orders of dust", 2 * count);
}
