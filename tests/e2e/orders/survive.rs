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

use super::audit::{audit, books, read_on, settle};
use super::chains::{BASE, CHAINS, Chains, OPTIMISM, OPTIMISM_USDT, usdc};
use super::desk::Desk;
use super::dice::{Dice, number, seed};
use super::key::Key;
use super::payer::{Fate, Moment, Payer};
use super::report::Report;
use super::solana::SOLANA;
use super::storm::{Fault, Log, note, storm};
use super::wishes::{hopeless_solana_wish, hopeless_wish, wish};

/// How many payers are at it side by side.
const LANES: usize = 4;

/// Long runs deposit late for what they built first.
const CONFIG: &str = "[orders]\nopen_slack_seconds = 7200\n\n[sandbox]\nnodes = 2\n";

/// How many payers are given money side by side.
const GIFTS: usize = 8;

/// Blocks that bury what came before under all that a node may lag behind.
const DEEP: u64 = 15;

/// What the killer waits for before it strikes.
#[derive(Clone, Copy, Debug)]
enum Trigger {
    Time,
    On(Moment),
}

fn nobody(byte: u8) -> Address {
    Address::Evm(alloy_primitives::Address::repeat_byte(byte))
}

/// Takes all of a token from the fillers, and waits until they know.
pub(super) async fn drain(chains: &Chains, desk: &Desk) {
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
    for _ in 0..600 {
        match desk.ask(Method::POST, "/v1/quotes", &ask).await {
            Ok(quote) if !quote["routes"].as_array().unwrap().is_empty() => {}
            _ => return,
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the fillers go on offering what they do not have");
}

/// Kills the service again and again, at moments that the dice choose.
async fn kill_often(
    chains: Arc<Chains>,
    desk: Arc<Desk>,
    kills: u64,
    mut dice: Dice,
    told: broadcast::Sender<Moment>,
    over: Arc<AtomicBool>,
    log: Log,
) {
    for number in 0..kills {
        let trigger = match dice.below(4) {
            0 => Trigger::Time,
            1 => Trigger::On(Moment::Built),
            2 => Trigger::On(Moment::Deposited),
            _ => Trigger::On(Moment::Submitted),
        };
        let (pause, after) = (dice.milliseconds(1_500), dice.milliseconds(2_500));
        tokio::time::sleep(pause).await;
        if let Trigger::On(moment) = trigger {
            let mut moments = told.subscribe();
            while !over.load(Ordering::SeqCst) {
                match tokio::time::timeout(Duration::from_millis(500), moments.recv()).await {
                    Ok(Ok(seen)) if seen == moment => break,
                    _ => {}
                }
            }
        }
        // Half of them at once.
        if dice.below(2) == 0 {
            tokio::time::sleep(after).await;
        }
        let (killed, revived) = (Arc::clone(&desk), Arc::clone(&desk));
        tokio::task::spawn_blocking(move || killed.kill()).await.unwrap();
        // Every other time it is away for so long that nothing which was built before can land on Solana any more.
        if number % 2 == 1 {
            chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
            note(&log, Fault::ExpiredBlockhashes, true).await;
        }
        tokio::task::spawn_blocking(move || revived.revive()).await.unwrap();
    }
}

/// Everybody who will swap, with what they need, long before anything goes wrong. Those whom nobody can serve later have built
/// their deposits.
async fn assemble(chains: &Chains, desk: &Desk, orders: u64, seed: u64) -> Vec<Payer> {
    let mut dice = Dice::new(seed, "wishes");
    let hopeless = usize::try_from(orders.div_ceil(6)).unwrap();
    let mut payers: Vec<Payer> = (1..=usize::try_from(orders).unwrap())
        .map(|number| {
            let wish = match number {
                1 => hopeless_solana_wish(&mut dice),
                number if number > hopeless => wish(number - hopeless - 1, &mut dice),
                number if number.is_multiple_of(3) => hopeless_solana_wish(&mut dice),
                _ => hopeless_wish(&mut dice),
            };
            Payer::new(wish, &mut dice)
        })
        .collect();
    stream::iter(&payers).for_each_concurrent(GIFTS, |payer| payer.fund(chains)).await;
    for chain in CHAINS.into_iter().chain([SOLANA]) {
        chains.control(chain, json!({ "action": "mine", "blocks": DEEP })).await;
    }
    for payer in payers.iter_mut().take(hopeless) {
        payer.build(desk).await;
    }
    drain(chains, desk).await;
    payers.sort_by_cached_key(|_| dice.below(u64::MAX));
    payers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_survive_kill_9_and_faults_of_the_chains_and_all_money_is_accounted_for() {
    let begun = Instant::now();
    let [orders, kills, faults] = [("CAUSEWAY_ORDERS", 20), ("CAUSEWAY_KILLS", 5), ("CAUSEWAY_FAULTS", 8)]
        .map(|(name, short)| number(name).unwrap_or(short));
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}: {orders} orders, {kills} kills, {faults} faults");
    let chains = Arc::new(Chains::start());
    let desk = Arc::new(Desk::start(&chains.base, CONFIG));
    let payers = assemble(&chains, &desk, orders, seed).await;
    let before = books(&chains).await;

    let (tell, _) = broadcast::channel(64);
    let (over, log) = (Arc::new(AtomicBool::new(false)), Log::default());
    let killer = kill_often(
        Arc::clone(&chains),
        Arc::clone(&desk),
        kills,
        Dice::new(seed, "kills"),
        tell.clone(),
        Arc::clone(&over),
        Arc::clone(&log),
    );
    let killer = tokio::spawn(killer);
    let stormy = tokio::spawn(storm(Arc::clone(&chains), faults, seed, Arc::clone(&log)));
    let wallets = tokio::spawn(tend_wallets(Arc::clone(&chains)));
    let payers = swap_all(&chains, &desk, payers, &tell, seed).await;
    over.store(true, Ordering::SeqCst);
    killer.await.unwrap();
    stormy.await.unwrap();
    settle(&chains, &desk, &payers, seed).await;
    wallets.abort();
    let (flows, reverted) = audit(&chains, &desk, &payers, &before, seed).await;
    let faults = log.lock().await.clone();
    let report = Report { seed, payers: &payers, kills, faults, reverted, took: begun.elapsed(), flows };
    eprintln!("CAUSEWAY_SEED={seed}: all is well; the report is {}", report.write().display());
}

/// Looks after what wallets have sent, for as long as it is polled.
async fn tend_wallets(chains: Arc<Chains>) {
    loop {
        chains.tend_wallets().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Has everybody swap, a few side by side.
async fn swap_all(
    chains: &Arc<Chains>,
    desk: &Arc<Desk>,
    payers: Vec<Payer>,
    tell: &broadcast::Sender<Moment>,
    seed: u64,
) -> Vec<Payer> {
    let (waiting, done) = (Arc::new(Mutex::new(payers)), Arc::new(Mutex::new(Vec::new())));
    let lanes: Vec<_> = (0..LANES)
        .map(|_| {
            let (chains, desk, tell) = (Arc::clone(chains), Arc::clone(desk), tell.clone());
            let (waiting, done) = (Arc::clone(&waiting), Arc::clone(&done));
            tokio::spawn(async move {
                loop {
                    let Some(mut payer) = waiting.lock().await.pop() else { return };
                    if payer.deal.is_none() {
                        payer.build(&desk).await;
                    }
                    let _ = tell.send(Moment::Built);
                    if payer.wish.fate != Fate::Unseen {
                        payer.deposit(&chains, &desk, &tell).await;
                    }
                    read_on(&chains, payer.wish.from.0).await;
                    read_on(&chains, payer.wish.to.0).await;
                    done.lock().await.push(payer);
                }
            })
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    std::mem::take(&mut *done.lock().await)
}
