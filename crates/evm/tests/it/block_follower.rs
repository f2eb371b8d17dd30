use std::sync::{Arc, Mutex};

use alloy_primitives::{Address, B256, Bytes, keccak256};
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::ChainError;
use causeway_evm::{
    Block, BlockEvent, BlockSource, BlockTag, CallError, Finality, FollowConfig, Follower, Log, Start,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fake::{Fake, chain, client, error};

const CONTRACT: Address = Address::repeat_byte(0xcc);
const DEPTH: u64 = 8;

/// An in-memory chain that reorganises on demand.
#[derive(Clone, Default)]
struct FakeChain(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    blocks: Vec<Block>,
    forks: u64,
    highest: u64,
    /// How many blocks the endpoint lags.
    lag: u64,
    /// The next calls fail.
    failing: u32,
    /// Calls until the chain reorganises, and the depth.
    reorg_after: Option<(u32, u64)>,
    widest_range: u64,
}

impl State {
    fn mine(&mut self, count: u64) {
        for _ in 0..count {
            let number = self.blocks.len() as u64;
            let parent = self.blocks.last().map_or(B256::ZERO, |block| block.hash);
            let hash = keccak256([number.to_be_bytes(), self.forks.to_be_bytes()].concat());
            self.blocks.push(Block { number, hash, parent, timestamp: number });
            self.highest = self.highest.max(number);
        }
    }

    /// Never below a block that may be final.
    fn reorg(&mut self, depth: u64, new: u64) {
        let floor = (self.highest.saturating_sub(DEPTH) + 1).max(1);
        let keep = (self.blocks.len() as u64).saturating_sub(depth).max(floor);
        self.forks += 1;
        self.blocks.truncate(usize::try_from(keep).unwrap());
        self.mine(new);
    }

    fn logs(block: &Block) -> Vec<Log> {
        (0..u64::from(block.hash[0] % 3))
            .map(|index| Log {
                address: CONTRACT,
                topics: vec![],
                data: Bytes::new(),
                block_hash: block.hash,
                block_number: block.number,
                transaction_hash: block.hash,
                index,
                removed: false,
            })
            .collect()
    }
}

impl FakeChain {
    fn called(&self) -> Result<std::sync::MutexGuard<'_, State>, CallError> {
        let mut state = self.0.lock().unwrap();
        match state.reorg_after {
            Some((0, depth)) => {
                state.reorg_after = None;
                state.reorg(depth, depth + 1);
            }
            Some((calls, depth)) => state.reorg_after = Some((calls - 1, depth)),
            None => {}
        }
        if state.failing > 0 {
            state.failing -= 1;
            return Err(CallError::Unavailable { chain: chain(), faults: "down".to_owned() });
        }
        Ok(state)
    }
}

#[async_trait]
impl BlockSource for FakeChain {
    fn chain(&self) -> ChainId {
        chain()
    }

    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        let state = self.called()?;
        let shown = state.blocks.len().saturating_sub(usize::try_from(state.lag).unwrap());
        let shown = &state.blocks[..shown];
        Ok(match tag {
            BlockTag::Number(number) => shown.get(usize::try_from(number).unwrap()).copied(),
            BlockTag::Latest => shown.last().copied(),
            BlockTag::Safe | BlockTag::Finalized => None,
        })
    }

    async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError> {
        let mut blocks = Vec::new();
        for number in numbers {
            blocks.push(self.block(BlockTag::Number(*number)).await?);
        }
        Ok(blocks)
    }

    async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError> {
        self.block(BlockTag::Number(number)).await
    }

    async fn block_logs(&self, _: &[Address], blocks: &[Block]) -> Result<Vec<Vec<Log>>, CallError> {
        let state = self.called()?;
        let logs = |block: &Block| {
            let unknown = || CallError::Unavailable { chain: chain(), faults: "unknown block".to_owned() };
            state.blocks.contains(block).then(|| State::logs(block)).ok_or_else(unknown)
        };
        blocks.iter().map(logs).collect()
    }

    async fn range_logs(&self, _: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
        let mut state = self.called()?;
        if to - from >= 100 {
            let message = "block range is too wide: limited to 100 blocks".to_owned();
            return Err(CallError::Refused { chain: chain(), code: -32005, message, data: None });
        }
        state.widest_range = state.widest_range.max(to - from + 1);
        Ok(state.blocks.iter().filter(|b| (from..=to).contains(&b.number)).flat_map(State::logs).collect())
    }
}

