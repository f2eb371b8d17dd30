use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{BlockMark, ChainError, Follow, News};
use causeway_domain::{ChainId, Deployment, Leisure};
use tokio::time::{Instant, sleep_until};

use super::facts::Ours;
use super::finality::OrderFinality;
use super::memory::Memory;
use crate::blocks::{Block, Log};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::follow::{BlockEvent, BlockSource, Finality, FollowConfig, Follower, Start};

/// Enough blocks for the slowest word: Arbitrum makes four a second and calls them final after twenty minutes.
const KEEP: NonZeroUsize = NonZeroUsize::MIN.saturating_add(8_191);

/// How a chain is followed for orders.
#[derive(Clone, Debug)]
pub struct OrderFollowConfig {
    pub finality: OrderFinality,
    /// How long to wait between two looks at the chain.
    pub poll: Duration,
    /// How it is looked at while nobody waits for it, if otherwise.
    pub leisure: Option<Leisure>,
}

impl OrderFollowConfig {
    /// What real chains are trusted with, looked at once a second.
    pub fn for_chain(chain: ChainId) -> Self {
        Self { finality: OrderFinality::for_chain(chain), poll: Duration::from_secs(1), leisure: None }
    }

    pub const fn sandbox(poll: Duration) -> Self {
        Self { finality: OrderFinality::sandbox(), poll, leisure: None }
    }
}

/// Follows our contracts on one chain and tells what they say about orders.
#[derive(Debug)]
pub struct OrderFollower<S = EvmClient> {
    source: S,
    follower: Follower<S>,
    ours: Ours,
    memory: Memory,
    finality: Finality,
    /// What was read and not told yet, so that a dropped `next` loses nothing.
    pending: Option<BlockEvent>,
    poll: Duration,
    /// After a failure, when to try again.
    rest_until: Option<Instant>,
    halted: Option<String>,
}

impl<S: BlockSource + Clone> OrderFollower<S> {
    /// Follows these contracts, of every version that may still have orders. `after` is the newest mark that stands for
    /// [`Care::Large`](causeway_domain::ports::Care::Large): facts above it may not have been told for that care.
    /// Without one, following begins where the oldest of the contracts does.
    pub fn new(
        source: S,
        deployments: &[Deployment],
        config: &OrderFollowConfig,
        after: Option<BlockMark>,
    ) -> Self {
        let ours = Ours::new(source.chain(), deployments);
        let mut follow = FollowConfig::new(ours.addresses(), config.finality.levels());
        let here = deployments.iter().filter(|deployment| deployment.chain == source.chain());
        let first = here.map(|deployment| deployment.from_block).min();
        follow.start = match (after, first) {
            (Some(mark), _) => Start::After(vec![(mark.number, mark.hash)]),
            (None, Some(first)) => Start::From(first),
            (None, None) => Start::Head,
        };
        follow.poll = config.poll;
        follow.leisure.clone_from(&config.leisure);
        follow.keep = KEEP;
        Self {
            follower: Follower::new(source.clone(), follow),
            source,
            ours,
            memory: Memory::new(config.finality, after.as_ref()),
            finality: config.finality.large,
            pending: None,
            poll: config.poll,
            rest_until: None,
            halted: None,
        }
    }

    async fn read(&mut self) -> Result<Option<News>, ChainError> {
        if let Some(words) = &self.halted {
            return Err(ChainError::Disagreement(self.source.chain(), words.clone()));
        }
        if self.pending.is_none() {
            self.pending = Some(self.follower.next().await?);
        }
        if let Some(until) = self.rest_until {
            sleep_until(until).await;
            self.rest_until = None;
        }
        let times = match &self.pending {
            Some(BlockEvent::Past { to, hash, logs, .. }) => self.times(*to, *hash, logs).await,
            _ => Ok(HashMap::new()),
        };
        match times {
            Ok(times) => Ok(self.pending.take().and_then(|event| self.digest(event, &times))),
            Err(error) => {
                self.rest_until = Some(Instant::now() + self.poll);
                if let CallError::Disagreement { message, .. } = &error {
                    self.halted = Some(message.clone());
                }
                Err(error.into())
            }
        }
    }

    /// The times of those blocks of a settled span that have facts, and of its last. Each must be the block that its logs
    /// name: they were read by number, when nobody looked at their hashes.
    async fn times(&self, to: u64, hash: B256, logs: &[Log]) -> Result<HashMap<u64, u64>, CallError> {
        let away = |number: u64| CallError::Unavailable {
            chain: self.source.chain(),
            faults: format!("no endpoint has block {number} any more"),
        };
        let last = self.source.believed_block(to, self.finality).await?.ok_or_else(|| away(to))?;
        let mut expected = HashMap::from([(to, hash)]);
        let mut times = HashMap::from([(to, last.timestamp)]);
        self.compare(&last, hash)?;
        for log in logs.iter().filter(|log| self.ours.read(log, 0).is_some()) {
            let known = *expected.entry(log.block_number).or_insert(log.block_hash);
            if known != log.block_hash {
                return Err(self.contradiction(log.block_number, known, log.block_hash));
            }
        }
        expected.remove(&to);
        let numbers: Vec<u64> = expected.keys().copied().collect();
        for (number, block) in numbers.iter().zip(self.source.blocks(&numbers).await?) {
            let block = block.ok_or_else(|| away(*number))?;
            self.compare(&block, expected.get(number).copied().unwrap_or_default())?;
            times.insert(*number, block.timestamp);
        }
        Ok(times)
    }

