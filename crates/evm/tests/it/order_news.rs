use std::time::Duration;

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{BlockMark, Care, Follow as _, News};
use causeway_domain::{Evidence, Fact, FactKind, RefundCause, Terms};
use causeway_evm::contracts::{Escrow, Order, Settler};
use causeway_evm::orders::{OrderFinality, OrderFollowConfig, OrderFollower};
use causeway_evm::{BlockTag, Finality};
use causeway_sandbox::evm::Reorged;

use crate::orders_chain::{PlayChain, roles};

fn follower(play: &PlayChain, after: Option<BlockMark>) -> OrderFollower {
    let config = OrderFollowConfig::sandbox(Duration::from_millis(20));
    OrderFollower::new(play.client.clone(), std::slice::from_ref(&play.deployment), &config, after)
}

/// What a follower told until a block stood, that one included.
#[derive(Default)]
struct Told {
    seen: Vec<Fact>,
    stands: Vec<Fact>,
    mark: Option<BlockMark>,
}

impl Told {
    async fn until(follower: &mut OrderFollower, block: u64) -> Self {
        let mut told = Self::default();
        while told.mark.is_none_or(|mark| mark.number < block) {
            match follower.next().await.unwrap() {
                News::Seen(facts) => told.seen.extend(facts),
                News::Stands { care, mark, facts } => {
                    assert_eq!(care, Care::Large, "one level stands for all");
                    told.stands.extend(facts);
                    told.mark = Some(mark);
                }
            }
        }
        told
    }
}

async fn fill(play: &PlayChain, terms: &Terms) {
    let call = Settler::fillCall {
        orderId: terms.id(),
        originData: terms.to_bytes().into(),
        fillerData: Vec::new().into(),
    };
    play.land(&roles().fillers[0].hot, play.deployment.settler, terms.amount_out, call.abi_encode()).await;
}

async fn claim(play: &PlayChain, terms: &Terms) {
    let (order, none) = (Order::from(terms), U256::ZERO);
    let call = Escrow::claimCall { order, filledAt: none, fillRef: B256::ZERO, signatures: Vec::new() };
    play.land(&roles().relayer, play.deployment.escrow, none, call.abi_encode()).await;
}

async fn waive(play: &PlayChain, terms: &Terms) {
    let call = Escrow::refundCall { order: Order::from(terms) };
    play.land(&roles().fillers[0].hot, play.deployment.escrow, U256::ZERO, call.abi_encode()).await;
}

#[tokio::test]
async fn the_whole_life_of_an_order_is_seen_and_then_stands() {
    let play = PlayChain::start(10).await;
    let (filled, waived) = (play.order("filled"), play.order("waived"));
    let mut follower = follower(&play, None);
    play.open(&filled).await;
    fill(&play, &filled).await;
    claim(&play, &filled).await;
    play.open(&waived).await;
    waive(&play, &waived).await;
    let last = play.chain.mine(3, 1).await.unwrap();
    let told = Told::until(&mut follower, last - 2).await;
    assert_eq!(told.stands.len(), 5, "{:?}", told.stands);
    assert_eq!(told.mark.unwrap().number, last - 2);
    let facts: Vec<(Fact, Care)> = told.stands.iter().cloned().map(|fact| (fact, Care::Large)).collect();
    let evidence = Evidence::of(&filled, Care::Large, &facts);
    let amounts = [&evidence.deposit, &evidence.fill, &evidence.claim]
        .map(|shown| shown.as_ref().unwrap().amount.get());
    assert_eq!(amounts, [filled.amount_in, filled.amount_out, filled.amount_in]);
    assert_eq!(evidence.refund, None);
    let evidence = Evidence::of(&waived, Care::Large, &facts);
    assert!(matches!(evidence.refund, Some((_, RefundCause::Waived))), "{evidence:?}");
    for fact in &told.stands {
        let block = play.client.block(BlockTag::Number(fact.place.block)).await.unwrap().unwrap();
        assert_eq!(fact.place.time, block.timestamp, "{fact:?}");
    }
}

