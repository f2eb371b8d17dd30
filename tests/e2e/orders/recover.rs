use alloy_primitives::U256;
use causeway_domain::ports::{ChainStore as _, FinalityTier, OrderStore as _};
use causeway_domain::{Decision, DepositMethod, DepositWindow, Fact, Order, OrderStatus, RefundCause};
use causeway_store::Store;
use futures::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::audit::{audit, operator_balances, wait_until_ended};
use super::chains::{BASE, CHAINS, Chains, ETHEREUM, usdc};
use super::crashes::drain;
use super::intent_book::wait_until_book_agrees;
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::random_orders::{random_plan, unfillable_plan, unfillable_solana_plan};
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number, seed};
use super::solana::{SOL, SOLANA};

/// Accepts deposits long after the build at prices that do not move, and writes the book at once.
const CONFIG: &str =
    "[orders]\nopen_slack_seconds = 7200\nintent_book_seconds = 1\n\n[sandbox]\ndrifting_prices = false\n";

/// How many payers swap concurrently.
const CONCURRENCY: usize = 4;

/// Blocks that make everything before them final.
const FINALITY_BLOCKS: u64 = 4;

/// Everybody, by what the loss of the store catches them in.
struct Scenario {
    /// Filled, refunded or never deposited, all before the loss.
    ended: Vec<Payer>,
    /// Deposits that come while the service is there, which is killed at any moment after.
    racing: Vec<Payer>,
    /// Deposits that come while there is no service.
    orphaned: Vec<Payer>,
    /// Built before the loss, deposited after the recovery.
    late: Vec<Payer>,
}

fn open_plan(from: u64, to: u64, rng: &mut SeededRng) -> SwapPlan {
    let token = |chain| if chain == SOLANA { SOL } else { usdc(chain) };
    let units = if from == SOLANA { 300_000_000 } else { 30_000_000 };
    let amount = U256::from(units + rng.below(units));
    SwapPlan {
        from: (from, token(from)),
        to: (to, token(to)),
        amount,
        via: DepositVia::Silent,
        outcome: Outcome::Filled,
    }
}

impl Scenario {
    fn new(orders: u64, seed: u64) -> Self {
        let mut rng = SeededRng::new(seed, "recover");
        let orders = usize::try_from(orders).unwrap();
        let refunded = orders.div_ceil(7);
        let open = orders.div_ceil(10);
        let mut scenario =
            Self { ended: Vec::new(), racing: Vec::new(), orphaned: Vec::new(), late: Vec::new() };
        for number in 0..orders.saturating_sub(3 * open) {
            let mut plan = match number {
                0 => unfillable_solana_plan(&mut rng),
                number if number < refunded => unfillable_plan(&mut rng),
                number => random_plan(number - refunded, &mut rng),
            };
            if number == orders / 2 {
                (plan.outcome, plan.via) = (Outcome::NeverDeposited, DepositVia::Call);
            }
            scenario.ended.push(Payer::new(plan, &mut rng));
        }
        for number in 0..open {
            let [evm, other] = [CHAINS[number % 4], CHAINS[(number + 1) % 4]];
            let (from, to) = if number % 2 == 0 { (SOLANA, evm) } else { (evm, SOLANA) };
            scenario.orphaned.push(Payer::new(open_plan(from, to, &mut rng), &mut rng));
            scenario.racing.push(Payer::new(
                open_plan(evm, if number % 2 == 0 { other } else { SOLANA }, &mut rng),
                &mut rng,
            ));
            // What is built on Solana is dead before the store is back.
            scenario.late.push(Payer::new(open_plan(evm, other, &mut rng), &mut rng));
        }
        scenario
    }

    fn all(&self) -> impl Iterator<Item = &Payer> {
        self.ended.iter().chain(&self.racing).chain(&self.orphaned).chain(&self.late)
    }
}

/// What the store knew of an order, and what it knew from the chains.
pub(super) type Known = (Order, Vec<(Fact, FinalityTier)>);

pub(super) async fn known(store: &Store, payer: &Payer) -> Option<Known> {
    let intent = payer.built_order().intent;
    let order = store.order_of_intent(intent).await.unwrap()?;
    Some((order, store.facts(intent).await.unwrap()))
}

