use std::collections::BTreeMap;

use alloy_primitives::B256;
use causeway_domain::Fact;
use causeway_domain::ports::{ChainCursor, ChainUpdate};

use super::finality::OrderFinality;

/// How many blocks are kept before old blocks without facts are dropped.
const MAX_BLOCKS: usize = 32_768;
/// How many of the newest blocks are kept even without facts.
const RECENT_BLOCKS: u64 = 8_192;

/// Facts and timestamps of blocks that are not final for every tier. Pure state; the follower does the I/O.
#[derive(Clone, Debug)]
pub(super) struct UnfinalizedFacts {
    finality: OrderFinality,
    blocks: BTreeMap<u64, PendingBlock>,
    /// The last block reported per level.
    reported: Vec<Option<u64>>,
}

#[derive(Clone, Debug)]
struct PendingBlock {
    time: u64,
    facts: Vec<Fact>,
}

impl UnfinalizedFacts {
    /// Continues after a block that was final for every tier, if there is one.
    pub(super) fn new(finality: OrderFinality, after: Option<&ChainCursor>) -> Self {
        let resumed =
            |cursor: &ChainCursor| (cursor.number, PendingBlock { time: cursor.time, facts: Vec::new() });
        Self {
            finality,
            blocks: after.map(resumed).into_iter().collect(),
            reported: vec![after.map(|cursor| cursor.number); finality.levels().len()],
        }
    }

    /// Adds a block that is not final.
    pub(super) fn new_block(&mut self, number: u64, time: u64, facts: Vec<Fact>) -> Option<ChainUpdate> {
        let update = (!facts.is_empty()).then(|| ChainUpdate::Unfinalized(facts.clone()));
        self.blocks.insert(number, PendingBlock { time, facts });
        if self.blocks.len() > MAX_BLOCKS {
            // Finality does not arrive. Blocks with facts wait for it; blocks without facts are dropped.
            let recent = number.saturating_sub(RECENT_BLOCKS);
            self.blocks.retain(|number, block| *number >= recent || !block.facts.is_empty());
        }
        update
    }

    /// Drops the blocks above the common ancestor.
    pub(super) fn reorg(&mut self, common_ancestor: u64) {
        self.blocks.retain(|number, _| *number <= common_ancestor);
    }

    /// Adds blocks up to the cursor that were final for every tier when read; kept facts below become final with them.
    pub(super) fn backfill(&mut self, cursor: ChainCursor, facts: Vec<Fact>) -> ChainUpdate {
        let level = self.reported.len().saturating_sub(1);
        let mut all = self.unreported(level, cursor.number);
        all.extend(facts);
        self.reported.fill(Some(cursor.number));
        self.blocks.clear();
        self.blocks.insert(cursor.number, PendingBlock { time: cursor.time, facts: Vec::new() });
        ChainUpdate::Final { tier: self.finality.tier(level), cursor, facts: all }
    }

    /// Marks every block up to this one as final at a level. `None` for an unknown block.
    pub(super) fn finalized(&mut self, level: usize, number: u64, hash: B256) -> Option<ChainUpdate> {
        let time = self.blocks.get(&number)?.time;
        let facts = self.unreported(level, number);
        *self.reported.get_mut(level)? = Some(number);
        // If a level has reported nothing yet, nothing is dropped.
        if let Some(reported_by_all) = self.reported.iter().copied().min().flatten() {
            self.blocks.retain(|number, _| *number >= reported_by_all);
        }
        let cursor = ChainCursor { number, hash, time };
        Some(ChainUpdate::Final { tier: self.finality.tier(level), cursor, facts })
    }

