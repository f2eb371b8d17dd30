use std::collections::VecDeque;

use alloy_primitives::B256;
use causeway_domain::IdlePolling;
use causeway_domain::ports::ChainError;
use tokio::time::Instant;

use super::config::{Finality, FollowConfig, Start};
use super::rhythm::Rhythm;
use super::source::BlockSource;
use super::tracker::{AncestorSearch, BlockRelation, Tracker};
use crate::blocks::{Block, BlockTag, Log};
use crate::error::CallError;

/// An event of a chain. Consumers apply events in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockEvent {
    /// The next block, child of the last, with the logs of the followed contracts.
    New { number: u64, hash: B256, parent: B256, timestamp: u64, logs: Vec<Log> },
    /// Final blocks read in one range while catching up, `from` to `to`, both included.
    Backfill { from: u64, to: u64, hash: B256, logs: Vec<Log> },
    /// The newest `depth` blocks are gone; the chain continues from the common ancestor.
    Reorg { depth: u64, common_ancestor: u64 },
    /// This block and all below it are final at this level; the block was read again to confirm it.
    Final { level: usize, number: u64, hash: B256 },
}

/// Reads each block of a chain once and detects reorganisations.
///
/// State and queue change together and never across an await, so a dropped `next` loses nothing.
#[derive(Debug)]
pub struct Follower<S> {
    source: S,
    config: FollowConfig,
    tracker: Tracker,
    first: Option<u64>,
    range: u64,
    /// The newest final block per level.
    final_numbers: Vec<Option<u64>>,
    queue: VecDeque<BlockEvent>,
    due: Instant,
    polled_at: Option<Instant>,
    rhythm: Rhythm,
    /// When final blocks were last looked for.
    final_read_at: Option<Instant>,
    halted: Option<String>,
}

impl<S: BlockSource> Follower<S> {
    pub fn new(source: S, config: FollowConfig) -> Self {
        let keep = config.keep.get();
        let (tracker, first) = match &config.start {
            Start::Head => (Tracker::new(keep), None),
            Start::From(number) => (Tracker::new(keep), Some(*number)),
            Start::After(known) => (Tracker::resume(keep, known), None),
        };
        let final_numbers = vec![None; config.levels.len()];
        let range = config.range.get();
        Self {
            source,
            config,
            tracker,
            first,
            range,
            final_numbers,
            queue: VecDeque::new(),
            due: Instant::now(),
            polled_at: None,
            rhythm: Rhythm::default(),
            final_read_at: None,
            halted: None,
        }
    }