    fn compare(&self, block: &Block, expected: B256) -> Result<(), CallError> {
        if block.hash == expected {
            return Ok(());
        }
        Err(self.contradiction(block.number, expected, block.hash))
    }

    fn contradiction(&self, number: u64, one: B256, other: B256) -> CallError {
        let message = format!("block {number} is settled, and is both {one} and {other}");
        CallError::Disagreement { chain: self.source.chain(), message }
    }

    fn digest(&mut self, event: BlockEvent, times: &HashMap<u64, u64>) -> Option<News> {
        match event {
            BlockEvent::New { number, timestamp, logs, .. } => {
                let facts = logs.iter().filter_map(|log| self.ours.read(log, timestamp)).collect();
                self.memory.new_block(number, timestamp, facts)
            }
            BlockEvent::Past { to, hash, logs, .. } => {
                let read = |log: &Log| self.ours.read(log, times.get(&log.block_number).copied()?);
                let facts = logs.iter().filter_map(read).collect();
                let mark = BlockMark { number: to, hash, time: times.get(&to).copied()? };
                Some(self.memory.past(mark, facts))
            }
            BlockEvent::Reorg { depth, common_ancestor } => {
                tracing::info!(chain = %self.source.chain(), depth, common_ancestor, "the chain changed its mind");
                self.memory.reorg(common_ancestor);
                None
            }
            BlockEvent::Settled { level, number, hash } => self.memory.settled(level, number, hash),
        }
    }
}

#[async_trait]
impl<S: BlockSource + Clone> Follow for OrderFollower<S> {
    fn chain(&self) -> ChainId {
        self.source.chain()
    }

    async fn next(&mut self) -> Result<News, ChainError> {
        loop {
            if let Some(news) = self.read().await? {
                return Ok(news);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::super::facts::tests::{ESCROW, chain, deployment, log_of, open_event, terms};
    use super::*;
    use crate::blocks::BlockTag;

    /// A chain of a hundred blocks whose one log, in block 70, names the block that it is said to lie in.
    #[derive(Clone, Copy)]
    struct OneLog(B256);

    fn block(number: u64) -> Block {
        let hash = |number: u64| B256::left_padding_from(&(number + 1).to_be_bytes());
        Block { number, hash: hash(number), parent: hash(number.wrapping_sub(1)), timestamp: number * 10 }
    }

    #[async_trait]
    impl BlockSource for OneLog {
        fn chain(&self) -> ChainId {
            chain()
        }

        async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
            Ok(match tag {
                BlockTag::Number(number) => Some(block(number)).filter(|_| number <= 100),
                _ => Some(block(100)),
            })
        }

        async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError> {
            Ok(numbers.iter().map(|number| Some(block(*number))).collect())
        }

        async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError> {
            Ok(Some(block(number)))
        }

        async fn block_logs(&self, _: &[Address], blocks: &[Block]) -> Result<Vec<Vec<Log>>, CallError> {
            Ok(blocks.iter().map(|_| Vec::new()).collect())
        }

        async fn range_logs(&self, _: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
            let log = Log { block_hash: self.0, ..log_of(ESCROW, &open_event(&terms())) };
            Ok(Some(log).into_iter().filter(|log| (from..=to).contains(&log.block_number)).collect())
        }
    }

    fn follower(log_in: B256) -> OrderFollower<OneLog> {
        let config = OrderFollowConfig::sandbox(Duration::from_millis(1));
        OrderFollower::new(OneLog(log_in), &[deployment()], &config, None)
    }

    #[tokio::test]
    async fn blocks_of_the_past_tell_their_facts_with_the_time_of_their_blocks() {
        let News::Stands { mark, facts, .. } = follower(block(70).hash).next().await.unwrap() else {
            panic!()
        };
        assert_eq!((mark.number, mark.hash, mark.time), (98, block(98).hash, 980));
        assert_eq!(
            facts.iter().map(|fact| (fact.place.block, fact.place.time)).collect::<Vec<_>>(),
            [(70, 700)]
        );
    }

    #[tokio::test]
    async fn a_log_of_the_past_in_a_block_that_is_not_the_chains_halts_for_good() {
        let mut follower = follower(B256::repeat_byte(9));
        for _ in 0..2 {
            let halted = follower.next().await;
            assert!(
                matches!(&halted, Err(ChainError::Disagreement(_, words)) if words.contains("block 70")),
                "{halted:?}"
            );
        }
    }
}