/// The state of a consumer that applies every event.
#[derive(Default)]
struct Ledger {
    blocks: Vec<(u64, B256)>,
    logs: Vec<Log>,
}

impl Ledger {
    fn apply_all(&mut self, events: Vec<BlockEvent>) {
        for event in events {
            self.apply(event);
        }
    }

    fn apply(&mut self, event: BlockEvent) {
        match event {
            BlockEvent::New { number, hash, parent, logs, .. } => {
                if let Some((last, last_hash)) = self.blocks.last() {
                    assert_eq!((last + 1, *last_hash), (number, parent));
                }
                self.blocks.push((number, hash));
                self.logs.extend(logs);
            }
            BlockEvent::Backfill { from, to, hash, logs } => {
                assert!(self.blocks.last().is_none_or(|(last, _)| last + 1 == from));
                self.blocks.push((to, hash));
                self.logs.extend(logs);
            }
            BlockEvent::Reorg { depth, common_ancestor } => {
                assert_eq!(self.blocks.last().unwrap().0 - common_ancestor, depth);
                self.blocks.retain(|(number, _)| *number <= common_ancestor);
                self.logs.retain(|log| log.block_number <= common_ancestor);
            }
            BlockEvent::Final { number, hash, .. } => {
                assert!(self.blocks.contains(&(number, hash)), "only reported blocks become final");
            }
        }
    }
}

fn config(start: Start) -> FollowConfig {
    let mut config = FollowConfig::new(vec![CONTRACT], vec![Finality::Depth(DEPTH)]);
    config.start = start;
    config
}

async fn poll_until_idle(follower: &mut Follower<FakeChain>, ledger: &mut Ledger) {
    let mut quiet = 0;
    while quiet < 3 {
        let events = follower.poll().await.unwrap();
        quiet = if events.is_empty() { quiet + 1 } else { 0 };
        ledger.apply_all(events);
    }
}

fn assert_matches_chain(chain: &FakeChain, ledger: &Ledger) {
    let state = chain.0.lock().unwrap();
    assert_eq!(*ledger.blocks.last().unwrap(), state.blocks.last().map(|b| (b.number, b.hash)).unwrap());
    for (number, hash) in &ledger.blocks {
        assert_eq!(state.blocks[usize::try_from(*number).unwrap()].hash, *hash);
    }
    let first = ledger.logs.first().map_or(0, |log| log.block_number);
    let logs: Vec<Log> = state.blocks.iter().filter(|b| b.number >= first).flat_map(State::logs).collect();
    assert_eq!(ledger.logs, logs);
}

#[derive(Clone, Debug)]
enum Step {
    Mine(u64),
    Reorg(u64, u64),
    Lag(u64),
    Fail(u32),
    ReorgAfter(u32, u64),
    Poll,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1u64..6).prop_map(Step::Mine),
        3 => (1..=DEPTH, 0u64..10).prop_map(|(depth, new)| Step::Reorg(depth, new)),
        1 => (0u64..4).prop_map(Step::Lag),
        1 => (1u32..4).prop_map(Step::Fail),
        2 => (0u32..8, 1..=DEPTH).prop_map(|(calls, depth)| Step::ReorgAfter(calls, depth)),
        8 => Just(Step::Poll),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn applying_every_event_yields_the_chain(history in 1u64..300, steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let chain = FakeChain::default();
            chain.0.lock().unwrap().mine(history);
            let mut follower = Follower::new(chain.clone(), config(Start::From(0)));
            let mut ledger = Ledger::default();
            for step in steps {
                match step {
                    Step::Mine(count) => chain.0.lock().unwrap().mine(count),
                    Step::Reorg(depth, new) => chain.0.lock().unwrap().reorg(depth, new),
                    Step::Lag(blocks) => chain.0.lock().unwrap().lag = blocks,
                    Step::Fail(calls) => chain.0.lock().unwrap().failing = calls,
                    Step::ReorgAfter(calls, depth) => chain.0.lock().unwrap().reorg_after = Some((calls, depth)),
                    Step::Poll => match follower.poll().await {
                        Ok(events) => ledger.apply_all(events),
                        Err(error) => assert!(error.is_retryable(), "{error}"),
                    },
                    Step::Restart => {
                        // Events are applied before the restart; the recent blocks are kept.
                        if let Ok(events) = follower.poll().await {
                            ledger.apply_all(events);
                            let held: Vec<_> = follower.recent_blocks().collect();
                            let start = if held.is_empty() { Start::From(0) } else { Start::After(held) };
                            follower = Follower::new(chain.clone(), config(start));
                        }
                    }
                }
            }
            {
                let mut state = chain.0.lock().unwrap();
                (state.lag, state.failing, state.reorg_after) = (0, 0, None);
                // A chain that only lost blocks shows it with the next ones.
                state.mine(DEPTH + 2);
            }
            poll_until_idle(&mut follower, &mut ledger).await;
            assert_matches_chain(&chain, &ledger);
        });
    }
}