/// All that the chain knows of an order which has ended, field by field.
pub(super) fn assert_same(before: &Known, after: &Known) {
    assert_same_terms(&before.0, &after.0);
    let (old, new) = (&before.0, &after.0);
    let id = &old.id;
    assert_eq!(old.status, new.status, "{id}");
    assert_eq!(old.announced, new.announced, "{id}");
    assert_eq!(old.evidence, new.evidence, "{id}");
    assert_eq!(old.deposit_tx(), new.deposit_tx(), "{id}");
    let decision = match &old.evidence {
        evidence if evidence.fill.is_some() => Some(Decision::Fill),
        evidence if matches!(evidence.refund, Some((_, RefundCause::Waived))) => Some(Decision::Waive),
        _ => new.decision,
    };
    assert_eq!((old.decision, new.decision), (decision, decision), "{id}");
    assert_eq!(before.1, after.1, "the facts of {id}");
}

/// Asserts what the terms and the deposit determine, which a lost store does not change.
fn assert_same_terms(old: &Order, new: &Order) {
    assert_eq!(old.id, new.id);
    let id = &old.id;
    assert_eq!(old.intent_id, new.intent_id, "{id}");
    assert_eq!(old.terms, new.terms, "{id}");
    assert_eq!((old.from, old.to), (new.from, new.to), "{id}");
    assert_eq!((old.src_amount, old.dest_amount), (new.src_amount, new.dest_amount), "{id}");
    assert_eq!(old.author, new.author, "{id}");
    assert_eq!(old.recipient, new.recipient, "{id}");
    assert_eq!(old.refund_to, new.refund_to, "{id}");
    assert_eq!((&old.filler, &old.kind), (&new.filler, &new.kind), "{id}");
    assert_eq!(old.method, new.method, "{id}");
    assert_eq!(old.deposit_address, new.deposit_address, "{id}");
    assert_eq!(old.forwarding, new.forwarding, "{id}");
    // How long a wallet's price held is not on the chain: it counts as ended as early as it can have been.
    let expected = if old.method == DepositMethod::Transfer {
        old.valid_before.as_second()
    } else {
        i64::try_from(old.terms.open_deadline - DepositWindow::MAX).unwrap()
    };
    assert_eq!(new.valid_before.as_second(), expected, "{id}");
}

async fn deposit(payers: &mut [Payer], chains: &Chains, service: &RestartableService) {
    let (stages, _) = broadcast::channel(64);
    stream::iter(payers)
        .for_each_concurrent(CONCURRENCY, async |payer| {
            if payer.built_order.is_none() {
                payer.build(service).await;
            }
            if payer.plan.outcome != Outcome::NeverDeposited {
                payer.deposit(chains, service, &stages).await;
            }
        })
        .await;
}

