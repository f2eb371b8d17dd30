use std::collections::VecDeque;

use alloy_primitives::B256;

use crate::blocks::Block;

/// What a block that the chain shows means for the blocks that we hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It is one of ours, or older than all of ours.
    Known,
    /// It follows our newest and would be taken.
    Extends,
    /// Blocks between are missing.
    Gap,
    /// It contradicts ours: somewhere below the chain took another way.
    Fork,
}

/// Where the search for the last common block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// This is the last common block; so many of ours above it are gone.
    Ancestor { number: u64, hash: B256, depth: u64 },
    /// Look at the chain's block of this number next.
    Deeper(u64),
    /// None of ours is the chain's any more.
    Lost,
}

/// The newest blocks that we hold, each the parent of the next. It only decides; reading is up to others.
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

    /// Starts from blocks held before, oldest first; a gap among them drops what is older than the gap.
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
    pub fn held(&self) -> impl Iterator<Item = (u64, B256)> + '_ {
        self.blocks.iter().copied()
    }

    /// The hash held for a number.
    pub fn hash_at(&self, number: u64) -> Option<B256> {
        let (first, _) = self.blocks.front()?;
        let place = usize::try_from(number.checked_sub(*first)?).ok()?;
        self.blocks.get(place).map(|(_, hash)| *hash)
    }

    /// Judges a block without taking it.
    pub fn judge(&self, block: &Block) -> Offer {
        let Some((tip, hash)) = self.tip() else { return Offer::Extends };
        match block.number.checked_sub(tip) {
            Some(1) if block.parent == hash => Offer::Extends,
            Some(1) => Offer::Fork,
            Some(2..) => Offer::Gap,
            _ => match self.hash_at(block.number) {
                Some(held) if held != block.hash => Offer::Fork,
                _ => Offer::Known,
            },
        }
    }

    /// Judges a block, and takes it if it follows.
    pub fn offer(&mut self, block: &Block) -> Offer {
        let offer = self.judge(block);
        if offer == Offer::Extends {
            self.push(block.number, block.hash);
        }
        offer
    }

    /// After a fork: compares the chain's block with ours of the same number, without dropping anything.
    pub fn trace(&self, block: &Block) -> Trace {
        let (Some((tip, _)), Some(held)) = (self.tip(), self.hash_at(block.number)) else {
            return Trace::Lost;
        };
        if held == block.hash {
            return Trace::Ancestor { number: block.number, hash: held, depth: tip - block.number };
        }
        match block.number.checked_sub(1) {
            Some(below) if self.hash_at(below).is_some() => Trace::Deeper(below),
            _ => Trace::Lost,
        }
    }

    /// Drops what lies above the last common block.
    pub fn rewind(&mut self, number: u64) {
        while self.blocks.back().is_some_and(|(held, _)| *held > number) {
            self.blocks.pop_back();
        }
    }

    /// Forgets everything and goes on from a block that cannot be reorganised away.
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
            assert_eq!(tracker.offer(&block(number, 0, 0)), Offer::Extends);
        }
        tracker
    }

    #[test]
    fn a_block_is_judged_by_number_hash_and_parent() {
        let tracker = holding(10..=15, 4);
        for (block, offer) in [
            (block(16, 0, 0), Offer::Extends),
            (block(16, 1, 0), Offer::Extends),
            (block(16, 1, 1), Offer::Fork),
            (block(17, 0, 0), Offer::Gap),
            (block(15, 0, 0), Offer::Known),
            (block(15, 1, 0), Offer::Fork),
            (block(12, 1, 1), Offer::Fork),
            // Older than what is kept: nothing can be said.
            (block(11, 1, 1), Offer::Known),
        ] {
            assert_eq!(tracker.judge(&block), offer, "{block:?}");
        }
    }

    #[test]
    fn the_common_ancestor_is_found_downwards_and_below_the_kept_blocks_all_is_lost() {
        let mut tracker = holding(10..=15, 4);
        assert_eq!(tracker.trace(&block(15, 1, 1)), Trace::Deeper(14));
        assert_eq!(tracker.trace(&block(14, 1, 0)), Trace::Deeper(13));
        assert_eq!(
            tracker.trace(&block(13, 0, 0)),
            Trace::Ancestor { number: 13, hash: hash(0, 13), depth: 2 }
        );
        assert_eq!(tracker.trace(&block(12, 1, 1)), Trace::Lost);
        tracker.rewind(13);
        assert_eq!(tracker.tip(), Some((13, hash(0, 13))));
    }

    #[test]
    fn resuming_across_a_gap_keeps_the_newer_part() {
        let tracker = Tracker::resume(9, &[(1, hash(0, 1)), (3, hash(0, 3)), (4, hash(0, 4))]);
        assert_eq!(tracker.held().map(|(number, _)| number).collect::<Vec<_>>(), [3, 4]);
    }

    proptest! {
        #[test]
        fn any_blocks_leave_a_chain_of_consecutive_numbers(
            offers in prop::collection::vec((any::<u8>(), 0u64..20, 0u8..3, 0u8..3), 0..100), keep in 0usize..10,
        ) {
            let mut tracker = Tracker::new(keep);
            for (deed, number, own, parent) in offers {
                let block = block(number, own, parent);
                match deed % 4 {
                    0 => tracker.rewind(number),
                    1 => tracker.rebase(&block),
                    2 => { let _ = tracker.trace(&block); }
                    _ => { let _ = tracker.offer(&block); }
                }
                let numbers: Vec<u64> = tracker.held().map(|(number, _)| number).collect();
                prop_assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
                prop_assert!(numbers.len() <= keep.max(1));
            }
        }
    }
}