#[tokio::test]
async fn final_blocks_are_backfilled_in_ranges_as_wide_as_the_chain_allows() {
    let chain = FakeChain::default();
    chain.0.lock().unwrap().mine(2_000);
    let mut follower = Follower::new(chain.clone(), config(Start::From(0)));
    let mut ledger = Ledger::default();
    for _ in 0..100 {
        ledger.apply_all(follower.poll().await.unwrap());
    }
    assert_matches_chain(&chain, &ledger);
    let widest = chain.0.lock().unwrap().widest_range;
    assert!((50..=100).contains(&widest), "{widest}");
    assert!(ledger.blocks.len() < 100, "{}", ledger.blocks.len());
}

#[tokio::test]
async fn a_reorg_has_depth_and_ancestor_and_each_block_becomes_final_once() {
    let chain = FakeChain::default();
    chain.0.lock().unwrap().mine(10);
    let mut follower = Follower::new(chain.clone(), config(Start::Head));
    assert!(matches!(follower.poll().await.unwrap()[..], [BlockEvent::New { number: 9, .. }]));
    chain.0.lock().unwrap().mine(3);
    assert_eq!(follower.poll().await.unwrap().len(), 3);
    chain.0.lock().unwrap().reorg(2, 4);
    let events = follower.poll().await.unwrap();
    assert_eq!(events, [BlockEvent::Reorg { depth: 2, common_ancestor: 10 }]);
    let events = follower.poll().await.unwrap();
    assert_eq!(events.len(), 4, "{events:?}");
    chain.0.lock().unwrap().mine(5);
    let events = follower.poll().await.unwrap();
    let finalized = |event: &&BlockEvent| matches!(event, BlockEvent::Final { level: 0, number: 11, .. });
    assert_eq!(events.iter().filter(finalized).count(), 1, "{events:?}");
    assert!(follower.poll().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_reorg_below_a_final_block_halts_permanently() {
    let chain = FakeChain::default();
    chain.0.lock().unwrap().mine(10);
    let mut follower = Follower::new(chain.clone(), config(Start::From(0)));
    let _ = follower.poll().await.unwrap();
    {
        let mut state = chain.0.lock().unwrap();
        state.forks += 1;
        state.blocks.truncate(1);
        state.mine(12);
    }
    for _ in 0..2 {
        let halted = follower.next().await;
        assert!(matches!(halted, Err(ChainError::Disagreement(..))), "{halted:?}");
    }
}

/// Two endpoints of one chain, one stuck on an abandoned fork; either may answer.
#[derive(Clone, Default)]
struct SplitSource {
    live: FakeChain,
    stuck: FakeChain,
    answers: Arc<Mutex<bool>>,
}

impl SplitSource {
    fn answering(&self) -> &FakeChain {
        if *self.answers.lock().unwrap() { &self.live } else { &self.stuck }
    }
}

#[async_trait]
impl BlockSource for SplitSource {
    fn chain(&self) -> ChainId {
        chain()
    }

    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        self.answering().block(tag).await
    }

    async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError> {
        self.answering().blocks(numbers).await
    }

    async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError> {
        let tag = BlockTag::Number(number);
        match (self.live.block(tag).await?, self.stuck.block(tag).await?) {
            (Some(one), Some(other)) if one.hash != other.hash => {
                Err(CallError::Disagreement { chain: chain(), message: "two blocks".to_owned() })
            }
            (one, other) => Ok(one.or(other)),
        }
    }

    /// The stuck fork is too short to have final blocks.
    async fn finalized_block(&self, number: u64, _: Finality) -> Result<Option<Block>, CallError> {
        self.live.block(BlockTag::Number(number)).await
    }

    async fn block_logs(&self, at: &[Address], blocks: &[Block]) -> Result<Vec<Vec<Log>>, CallError> {
        self.answering().block_logs(at, blocks).await
    }

    async fn range_logs(&self, at: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
        self.answering().range_logs(at, from, to).await
    }
}

#[tokio::test]
async fn an_endpoint_stuck_on_an_abandoned_fork_does_not_halt_the_follower() {
    let split = SplitSource::default();
    split.live.0.lock().unwrap().mine(20);
    {
        let mut stuck = split.stuck.0.lock().unwrap();
        stuck.mine(10);
        stuck.forks = 1;
        stuck.mine(4);
    }
    let answer_live = |live: bool| *split.answers.lock().unwrap() = live;
    answer_live(true);
    let mut follower = Follower::new(split.clone(), config(Start::From(0)));
    let finalized = |events: &[BlockEvent]| {
        events.iter().any(|event| matches!(event, BlockEvent::Final { number: 11, .. }))
    };
    assert!(finalized(&follower.poll().await.unwrap()), "a block that one endpoint considers final is final");
    // All answers come from a fork below the final block.
    answer_live(false);
    assert_eq!(follower.poll().await.unwrap(), []);
    // After a restart only the newest final block is known.
    let known = vec![follower.recent_blocks().find(|(number, _)| *number == 11).unwrap()];
    let mut restarted = Follower::new(split.clone(), config(Start::After(known)));
    assert_eq!(restarted.poll().await.unwrap(), []);
    answer_live(true);
    split.live.0.lock().unwrap().mine(5);
    for follower in [&mut follower, &mut restarted] {
        let events = follower.poll().await.unwrap();
        assert!(matches!(events.last(), Some(BlockEvent::Final { number: 16, .. })), "{events:?}");
    }
}

#[tokio::test]
async fn finality_uses_the_tag_if_supported_and_depth_otherwise() {
    let block = |number: u64| {
        let hash = |n: u64| format!("0x{n:064x}");
        json!({ "number": format!("{number:#x}"), "hash": hash(number + 1), "parentHash": hash(number), "timestamp": "0x1" })
    };
    let serve = move |tags: bool| {
        move |method: &str, params: &Value| match (method, params[0].as_str()) {
            ("eth_chainId", _) => Ok(json!("0x2105")),
            ("eth_getLogs", _) => Ok(json!([])),
            (_, Some("latest")) => Ok(block(100)),
            (_, Some("finalized")) if tags => Ok(block(95)),
            (_, Some("finalized")) => error(-32602, "unknown block tag"),
            (_, Some(number)) => Ok(block(u64::from_str_radix(&number[2..], 16).unwrap())),
            _ => error(-32601, "no such method"),
        }
    };
    for (tags, expected) in [(true, 95), (false, 90)] {
        let fake = Fake::start(serve(tags)).await;
        let finality = Finality::Tag { tag: BlockTag::Finalized, or_depth: 10 };
        let mut config = FollowConfig::new(vec![CONTRACT], vec![finality]);
        config.start = Start::From(80);
        let mut follower = Follower::new(client(&[&fake]), config);
        let events = follower.poll().await.unwrap();
        let finalized = events.iter().find_map(|event| match event {
            BlockEvent::Final { number, .. } => Some(*number),
            _ => None,
        });
        assert_eq!(finalized, Some(expected), "{events:?}");
        assert_eq!(fake.count("eth_getLogs"), 21, "each block's logs are read once");
    }
}
