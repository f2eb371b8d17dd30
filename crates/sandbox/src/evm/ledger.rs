use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

use alloy_primitives::B256;

use super::block::{Mined, SealedBlock};
use super::change::Change;
use super::world::World;
use super::write::Write;

/// How many states are kept, the newest included: as deep as one can ask for a past state or reorganise.
pub(crate) const STATES: usize = 128;
/// How many blocks are kept whatever they hold.
const BLOCKS: u64 = 1_000;
/// How many transactions are kept: past the newest blocks, those with transactions stay until this is full.
const TRANSACTIONS: usize = 20_000;
/// How many happenings a filter may lag behind.
const EVENTS: usize = 4_096;

/// A block that still has its state.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    pub(crate) block: Arc<SealedBlock>,
    pub(crate) world: World,
    pub(crate) change: Arc<Change>,
    pub(crate) writes: Arc<Vec<Write>>,
    /// How many reorganisations there had been when it was made.
    pub(crate) branch: u64,
}

/// What happened to the chain, in order, for those who poll.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Added { number: u64, hash: B256 },
    Removed(Arc<SealedBlock>),
}

/// The chain as it is kept: blocks, where their transactions are, and the newest states.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    genesis: Arc<SealedBlock>,
    head: Recent,
    /// The states before the head's, oldest first.
    past: VecDeque<Recent>,
    blocks: BTreeMap<u64, Arc<SealedBlock>>,
    numbers: HashMap<B256, u64>,
    places: HashMap<B256, (u64, usize)>,
    events: VecDeque<Event>,
    dropped_events: u64,
    branch: u64,
    /// Transactions of earlier blocks are forgotten.
    complete_from: u64,
    /// Blocks at or under this number that hold nothing are forgotten.
    swept: u64,
}

impl Ledger {
    /// A chain that begins at `base`, which is the genesis block or the oldest block that has its state.
    pub(crate) fn new(genesis: Arc<SealedBlock>, base: Recent) -> Self {
        let numbers = HashMap::from([(genesis.hash, genesis.number())]);
        let mut ledger = Self {
            genesis,
            head: base.clone(),
            past: VecDeque::new(),
            blocks: BTreeMap::new(),
            numbers,
            places: HashMap::new(),
            events: VecDeque::new(),
            dropped_events: 0,
            branch: 0,
            complete_from: 0,
            swept: 0,
        };
        ledger.keep(base.block);
        ledger
    }

    /// Takes in a block from before the oldest state, as a compacted journal holds it.
    pub(crate) fn keep(&mut self, block: Arc<SealedBlock>) {
        self.numbers.insert(block.hash, block.number());
        for (index, mined) in block.body.iter().enumerate() {
            self.places.insert(mined.hash(), (block.number(), index));
        }
        self.blocks.insert(block.number(), block);
    }

    pub(crate) fn restore_marks(&mut self, branch: u64, complete_from: u64) {
        self.branch = branch;
        self.complete_from = complete_from;
        self.swept = self.base().block.number().saturating_sub(BLOCKS);
    }

    pub(crate) fn head(&self) -> &Recent {
        &self.head
    }

    pub(crate) fn branch(&self) -> u64 {
        self.branch
    }

    pub(crate) fn complete_from(&self) -> u64 {
        self.complete_from
    }

    /// The oldest block that still has its state.
    pub(crate) fn base(&self) -> &Recent {
        self.past.front().unwrap_or(&self.head)
    }

    /// The blocks with states after the oldest, oldest first.
    pub(crate) fn after_base(&self) -> impl Iterator<Item = &Recent> {
        self.past.iter().chain(std::iter::once(&self.head)).skip(1)
    }

    /// The kept blocks from before those that have states.
    pub(crate) fn before_base(&self) -> impl Iterator<Item = &Arc<SealedBlock>> {
        self.blocks.range(..self.base().block.number()).map(|(_, block)| block)
    }

    pub(crate) fn recent(&self, number: u64) -> Option<&Recent> {
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

    pub(crate) fn place_of(&self, transaction: B256) -> Option<(u64, usize)> {
        self.places.get(&transaction).copied()
    }

    /// The kept blocks in a range, lowest first.
    pub(crate) fn range(&self, range: RangeInclusive<u64>) -> impl Iterator<Item = &Arc<SealedBlock>> {
        let empty = range.is_empty();
        self.blocks.range(if empty { 0..=0 } else { range }).filter(move |_| !empty).map(|(_, block)| block)
    }

    /// Happenings from a mark on, and the mark to come back with.
    pub(crate) fn events_since(&self, mark: u64) -> impl Iterator<Item = (u64, &Event)> {
        let skip = usize::try_from(mark.saturating_sub(self.dropped_events)).unwrap_or(usize::MAX);
        (self.dropped_events..).zip(&self.events).skip(skip)
    }

    pub(crate) fn event_mark(&self) -> u64 {
        self.dropped_events + self.events.len() as u64
    }

    /// Adds a block on top.
    pub(crate) fn push(&mut self, recent: Recent) {
        let block = Arc::clone(&recent.block);
        self.past.push_back(std::mem::replace(&mut self.head, recent));
        if self.past.len() >= STATES {
            self.past.pop_front();
        }
        self.note(Event::Added { number: block.number(), hash: block.hash });
        self.keep(block);
        self.prune();
    }

    /// Takes the newest blocks off until `number` is the head, and gives them back, newest first.
    pub(crate) fn rewind(&mut self, number: u64) -> Vec<Recent> {
        let mut removed = Vec::new();
        while self.head.block.number() > number {
            let Some(before) = self.past.pop_back() else {
                break;
            };
            let gone = std::mem::replace(&mut self.head, before);
            self.forget(&gone.block);
            self.note(Event::Removed(Arc::clone(&gone.block)));
            removed.push(gone);
        }
        self.branch += 1;
        removed
    }

    fn note(&mut self, event: Event) {
        self.events.push_back(event);
        if self.events.len() > EVENTS {
            self.events.pop_front();
            self.dropped_events += 1;
        }
    }

    fn forget(&mut self, block: &SealedBlock) {
        self.blocks.remove(&block.number());
        if block.number() > 0 {
            self.numbers.remove(&block.hash);
        }
        for hash in block.body.iter().map(Mined::hash) {
            self.places.remove(&hash);
        }
    }

    fn prune(&mut self) {
        let head = self.head.block.number();
        // One block comes in, so at most a few go out: the sweep goes on where it stopped.
        let limit = head.saturating_sub(BLOCKS);
        while self.swept < limit {
            self.swept += 1;
            let empty = self.blocks.get(&self.swept).filter(|block| block.body.is_empty()).cloned();
            if let Some(block) = empty {
                self.forget(&block);
            }
        }
        while self.places.len() > TRANSACTIONS {
            let base = self.base().block.number();
            let oldest = self.blocks.range(..base).find(|(_, block)| !block.body.is_empty());
            let Some(block) = oldest.map(|(_, block)| Arc::clone(block)) else {
                break;
            };
            self.forget(&block);
            self.complete_from = block.number() + 1;
        }
    }
}