/// It waits until what was sent to Solana before can no longer land.
pub(super) fn recover(chains: &Chains, service: &RestartableService) -> (bool, String) {
    let _fast = chains.hurry_solana();
    let output = service.run(&["recover", "--from-chain"]);
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Builds the unfillable deposits, then drains the fillers.
async fn prepare(scenario: &mut Scenario, chains: &Chains, service: &RestartableService) {
    stream::iter(scenario.all()).for_each_concurrent(CONCURRENCY, |payer| payer.fund(chains)).await;
    for payer in scenario.ended.iter_mut().filter(|payer| payer.plan.outcome == Outcome::Refunded) {
        payer.build(service).await;
    }
    drain(chains, service).await;
}

/// Runs all payers up to the loss, and returns what the store knew of them.
async fn run_until_loss(
    scenario: &mut Scenario,
    chains: &Chains,
    service: &RestartableService,
    seed: u64,
) -> Vec<Option<Known>> {
    deposit(&mut scenario.ended, chains, service).await;
    wait_until_ended(chains, service, &scenario.ended, seed).await;
    wait_until_book_agrees(chains, service, &scenario.ended.iter().collect::<Vec<_>>()).await;
    for payer in scenario.late.iter_mut().chain(&mut scenario.orphaned) {
        payer.build(service).await;
    }
    deposit(&mut scenario.racing, chains, service).await;
    tokio::time::sleep(SeededRng::new(seed, "loss").milliseconds(2_500)).await;
    service.kill();
    deposit(&mut scenario.orphaned, chains, service).await;
    // The service itself would adopt deposits that are not final yet.
    for chain in CHAINS.into_iter().chain([SOLANA]) {
        chains.control(chain, json!({ "action": "mine", "blocks": FINALITY_BLOCKS })).await;
    }
    let store = service.store().await;
    let mut before = Vec::new();
    for payer in scenario.all() {
        before.push(known(&store, payer).await);
    }
    store.close().await;
    before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_is_recovered_from_the_chains_and_open_orders_complete() {
    let (orders, seed) = (number("CAUSEWAY_ORDERS").unwrap_or(12), seed());
    eprintln!("CAUSEWAY_SEED={seed}: {orders} orders");
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, CONFIG);
    let mut scenario = Scenario::new(orders, seed);
    prepare(&mut scenario, &chains, &service).await;
    let balances_before = operator_balances(&chains).await;
    let before = run_until_loss(&mut scenario, &chains, &service, seed).await;

    for end in ["", "-wal", "-shm"] {
        let file = format!("{}{end}", service.database().display());
        let _ = std::fs::remove_file(file);
    }
    assert!(!service.database().exists());
    let (done, output) = recover(&chains, &service);
    assert!(done, "seed {seed}: {output}");
    eprintln!("{output}");
    let after = compare(&scenario, &service, &before, seed).await;
    let (done, again) = recover(&chains, &service);
    assert!(done && again.contains("were there already"), "seed {seed}: {again}");
    assert_eq!(
        compare(&scenario, &service, &before, seed).await,
        after,
        "seed {seed}: the second time changes nothing"
    );

    service.restart();
    deposit(&mut scenario.late, &chains, &service).await;
    let fast = chains.hurry_solana();
    let all: Vec<Payer> =
        [scenario.ended, scenario.racing, scenario.orphaned, scenario.late].into_iter().flatten().collect();
    wait_until_ended(&chains, &service, &all, seed).await;
    drop(fast);
    wait_until_book_agrees(&chains, &service, &all.iter().collect::<Vec<_>>()).await;
    for (payer, before) in
        all.iter().zip(&before).filter(|(payer, _)| payer.plan.outcome != Outcome::NeverDeposited)
    {
        assert_order_is_found(&service, payer, &before.as_ref().unwrap().0).await;
    }
    refuses_a_store_in_use(&chains, &service, seed).await;
    audit(&chains, &service, &all, &balances_before, seed).await;
}

/// Compares the recovered orders with the known ones. Open orders may have progressed, but their terms never change.
async fn compare(
    scenario: &Scenario,
    service: &RestartableService,
    before: &[Option<Known>],
    seed: u64,
) -> Vec<Option<Known>> {
    let store = service.store().await;
    let mut after = Vec::new();
    for (place, (payer, before)) in scenario.all().zip(before).enumerate() {
        let now = known(&store, payer).await;
        let before = before.as_ref().unwrap_or_else(|| panic!("seed {seed}: {payer:?} had no order"));
        let is_late = scenario.late.iter().any(|late| std::ptr::eq(late, payer));
        match &now {
            // No chain knows what was never deposited.
            None => assert!(
                is_late || payer.plan.outcome == Outcome::NeverDeposited,
                "seed {seed}: {payer:?} is lost"
            ),
            Some(now) if place < scenario.ended.len() => assert_same(before, now),
            Some(now) => {
                assert!(!is_late, "seed {seed}: {payer:?} was not on the chain");
                assert_same_terms(&before.0, &now.0);
                assert_ne!(
                    now.0.status,
                    OrderStatus::Created,
                    "seed {seed}: the deposit of {payer:?} stands"
                );
            }
        }
        after.push(now);
    }
    store.close().await;
    after
}

/// The order answers to its name, its intent and its deposit's transaction, as ever.
async fn assert_order_is_found(service: &RestartableService, payer: &Payer, before: &Order) {
    let order = service.get(&format!("/v1/orders/by-id/{}", before.id)).await;
    let intent = json!(payer.built_order().intent.to_string());
    assert_eq!(order["intentId"], intent);
    let deposit =
        service.get(&format!("/v1/intent/{}", payer.built_order().intent)).await["deposits"][0].clone();
    let tx = deposit["txHash"].as_str().unwrap();
    let found = service.get(&format!("/v1/intent/deposit?chainId={}&txHash={tx}", payer.plan.from.0)).await;
    assert_eq!(found["intentId"], intent);
}

async fn refuses_a_store_in_use(chains: &Chains, service: &RestartableService, seed: u64) {
    let running = recover(chains, service);
    assert!(!running.0 && running.1.contains("another causeway is running"), "seed {seed}: {}", running.1);
    let mut rng = SeededRng::new(seed, "one more");
    let plan = SwapPlan { outcome: Outcome::NeverDeposited, ..open_plan(BASE, ETHEREUM, &mut rng) };
    let mut payer = Payer::new(plan, &mut rng);
    payer.fund(chains).await;
    payer.build(service).await;
    service.kill();
    let (done, output) = recover(chains, service);
    assert!(!done && output.contains("recovery fills empty stores only"), "seed {seed}: {output}");
    service.restart();
    let missing =
        service.ask(Method::GET, &format!("/v1/intent/{}", payer.built_order().intent), &Value::Null).await;
    assert!(missing.is_err(), "seed {seed}: what was refused has changed nothing");
}
