use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causeway_domain::Address;
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;
use reqwest::Method;
use serde_json::json;
use tokio::sync::{Mutex, broadcast};

use super::audit::{audit, books, read_on, settle};
use super::chains::{BASE, Chains, OPTIMISM, OPTIMISM_USDT, usdc};
use super::desk::Desk;
use super::dice::{Dice, number, seed};
use super::key::Key;
use super::payer::{Fate, Moment, Payer};
use super::solana::SOLANA;
use super::wishes::{hopeless_solana_wish, hopeless_wish, wish};

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

fn nobody(byte: u8) -> Address {
    Address::Evm(alloy_primitives::Address::repeat_byte(byte))
}

/// Takes all of a token from the fillers, and waits until they know.
async fn drain(chains: &Chains, desk: &Desk) {
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
        // Every other time it is away for so long that nothing which was built before can land on Solana any more. What was
        // built for lack of hope has been sent by then, and could not be built again.
        if number % 2 == 1 {
            chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
        }
        tokio::task::spawn_blocking(move || revived.revive()).await.unwrap();
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
    let hopeless = orders.div_ceil(6);
    for number in 1..=hopeless {
        let wish =
            if number == hopeless { hopeless_solana_wish(&mut dice) } else { hopeless_wish(&mut dice) };
        let mut payer = Payer::new(wish, &mut dice);
        payer.fund(&chains).await;
        payer.build(&desk).await;
        payers.push(payer);
    }
    drain(&chains, &desk).await;
    let before = books(&chains).await;
    // Its transaction does not live for long, so this one goes first; the other hopeless ones lie among the rest.
    let first = payers.pop();
    for number in 0..usize::try_from(orders - hopeless).unwrap() {
        payers.push(Payer::new(wish(number, &mut dice), &mut dice));
    }
    payers.sort_by_cached_key(|_| dice.below(u64::MAX));
    payers.extend(first);

    let (tell, _) = broadcast::channel(64);
    let over = Arc::new(AtomicBool::new(false));
    let (there, victim, stop) = (Arc::clone(&chains), Arc::clone(&desk), Arc::clone(&over));
    let killer = kill_often(there, victim, kills, Dice::new(seed, "kills"), tell.clone(), stop);
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
    over.store(true, Ordering::SeqCst);
    killer.await.unwrap();
    let payers = std::mem::take(&mut *done.lock().await);
    settle(&chains, &desk, &payers, seed).await;
    audit(&chains, &desk, &payers, &before, seed).await;
}
