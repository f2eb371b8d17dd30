use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolEvent as _;
use causeway_domain::ports::Reservations as _;
use causeway_domain::{Address, Family};
use causeway_evm::contracts::{Escrow, Settler};
use causeway_sandbox::genesis::{FillerRole, Roles};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::chains::{CHAINS, COIN, Chains, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, usdc};
use super::conservation::{Flows, flows};
use super::desk::Desk;
use super::payer::{Fate, Payer};
use super::solana::{SOL, SOLANA};

/// After so long without any progress of any order the wait is over.
const STANDSTILL: Duration = Duration::from_mins(4);

/// How often each of our contracts told each thing of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) opened: u32,
    pub(super) filled: u32,
    pub(super) claimed: u32,
    pub(super) refunded: u32,
}

impl Told {
    const fn of(fate: Fate) -> Self {
        match fate {
            Fate::Filled => Self { opened: 1, filled: 1, claimed: 1, refunded: 0 },
            Fate::Refunded => Self { opened: 1, filled: 0, claimed: 0, refunded: 1 },
            Fate::Unseen => Self { opened: 0, filled: 0, claimed: 0, refunded: 0 },
        }
    }
}

/// The balances of those who work for the service, by chain, token and account.
#[derive(Debug)]
pub(super) struct Books(pub(super) BTreeMap<(u64, Address, Address), U256>);

fn tokens(chain: u64) -> Vec<Address> {
    let tether = match chain {
        ETHEREUM => Some(ETHEREUM_USDT),
        OPTIMISM => Some(OPTIMISM_USDT),
        _ => None,
    };
    [COIN, usdc(chain)].into_iter().chain(tether).collect()
}

fn staff() -> Vec<Address> {
    let roles = Roles::new().unwrap();
    let fillers = roles.fillers.iter().flat_map(|filler| [filler.hot.address, filler.payee.address]);
    fillers.chain([roles.relayer.address]).map(Address::Evm).collect()
}

/// Who pays out on Solana, and who is paid. What the relayer pays there is rent, and comes back.
fn solana_staff() -> Vec<Address> {
    let roles = Roles::new().unwrap();
    let fillers =
        roles.fillers.iter().flat_map(|filler| [filler.solana_hot.address, filler.solana_payee.address]);
    fillers.map(Address::Solana).collect()
}

/// Where the filler that is paid there pays out on a chain.
fn hot(payee: Address, chain: u64) -> Address {
    let fillers = Roles::new().unwrap().fillers;
    let is_paid = |filler: &&FillerRole| {
        [Address::Evm(filler.payee.address), Address::Solana(filler.solana_payee.address)].contains(&payee)
    };
    let filler = fillers.iter().find(is_paid).expect("a filler of ours is paid");
    if chain == SOLANA {
        Address::Solana(filler.solana_hot.address)
    } else {
        Address::Evm(filler.hot.address)
    }
}

/// What the staff holds, with what it has spent on gas added back, so that only payments are left.
pub(super) async fn books(chains: &Chains) -> Books {
    let mut books = BTreeMap::new();
    for chain in CHAINS {
        // Whatever is in a block now stays from then on.
        chains.control(chain, json!({ "action": "mine", "blocks": 3 })).await;
        let gas = chains.tally(chain).await.gas;
        for owner in staff() {
            for token in tokens(chain) {
                let spent = gas.get(&owner).filter(|_| token == COIN).map_or(U256::ZERO, |(spent, _)| *spent);
                books.insert((chain, token, owner), chains.balance(chain, token, owner).await + spent);
            }
        }
    }
    for owner in solana_staff() {
        for token in [SOL, usdc(SOLANA)] {
            let spent = if token == SOL { chains.spent_on_solana(owner).await.lamports } else { 0 };
            let has = chains.balance(SOLANA, token, owner).await;
            books.insert((SOLANA, token, owner), has + U256::from(spent));
        }
    }
    Books(books)
}

