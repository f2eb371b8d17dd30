use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ChainCursor, ChainError, ChainFollower, ChainUpdate};
use causeway_domain::{ChainId, Deployment, IdlePolling};
use tokio::time::{Instant, sleep_until};

use super::confirm_facts::confirm_facts;
use super::facts::KnownContracts;
use super::finality::OrderFinality;
use super::unfinalized::UnfinalizedFacts;
use crate::blocks::{Block, Log};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::follow::{BlockEvent, BlockSource, Finality, FollowConfig, Follower, Start};

/// Enough blocks for the slowest finality: Arbitrum produces four per second and finalizes them after twenty minutes.
const KEPT_BLOCKS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(8_191);

/// How a chain is followed for order events.
#[derive(Clone, Debug)]
pub struct OrderFollowConfig {
    pub finality: OrderFinality,
    /// The pause between two polls.
    pub poll: Duration,
    /// Slower polling while nobody needs the chain, if configured.
    pub idle_polling: Option<IdlePolling>,
    /// The pause between two polls for the next block while somebody waits for the chain; `poll` if not configured.
    pub awaited_poll: Option<Duration>,
}

impl OrderFollowConfig {
    /// The configuration for a production chain, polled once per second.
    pub const fn production(finality: OrderFinality) -> Self {
        Self { finality, poll: Duration::from_secs(1), idle_polling: None, awaited_poll: None }
    }

    pub const fn sandbox(poll: Duration) -> Self {
        Self { finality: OrderFinality::sandbox(), poll, idle_polling: None, awaited_poll: None }
    }
}

/// Follows our contracts on one chain and reports order facts.
#[derive(Debug)]
pub struct OrderFollower<S = EvmClient> {
    source: S,
    follower: Follower<S>,
    contracts: KnownContracts,
    unfinalized: UnfinalizedFacts,
    finality: Finality,
    /// Read but not reported yet, so that a dropped `next` loses nothing.
    pending: Option<BlockEvent>,
    /// Processed but not confirmed by the contracts' state yet.
    unconfirmed: Option<ChainUpdate>,
    poll: Duration,
    /// After a failure, when to try again.
    retry_at: Option<Instant>,
    halted: Option<String>,
}

impl<S: BlockSource + Clone> OrderFollower<S> {
    /// Follows these contracts, of every version that may still have orders. `after` is the newest cursor that is final for
    /// [`FinalityTier::Large`](causeway_domain::ports::FinalityTier::Large): facts above it may not have been reported for that tier.
    /// Without one, the follower starts at the first block of the oldest contract.
    pub fn new(
        source: S,
        deployments: &[Deployment],
        config: &OrderFollowConfig,
        after: Option<ChainCursor>,
    ) -> Self {
        let contracts = KnownContracts::new(source.chain(), deployments);
        let mut follow = FollowConfig::new(contracts.addresses(), config.finality.levels());
        let here = deployments.iter().filter(|deployment| deployment.chain == source.chain());
        let first = here.map(|deployment| deployment.from_block).min();
        follow.start = match (after, first) {
            (Some(cursor), _) => Start::After(vec![(cursor.number, cursor.hash)]),
            (None, Some(first)) => Start::From(first),
            (None, None) => Start::Head,
        };
        follow.poll = config.poll;
        follow.idle_polling.clone_from(&config.idle_polling);
        follow.awaited_poll = config.awaited_poll;
        follow.keep = KEPT_BLOCKS;
        Self {
            follower: Follower::new(source.clone(), follow),
            source,
            contracts,
            unfinalized: UnfinalizedFacts::new(config.finality, after.as_ref()),
            finality: config.finality.large,
            pending: None,
            unconfirmed: None,
            poll: config.poll,
            retry_at: None,
            halted: None,
        }
    }

    async fn read(&mut self) -> Result<Option<ChainUpdate>, ChainError> {
        if let Some(message) = &self.halted {
            return Err(ChainError::Disagreement(self.source.chain(), message.clone()));
        }
        if self.unconfirmed.is_none() && self.pending.is_none() {
            self.pending = Some(self.follower.next().await?);
        }
        if let Some(until) = self.retry_at {
            sleep_until(until).await;
            self.retry_at = None;
        }
        if self.unconfirmed.is_none() {
            self.unconfirmed = self.read_pending().await?;
        }
        self.confirm().await
    }

