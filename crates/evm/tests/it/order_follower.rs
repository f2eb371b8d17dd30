use std::time::Duration;

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{ChainCursor, ChainFollower as _, ChainUpdate, FinalityTier};
use causeway_domain::{Evidence, Fact, FactKind, IntentTerms, RefundCause};
use causeway_evm::contracts::{Escrow, Order, Settler};
use causeway_evm::orders::{OrderFinality, OrderFollowConfig, OrderFollower};
use causeway_evm::{BlockTag, Finality};
use causeway_sandbox::evm::Reorged;

use crate::orders_chain::{SandboxChain, roles};

fn follower(play: &SandboxChain, after: Option<ChainCursor>) -> OrderFollower {
    let config = OrderFollowConfig::sandbox(Duration::from_millis(20));
    OrderFollower::new(play.client.clone(), std::slice::from_ref(&play.deployment), &config, after)
}

/// The updates of a follower until a block is final, inclusive.
#[derive(Default)]
struct Updates {
    seen: Vec<Fact>,
    final_facts: Vec<Fact>,
    cursor: Option<ChainCursor>,
}

impl Updates {
    async fn until(follower: &mut OrderFollower, block: u64) -> Self {
        let mut updates = Self::default();
        while updates.cursor.is_none_or(|cursor| cursor.number < block) {
            match follower.next().await.unwrap() {
                ChainUpdate::Unfinalized(facts) => updates.seen.extend(facts),
                ChainUpdate::Final { tier, cursor, facts } => {
                    assert_eq!(tier, FinalityTier::Large, "one level is final for all tiers");
                    updates.final_facts.extend(facts);
                    updates.cursor = Some(cursor);
                }
            }
        }
        updates
    }
}

async fn fill(play: &SandboxChain, terms: &IntentTerms) {
    let call = Settler::fillCall {
        orderId: terms.id(),
        originData: terms.to_bytes().into(),
        fillerData: Vec::new().into(),
    };
    play.land(&roles().fillers[0].hot, play.deployment.settler, terms.amount_out, call.abi_encode()).await;
}

async fn claim(play: &SandboxChain, terms: &IntentTerms) {
    let (order, none) = (Order::from(terms), U256::ZERO);
    let call = Escrow::claimCall { order, filledAt: none, fillRef: B256::ZERO, signatures: Vec::new() };
    play.land(&roles().relayer, play.deployment.escrow, none, call.abi_encode()).await;
}

async fn waive(play: &SandboxChain, terms: &IntentTerms) {
    let call = Escrow::refundCall { order: Order::from(terms) };
    play.land(&roles().fillers[0].hot, play.deployment.escrow, U256::ZERO, call.abi_encode()).await;
}

#[tokio::test]
async fn the_facts_of_an_order_are_reported_and_then_final() {
    let play = SandboxChain::start(10).await;
    let (filled, waived) = (play.order("filled"), play.order("waived"));
    let mut follower = follower(&play, None);
    play.open(&filled).await;
    fill(&play, &filled).await;
    claim(&play, &filled).await;
    play.open(&waived).await;
    waive(&play, &waived).await;
    let last = play.chain.mine(3, 1).await.unwrap();
    let updates = Updates::until(&mut follower, last - 2).await;
    assert_eq!(updates.final_facts.len(), 5, "{:?}", updates.final_facts);
    assert_eq!(updates.cursor.unwrap().number, last - 2);
    let facts: Vec<(Fact, FinalityTier)> =
        updates.final_facts.iter().cloned().map(|fact| (fact, FinalityTier::Large)).collect();
    let evidence = Evidence::from_facts(&filled, FinalityTier::Large, &facts);
    let amounts = [&evidence.deposit, &evidence.fill, &evidence.claim]
        .map(|shown| shown.as_ref().unwrap().amount.get());
    assert_eq!(amounts, [filled.amount_in, filled.amount_out, filled.amount_in]);
    assert_eq!(evidence.refund, None);
    let evidence = Evidence::from_facts(&waived, FinalityTier::Large, &facts);
    assert!(matches!(evidence.refund, Some((_, RefundCause::Waived))), "{evidence:?}");
    for fact in &updates.final_facts {
        let block = play.client.block(BlockTag::Number(fact.place.block)).await.unwrap().unwrap();
        assert_eq!(fact.place.time, block.timestamp, "{fact:?}");
    }
}

