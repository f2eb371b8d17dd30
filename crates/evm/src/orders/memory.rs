use std::collections::BTreeMap;

use alloy_primitives::B256;
use causeway_domain::Fact;
use causeway_domain::ports::{BlockMark, News};

use super::finality::OrderFinality;

/// How many blocks are remembered before those too old to be told of any more are looked for.
const MANY: usize = 32_768;
/// How many of the newest blocks may still be told of, at least.
const RECENT: u64 = 8_192;

/// The facts of blocks that do not stand for every care yet, and the times of those blocks. It only decides; reading is up
/// to others.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    finality: OrderFinality,
    blocks: BTreeMap<u64, Remembered>,
    /// Up to which block each level has told its facts.
    told: Vec<Option<u64>>,
}

#[derive(Clone, Debug)]
struct Remembered {
    time: u64,
    facts: Vec<Fact>,
}

impl Memory {
    /// Goes on after a block that stood for every care, if there is one.
    pub(super) fn new(finality: OrderFinality, after: Option<&BlockMark>) -> Self {
        let begun = |mark: &BlockMark| (mark.number, Remembered { time: mark.time, facts: Vec::new() });
        Self {
            finality,
            blocks: after.map(begun).into_iter().collect(),
            told: vec![after.map(|mark| mark.number); finality.levels().len()],
        }
    }

    /// A block that may still go.
    pub(super) fn new_block(&mut self, number: u64, time: u64, facts: Vec<Fact>) -> Option<News> {
        let seen = (!facts.is_empty()).then(|| News::Seen(facts.clone()));
        self.blocks.insert(number, Remembered { time, facts });
        if self.blocks.len() > MANY {
            // The chain's word does not come; facts wait for it, mere times do not.
            let recent = number.saturating_sub(RECENT);
            self.blocks.retain(|number, block| *number >= recent || !block.facts.is_empty());
        }
        seen
    }

    /// What was seen above the common ancestor is gone.
    pub(super) fn reorg(&mut self, common_ancestor: u64) {
        self.blocks.retain(|number, _| *number <= common_ancestor);
    }

    /// Blocks up to the mark that stood for every care when they were read; what was remembered below stands with them.
    pub(super) fn past(&mut self, mark: BlockMark, facts: Vec<Fact>) -> News {
        let level = self.told.len().saturating_sub(1);
        let mut all = self.untold(level, mark.number);
        all.extend(facts);
        self.told.fill(Some(mark.number));
        self.blocks.clear();
        self.blocks.insert(mark.number, Remembered { time: mark.time, facts: Vec::new() });
        News::Stands { care: self.finality.care(level), mark, facts: all }
    }

    /// Every block up to this one stands at that level. `None` for a block that was never told of.
    pub(super) fn settled(&mut self, level: usize, number: u64, hash: B256) -> Option<News> {
        let time = self.blocks.get(&number)?.time;
        let facts = self.untold(level, number);
        *self.told.get_mut(level)? = Some(number);
        // An absent level has told nothing, so nothing is forgotten.
        if let Some(everywhere) = self.told.iter().copied().min().flatten() {
            self.blocks.retain(|number, _| *number >= everywhere);
        }
        let mark = BlockMark { number, hash, time };
        Some(News::Stands { care: self.finality.care(level), mark, facts })
    }

