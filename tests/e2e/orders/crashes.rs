use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use causeway_domain::Address;
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;
use futures::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::json;
use tokio::sync::{Mutex, broadcast};

use super::audit::{audit, operator_balances, read_new_blocks, wait_until_ended};
use super::chains::{BASE, CHAINS, Chains, OPTIMISM, OPTIMISM_USDT, usdc};
use super::fault_injection::{Fault, Log, inject_faults, record_fault};
use super::payer::{Outcome, Payer, Stage};
use super::payer_key::Key;
use super::random_orders::{random_plan, unfillable_plan, unfillable_solana_plan};
use super::report::Report;
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, number, seed};
use super::solana::SOLANA;

/// How many payers swap concurrently.
const CONCURRENCY: usize = 4;

/// Long runs deposit late for what they built first; prices do not move meanwhile.
pub(super) const CONFIG: &str =
    "[orders]\nopen_slack_seconds = 7200\n\n[sandbox]\nnodes = 2\ndrifting_prices = false\n";

/// How long orders may take to end after the last fault.
const LATE_TIMEOUT: Duration = Duration::from_mins(3);

/// How many payers are funded concurrently.
const FUNDING_CONCURRENCY: usize = 8;

/// More blocks than any node lags behind.
const FINALITY_BLOCKS: u64 = 15;

/// When the service is killed.
#[derive(Clone, Copy, Debug)]
enum Trigger {
    Time,
    On(Stage),
}

fn nobody(byte: u8) -> Address {
    Address::Evm(alloy_primitives::Address::repeat_byte(byte))
}

/// Within that time every replica has read the fillers' balances.
const BALANCES_READ: Duration = Duration::from_secs(20);