    fn unreported(&self, level: usize, up_to: u64) -> Vec<Fact> {
        let reported = self.reported.get(level).copied().flatten();
        let blocks = self
            .blocks
            .range(..=up_to)
            .filter(|(number, _)| reported.is_none_or(|reported| **number > reported));
        blocks.flat_map(|(_, block)| block.facts.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::ports::FinalityTier;
    use causeway_domain::{FactKind, FactPlace, RawAmount};
    use proptest::prelude::*;

    use super::super::facts::tests::chain;
    use super::*;
    use crate::follow::Finality;

    fn fact(block: u64) -> Fact {
        let place = FactPlace { chain: chain(), tx: block.to_string(), index: 0, block, time: block * 10 };
        let amount = RawAmount::new(U256::from(block));
        Fact { intent_id: B256::ZERO, kind: FactKind::Filled(amount), place }
    }

    fn two_levels() -> OrderFinality {
        OrderFinality { usual: Finality::Depth(2), large: Finality::Depth(5) }
    }

    fn final_update(update: Option<ChainUpdate>) -> (FinalityTier, u64, Vec<u64>) {
        match update {
            Some(ChainUpdate::Final { tier, cursor, facts }) => {
                assert_eq!(cursor.time, cursor.number * 10, "a cursor has its block's time");
                (tier, cursor.number, facts.iter().map(|fact| fact.place.block).collect())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_fact_is_reported_at_once_and_final_once_for_each_tier() {
        let mut unfinalized = UnfinalizedFacts::new(two_levels(), None);
        assert_eq!(
            unfinalized.new_block(1, 10, vec![fact(1)]),
            Some(ChainUpdate::Unfinalized(vec![fact(1)]))
        );
        assert_eq!(unfinalized.new_block(2, 20, Vec::new()), None);
        unfinalized.new_block(3, 30, vec![fact(3)]);
        unfinalized.new_block(4, 40, Vec::new());
        assert_eq!(
            final_update(unfinalized.finalized(0, 2, B256::ZERO)),
            (FinalityTier::Standard, 2, vec![1])
        );
        assert_eq!(
            final_update(unfinalized.finalized(0, 3, B256::ZERO)),
            (FinalityTier::Standard, 3, vec![3])
        );
        assert_eq!(
            final_update(unfinalized.finalized(0, 4, B256::ZERO)),
            (FinalityTier::Standard, 4, vec![])
        );
        assert_eq!(final_update(unfinalized.finalized(1, 1, B256::ZERO)), (FinalityTier::Large, 1, vec![1]));
        assert_eq!(final_update(unfinalized.finalized(1, 4, B256::ZERO)), (FinalityTier::Large, 4, vec![3]));
        assert_eq!(unfinalized.blocks.len(), 1, "facts that are final for every tier are dropped");
    }

    #[test]
    fn a_shallow_reorg_drops_unfinalized_facts() {
        let mut unfinalized = UnfinalizedFacts::new(OrderFinality::sandbox(), None);
        unfinalized.new_block(1, 10, vec![fact(1)]);
        unfinalized.new_block(2, 20, vec![fact(2)]);
        unfinalized.reorg(1);
        unfinalized.new_block(2, 20, Vec::new());
        unfinalized.new_block(3, 30, Vec::new());
        assert_eq!(final_update(unfinalized.finalized(0, 3, B256::ZERO)), (FinalityTier::Large, 3, vec![1]));
    }

    #[test]
    fn a_backfill_finalizes_the_blocks_below_it() {
        let mut unfinalized = UnfinalizedFacts::new(two_levels(), None);
        unfinalized.new_block(1, 10, vec![fact(1)]);
        unfinalized.new_block(2, 20, vec![fact(2)]);
        final_update(unfinalized.finalized(0, 1, B256::ZERO));
        let cursor = ChainCursor { number: 90, hash: B256::ZERO, time: 900 };
        assert_eq!(
            final_update(Some(unfinalized.backfill(cursor, vec![fact(80)]))),
            (FinalityTier::Large, 90, vec![1, 2, 80])
        );
        assert_eq!(
            final_update(unfinalized.finalized(0, 90, B256::ZERO)),
            (FinalityTier::Standard, 90, vec![])
        );
    }

    proptest! {
        #[test]
        fn every_kept_fact_becomes_final_exactly_once_for_each_tier(
            steps in prop::collection::vec((0u8..4, 0u64..4, any::<bool>()), 1..80),
        ) {
            let mut unfinalized = UnfinalizedFacts::new(two_levels(), None);
            let (mut chain, mut finalized): (Vec<bool>, [u64; 2]) = (vec![false], [0, 0]);
            let mut reported: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
            unfinalized.new_block(0, 0, Vec::new());
            for (step, by, with_fact) in steps {
                let tip = chain.len() as u64 - 1;
                match step {
                    0 | 1 => {
                        chain.push(with_fact);
                        let facts = if with_fact { vec![fact(tip + 1)] } else { Vec::new() };
                        unfinalized.new_block(tip + 1, (tip + 1) * 10, facts);
                    }
                    2 => {
                        let ancestor = tip.saturating_sub(by).max(finalized[0]).min(tip);
                        chain.truncate(usize::try_from(ancestor).unwrap() + 1);
                        unfinalized.reorg(ancestor);
                    }
                    _ => {
                        let level = usize::from(with_fact);
                        // The stronger tier is never ahead of the weaker one here.
                        let limit = if level == 1 { finalized[0] } else { tip };
                        let number = (finalized[level] + by).min(limit);
                        if number > finalized[level] {
                            finalized[level] = number;
                            reported[level].extend(final_update(unfinalized.finalized(level, number, B256::ZERO)).2);
                        }
                    }
                }
            }
            for level in [0, 1] {
                let expected: Vec<u64> = (1..=finalized[level]).filter(|n| chain[usize::try_from(*n).unwrap()]).collect();
                prop_assert_eq!(&reported[level], &expected);
            }
        }
    }
}
