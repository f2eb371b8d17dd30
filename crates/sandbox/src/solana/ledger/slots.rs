use std::collections::{BTreeSet, VecDeque};

use litesvm::MAINNET_DEFAULT_SLOT;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use solana_commitment_config::CommitmentLevel;
use solana_hash::Hash;

/// Blocks after which a blockhash is too old for a new transaction.
pub(crate) const MAX_BLOCKHASH_AGE: u64 = 150;
/// Blocks that stay readable with their time; older ones are pruned.
const MAX_BLOCKS: usize = 10_000;
/// Slots that mainnet skipped: heights lag behind slots as on mainnet, so that a client which confuses the two fails.
const HEIGHT_LAG: u64 = 21_000_000;
/// Blocks on top of a block when it is final.
pub(crate) const FINALITY: usize = 2;

/// One block of the chain: slot, hash and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) slot: u64,
    pub(crate) hash: Hash,
    pub(crate) time: i64,
}

/// What is needed to resume the slots of a ledger in another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotState {
    /// Makes the blockhashes of this ledger differ from those of any other.
    pub(crate) seed: [u8; 32],
    /// Slots that were undone by a fork and hold no block.
    pub(crate) skipped: BTreeSet<u64>,
}

impl SlotState {
    pub(crate) fn hash(&self, slot: u64) -> Hash {
        let digest = Sha256::new().chain_update(self.seed).chain_update(slot.to_le_bytes()).finalize();
        Hash::new_from_array(digest.into())
    }
}

/// The chain of slots: hashes, heights, ages and commitment levels.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    names: SlotState,
    /// Oldest first; the last block is still open. Never shorter than what finality needs.
    blocks: VecDeque<Block>,
}

impl Slots {
    pub(crate) fn new(seed: [u8; 32], time: i64) -> Self {
        let names = SlotState { seed, skipped: BTreeSet::new() };
        let mut slots = Self { names, blocks: VecDeque::new() };
        slots.fill(MAINNET_DEFAULT_SLOT + 1, MAINNET_DEFAULT_SLOT + 1 + FINALITY as u64, |_| time);
        slots
    }

    /// Resumes a ledger that ended at `last`; `time_of` returns the time of a slot.
    pub(crate) fn resume(names: SlotState, oldest: u64, last: u64, time_of: impl Fn(u64) -> i64) -> Self {
        let needed = MAX_BLOCKHASH_AGE + FINALITY as u64 + names.skipped.len() as u64;
        let oldest = oldest.min(last.saturating_sub(needed)).max(MAINNET_DEFAULT_SLOT + 1);
        let oldest = oldest.max(last.saturating_sub(MAX_BLOCKS as u64));
        let mut slots = Self { names, blocks: VecDeque::new() };
        slots.fill(oldest, last, time_of);
        slots
    }

    fn fill(&mut self, first: u64, last: u64, time_of: impl Fn(u64) -> i64) {
        for slot in (first..=last).filter(|slot| !self.names.skipped.contains(slot)).collect::<Vec<_>>() {
            self.blocks.push_back(Block { slot, hash: self.names.hash(slot), time: time_of(slot) });
        }
    }

    pub(crate) fn names(&self) -> &SlotState {
        &self.names
    }

    /// The newest block at a commitment level.
    pub(crate) fn at(&self, level: CommitmentLevel) -> Block {
        let depth = match level {
            CommitmentLevel::Processed => 0,
            CommitmentLevel::Confirmed => 1,
            CommitmentLevel::Finalized => FINALITY,
        };
        let index = self.blocks.len().saturating_sub(depth + 1);
        self.blocks.get(index).copied().unwrap_or(Block { slot: 0, hash: Hash::default(), time: 0 })
    }

    /// The open block.
    pub(crate) fn open(&self) -> Block {
        self.at(CommitmentLevel::Processed)
    }

    /// The oldest block that is still readable.
    pub(crate) fn first(&self) -> u64 {
        self.blocks.front().map_or(0, |block| block.slot)
    }

    pub(crate) fn height(&self, slot: u64) -> u64 {
        let skipped = self.names.skipped.range(..=slot).count() as u64;
        slot.saturating_sub(HEIGHT_LAG).saturating_sub(skipped)
    }

    pub(crate) fn find(&self, slot: u64) -> Option<(Block, Option<Block>)> {
        let index = self.blocks.binary_search_by_key(&slot, |block| block.slot).ok()?;
        let parent = index.checked_sub(1).and_then(|index| self.blocks.get(index)).copied();
        self.blocks.get(index).map(|block| (*block, parent))
    }

    pub(crate) fn is_skipped(&self, slot: u64) -> bool {
        self.names.skipped.contains(&slot)
    }