#[tokio::test]
async fn a_shallow_reorg_takes_back_what_was_only_seen() {
    let play = PlayChain::start(10).await;
    play.chain.pause();
    let mut follower = follower(&play, None);
    let head = play.chain.mine(1, 1).await.unwrap();
    let _ = Told::until(&mut follower, head - 2).await;
    let terms = play.order("gone");
    let opened = play.open(&terms).await.block_number;
    let seen = loop {
        if let News::Seen(facts) = follower.next().await.unwrap() {
            break facts;
        }
    };
    assert_eq!(seen[0].kind, FactKind::Opened(Box::new(terms)));
    play.chain.reorg(1, Reorged::Drop).await.unwrap();
    let last = play.chain.mine(4, 1).await.unwrap();
    let told = Told::until(&mut follower, last - 2).await;
    assert!(told.mark.unwrap().number >= opened);
    assert_eq!(told.stands, []);
}

#[tokio::test]
async fn a_large_amount_waits_for_the_deeper_level_and_a_usual_one_does_not() {
    let play = PlayChain::start(10).await;
    play.chain.pause();
    let finality = OrderFinality { usual: Finality::Depth(1), large: Finality::Depth(4) };
    let config = OrderFollowConfig { finality, poll: Duration::from_millis(20), leisure: None };
    let deployments = std::slice::from_ref(&play.deployment);
    let mut follower = OrderFollower::new(play.client.clone(), deployments, &config, None);
    let opened = play.open(&play.order("careful")).await.block_number;
    for (blocks, expected) in [(1, Care::Usual), (3, Care::Large)] {
        play.chain.mine(blocks, 1).await.unwrap();
        loop {
            match follower.next().await.unwrap() {
                News::Stands { care, mark, facts } if !facts.is_empty() => {
                    assert_eq!((care, mark.number, facts.len()), (expected, opened, 1));
                    break;
                }
                News::Stands { care: Care::Large, mark, .. } => assert!(mark.number < opened),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn after_a_restart_it_goes_on_where_the_mark_stands() {
    let play = PlayChain::start(10).await;
    let terms = play.order("before");
    play.open(&terms).await;
    let head = play.chain.mine(3, 1).await.unwrap();
    let mut first = follower(&play, None);
    let told = Told::until(&mut first, head - 2).await;
    assert_eq!(told.stands.len(), 1);
    drop(first);
    fill(&play, &terms).await;
    // Far enough behind that settled blocks are read at once.
    play.chain.mine(60, 1).await.unwrap();
    let head = play.chain.mine(1, 1).await.unwrap();
    let mut revived = follower(&play, told.mark);
    let told = Told::until(&mut revived, head - 2).await;
    let [fact] = &told.stands[..] else { panic!("{:?}", told.stands) };
    assert_eq!(fact.kind, FactKind::Filled(causeway_domain::RawAmount::new(terms.amount_out)));
    let block = play.client.block(BlockTag::Number(fact.place.block)).await.unwrap().unwrap();
    assert_eq!(fact.place.time, block.timestamp);
    let mark = told.mark.unwrap();
    let block = play.client.block(BlockTag::Number(mark.number)).await.unwrap().unwrap();
    assert_eq!((mark.hash, mark.time), (block.hash, block.timestamp));
}

#[tokio::test]
async fn a_mark_that_the_chain_does_not_know_any_more_halts_for_good() {
    let play = PlayChain::start(10).await;
    play.chain.mine(60, 1).await.unwrap();
    let mark = BlockMark { number: 5, hash: B256::repeat_byte(6), time: 7 };
    let mut follower = follower(&play, Some(mark));
    for _ in 0..2 {
        let halted = follower.next().await;
        assert!(matches!(halted, Err(causeway_domain::ports::ChainError::Disagreement(..))), "{halted:?}");
    }
}