/// What our contracts tell of all orders.
pub(super) async fn told(chains: &Chains, payers: &[Payer]) -> HashMap<B256, Told> {
    let deals = payers.iter().filter_map(|payer| payer.deal.as_ref());
    let ours: HashSet<Address> = deals.flat_map(|deal| [deal.escrow, deal.settler]).collect();
    let mut all: HashMap<B256, Told> = HashMap::new();
    for chain in CHAINS {
        for ((contract, kind, intent), times) in chains.tally(chain).await.told {
            if !ours.contains(&contract) {
                continue;
            }
            let told = all.entry(intent).or_default();
            match kind {
                Escrow::Open::SIGNATURE_HASH => told.opened += times,
                Settler::Filled::SIGNATURE_HASH => told.filled += times,
                Escrow::Claimed::SIGNATURE_HASH => told.claimed += times,
                Escrow::Refunded::SIGNATURE_HASH => told.refunded += times,
                _ => {}
            }
        }
    }
    for (intent, also) in chains.told_on_solana().await {
        let told = all.entry(intent).or_default();
        told.opened += also.opened;
        told.filled += also.filled;
        told.claimed += also.claimed;
        told.refunded += also.refunded;
    }
    all
}

/// Reads what is new on a chain before the chain forgets it.
pub(super) async fn read_on(chains: &Chains, chain: u64) {
    if chain != SOLANA {
        chains.tally(chain).await;
        return;
    }
    for account in solana_staff() {
        chains.spent_on_solana(account).await;
    }
}