    /// Slots with a block in a range, oldest first.
    pub(crate) fn between(&self, first: u64, last: u64) -> impl Iterator<Item = u64> + '_ {
        let start = self.blocks.partition_point(|block| block.slot < first);
        self.blocks.range(start..).map(|block| block.slot).take_while(move |slot| *slot <= last)
    }

    /// The newest blocks first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().rev()
    }

    /// The last height at which a transaction with this blockhash can land, at a commitment level; `None` if the hash
    /// is unknown there or too old.
    pub(crate) fn last_valid_height(&self, hash: &Hash, level: CommitmentLevel) -> Option<u64> {
        let seen_from = self.at(level).slot;
        let height = self.height(seen_from);
        self.newest()
            .filter(|block| block.slot <= seen_from)
            .take_while(|block| self.height(block.slot) + MAX_BLOCKHASH_AGE >= height)
            .find(|block| block.hash == *hash)
            .map(|block| self.height(block.slot) + MAX_BLOCKHASH_AGE)
    }

    /// Closes the open block and opens the next.
    pub(crate) fn next(&mut self, time: i64) -> Block {
        let open = self.open();
        let slot = open.slot + 1;
        let block = Block { slot, hash: self.names.hash(slot), time: time.max(open.time) };
        self.blocks.push_back(block);
        if self.blocks.len() > MAX_BLOCKS {
            self.blocks.pop_front();
        }
        block
    }

    /// Abandons the last `count` blocks and adds as many new ones, so that final blocks stay final. Returns the
    /// abandoned slots.
    pub(crate) fn fork(&mut self, count: usize, time: i64) -> Vec<u64> {
        let open = self.open();
        let undone: Vec<u64> = self.newest().take(count.min(FINALITY)).map(|block| block.slot).collect();
        self.blocks.truncate(self.blocks.len().saturating_sub(undone.len()));
        self.names.skipped.extend(&undone);
        for slot in (open.slot + 1..).take(undone.len()) {
            self.blocks.push_back(Block { slot, hash: self.names.hash(slot), time: time.max(open.time) });
        }
        undone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(extra: u64) -> Slots {
        let mut slots = Slots::new([7; 32], 1_000);
        for _ in 0..extra {
            slots.next(1_000);
        }
        slots
    }

    #[test]
    fn a_block_is_confirmed_after_one_and_final_after_two() {
        let mut slots = slots(0);
        let block = slots.open();
        slots.next(0);
        assert_eq!(slots.at(CommitmentLevel::Confirmed), block);
        slots.next(0);
        assert_eq!(slots.at(CommitmentLevel::Finalized), block);
    }

    #[test]
    fn a_blockhash_is_good_for_150_blocks_and_not_for_151() {
        let mut slots = slots(0);
        let block = slots.open();
        let last = slots.height(block.slot) + MAX_BLOCKHASH_AGE;
        for _ in 0..MAX_BLOCKHASH_AGE {
            assert_eq!(slots.last_valid_height(&block.hash, CommitmentLevel::Processed), Some(last));
            slots.next(0);
        }
        assert_eq!(slots.height(slots.open().slot), last);
        assert_eq!(slots.last_valid_height(&block.hash, CommitmentLevel::Processed), Some(last));
        slots.next(0);
        assert_eq!(slots.last_valid_height(&block.hash, CommitmentLevel::Processed), None);
    }

    #[test]
    fn a_blockhash_is_unknown_to_a_bank_older_than_it() {
        let slots = slots(5);
        let open = slots.open();
        assert!(slots.last_valid_height(&open.hash, CommitmentLevel::Processed).is_some());
        assert!(slots.last_valid_height(&open.hash, CommitmentLevel::Finalized).is_none());
    }

    #[test]
    fn a_fork_keeps_what_is_final_and_the_height() {
        let mut slots = slots(5);
        let (open, last) = (slots.open(), slots.at(CommitmentLevel::Finalized));
        let undone = slots.fork(2, 0);
        assert_eq!(undone, [open.slot, open.slot - 1]);
        assert_eq!(slots.at(CommitmentLevel::Finalized), last);
        assert_eq!(slots.height(slots.open().slot), slots.height(last.slot) + 2);
        assert_eq!(slots.last_valid_height(&open.hash, CommitmentLevel::Processed), None);
        assert!(slots.is_skipped(open.slot) && slots.find(open.slot).is_none());
    }

    #[test]
    fn time_never_runs_backwards() {
        let mut slots = slots(0);
        assert_eq!(slots.next(2_000).time, 2_000);
        assert_eq!(slots.next(1_500).time, 2_000);
    }

    #[test]
    fn a_resumed_ledger_knows_the_same_hashes_and_heights() {
        let mut slots = slots(40);
        slots.fork(2, 0);
        slots.next(0);
        let open = slots.open();
        let resumed = Slots::resume(slots.names().clone(), open.slot, open.slot, |_| 1_000);
        assert_eq!(resumed.open(), open);
        assert_eq!(resumed.height(open.slot), slots.height(open.slot));
        for block in slots.newest() {
            assert!(resumed.last_valid_height(&block.hash, CommitmentLevel::Processed).is_some());
        }
    }

    #[test]
    fn old_blocks_are_pruned() {
        let slots = slots(MAX_BLOCKS as u64 + 10);
        assert_eq!(slots.blocks.len(), MAX_BLOCKS);
        assert_eq!(slots.between(0, u64::MAX).count(), MAX_BLOCKS);
        assert_eq!(slots.first(), slots.open().slot - MAX_BLOCKS as u64 + 1);
    }
}