    /// The newest blocks, oldest first, for [`Start::After`] after a restart.
    pub fn recent_blocks(&self) -> impl Iterator<Item = (u64, B256)> + '_ {
        self.tracker.recent_blocks()
    }

    /// Waits for the next event. After an error it may be called again and pauses first. After a disagreement about
    /// a final block it returns that error forever.
    pub async fn next(&mut self) -> Result<BlockEvent, ChainError> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Ok(event);
            }
            tokio::time::sleep_until(self.due).await;
            while self.is_pausing() {
                // An order may need the chain at any moment.
                tokio::time::sleep(self.config.poll).await;
            }
            let polled_at = Instant::now();
            self.polled_at = Some(polled_at);
            self.due = polled_at + self.config.poll;
            self.poll_once().await?;
            if !self.queue.is_empty() && !self.is_idle() {
                // There may be more.
                self.due = polled_at;
            } else if let Some(pause) = self.config.awaited_poll.filter(|_| self.is_awaited()) {
                self.due = self.due.min(self.rhythm.next_look(Instant::now(), pause));
            }
        }
    }

    /// Whether somebody waits for the next block.
    fn is_awaited(&self) -> bool {
        let demand = self.config.idle_polling.as_ref().map(|idle_polling| &idle_polling.demand);
        demand.is_some_and(|demand| demand.is_awaited(self.source.chain()))
    }

    /// Whether the next poll can wait because nobody needs the chain. Catching up does not wait.
    fn is_pausing(&self) -> bool {
        let Some((idle_polling, polled_at)) = self.config.idle_polling.as_ref().zip(self.polled_at) else {
            return false;
        };
        self.due > polled_at && idle_polling.should_skip(self.source.chain(), polled_at.elapsed())
    }

    /// Whether nobody needs the newest blocks and no older ones are being read.
    fn is_idle(&self) -> bool {
        let awaited = |idle_polling: &IdlePolling| idle_polling.demand.is_awaited(self.source.chain());
        let catching_up = self.queue.iter().any(|event| matches!(event, BlockEvent::Backfill { .. }));
        !catching_up && self.config.idle_polling.as_ref().is_some_and(|idle_polling| !awaited(idle_polling))
    }

    /// Polls once, without waiting, and returns the new events.
    pub async fn poll(&mut self) -> Result<Vec<BlockEvent>, ChainError> {
        self.poll_once().await?;
        Ok(self.queue.drain(..).collect())
    }

    async fn poll_once(&mut self) -> Result<(), ChainError> {
        if let Some(message) = &self.halted {
            return Err(ChainError::Disagreement(self.source.chain(), message.clone()));
        }
        let result = self.advance().await;
        if let Err(CallError::Disagreement { message, .. }) = &result {
            self.halted = Some(message.clone());
        }
        result.map_err(ChainError::from)
    }

    async fn advance(&mut self) -> Result<(), CallError> {
        let Some(head) = self.source.median_block(BlockTag::Latest).await? else { return Ok(()) };
        let before = self.tracker.tip();
        match self.tracker.relation_to_tip(&head) {
            BlockRelation::Fork => return self.rewind_to_ancestor(head.number).await,
            // A poll for the next block alone: what is final moves with the blocks, or is read at the usual pace.
            BlockRelation::Known
                if self.final_read_at.is_some_and(|at| at.elapsed() < self.config.poll)
                    && self.config.awaited_poll.is_some() =>
            {
                return Ok(());
            }
            BlockRelation::Known => {}
            BlockRelation::Gap => {
                if !self.catch_up(&head).await? {
                    self.read_next(head.number).await?;
                }
            }
            BlockRelation::Extends => {
                let first = self.first.unwrap_or(head.number);
                let begun = self.tracker.tip().is_some();
                if begun || first == head.number {
                    self.append(&[head]).await?;
                } else if first < head.number && !self.catch_up(&head).await? {
                    self.read_next(head.number).await?;
                }
            }
        }
        if self.tracker.tip() != before {
            self.rhythm.block_seen(Instant::now());
        }
        self.final_read_at = Some(Instant::now());
        self.report_final(head.number).await
    }

    /// The number of the first block that was not read yet.
    fn next_number(&self) -> Option<u64> {
        self.tracker.tip().map_or(self.first, |(tip, _)| tip.checked_add(1))
    }

    /// Reads the logs of many final blocks in one range; `false` when there are too few.
    async fn catch_up(&mut self, head: &Block) -> Result<bool, CallError> {
        let Some(from) = self.next_number() else { return Ok(false) };
        if head.number.saturating_sub(from) < self.config.step.get() {
            return Ok(false);
        }
        let mut settled = head.number;
        for finality in self.config.levels.clone() {
            settled = settled.min(self.final_number(finality, head.number).await?.unwrap_or(0));
        }
        if self.config.levels.is_empty() || settled < from.saturating_add(self.config.step.get()) {
            return Ok(false);
        }
        if let Some((tip, hash)) = self.tracker.tip() {
            let Some(ours) = self.source.block(BlockTag::Number(tip)).await? else { return Ok(true) };
            if ours.hash != hash {
                return self.rewind_to_ancestor(tip).await.map(|()| true);
            }
        }
        let (to, logs) = loop {
            let to = settled.min(from.saturating_add(self.range - 1));
            match self.source.range_logs(&self.config.addresses, from, to).await {
                Err(error) if error.wants_smaller_range() && self.range > 1 => self.range /= 2,
                logs => break (to, logs?),
            }
        };
        let last = match self.config.levels.last() {
            Some(finality) => self.source.confirmed_block(to, *finality).await?,
            None => self.source.block(BlockTag::Number(to)).await?,
        };
        let Some(last) = last else { return Ok(true) };
        // Grow slowly, so that a chain with a range limit does not hit it every other time.
        self.range = (self.range + self.range / 8 + 1).min(self.config.range.get());
        self.tracker.rebase(&last);
        self.queue.push_back(BlockEvent::Backfill { from, to, hash: last.hash, logs });
        Ok(true)
    }

    /// Reads the next few blocks, as far as each is the child of the one before.
    async fn read_next(&mut self, head: u64) -> Result<(), CallError> {
        let Some(from) = self.next_number() else { return Ok(()) };
        let to = head.min(from.saturating_add(self.config.step.get() - 1));
        let numbers: Vec<u64> = (from..=to).collect();
        let mut chain: Vec<Block> = Vec::new();
        for block in self.source.blocks(&numbers).await?.into_iter().map_while(|block| block) {
            let parent = chain.last().map(|last| last.hash);
            if parent.is_some_and(|parent| parent != block.parent) {
                break;
            }
            chain.push(block);
        }
        match chain.first().map(|first| self.tracker.relation_to_tip(first)) {
            Some(BlockRelation::Fork) => self.rewind_to_ancestor(head).await,
            Some(BlockRelation::Extends) => self.append(&chain).await,
            _ => Ok(()),
        }
    }

    /// Reads the logs of consecutive blocks, then appends the blocks.
    async fn append(&mut self, chain: &[Block]) -> Result<(), CallError> {
        let logs = self.source.block_logs(&self.config.addresses, chain).await?;
        for (block, logs) in chain.iter().zip(logs) {
            if self.tracker.try_extend(block) != BlockRelation::Extends {
                break;
            }
            let Block { number, hash, parent, timestamp } = *block;
            self.queue.push_back(BlockEvent::New { number, hash, parent, timestamp, logs });
        }
        Ok(())
    }

    /// Walks down to the last common block and drops what is above it.
    async fn rewind_to_ancestor(&mut self, height: u64) -> Result<(), CallError> {
        let Some((tip, _)) = self.tracker.tip() else { return Ok(()) };
        let mut at = tip.min(height);
        loop {
            // The endpoint does not have the block yet; try again later.
            let Some(block) = self.source.block(BlockTag::Number(at)).await? else { return Ok(()) };
            match self.tracker.search_ancestor(&block) {
                AncestorSearch::Deeper(below) => at = below,
                AncestorSearch::NotFound => {
                    let message = format!("none of the blocks down to {at} is in the chain any more");
                    return self.check_contradiction(at, message).await;
                }
                AncestorSearch::Ancestor { depth: 0, .. } => return Ok(()),
                AncestorSearch::Ancestor { number, depth, .. } => {
                    if let Some(settled) =
                        self.final_numbers.iter().flatten().max().filter(|settled| **settled > number)
                    {
                        let message =
                            format!("block {settled} was final, and the chain now forks at {number}");
                        return self.check_contradiction(*settled, message).await;
                    }
                    self.tracker.rewind(number);
                    self.queue.push_back(BlockEvent::Reorg { depth, common_ancestor: number });
                    return Ok(());
                }
            }
        }
    }

    /// An endpoint shows another block in place of a final one. An endpoint on an abandoned fork does so until it catches up,
    /// and the follower waits. If an endpoint considers the other block final, the follower halts.
    async fn check_contradiction(&self, number: u64, message: String) -> Result<(), CallError> {
        let settled = match self.config.levels.last() {
            Some(finality) => self.source.finalized_block(number, *finality).await?,
            None => self.source.block(BlockTag::Number(number)).await?,
        };
        match settled {
            Some(block) if self.tracker.hash_at(number) != Some(block.hash) => {
                Err(CallError::Disagreement { chain: self.source.chain(), message })
            }
            _ => Ok(()),
        }
    }

    /// Confirms and reports blocks that have become final.
    async fn report_final(&mut self, head: u64) -> Result<(), CallError> {
        for (level, finality) in self.config.levels.clone().into_iter().enumerate() {
            let Some((tip, _)) = self.tracker.tip() else { return Ok(()) };
            let Some(number) = self.final_number(finality, head).await?.map(|number| number.min(tip)) else {
                continue;
            };
            let before = self.final_numbers.get(level).copied().flatten();
            let Some(ours) = self.tracker.hash_at(number).filter(|_| before < Some(number)) else { continue };
            let last = level + 1 == self.config.levels.len();
            let again = if last {
                self.source.confirmed_block(number, finality).await?
            } else {
                self.source.block(BlockTag::Number(number)).await?
            };
            match again {
                None => {}
                Some(block) if block.hash == ours => {
                    if let Some(slot) = self.final_numbers.get_mut(level) {
                        *slot = Some(number);
                    }
                    self.queue.push_back(BlockEvent::Final { level, number, hash: ours });
                }
                Some(_) => return self.rewind_to_ancestor(number).await,
            }
        }
        Ok(())
    }

    /// The newest block number that is final by this rule, if any.
    async fn final_number(&self, finality: Finality, head: u64) -> Result<Option<u64>, CallError> {
        let (tag, depth) = match finality {
            Finality::Depth(depth) => return Ok(head.checked_sub(depth)),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        match self.source.median_block(tag).await {
            Ok(Some(block)) => Ok(Some(block.number)),
            // The chain does not support the tag.
            Ok(None) | Err(CallError::Refused { .. }) => Ok(head.checked_sub(depth)),
            Err(error) => Err(error),
        }
    }
}