/// Waits until every order has come to its end, and fails when nothing moves any more.
pub(super) async fn settle(chains: &Chains, desk: &Desk, payers: &[Payer], seed: u64) {
    let mut moved = Instant::now();
    let mut last = Vec::new();
    loop {
        let told = told(chains, payers).await;
        let mut waiting = Vec::new();
        let mut standing = Vec::new();
        for payer in payers {
            let expected = Told::of(payer.wish.fate);
            let told = told.get(&payer.deal().intent).copied().unwrap_or_default();
            let orders = desk.orders_of(payer.key.address()).await;
            let status = orders.first().map(|order| order["status"].as_str().unwrap().to_owned());
            standing.push((told, status.clone()));
            if told != expected || status.as_deref() != name(payer.wish.fate) {
                waiting.push((payer, told, orders));
            }
        }
        if waiting.is_empty() {
            return;
        }
        if last != standing {
            (moved, last) = (Instant::now(), standing);
        }
        if moved.elapsed() > STANDSTILL {
            let (payer, told, orders) = waiting.remove(0);
            let id = orders.first().and_then(|order| order["id"].as_str());
            let story = desk.story(id).await;
            panic!(
                "seed {seed}: {} orders do not come to their end. One: {payer:?}\nthe chains told {told:?}\n{orders:#?}\n{story}",
                waiting.len() + 1
            );
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

const fn name(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Filled => Some("filled"),
        Fate::Refunded => Some("refunded"),
        Fate::Unseen => None,
    }
}

/// Holds what everybody has against what every order says, to the last unit; tells where it went, and how many transactions of
/// the service were in a block and did nothing. Stops the service.
pub(super) async fn audit(
    chains: &Chains,
    desk: &Desk,
    payers: &[Payer],
    before: &Books,
    seed: u64,
) -> (Flows, usize) {
    let told = told(chains, payers).await;
    assert_eq!(
        told.len(),
        payers.iter().filter(|payer| payer.wish.fate != Fate::Unseen).count(),
        "seed {seed}: the chains tell of orders that nobody made"
    );
    for payer in payers {
        if let Err(words) = check(chains, desk, payer, &told).await {
            let orders = desk.orders_of(payer.key.address()).await;
            let story = desk.story(orders.first().and_then(|order| order["id"].as_str())).await;
            panic!("seed {seed}: {words}\n{payer:?}\n{orders:#?}\n{story}");
        }
    }
    let deals = payers.iter().map(Payer::deal);
    let ours: HashSet<Address> = deals.flat_map(|deal| [deal.escrow, deal.settler]).collect();
    for chain in CHAINS {
        for token in tokens(chain) {
            for contract in ours.iter().filter(|contract| contract.family() == Family::Evm) {
                let left = chains.balance(chain, token, *contract).await;
                assert!(left.is_zero(), "seed {seed}: {left} of {token} lie in {contract} on {chain}");
            }
        }
    }
    chains.nothing_left_on_solana(payers, seed).await;
    let after = books(chains).await;
    assert_eq!(
        after.0,
        expected(before, payers),
        "seed {seed}: somebody has more or less than the orders say"
    );
    let flows = flows(chains, payers, (before, &after), seed).await;
    forgotten(desk, seed).await;
    (flows, reverted(chains, seed).await)
}

/// Fillers send nothing that fails. What the relayer sends may find that a reorganisation has put it before what it needs.
async fn reverted(chains: &Chains, seed: u64) -> usize {
    let relayer = Address::Evm(Roles::new().unwrap().relayer.address);
    let mut count = 0;
    for chain in CHAINS {
        let gas = chains.tally(chain).await.gas;
        for account in staff() {
            let failed = gas.get(&account).map_or(0, |(_, failed)| *failed);
            assert!(
                failed == 0 || account == relayer,
                "seed {seed}: transactions of {account} on {chain} failed"
            );
            count += failed;
        }
    }
    for account in solana_staff() {
        let failed = chains.spent_on_solana(account).await.failed;
        assert_eq!(failed, 0, "seed {seed}: transactions of {account} on Solana failed");
    }
    count
}

/// What the staff must hold after these orders.
fn expected(before: &Books, payers: &[Payer]) -> BTreeMap<(u64, Address, Address), U256> {
    let mut books = before.0.clone();
    for payer in payers.iter().filter(|payer| payer.wish.fate == Fate::Filled) {
        let (deal, wish) = (payer.deal(), payer.wish);
        *books.get_mut(&(wish.from.0, wish.from.1, deal.payee)).unwrap() += deal.amount_in - deal.fee;
        *books.get_mut(&(wish.to.0, wish.to.1, hot(deal.payee, wish.to.0))).unwrap() -= deal.amount_out;
    }
    books
}

async fn check(
    chains: &Chains,
    desk: &Desk,
    payer: &Payer,
    told: &HashMap<B256, Told>,
) -> Result<(), String> {
    let (deal, wish) = (payer.deal(), payer.wish);
    let told = told.get(&deal.intent).copied().unwrap_or_default();
    same("what the chains told", &told, &Told::of(wish.fate))?;
    let orders = desk.orders_of(payer.key.address()).await;
    let statuses: Vec<Option<&str>> = orders.iter().map(|order| order["status"].as_str()).collect();
    same("the orders that the payer sees", &statuses, &name(wish.fate).map(Some).into_iter().collect())?;
    if let Some(order) = orders.first() {
        same("the order's intent", &order["intentId"], &Value::String(deal.intent.to_string()))?;
        let steps = &order["stepsCompleted"];
        let ended = steps.as_array().is_some_and(|steps| {
            let mut unique = steps.clone();
            unique.dedup();
            unique == *steps && steps.last() == Some(&order["status"])
        });
        same("whether the story is whole", &ended, &true)?;
    }
    let (got, back) = match wish.fate {
        Fate::Filled => (deal.amount_out, U256::ZERO),
        Fate::Refunded => (U256::ZERO, deal.amount_in),
        Fate::Unseen => (U256::ZERO, U256::ZERO),
    };
    same("what the recipient has", &chains.balance(wish.to.0, wish.to.1, payer.recipient).await, &got)?;
    same("what came back", &chains.balance(wish.from.0, wish.from.1, payer.refund_to).await, &back)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what} is {left:?} and should be {right:?}")) }
}

/// How long the service may take to look once more at orders that the chain has shown to be over.
const LAST_LOOK: Duration = Duration::from_mins(1);

/// Nothing is set aside and nobody is due any more once orders have ended.
async fn forgotten(desk: &Desk, seed: u64) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.database());
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let ended = "SELECT COUNT(*) FROM orders WHERE due_at IS NOT NULL AND status IN ('filled', 'refunded')";
    let start = Instant::now();
    let mut due = i64::MAX;
    while due > 0 && start.elapsed() < LAST_LOOK {
        tokio::time::sleep(Duration::from_millis(200)).await;
        due = sqlx::query_scalar(ended).fetch_one(&pool).await.unwrap();
    }
    pool.close().await;
    assert_eq!(due, 0, "seed {seed}: orders are due that have ended");
    desk.kill();
    let store = desk.store().await;
    for filler in Roles::new().unwrap().fillers {
        // What builds hold for orders that were never deposited passes by itself.
        let later = Timestamp::now() + jiff::SignedDuration::from_hours(24);
        let held = store.all_reserved(filler.name, later).await.unwrap();
        assert_eq!(held, [], "seed {seed}: {} keeps coins aside", filler.name);
    }
    store.close().await;
}
