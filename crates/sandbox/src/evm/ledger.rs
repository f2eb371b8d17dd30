use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

use alloy_primitives::B256;

use super::block::{Mined, SealedBlock};
use super::change::Change;
use super::world_state::WorldState;
use super::write::Write;

/// How many states are kept, including the newest: the limit for past states and reorganisations.
pub(crate) const KEPT_STATES: usize = 128;
/// How many blocks are kept even if empty.
const KEPT_BLOCKS: u64 = 1_000;
/// How many transactions are kept: older blocks with transactions stay up to this limit.
const MAX_TRANSACTIONS: usize = 20_000;
/// How many events a filter may lag behind.
const MAX_EVENTS: usize = 4_096;

/// A block with its state.
#[derive(Clone, Debug)]
pub(crate) struct RecentBlock {
    pub(crate) block: Arc<SealedBlock>,
    pub(crate) world: WorldState,
    pub(crate) change: Arc<Change>,
    pub(crate) writes: Arc<Vec<Write>>,
    /// The number of reorganisations before it was made.
    pub(crate) branch: u64,
}

/// A chain event for polling filters.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Added { number: u64, hash: B256 },
    Removed(Arc<SealedBlock>),
}

/// The chain: blocks, transaction locations and the newest states.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    genesis: Arc<SealedBlock>,
    head: RecentBlock,
    /// The states before the head's, oldest first.
    past: VecDeque<RecentBlock>,
    blocks: BTreeMap<u64, Arc<SealedBlock>>,
    numbers: HashMap<B256, u64>,
    tx_locations: HashMap<B256, (u64, usize)>,
    events: VecDeque<Event>,
    dropped_events: u64,
    branch: u64,
    /// Transactions of earlier blocks are pruned.
    complete_from: u64,
    /// Empty blocks up to this number are pruned.
    pruned_to: u64,
}

impl Ledger {
    /// A chain that starts at `base`: the genesis block or the oldest block with a state.
    pub(crate) fn new(genesis: Arc<SealedBlock>, base: RecentBlock) -> Self {
        let numbers = HashMap::from([(genesis.hash, genesis.number())]);
        let mut ledger = Self {
            genesis,
            head: base.clone(),
            past: VecDeque::new(),
            blocks: BTreeMap::new(),
            numbers,
            tx_locations: HashMap::new(),
            events: VecDeque::new(),
            dropped_events: 0,
            branch: 0,
            complete_from: 0,
            pruned_to: 0,
        };
        ledger.insert_block(base.block);
        ledger
    }

    /// Adds a block and indexes its transactions.
    pub(crate) fn insert_block(&mut self, block: Arc<SealedBlock>) {
        self.numbers.insert(block.hash, block.number());
        for (index, mined) in block.body.iter().enumerate() {
            self.tx_locations.insert(mined.hash(), (block.number(), index));
        }
        self.blocks.insert(block.number(), block);
    }

    pub(crate) fn restore_counters(&mut self, branch: u64, complete_from: u64) {
        self.branch = branch;
        self.complete_from = complete_from;
        self.pruned_to = self.base().block.number().saturating_sub(KEPT_BLOCKS);
    }

    pub(crate) fn head(&self) -> &RecentBlock {
        &self.head
    }

    pub(crate) fn branch(&self) -> u64 {
        self.branch
    }

    pub(crate) fn complete_from(&self) -> u64 {
        self.complete_from
    }

    /// The oldest block that still has its state.
    pub(crate) fn base(&self) -> &RecentBlock {
        self.past.front().unwrap_or(&self.head)
    }

    /// The blocks with states after the oldest, oldest first.
    pub(crate) fn after_base(&self) -> impl Iterator<Item = &RecentBlock> {
        self.past.iter().chain(std::iter::once(&self.head)).skip(1)
    }

    /// The kept blocks from before those that have states.
    pub(crate) fn before_base(&self) -> impl Iterator<Item = &Arc<SealedBlock>> {
        self.blocks.range(..self.base().block.number()).map(|(_, block)| block)
    }

