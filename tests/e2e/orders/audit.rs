use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolEvent as _;
use causeway_domain::ports::InventoryStore as _;
use causeway_domain::{Address, Family};
use causeway_evm::contracts::{AttesterRegistry, Escrow, Settler};
use causeway_sandbox::genesis::{FillerRole, Roles};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::chains::{CHAINS, COIN, Chains, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, usdc};
use super::conservation::{Flows, flows};
use super::payer::{Outcome, Payer};
use super::restartable_service::RestartableService;
use super::solana::{SOL, SOLANA};

/// After so long without any progress of any order the wait is over.
const STALL_TIMEOUT: Duration = Duration::from_mins(4);

/// How often our contracts emitted each event of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EventCounts {
    pub(super) opened: u32,
    pub(super) filled: u32,
    pub(super) claimed: u32,
    pub(super) refunded: u32,
}

impl EventCounts {
    const fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Filled => Self { opened: 1, filled: 1, claimed: 1, refunded: 0 },
            Outcome::Refunded => Self { opened: 1, filled: 0, claimed: 0, refunded: 1 },
            Outcome::NeverDeposited => Self { opened: 0, filled: 0, claimed: 0, refunded: 0 },
        }
    }
}

/// The balances of those who work for the service, by chain, token and account.
#[derive(Debug)]
pub(super) struct OperatorBalances(pub(super) BTreeMap<(u64, Address, Address), U256>);

fn tokens(chain: u64) -> Vec<Address> {
    let tether = match chain {
        ETHEREUM => Some(ETHEREUM_USDT),
        OPTIMISM => Some(OPTIMISM_USDT),
        _ => None,
    };
    [COIN, usdc(chain)].into_iter().chain(tether).collect()
}

fn operator_accounts() -> Vec<Address> {
    let roles = Roles::new().unwrap();
    let fillers = roles.fillers.iter().flat_map(|filler| [filler.hot.address, filler.payee.address]);
    fillers.chain([roles.relayer.address]).map(Address::Evm).collect()
}

