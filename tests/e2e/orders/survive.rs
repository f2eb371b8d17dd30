use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy_primitives::{Address, U256};
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;
use reqwest::Method;
use serde_json::json;
use tokio::sync::{Mutex, broadcast};

use super::audit::{audit, books, settle};
use super::chains::{BASE, CHAINS, COIN, Chains, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, usdc};
use super::desk::Desk;
use super::dice::{Dice, number, seed};
use super::payer::{Fate, Moment, Payer, Way, Wish};

/// How many payers are at it side by side.
const LANES: usize = 4;

/// Long runs deposit late for what they built first.
const CONFIG: &str = "[orders]\nopen_slack_seconds = 7200\n";

/// What the killer waits for before it strikes.
#[derive(Clone, Copy, Debug)]
enum Trigger {
    Time,
    On(Moment),
}

fn input(dice: &mut Dice, token: Address) -> U256 {
    match token {
        // A hundredth of a coin and more.
        COIN => U256::from(10_000_000_000_000_000 + dice.below(10_000_000_000_000_000)),
        // Twenty dollars and more.
        _ => U256::from(20_000_000 + dice.below(200_000_000)),
    }
}

/// A swap between any two of the chains, or on one of them.
fn any_wish(dice: &mut Dice) -> Wish {
    let side = |dice: &mut Dice| {
        let chain = dice.pick(&CHAINS);
        match dice.below(5) {
            0 | 1 => (chain, COIN),
            2 if chain == ETHEREUM => (chain, ETHEREUM_USDT),
            _ => (chain, usdc(chain)),
        }
    };
    let from = side(dice);
    let to = loop {
        let to = side(dice);
        if to != from {
            break to;
        }
    };
    let ways = [Way::Call, Way::Silent, Way::Signed, Way::Transfer, Way::Permit];
    let way = dice.pick(if from.1 == COIN { &ways[..4] } else { &ways });
    // An address to send to is shown from the start.
    let fate = if dice.below(10) == 0 && way != Way::Transfer { Fate::Unseen } else { Fate::Filled };
    Wish { from, to, amount: input(dice, from.1), way, fate }
}

/// A swap for something that the fillers will not have any more when the deposit comes.
fn hopeless_wish(dice: &mut Dice) -> Wish {
    let chain = dice.pick(&CHAINS);
    let token = dice.pick(&[COIN, usdc(chain)]);
    let way = dice.pick(&[Way::Call, Way::Transfer, Way::Signed]);
    let amount = input(dice, token);
    Wish { from: (chain, token), to: (OPTIMISM, OPTIMISM_USDT), amount, way, fate: Fate::Refunded }
}

/// Takes all of a token from the fillers, and waits until they know.
async fn drain(chains: &Chains, desk: &Desk) {
    for filler in Roles::new().unwrap().fillers {
        let key = Signer::from_bytes(&filler.hot.key.0).unwrap();
        let all = chains.balance(OPTIMISM, OPTIMISM_USDT, key.address()).await;
        chains.pay(OPTIMISM, &key, OPTIMISM_USDT, Address::repeat_byte(0xd1), all).await;
    }
    let ask = json!({
        "tradeType": "EXACT_INPUT", "amount": "50000000", "fromAddress": Address::repeat_byte(0xd2),
        "fromChainId": BASE, "fromToken": usdc(BASE), "toChainId": OPTIMISM, "toToken": OPTIMISM_USDT,
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
    desk: Arc<Desk>,
    kills: u64,
    mut dice: Dice,
    told: broadcast::Sender<Moment>,
    over: Arc<AtomicBool>,
) {
    for _ in 0..kills {
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
        let desk = Arc::clone(&desk);
        let again = move || {
            desk.kill();
            desk.revive();
        };
        tokio::task::spawn_blocking(again).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_survive_kill_9_and_all_money_is_accounted_for() {
    let (orders, kills) = (number("CAUSEWAY_ORDERS").unwrap_or(20), number("CAUSEWAY_KILLS").unwrap_or(5));
    let seed = seed();
    let chains = Arc::new(Chains::start());
    let desk = Arc::new(Desk::start(&chains.base, CONFIG));
    let mut dice = Dice::new(seed, "wishes");
    let mut payers = Vec::new();
    for _ in 0..orders.div_ceil(6) {
        let mut payer = Payer::new(hopeless_wish(&mut dice), &mut dice);
        payer.fund(&chains).await;
        payer.build(&desk).await;
        payers.push(payer);
    }
    drain(&chains, &desk).await;
    let before = books(&chains).await;
    while (payers.len() as u64) < orders {
        payers.push(Payer::new(any_wish(&mut dice), &mut dice));
    }
    // The hopeless ones lie among the others.
    payers.sort_by_cached_key(|_| dice.below(u64::MAX));

    let (tell, _) = broadcast::channel(64);
    let over = Arc::new(AtomicBool::new(false));
    let killer =
        kill_often(Arc::clone(&desk), kills, Dice::new(seed, "kills"), tell.clone(), Arc::clone(&over));
    let killer = tokio::spawn(killer);
    let (waiting, done) = (Arc::new(Mutex::new(payers)), Arc::new(Mutex::new(Vec::new())));
    let lanes: Vec<_> = (0..LANES)
        .map(|_| {
            let (chains, desk, tell) = (Arc::clone(&chains), Arc::clone(&desk), tell.clone());
            let (waiting, done) = (Arc::clone(&waiting), Arc::clone(&done));
            tokio::spawn(async move {
                loop {
                    let Some(mut payer) = waiting.lock().await.pop() else { return };
                    if payer.deal.is_none() {
                        payer.fund(&chains).await;
                        payer.build(&desk).await;
                    }
                    let _ = tell.send(Moment::Built);
                    if payer.wish.fate != Fate::Unseen {
                        payer.deposit(&chains, &desk, &tell).await;
                    }
                    chains.tally(payer.wish.from.0).await;
                    chains.tally(payer.wish.to.0).await;
                    done.lock().await.push(payer);
                }
            })
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    over.store(true, Ordering::SeqCst);
    killer.await.unwrap();
    let payers = std::mem::take(&mut *done.lock().await);
    settle(&chains, &desk, &payers, seed).await;
    audit(&chains, &desk, &payers, &before, seed).await;
}