/// Takes all of a token from the fillers, and waits until they know in every replica: requests go to the replicas by turns.
pub(super) async fn drain(chains: &Chains, service: &RestartableService) {
    for filler in Roles::new().unwrap().fillers {
        let key = Key::Evm(Signer::from_bytes(&filler.hot.key.0).unwrap());
        let all = chains.balance(OPTIMISM, OPTIMISM_USDT, key.address()).await;
        chains.pay(OPTIMISM, &key, OPTIMISM_USDT, nobody(0xd1), all).await;
    }
    let ask = json!({
        "tradeType": "EXACT_INPUT", "amount": "50000000", "fromAddress": nobody(0xd2).to_string(),
        "fromChainId": BASE, "fromToken": usdc(BASE).to_string(), "toChainId": OPTIMISM,
        "toToken": OPTIMISM_USDT.to_string(),
    });
    let mut known = 0;
    for _ in 0..600 {
        known = match service.ask(Method::POST, "/v1/quotes", &ask).await {
            Ok(quote) if !quote["routes"].as_array().unwrap().is_empty() => 0,
            _ => known + 1,
        };
        if known == service.replica_count() {
            // Quotes end as soon as a delivery would fail; the balances are read every few seconds.
            return tokio::time::sleep(BALANCES_READ).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the fillers go on offering what they do not have");
}

/// Kills the service repeatedly, at random moments.
async fn kill_often(
    chains: Arc<Chains>,
    service: Arc<RestartableService>,
    kills: u64,
    mut rng: SeededRng,
    stages: broadcast::Sender<Stage>,
    over: Arc<AtomicBool>,
    log: Log,
) {
    for number in 0..kills {
        let trigger = match rng.below(4) {
            0 => Trigger::Time,
            1 => Trigger::On(Stage::Built),
            2 => Trigger::On(Stage::Deposited),
            _ => Trigger::On(Stage::Submitted),
        };
        let (pause, after) = (rng.milliseconds(1_500), rng.milliseconds(2_500));
        tokio::time::sleep(pause).await;
        if let Trigger::On(stage) = trigger {
            let mut received = stages.subscribe();
            while !over.load(Ordering::SeqCst) {
                match tokio::time::timeout(Duration::from_millis(500), received.recv()).await {
                    Ok(Ok(seen)) if seen == stage => break,
                    _ => {}
                }
            }
        }
        // Half of them at once.
        if rng.below(2) == 0 {
            tokio::time::sleep(after).await;
        }
        let (killed, restarted) = (Arc::clone(&service), Arc::clone(&service));
        tokio::task::spawn_blocking(move || killed.kill()).await.unwrap();
        // Every other time it is away for so long that nothing which was built before can land on Solana any more.
        if number % 2 == 1 {
            chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
            record_fault(&log, Fault::ExpiredBlockhashes, true).await;
        }
        tokio::task::spawn_blocking(move || restarted.restart()).await.unwrap();
    }
}

/// Everybody who will swap, with what they need, long before anything goes wrong. Those whom nobody can serve later have built
/// their deposits.
pub(super) async fn fund_payers(
    chains: &Chains,
    service: &RestartableService,
    orders: u64,
    seed: u64,
) -> Vec<Payer> {
    let mut rng = SeededRng::new(seed, "plans");
    let unfillable = usize::try_from(orders.div_ceil(6)).unwrap();
    let mut payers: Vec<Payer> = (1..=usize::try_from(orders).unwrap())
        .map(|number| {
            let plan = match number {
                1 => unfillable_solana_plan(&mut rng),
                number if number > unfillable => random_plan(number - unfillable - 1, &mut rng),
                number if number.is_multiple_of(3) => unfillable_solana_plan(&mut rng),
                _ => unfillable_plan(&mut rng),
            };
            Payer::new(plan, &mut rng)
        })
        .collect();
    stream::iter(&payers).for_each_concurrent(FUNDING_CONCURRENCY, |payer| payer.fund(chains)).await;
    for chain in CHAINS.into_iter().chain([SOLANA]) {
        chains.control(chain, json!({ "action": "mine", "blocks": FINALITY_BLOCKS })).await;
    }
    for payer in payers.iter_mut().take(unfillable) {
        payer.build(service).await;
    }
    drain(chains, service).await;
    payers.sort_by_cached_key(|_| rng.below(u64::MAX));
    payers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_survive_kill_9_and_chain_faults_with_all_money_accounted_for() {
    let begun = Instant::now();
    let [orders, kills, faults] = [("CAUSEWAY_ORDERS", 12), ("CAUSEWAY_KILLS", 4), ("CAUSEWAY_FAULTS", 8)]
        .map(|(name, short)| number(name).unwrap_or(short));
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}: {orders} orders, {kills} kills, {faults} faults");
    let chains = Arc::new(Chains::start());
    let service = Arc::new(RestartableService::start(&chains.base, CONFIG));
    let payers = fund_payers(&chains, &service, orders, seed).await;
    let before = operator_balances(&chains).await;

    let (stages, _) = broadcast::channel(64);
    let (over, log) = (Arc::new(AtomicBool::new(false)), Log::default());
    let killer = kill_often(
        Arc::clone(&chains),
        Arc::clone(&service),
        kills,
        SeededRng::new(seed, "kills"),
        stages.clone(),
        Arc::clone(&over),
        Arc::clone(&log),
    );
    let killer = tokio::spawn(killer);
    let injector = tokio::spawn(inject_faults(Arc::clone(&chains), faults, seed, Arc::clone(&log)));
    let wallets = tokio::spawn(rebroadcast_pending(Arc::clone(&chains)));
    let payers = swap_all(&chains, &service, payers, &stages, seed).await;
    over.store(true, Ordering::SeqCst);
    killer.await.unwrap();
    injector.await.unwrap();
    let payers = expect_refunds_of_late_deposits(&service, payers).await;
    wait_until_ended(&chains, &service, &payers, seed).await;
    wallets.abort();
    let (flows, reverted) = audit(&chains, &service, &payers, &before, seed).await;
    let faults = log.lock().await.clone();
    let report = Report { seed, payers: &payers, kills, faults, reverted, took: begun.elapsed(), flows };
    eprintln!("CAUSEWAY_SEED={seed}: all is well; the report is {}", report.write().display());
}

/// Kills and faults delay some deposits until the price has expired: those may be refunded, and no others (rule 14).
///
/// Waits until every order is terminal, as long as [`wait_until_ended`] would, which then says what is wrong.
pub(super) async fn expect_refunds_of_late_deposits(
    service: &RestartableService,
    payers: Vec<Payer>,
) -> Vec<Payer> {
    let begun = Instant::now();
    let mut expected = Vec::new();
    for mut payer in payers {
        while payer.plan.outcome == Outcome::Filled && begun.elapsed() < LATE_TIMEOUT {
            let orders = service.orders_of(payer.key.address()).await;
            let Some(order) = orders.first() else { break };
            match order["status"].as_str() {
                Some("filled") => break,
                Some("refunded") => {
                    let reason = order["failureReason"].as_str().unwrap_or_default();
                    assert!(reason.starts_with("The deposit came after the price had expired"), "{order:#}");
                    let made = &order["transactions"]["deposit"]["timestamp"];
                    let [made, before] = [made, &order["timestamps"]["depositBefore"]].map(timestamp);
                    assert!(made >= before, "{order:#}");
                    payer.plan.outcome = Outcome::Refunded;
                }
                _ => tokio::time::sleep(Duration::from_millis(250)).await,
            }
        }
        expected.push(payer);
    }
    expected
}

fn timestamp(text: &serde_json::Value) -> jiff::Timestamp {
    text.as_str().unwrap().parse().unwrap()
}

/// Looks after what wallets have sent, for as long as it is polled.
pub(super) async fn rebroadcast_pending(chains: Arc<Chains>) {
    loop {
        chains.rebroadcast_pending().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Has everybody swap, a few side by side.
pub(super) async fn swap_all(
    chains: &Arc<Chains>,
    service: &Arc<RestartableService>,
    payers: Vec<Payer>,
    stages: &broadcast::Sender<Stage>,
    seed: u64,
) -> Vec<Payer> {
    let (waiting, done) = (Arc::new(Mutex::new(payers)), Arc::new(Mutex::new(Vec::new())));
    let workers: Vec<_> = (0..CONCURRENCY)
        .map(|_| {
            let (chains, service, stages) = (Arc::clone(chains), Arc::clone(service), stages.clone());
            let (waiting, done) = (Arc::clone(&waiting), Arc::clone(&done));
            tokio::spawn(async move {
                loop {
                    let Some(mut payer) = waiting.lock().await.pop() else { return };
                    if payer.built_order.is_none() {
                        payer.build(&service).await;
                    }
                    let _ = stages.send(Stage::Built);
                    if payer.plan.outcome != Outcome::NeverDeposited {
                        payer.deposit(&chains, &service, &stages).await;
                    }
                    read_new_blocks(&chains, payer.plan.from.0).await;
                    read_new_blocks(&chains, payer.plan.to.0).await;
                    done.lock().await.push(payer);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    std::mem::take(&mut *done.lock().await)
}