/// Who pays out on Solana, and who is paid. What the relayer pays there is rent, and comes back.
fn solana_operator_accounts() -> Vec<Address> {
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
pub(super) async fn operator_balances(chains: &Chains) -> OperatorBalances {
    let mut operator_balances = BTreeMap::new();
    for chain in CHAINS {
        // Whatever is in a block now stays from then on.
        chains.control(chain, json!({ "action": "mine", "blocks": 3 })).await;
        let gas = chains.totals(chain).await.gas;
        for owner in operator_accounts() {
            for token in tokens(chain) {
                let spent = gas.get(&owner).filter(|_| token == COIN).map_or(U256::ZERO, |(spent, _)| *spent);
                operator_balances
                    .insert((chain, token, owner), chains.balance(chain, token, owner).await + spent);
            }
        }
    }
    for owner in solana_operator_accounts() {
        for token in [SOL, usdc(SOLANA)] {
            let spent = if token == SOL { chains.spent_on_solana(owner).await.lamports } else { 0 };
            let has = chains.balance(SOLANA, token, owner).await;
            operator_balances.insert((SOLANA, token, owner), has + U256::from(spent));
        }
    }
    OperatorBalances(operator_balances)
}

/// The event counts of all orders.
pub(super) async fn event_counts(chains: &Chains, payers: &[Payer]) -> HashMap<B256, EventCounts> {
    let built_orders = payers.iter().filter_map(|payer| payer.built_order.as_ref());
    let ours: HashSet<Address> =
        built_orders.flat_map(|built_order| [built_order.escrow, built_order.settler]).collect();
    let mut all: HashMap<B256, EventCounts> = HashMap::new();
    for chain in CHAINS {
        for ((contract, kind, intent), times) in chains.totals(chain).await.event_counts {
            // The escrow also emits events of its attesters, which are not orders.
            if !ours.contains(&contract) || kind == AttesterRegistry::EpochScheduled::SIGNATURE_HASH {
                continue;
            }
            let event_counts = all.entry(intent).or_default();
            match kind {
                Escrow::Open::SIGNATURE_HASH => event_counts.opened += times,
                Settler::Filled::SIGNATURE_HASH => event_counts.filled += times,
                Escrow::Claimed::SIGNATURE_HASH => event_counts.claimed += times,
                Escrow::Refunded::SIGNATURE_HASH => event_counts.refunded += times,
                _ => {}
            }
        }
    }
    for (intent, also) in chains.event_counts_on_solana().await {
        let event_counts = all.entry(intent).or_default();
        event_counts.opened += also.opened;
        event_counts.filled += also.filled;
        event_counts.claimed += also.claimed;
        event_counts.refunded += also.refunded;
    }
    all
}

/// Reads what is new on a chain before the chain forgets it.
pub(super) async fn read_new_blocks(chains: &Chains, chain: u64) {
    if chain != SOLANA {
        chains.totals(chain).await;
        return;
    }
    for account in solana_operator_accounts() {
        chains.spent_on_solana(account).await;
    }
}

/// Waits until every order has come to its end, and fails when nothing moves any more.
pub(super) async fn wait_until_ended(
    chains: &Chains,
    service: &RestartableService,
    payers: &[Payer],
    seed: u64,
) {
    let mut moved = Instant::now();
    let mut last = Vec::new();
    loop {
        let event_counts = event_counts(chains, payers).await;
        let mut waiting = Vec::new();
        let mut progress = Vec::new();
        for payer in payers {
            let expected = EventCounts::of(payer.plan.outcome);
            let event_counts = event_counts.get(&payer.built_order().intent).copied().unwrap_or_default();
            let orders = service.orders_of(payer.key.address()).await;
            let status = orders.first().map(|order| order["status"].as_str().unwrap().to_owned());
            progress.push((event_counts, status.clone()));
            if event_counts != expected || status.as_deref() != name(payer.plan.outcome) {
                waiting.push((payer, event_counts, orders));
            }
        }
        if waiting.is_empty() {
            return;
        }
        if last != progress {
            (moved, last) = (Instant::now(), progress);
        }
        if moved.elapsed() > STALL_TIMEOUT {
            let (payer, event_counts, orders) = waiting.remove(0);
            let id = orders.first().and_then(|order| order["id"].as_str());
            let diagnostics = service.diagnostics(id).await;
            panic!(
                "seed {seed}: {} orders do not end. One: {payer:?}\nevents {event_counts:?}\n{orders:#?}\n{diagnostics}",
                waiting.len() + 1
            );
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

const fn name(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Filled => Some("filled"),
        Outcome::Refunded => Some("refunded"),
        Outcome::NeverDeposited => None,
    }
}

/// Compares all balances with all orders, to the last unit; returns where the money went, and how many transactions of
/// the service were in a block and did nothing. Stops the service.
pub(super) async fn audit(
    chains: &Chains,
    service: &RestartableService,
    payers: &[Payer],
    before: &OperatorBalances,
    seed: u64,
) -> (Flows, usize) {
    let event_counts = event_counts(chains, payers).await;
    assert_eq!(
        event_counts.len(),
        payers.iter().filter(|payer| payer.plan.outcome != Outcome::NeverDeposited).count(),
        "seed {seed}: the chains show orders that no payer made"
    );
    for payer in payers {
        if let Err(problem) = check(chains, service, payer, &event_counts).await {
            let orders = service.orders_of(payer.key.address()).await;
            let diagnostics =
                service.diagnostics(orders.first().and_then(|order| order["id"].as_str())).await;
            panic!("seed {seed}: {problem}\n{payer:?}\n{orders:#?}\n{diagnostics}");
        }
    }
    let built_orders = payers.iter().map(Payer::built_order);
    let ours: HashSet<Address> =
        built_orders.flat_map(|built_order| [built_order.escrow, built_order.settler]).collect();
    for chain in CHAINS {
        for token in tokens(chain) {
            for contract in ours.iter().filter(|contract| contract.family() == Family::Evm) {
                let left = chains.balance(chain, token, *contract).await;
                assert!(left.is_zero(), "seed {seed}: {left} of {token} lie in {contract} on {chain}");
            }
        }
    }
    chains.nothing_left_on_solana(payers, seed).await;
    let after = operator_balances(chains).await;
    assert_eq!(
        after.0,
        expected(before, payers),
        "seed {seed}: somebody has more or less than the orders say"
    );
    let flows = flows(chains, payers, (before, &after), seed).await;
    assert_nothing_left(service, seed).await;
    (flows, reverted(chains, seed).await)
}

/// Fillers send nothing that fails. What the relayer sends may find that a reorganisation has put it before what it needs.
async fn reverted(chains: &Chains, seed: u64) -> usize {
    let relayer = Address::Evm(Roles::new().unwrap().relayer.address);
    let mut count = 0;
    for chain in CHAINS {
        let gas = chains.totals(chain).await.gas;
        for account in operator_accounts() {
            let failed = gas.get(&account).map_or(0, |(_, failed)| *failed);
            assert!(
                failed == 0 || account == relayer,
                "seed {seed}: transactions of {account} on {chain} failed"
            );
            count += failed;
        }
    }
    for account in solana_operator_accounts() {
        let failed = chains.spent_on_solana(account).await.failed;
        assert_eq!(failed, 0, "seed {seed}: transactions of {account} on Solana failed");
    }
    count
}

/// What the staff must hold after these orders.
fn expected(before: &OperatorBalances, payers: &[Payer]) -> BTreeMap<(u64, Address, Address), U256> {
    let mut operator_balances = before.0.clone();
    for payer in payers.iter().filter(|payer| payer.plan.outcome == Outcome::Filled) {
        let (built_order, plan) = (payer.built_order(), payer.plan);
        *operator_balances.get_mut(&(plan.from.0, plan.from.1, built_order.payee)).unwrap() +=
            built_order.amount_in - built_order.fee;
        *operator_balances.get_mut(&(plan.to.0, plan.to.1, hot(built_order.payee, plan.to.0))).unwrap() -=
            built_order.amount_out;
    }
    operator_balances
}

async fn check(
    chains: &Chains,
    service: &RestartableService,
    payer: &Payer,
    event_counts: &HashMap<B256, EventCounts>,
) -> Result<(), String> {
    let (built_order, plan) = (payer.built_order(), payer.plan);
    let event_counts = event_counts.get(&built_order.intent).copied().unwrap_or_default();
    same("the count of chain events", &event_counts, &EventCounts::of(plan.outcome))?;
    let orders = service.orders_of(payer.key.address()).await;
    let statuses: Vec<Option<&str>> = orders.iter().map(|order| order["status"].as_str()).collect();
    same("the orders that the payer sees", &statuses, &name(plan.outcome).map(Some).into_iter().collect())?;
    if let Some(order) = orders.first() {
        same("the order's intent", &order["intentId"], &Value::String(built_order.intent.to_string()))?;
        let steps = &order["stepsCompleted"];
        let ended = steps.as_array().is_some_and(|steps| {
            let mut unique = steps.clone();
            unique.dedup();
            unique == *steps && steps.last() == Some(&order["status"])
        });
        same("whether the history is complete", &ended, &true)?;
    }
    let (got, back) = match plan.outcome {
        Outcome::Filled => (built_order.amount_out, U256::ZERO),
        Outcome::Refunded => (U256::ZERO, built_order.amount_in),
        Outcome::NeverDeposited => (U256::ZERO, U256::ZERO),
    };
    same("the recipient's balance", &chains.balance(plan.to.0, plan.to.1, payer.recipient).await, &got)?;
    same("the refunded amount", &chains.balance(plan.from.0, plan.from.1, payer.refund_to).await, &back)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what} is {left:?} and should be {right:?}")) }
}

/// How long the service may take to look once more at orders that the chain has shown to be over.
const END_TIMEOUT: Duration = Duration::from_mins(1);

/// Asserts that ended orders are not due and reserve nothing.
async fn assert_nothing_left(service: &RestartableService, seed: u64) {
    let ended = "SELECT COUNT(*) FROM orders WHERE due_at IS NOT NULL AND status IN ('filled', 'refunded')";
    let start = Instant::now();
    let mut due = i64::MAX;
    while due > 0 && start.elapsed() < END_TIMEOUT {
        tokio::time::sleep(Duration::from_millis(200)).await;
        due = service.count(ended).await;
    }
    assert_eq!(due, 0, "seed {seed}: orders are due that have ended");
    service.kill();
    let store = service.store().await;
    for filler in Roles::new().unwrap().fillers {
        // What builds hold for orders that were never deposited passes by itself.
        let later = Timestamp::now() + jiff::SignedDuration::from_hours(24);
        let held = store.all_reserved(filler.name, later).await.unwrap();
        assert_eq!(held, [], "seed {seed}: {} keeps coins aside", filler.name);
    }
    store.close().await;
}