    /// Processes the event that was read; `None` if there is nothing to report.
    async fn read_pending(&mut self) -> Result<Option<ChainUpdate>, ChainError> {
        let times = match &self.pending {
            Some(BlockEvent::Backfill { to, hash, logs, .. }) => self.block_times(*to, *hash, logs).await,
            _ => Ok(HashMap::new()),
        };
        match times {
            Ok(times) => Ok(self.pending.take().and_then(|event| self.process(event, &times))),
            Err(error) => {
                self.retry_at = Some(Instant::now() + self.poll);
                if let CallError::Disagreement { message, .. } = &error {
                    self.halted = Some(message.clone());
                }
                Err(error.into())
            }
        }
    }

    /// Leaves out the final facts that the contracts' state denies, and reports the rest.
    async fn confirm(&mut self) -> Result<Option<ChainUpdate>, ChainError> {
        if let Some(ChainUpdate::Final { cursor, facts, .. }) = &mut self.unconfirmed {
            match confirm_facts(&self.source, &self.contracts, cursor.number, facts).await {
                Ok(confirmed) => *facts = confirmed,
                Err(error) => {
                    self.retry_at = Some(Instant::now() + self.poll);
                    return Err(error.into());
                }
            }
        }
        Ok(self.unconfirmed.take())
    }

    /// The timestamps of the blocks with facts in a final range, and of its last block. Each block hash must match its
    /// logs, which were read by number.
    async fn block_times(&self, to: u64, hash: B256, logs: &[Log]) -> Result<HashMap<u64, u64>, CallError> {
        let missing = |number: u64| CallError::Unavailable {
            chain: self.source.chain(),
            faults: format!("no endpoint has block {number}"),
        };
        let last = self.source.confirmed_block(to, self.finality).await?.ok_or_else(|| missing(to))?;
        let mut expected = HashMap::from([(to, hash)]);
        let mut times = HashMap::from([(to, last.timestamp)]);
        self.compare(&last, hash)?;
        for log in logs.iter().filter(|log| self.contracts.read(log, 0).is_some()) {
            let known = *expected.entry(log.block_number).or_insert(log.block_hash);
            if known != log.block_hash {
                return Err(self.contradiction(log.block_number, known, log.block_hash));
            }
        }
        expected.remove(&to);
        let numbers: Vec<u64> = expected.keys().copied().collect();
        for (number, block) in numbers.iter().zip(self.source.blocks(&numbers).await?) {
            let block = block.ok_or_else(|| missing(*number))?;
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
        let message = format!("final block {number} is both {one} and {other}");
        CallError::Disagreement { chain: self.source.chain(), message }
    }

    fn process(&mut self, event: BlockEvent, times: &HashMap<u64, u64>) -> Option<ChainUpdate> {
        match event {
            BlockEvent::New { number, timestamp, logs, .. } => {
                let facts = logs.iter().filter_map(|log| self.contracts.read(log, timestamp)).collect();
                self.unfinalized.new_block(number, timestamp, facts)
            }
            BlockEvent::Backfill { to, hash, logs, .. } => {
                let read = |log: &Log| self.contracts.read(log, times.get(&log.block_number).copied()?);
                let facts = logs.iter().filter_map(read).collect();
                let cursor = ChainCursor { number: to, hash, time: times.get(&to).copied()? };
                Some(self.unfinalized.backfill(cursor, facts))
            }
            BlockEvent::Reorg { depth, common_ancestor } => {
                tracing::info!(chain = %self.source.chain(), depth, common_ancestor, "chain reorganised");
                self.unfinalized.reorg(common_ancestor);
                None
            }
            BlockEvent::Final { level, number, hash } => self.unfinalized.finalized(level, number, hash),
        }
    }
}

#[async_trait]
impl<S: BlockSource + Clone> ChainFollower for OrderFollower<S> {
    fn chain(&self) -> ChainId {
        self.source.chain()
    }

    async fn next(&mut self) -> Result<ChainUpdate, ChainError> {
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

    /// A chain of a hundred blocks with one log in block 70, whose block hash is given.
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
    async fn backfilled_facts_have_the_time_of_their_blocks() {
        let ChainUpdate::Final { cursor, facts, .. } = follower(block(70).hash).next().await.unwrap() else {
            panic!()
        };
        assert_eq!((cursor.number, cursor.hash, cursor.time), (98, block(98).hash, 980));
        assert_eq!(
            facts.iter().map(|fact| (fact.place.block, fact.place.time)).collect::<Vec<_>>(),
            [(70, 700)]
        );
    }

    #[tokio::test]
    async fn a_backfilled_log_of_a_foreign_block_halts_permanently() {
        let mut follower = follower(B256::repeat_byte(9));
        for _ in 0..2 {
            let halted = follower.next().await;
            assert!(
                matches!(&halted, Err(ChainError::Disagreement(_, message)) if message.contains("block 70")),
                "{halted:?}"
            );
        }
    }
}