    pub(crate) fn recent(&self, number: u64) -> Option<&RecentBlock> {
        if number == self.head.block.number() {
            return Some(&self.head);
        }
        let at = number.checked_sub(self.base().block.number())?;
        self.past.get(usize::try_from(at).ok()?)
    }

    pub(crate) fn block(&self, number: u64) -> Option<&Arc<SealedBlock>> {
        if number == 0 { Some(&self.genesis) } else { self.blocks.get(&number) }
    }

    pub(crate) fn number_of(&self, hash: B256) -> Option<u64> {
        self.numbers.get(&hash).copied()
    }

    pub(crate) fn tx_location(&self, transaction: B256) -> Option<(u64, usize)> {
        self.tx_locations.get(&transaction).copied()
    }

    /// The kept blocks in a range, lowest first.
    pub(crate) fn range(&self, range: RangeInclusive<u64>) -> impl Iterator<Item = &Arc<SealedBlock>> {
        let empty = range.is_empty();
        self.blocks.range(if empty { 0..=0 } else { range }).filter(move |_| !empty).map(|(_, block)| block)
    }

    /// Events from a cursor on, each with its position.
    pub(crate) fn events_since(&self, cursor: u64) -> impl Iterator<Item = (u64, &Event)> {
        let skip = usize::try_from(cursor.saturating_sub(self.dropped_events)).unwrap_or(usize::MAX);
        (self.dropped_events..).zip(&self.events).skip(skip)
    }

    pub(crate) fn event_cursor(&self) -> u64 {
        self.dropped_events + self.events.len() as u64
    }

    /// Adds a block on top.
    pub(crate) fn push(&mut self, recent: RecentBlock) {
        let block = Arc::clone(&recent.block);
        self.past.push_back(std::mem::replace(&mut self.head, recent));
        if self.past.len() >= KEPT_STATES {
            self.past.pop_front();
        }
        self.push_event(Event::Added { number: block.number(), hash: block.hash });
        self.insert_block(block);
        self.prune();
    }

    /// Removes the newest blocks until `number` is the head, and returns them, newest first.
    pub(crate) fn rewind(&mut self, number: u64) -> Vec<RecentBlock> {
        let mut removed = Vec::new();
        while self.head.block.number() > number {
            let Some(before) = self.past.pop_back() else {
                break;
            };
            let old_head = std::mem::replace(&mut self.head, before);
            self.remove_block(&old_head.block);
            self.push_event(Event::Removed(Arc::clone(&old_head.block)));
            removed.push(old_head);
        }
        self.branch += 1;
        removed
    }

    fn push_event(&mut self, event: Event) {
        self.events.push_back(event);
        if self.events.len() > MAX_EVENTS {
            self.events.pop_front();
            self.dropped_events += 1;
        }
    }

    fn remove_block(&mut self, block: &SealedBlock) {
        self.blocks.remove(&block.number());
        if block.number() > 0 {
            self.numbers.remove(&block.hash);
        }
        for hash in block.body.iter().map(Mined::hash) {
            self.tx_locations.remove(&hash);
        }
    }

    fn prune(&mut self) {
        let head = self.head.block.number();
        // Each new block prunes a few old ones: pruning continues where it stopped.
        let limit = head.saturating_sub(KEPT_BLOCKS);
        while self.pruned_to < limit {
            self.pruned_to += 1;
            let empty = self.blocks.get(&self.pruned_to).filter(|block| block.body.is_empty()).cloned();
            if let Some(block) = empty {
                self.remove_block(&block);
            }
        }
        while self.tx_locations.len() > MAX_TRANSACTIONS {
            let base = self.base().block.number();
            let oldest = self.blocks.range(..base).find(|(_, block)| !block.body.is_empty());
            let Some(block) = oldest.map(|(_, block)| Arc::clone(block)) else {
                break;
            };
            self.remove_block(&block);
            self.complete_from = block.number() + 1;
        }
    }
}
