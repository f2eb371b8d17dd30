use std::collections::VecDeque;

use alloy_primitives::B256;
use causeway_domain::Leisure;
use causeway_domain::ports::ChainError;
use tokio::time::Instant;

use super::config::{Finality, FollowConfig, Start};
use super::source::BlockSource;
use super::tracker::{Offer, Trace, Tracker};
use crate::blocks::{Block, BlockTag, Log};
use crate::error::CallError;

/// What happened on a chain, in the order in which it must be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockEvent {
    /// The next block, child of the last, with the logs of the followed contracts.
    New { number: u64, hash: B256, parent: B256, timestamp: u64, logs: Vec<Log> },
    /// Settled blocks read at once while catching up, `from` to `to`, both included.
    Past { from: u64, to: u64, hash: B256, logs: Vec<Log> },
    /// The newest `depth` blocks are gone; the chain goes on from the common ancestor.
    Reorg { depth: u64, common_ancestor: u64 },
    /// Looked at again, this block and all below it still stand at this level of finality.
    Settled { level: usize, number: u64, hash: B256 },
}

/// Reads each block of a chain once and notices when the chain changes its mind.
///
/// State and queue change together and never across an await, so a dropped `next` loses nothing.
#[derive(Debug)]
pub struct Follower<S> {
    source: S,
    config: FollowConfig,
    tracker: Tracker,
    first: Option<u64>,
    range: u64,
    settled: Vec<Option<u64>>,
    queue: VecDeque<BlockEvent>,
    due: Instant,
    looked: Option<Instant>,
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
        let settled = vec![None; config.levels.len()];
        let range = config.range.get();
        Self {
            source,
            config,
            tracker,
            first,
            range,
            settled,
            queue: VecDeque::new(),
            due: Instant::now(),
            looked: None,
            halted: None,
        }
    }

    /// The newest blocks, oldest first: what [`Start::After`] wants after a restart.
    pub fn held(&self) -> impl Iterator<Item = (u64, B256)> + '_ {
        self.tracker.held()
    }

    /// Waits for the next event. After an error it may be called again, and rests first; after a disagreement
    /// about something settled it answers with that for good.
    pub async fn next(&mut self) -> Result<BlockEvent, ChainError> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Ok(event);
            }
            tokio::time::sleep_until(self.due).await;
            while self.rests() {
                // Somebody may begin to wait at any moment.
                tokio::time::sleep(self.config.poll).await;
            }
            let looked = Instant::now();
            self.looked = Some(looked);
            self.due = looked + self.config.poll;
            self.look().await?;
            if !self.queue.is_empty() && !self.is_idle() {
                // There may be more.
                self.due = looked;
            }
        }
    }

    /// Whether the chain need not be looked at yet. What is behind is caught up with all the same.
    fn rests(&self) -> bool {
        let Some((leisure, looked)) = self.config.leisure.as_ref().zip(self.looked) else { return false };
        self.due > looked && leisure.rests(self.source.chain(), looked.elapsed())
    }

    /// Whether nobody waits for what the newest blocks bring, and no older ones are being read.
    fn is_idle(&self) -> bool {
        let awaited = |leisure: &Leisure| leisure.interest.is_awaited(self.source.chain());
        let catching_up = self.queue.iter().any(|event| matches!(event, BlockEvent::Past { .. }));
        !catching_up && self.config.leisure.as_ref().is_some_and(|leisure| !awaited(leisure))
    }

    /// Looks once, without waiting, and returns what there is to tell.
    pub async fn poll(&mut self) -> Result<Vec<BlockEvent>, ChainError> {
        self.look().await?;
        Ok(self.queue.drain(..).collect())
    }

    async fn look(&mut self) -> Result<(), ChainError> {
        if let Some(words) = &self.halted {
            return Err(ChainError::Disagreement(self.source.chain(), words.clone()));
        }
        let looked = self.advance().await;
        if let Err(CallError::Disagreement { message, .. }) = &looked {
            self.halted = Some(message.clone());
        }
        looked.map_err(ChainError::from)
    }

    async fn advance(&mut self) -> Result<(), CallError> {
        let Some(head) = self.source.block(BlockTag::Latest).await? else { return Ok(()) };
        match self.tracker.judge(&head) {
            Offer::Fork => return self.retrace(head.number).await,
            Offer::Known => {}
            Offer::Gap => {
                if !self.catch_up(&head).await? {
                    self.read_on(head.number).await?;
                }
            }
            Offer::Extends => {
                let first = self.first.unwrap_or(head.number);
                let begun = self.tracker.tip().is_some();
                if begun || first == head.number {
                    self.take(&[head]).await?;
                } else if first < head.number && !self.catch_up(&head).await? {
                    self.read_on(head.number).await?;
                }
            }
        }
        self.settle(head.number).await
    }

    /// The number of the first block that was not read yet.
    fn next_number(&self) -> Option<u64> {
        self.tracker.tip().map_or(self.first, |(tip, _)| tip.checked_add(1))
    }

    /// Reads the logs of many settled blocks at once; `false` when there are too few to be worth it.
    async fn catch_up(&mut self, head: &Block) -> Result<bool, CallError> {
        let Some(from) = self.next_number() else { return Ok(false) };
        if head.number.saturating_sub(from) < self.config.step.get() {
            return Ok(false);
        }
        let mut settled = head.number;
        for finality in self.config.levels.clone() {
            settled = settled.min(self.settled_number(finality, head.number).await?.unwrap_or(0));
        }
        if self.config.levels.is_empty() || settled < from.saturating_add(self.config.step.get()) {
            return Ok(false);
        }
        if let Some((tip, hash)) = self.tracker.tip() {
            let Some(ours) = self.source.block(BlockTag::Number(tip)).await? else { return Ok(true) };
            if ours.hash != hash {
                return self.retrace(tip).await.map(|()| true);
            }
        }
        let (to, logs) = loop {
            let to = settled.min(from.saturating_add(self.range - 1));
            match self.source.range_logs(&self.config.addresses, from, to).await {
                Err(error) if error.asks_for_less() && self.range > 1 => self.range /= 2,
                logs => break (to, logs?),
            }
        };
        let last = match self.config.levels.last() {
            Some(finality) => self.source.believed_block(to, *finality).await?,
            None => self.source.block(BlockTag::Number(to)).await?,
        };
        let Some(last) = last else { return Ok(true) };
        // Slowly, so that a chain with a limit is not pushed over it every other time.
        self.range = (self.range + self.range / 8 + 1).min(self.config.range.get());
        self.tracker.rebase(&last);
        self.queue.push_back(BlockEvent::Past { from, to, hash: last.hash, logs });
        Ok(true)
    }

    /// Reads the next few blocks one by one, as far as they form a chain.
    async fn read_on(&mut self, head: u64) -> Result<(), CallError> {
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
        match chain.first().map(|first| self.tracker.judge(first)) {
            Some(Offer::Fork) => self.retrace(head).await,
            Some(Offer::Extends) => self.take(&chain).await,
            _ => Ok(()),
        }
    }

    /// Reads the logs of blocks that follow each other, then takes all of them.
    async fn take(&mut self, chain: &[Block]) -> Result<(), CallError> {
        let logs = self.source.block_logs(&self.config.addresses, chain).await?;
        for (block, logs) in chain.iter().zip(logs) {
            if self.tracker.offer(block) != Offer::Extends {
                break;
            }
            let Block { number, hash, parent, timestamp } = *block;
            self.queue.push_back(BlockEvent::New { number, hash, parent, timestamp, logs });
        }
        Ok(())
    }

    /// Walks down from the newest common height to the last common block and gives up what is above it.
    async fn retrace(&mut self, height: u64) -> Result<(), CallError> {
        let Some((tip, _)) = self.tracker.tip() else { return Ok(()) };
        let mut at = tip.min(height);
        loop {
            // An endpoint that does not have the block yet cannot testify; later.
            let Some(block) = self.source.block(BlockTag::Number(at)).await? else { return Ok(()) };
            match self.tracker.trace(&block) {
                Trace::Deeper(below) => at = below,
                Trace::Lost => {
                    let words = format!("none of the blocks down to {at} stands any more");
                    return self.doubt(at, words).await;
                }
                Trace::Ancestor { depth: 0, .. } => return Ok(()),
                Trace::Ancestor { number, depth, .. } => {
                    if let Some(settled) =
                        self.settled.iter().flatten().max().filter(|settled| **settled > number)
                    {
                        let words =
                            format!("block {settled} was settled, and the chain now parts at {number}");
                        return self.doubt(*settled, words).await;
                    }
                    self.tracker.rewind(number);
                    self.queue.push_back(BlockEvent::Reorg { depth, common_ancestor: number });
                    return Ok(());
                }
            }
        }
    }

    /// A block that was settled is shown as another. An endpoint that was left behind on a dead fork does so until it catches
    /// up, and is waited for; one that calls the other block settled contradicts, and nothing is believed any more.
    async fn doubt(&self, number: u64, message: String) -> Result<(), CallError> {
        let settled = match self.config.levels.last() {
            Some(finality) => self.source.settled_block(number, *finality).await?,
            None => self.source.block(BlockTag::Number(number)).await?,
        };
        match settled {
            Some(block) if self.tracker.hash_at(number) != Some(block.hash) => {
                Err(CallError::Disagreement { chain: self.source.chain(), message })
            }
            _ => Ok(()),
        }
    }

    /// Looks again at blocks that have become deep enough.
    async fn settle(&mut self, head: u64) -> Result<(), CallError> {
        for (level, finality) in self.config.levels.clone().into_iter().enumerate() {
            let Some((tip, _)) = self.tracker.tip() else { return Ok(()) };
            let Some(number) = self.settled_number(finality, head).await?.map(|number| number.min(tip))
            else {
                continue;
            };
            let before = self.settled.get(level).copied().flatten();
            let Some(ours) = self.tracker.hash_at(number).filter(|_| before < Some(number)) else { continue };
            let last = level + 1 == self.config.levels.len();
            let again = if last {
                self.source.believed_block(number, finality).await?
            } else {
                self.source.block(BlockTag::Number(number)).await?
            };
            match again {
                None => {}
                Some(block) if block.hash == ours => {
                    if let Some(slot) = self.settled.get_mut(level) {
                        *slot = Some(number);
                    }
                    self.queue.push_back(BlockEvent::Settled { level, number, hash: ours });
                }
                Some(_) => return self.retrace(number).await,
            }
        }
        Ok(())
    }

    /// The newest number that is settled by this rule, if any is.
    async fn settled_number(&self, finality: Finality, head: u64) -> Result<Option<u64>, CallError> {
        let (tag, depth) = match finality {
            Finality::Depth(depth) => return Ok(head.checked_sub(depth)),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        match self.source.block(tag).await {
            Ok(Some(block)) => Ok(Some(block.number)),
            // The chain does not know the word.
            Ok(None) | Err(CallError::Refused { .. }) => Ok(head.checked_sub(depth)),
            Err(error) => Err(error),
        }
    }
}
