use std::time::{Duration, Instant};

use serde_json::json;

use super::kit::*;
use crate::evm::clock::Clock;
use crate::evm::{EvmChain, Options, Timing};

fn running(timing: Timing) -> EvmChain {
    let chain = EvmChain::open(&genesis(), Options { timing, ..Options::default() }).unwrap();
    let runner = chain.clone();
    tokio::spawn(async move { runner.run().await });
    chain
}

async fn wait_for(mut done: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !done().await {
        assert!(begun.elapsed() < Duration::from_mins(2), "it never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_transaction_is_in_a_block_within_a_second() {
    let chain = running(Timing::default());
    // Several tries, because a busy machine may be slow once.
    for nonce in 0..10 {
        let begun = Instant::now();
        let hash = send(&chain, &Wallet::new(0).call(nonce, COUNTER)).await;
        wait_for(async || !rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await.is_null()).await;
        if begun.elapsed() < Duration::from_secs(1) {
            return;
        }
    }
    panic!("ten transactions took longer");
}

#[tokio::test]
async fn empty_blocks_are_produced_automatically() {
    let chain = running(Timing { idle: Duration::from_millis(5), ..Timing::default() });
    wait_for(async || chain.block_number() >= 3).await;
}

#[tokio::test]
async fn a_paused_chain_makes_no_blocks() {
    let chain = running(Timing { idle: Duration::from_millis(5), ..Timing::default() });
    wait_for(async || chain.block_number() >= 1).await;
    chain.pause();
    let hash = send(&chain, &Wallet::new(0).call(0, COUNTER)).await;
    // A block may have been started before the pause.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let stopped = chain.block_number();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(chain.block_number(), stopped);
    chain.resume();
    wait_for(async || !rpc(&chain, "eth_getTransactionReceipt", json!([hash])).await.is_null()).await;
}

#[test]
fn blocks_are_due_soon_after_a_transaction_and_rarely_on_an_idle_chain() {
    let timing = Timing::default();
    let mut clock = Clock::new(START);
    let start = Instant::now();
    clock.block_made(START, start);
    let after = |millis| start + Duration::from_millis(millis);
    let due = |clock: &Clock, ready, at| clock.due_in(&timing, ready, at).as_millis();
    assert_eq!(due(&clock, None, after(0)), 6_000);
    // A transaction waits for others, and for the minimum block spacing.
    assert_eq!(due(&clock, Some(after(0)), after(0)), 250);
    assert_eq!(due(&clock, Some(after(1_000)), after(1_000)), 50);
    // A delayed transaction waits for its time.
    assert_eq!(due(&clock, Some(after(3_000)), after(1_000)), 2_050);
    clock.mark_active(after(0));
    assert_eq!(due(&clock, None, after(0)), 1_000);
    clock.block_made(START, after(59_000));
    assert_eq!(due(&clock, None, after(59_000)), 1_000);
    clock.block_made(START, after(61_000));
    assert_eq!(due(&clock, None, after(61_000)), 6_000);
    clock.pause(true);
    assert!(due(&clock, Some(after(0)), after(61_000)) > 1_000_000);
}