#[tokio::test]
async fn a_shallow_reorg_drops_unfinalized_facts() {
    let play = SandboxChain::start(10).await;
    play.chain.pause();
    let mut follower = follower(&play, None);
    let head = play.chain.mine(1, 1).await.unwrap();
    let _ = Updates::until(&mut follower, head - 2).await;
    let terms = play.order("gone");
    let opened = play.open(&terms).await.block_number;
    let seen = loop {
        if let ChainUpdate::Unfinalized(facts) = follower.next().await.unwrap() {
            break facts;
        }
    };
    assert_eq!(seen[0].kind, FactKind::Opened(Box::new(terms)));
    play.chain.reorg(1, Reorged::Drop).await.unwrap();
    let last = play.chain.mine(4, 1).await.unwrap();
    let updates = Updates::until(&mut follower, last - 2).await;
    assert!(updates.cursor.unwrap().number >= opened);
    assert_eq!(updates.final_facts, []);
}

#[tokio::test]
async fn a_large_amount_waits_for_the_deeper_level_and_a_usual_one_does_not() {
    let play = SandboxChain::start(10).await;
    play.chain.pause();
    let finality = OrderFinality { usual: Finality::Depth(1), large: Finality::Depth(4) };
    let poll = Duration::from_millis(20);
    let config = OrderFollowConfig { finality, poll, idle_polling: None, awaited_poll: None };
    let deployments = std::slice::from_ref(&play.deployment);
    let mut follower = OrderFollower::new(play.client.clone(), deployments, &config, None);
    let opened = play.open(&play.order("careful")).await.block_number;
    for (blocks, expected) in [(1, FinalityTier::Standard), (3, FinalityTier::Large)] {
        play.chain.mine(blocks, 1).await.unwrap();
        loop {
            match follower.next().await.unwrap() {
                ChainUpdate::Final { tier, cursor, facts } if !facts.is_empty() => {
                    assert_eq!((tier, cursor.number, facts.len()), (expected, opened, 1));
                    break;
                }
                ChainUpdate::Final { tier: FinalityTier::Large, cursor, .. } => {
                    assert!(cursor.number < opened);
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn after_a_restart_the_follower_continues_at_the_cursor() {
    let play = SandboxChain::start(10).await;
    let terms = play.order("before");
    play.open(&terms).await;
    let head = play.chain.mine(3, 1).await.unwrap();
    let mut first = follower(&play, None);
    let updates = Updates::until(&mut first, head - 2).await;
    assert_eq!(updates.final_facts.len(), 1);
    drop(first);
    fill(&play, &terms).await;
    // Far enough behind that final blocks are backfilled.
    play.chain.mine(60, 1).await.unwrap();
    let head = play.chain.mine(1, 1).await.unwrap();
    let mut revived = follower(&play, updates.cursor);
    let updates = Updates::until(&mut revived, head - 2).await;
    let [fact] = &updates.final_facts[..] else { panic!("{:?}", updates.final_facts) };
    assert_eq!(fact.kind, FactKind::Filled(causeway_domain::RawAmount::new(terms.amount_out)));
    let block = play.client.block(BlockTag::Number(fact.place.block)).await.unwrap().unwrap();
    assert_eq!(fact.place.time, block.timestamp);
    let cursor = updates.cursor.unwrap();
    let block = play.client.block(BlockTag::Number(cursor.number)).await.unwrap().unwrap();
    assert_eq!((cursor.hash, cursor.time), (block.hash, block.timestamp));
}

#[tokio::test]
async fn a_cursor_that_is_not_in_the_chain_halts_permanently() {
    let play = SandboxChain::start(10).await;
    play.chain.mine(60, 1).await.unwrap();
    let cursor = ChainCursor { number: 5, hash: B256::repeat_byte(6), time: 7 };
    let mut follower = follower(&play, Some(cursor));
    for _ in 0..2 {
        let halted = follower.next().await;
        assert!(matches!(halted, Err(causeway_domain::ports::ChainError::Disagreement(..))), "{halted:?}");
    }
}