    fn untold(&self, level: usize, up_to: u64) -> Vec<Fact> {
        let told = self.told.get(level).copied().flatten();
        let fresh = self.blocks.range(..=up_to).filter(|(number, _)| told.is_none_or(|told| **number > told));
        fresh.flat_map(|(_, block)| block.facts.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::ports::Care;
    use causeway_domain::{FactKind, FactPlace, RawAmount};
    use proptest::prelude::*;

    use super::super::facts::tests::chain;
    use super::*;
    use crate::follow::Finality;

    fn fact(block: u64) -> Fact {
        let place = FactPlace { chain: chain(), tx: block.to_string(), index: 0, block, time: block * 10 };
        let amount = RawAmount::new(U256::from(block));
        Fact { intent: B256::ZERO, kind: FactKind::Filled(amount), place }
    }

    fn two_levels() -> OrderFinality {
        OrderFinality { usual: Finality::Depth(2), large: Finality::Depth(5) }
    }

    fn stands(news: Option<News>) -> (Care, u64, Vec<u64>) {
        match news {
            Some(News::Stands { care, mark, facts }) => {
                assert_eq!(mark.time, mark.number * 10, "a mark bears its block's time");
                (care, mark.number, facts.iter().map(|fact| fact.place.block).collect())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_fact_is_seen_at_once_and_stands_once_for_each_care() {
        let mut memory = Memory::new(two_levels(), None);
        assert_eq!(memory.new_block(1, 10, vec![fact(1)]), Some(News::Seen(vec![fact(1)])));
        assert_eq!(memory.new_block(2, 20, Vec::new()), None);
        memory.new_block(3, 30, vec![fact(3)]);
        memory.new_block(4, 40, Vec::new());
        assert_eq!(stands(memory.settled(0, 2, B256::ZERO)), (Care::Usual, 2, vec![1]));
        assert_eq!(stands(memory.settled(0, 3, B256::ZERO)), (Care::Usual, 3, vec![3]));
        assert_eq!(stands(memory.settled(0, 4, B256::ZERO)), (Care::Usual, 4, vec![]));
        assert_eq!(stands(memory.settled(1, 1, B256::ZERO)), (Care::Large, 1, vec![1]));
        assert_eq!(stands(memory.settled(1, 4, B256::ZERO)), (Care::Large, 4, vec![3]));
        assert_eq!(memory.blocks.len(), 1, "what stands for every care is forgotten");
    }

    #[test]
    fn a_shallow_reorg_takes_back_what_was_only_seen() {
        let mut memory = Memory::new(OrderFinality::sandbox(), None);
        memory.new_block(1, 10, vec![fact(1)]);
        memory.new_block(2, 20, vec![fact(2)]);
        memory.reorg(1);
        memory.new_block(2, 20, Vec::new());
        memory.new_block(3, 30, Vec::new());
        assert_eq!(stands(memory.settled(0, 3, B256::ZERO)), (Care::Large, 3, vec![1]));
    }

    #[test]
    fn blocks_read_at_once_take_those_below_with_them() {
        let mut memory = Memory::new(two_levels(), None);
        memory.new_block(1, 10, vec![fact(1)]);
        memory.new_block(2, 20, vec![fact(2)]);
        stands(memory.settled(0, 1, B256::ZERO));
        let mark = BlockMark { number: 90, hash: B256::ZERO, time: 900 };
        assert_eq!(stands(Some(memory.past(mark, vec![fact(80)]))), (Care::Large, 90, vec![1, 2, 80]));
        assert_eq!(stands(memory.settled(0, 90, B256::ZERO)), (Care::Usual, 90, vec![]));
    }

    proptest! {
        #[test]
        fn every_fact_that_stays_stands_exactly_once_for_each_care(
            deeds in prop::collection::vec((0u8..4, 0u64..4, any::<bool>()), 1..80),
        ) {
            let mut memory = Memory::new(two_levels(), None);
            let (mut chain, mut settled): (Vec<bool>, [u64; 2]) = (vec![false], [0, 0]);
            let mut told: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
            memory.new_block(0, 0, Vec::new());
            for (deed, by, with_fact) in deeds {
                let tip = chain.len() as u64 - 1;
                match deed {
                    0 | 1 => {
                        chain.push(with_fact);
                        let facts = if with_fact { vec![fact(tip + 1)] } else { Vec::new() };
                        memory.new_block(tip + 1, (tip + 1) * 10, facts);
                    }
                    2 => {
                        let ancestor = tip.saturating_sub(by).max(settled[0]).min(tip);
                        chain.truncate(usize::try_from(ancestor).unwrap() + 1);
                        memory.reorg(ancestor);
                    }
                    _ => {
                        let level = usize::from(with_fact);
                        // The larger care never runs ahead of the smaller one here.
                        let limit = if level == 1 { settled[0] } else { tip };
                        let number = (settled[level] + by).min(limit);
                        if number > settled[level] {
                            settled[level] = number;
                            told[level].extend(stands(memory.settled(level, number, B256::ZERO)).2);
                        }
                    }
                }
            }
            for level in [0, 1] {
                let expected: Vec<u64> = (1..=settled[level]).filter(|n| chain[usize::try_from(*n).unwrap()]).collect();
                prop_assert_eq!(&told[level], &expected);
            }
        }
    }
}
