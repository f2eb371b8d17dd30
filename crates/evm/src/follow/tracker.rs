use std::collections::VecDeque;

use alloy_primitives::B256;

use crate::blocks::Block;

/// How a block relates to the blocks that the tracker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRelation {
    /// The tracker holds it, or it is older than all held blocks.
    Known,
    /// It is the child of the tip.
    Extends,
    /// Blocks between the tip and it are missing.
    Gap,
    /// It contradicts a held block: the chain forked below it.
    Fork,
}

/// A step in the search for the last common block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AncestorSearch {
    /// The last common block; `depth` held blocks above it are gone.
    Ancestor { number: u64, hash: B256, depth: u64 },
    /// Compare the chain's block of this number next.
    Deeper(u64),
    /// No held block is in the chain any more.
    NotFound,
}

/// The newest known blocks, each the parent of the next. Pure state; the follower does the I/O.
#[derive(Clone, Debug)]
pub struct Tracker {
    blocks: VecDeque<(u64, B256)>,
    keep: usize,
}

impl Tracker {
    /// Remembers at most `keep` blocks.
    pub fn new(keep: usize) -> Self {
        Self { blocks: VecDeque::new(), keep: keep.max(1) }
    }

    /// Resumes from earlier blocks, oldest first; blocks below a gap are dropped.
    pub fn resume(keep: usize, known: &[(u64, B256)]) -> Self {
        let mut tracker = Self::new(keep);
        for (number, hash) in known {
            if tracker.tip().is_some_and(|(tip, _)| tip.checked_add(1) != Some(*number)) {
                tracker.blocks.clear();
            }
            tracker.push(*number, *hash);
        }
        tracker
    }

    /// The newest block held.
    pub fn tip(&self) -> Option<(u64, B256)> {
        self.blocks.back().copied()
    }

    /// The blocks held, oldest first.
    pub fn recent_blocks(&self) -> impl Iterator<Item = (u64, B256)> + '_ {
        self.blocks.iter().copied()
    }

    /// The hash held for a number.
    pub fn hash_at(&self, number: u64) -> Option<B256> {
        let (first, _) = self.blocks.front()?;
        let place = usize::try_from(number.checked_sub(*first)?).ok()?;
        self.blocks.get(place).map(|(_, hash)| *hash)
    }

    /// Compares a block with the held ones without adding it.
    pub fn relation_to_tip(&self, block: &Block) -> BlockRelation {
        let Some((tip, hash)) = self.tip() else { return BlockRelation::Extends };
        match block.number.checked_sub(tip) {
            Some(1) if block.parent == hash => BlockRelation::Extends,
            Some(1) => BlockRelation::Fork,
            Some(2..) => BlockRelation::Gap,
            _ => match self.hash_at(block.number) {
                Some(held) if held != block.hash => BlockRelation::Fork,
                _ => BlockRelation::Known,
            },
        }
    }

    /// Adds the block if it is the child of the tip.
    pub fn try_extend(&mut self, block: &Block) -> BlockRelation {
        let relation = self.relation_to_tip(block);
        if relation == BlockRelation::Extends {
            self.push(block.number, block.hash);
        }
        relation
    }

    /// After a fork: compares the chain's block with the held one of the same number.
    pub fn search_ancestor(&self, block: &Block) -> AncestorSearch {
        let (Some((tip, _)), Some(held)) = (self.tip(), self.hash_at(block.number)) else {
            return AncestorSearch::NotFound;
        };
        if held == block.hash {
            return AncestorSearch::Ancestor { number: block.number, hash: held, depth: tip - block.number };
        }
        match block.number.checked_sub(1) {
            Some(below) if self.hash_at(below).is_some() => AncestorSearch::Deeper(below),
            _ => AncestorSearch::NotFound,
        }
    }

    /// Drops the blocks above `number`.
    pub fn rewind(&mut self, number: u64) {
        while self.blocks.back().is_some_and(|(held, _)| *held > number) {
            self.blocks.pop_back();
        }
    }

    /// Drops everything and continues from a final block.
    pub fn rebase(&mut self, block: &Block) {
        self.blocks.clear();
        self.push(block.number, block.hash);
    }

    fn push(&mut self, number: u64, hash: B256) {
        self.blocks.push_back((number, hash));
        while self.blocks.len() > self.keep {
            self.blocks.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hash(fork: u8, number: u64) -> B256 {
        let mut bytes = [fork; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes.into()
    }

    fn block(number: u64, own: u8, parent: u8) -> Block {
        Block {
            number,
            hash: hash(own, number),
            parent: hash(parent, number.wrapping_sub(1)),
            timestamp: number,
        }
    }

    fn holding(numbers: std::ops::RangeInclusive<u64>, keep: usize) -> Tracker {
        let mut tracker = Tracker::new(keep);
        for number in numbers {
            assert_eq!(tracker.try_extend(&block(number, 0, 0)), BlockRelation::Extends);
        }
        tracker
    }

    #[test]
    fn relation_depends_on_number_hash_and_parent() {
        let tracker = holding(10..=15, 4);
        for (block, relation) in [
            (block(16, 0, 0), BlockRelation::Extends),
            (block(16, 1, 0), BlockRelation::Extends),
            (block(16, 1, 1), BlockRelation::Fork),
            (block(17, 0, 0), BlockRelation::Gap),
            (block(15, 0, 0), BlockRelation::Known),
            (block(15, 1, 0), BlockRelation::Fork),
            (block(12, 1, 1), BlockRelation::Fork),
            // Older than the held blocks.
            (block(11, 1, 1), BlockRelation::Known),
        ] {
            assert_eq!(tracker.relation_to_tip(&block), relation, "{block:?}");
        }
    }

    #[test]
    fn the_common_ancestor_is_found_downwards_and_not_below_the_kept_blocks() {
        let mut tracker = holding(10..=15, 4);
        assert_eq!(tracker.search_ancestor(&block(15, 1, 1)), AncestorSearch::Deeper(14));
        assert_eq!(tracker.search_ancestor(&block(14, 1, 0)), AncestorSearch::Deeper(13));
        assert_eq!(
            tracker.search_ancestor(&block(13, 0, 0)),
            AncestorSearch::Ancestor { number: 13, hash: hash(0, 13), depth: 2 }
        );
        assert_eq!(tracker.search_ancestor(&block(12, 1, 1)), AncestorSearch::NotFound);
        tracker.rewind(13);
        assert_eq!(tracker.tip(), Some((13, hash(0, 13))));
    }

    #[test]
    fn resuming_across_a_gap_keeps_the_newer_part() {
        let tracker = Tracker::resume(9, &[(1, hash(0, 1)), (3, hash(0, 3)), (4, hash(0, 4))]);
        assert_eq!(tracker.recent_blocks().map(|(number, _)| number).collect::<Vec<_>>(), [3, 4]);
    }

    proptest! {
        #[test]
        fn any_blocks_leave_a_chain_of_consecutive_numbers(
            steps in prop::collection::vec((any::<u8>(), 0u64..20, 0u8..3, 0u8..3), 0..100), keep in 0usize..10,
        ) {
            let mut tracker = Tracker::new(keep);
            for (step, number, own, parent) in steps {
                let block = block(number, own, parent);
                match step % 4 {
                    0 => tracker.rewind(number),
                    1 => tracker.rebase(&block),
                    2 => { let _ = tracker.search_ancestor(&block); }
                    _ => { let _ = tracker.try_extend(&block); }
                }
                let numbers: Vec<u64> = tracker.recent_blocks().map(|(number, _)| number).collect();
                prop_assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
                prop_assert!(numbers.len() <= keep.max(1));
            }
        }
    }
}
