use causeway_domain::FinalityPolicy;
use causeway_domain::ports::FinalityTier;

use crate::follow::Finality;

/// When a block is final enough to act on an order's deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFinality {
    pub usual: Finality,
    /// The chain's strongest finality; the same as `usual` if it has only one.
    pub large: Finality,
}

impl OrderFinality {
    /// The rule for a production chain.
    /// Some chains have `safe` in between; waiting for the stronger tag is always correct.
    pub fn new(policy: FinalityPolicy) -> Self {
        Self { usual: policy.small_deposits.into(), large: policy.large_amounts.into() }
    }

    /// The rule of the sandbox: two blocks.
    pub const fn sandbox() -> Self {
        Self { usual: Finality::Depth(2), large: Finality::Depth(2) }
    }

    /// The levels to follow, weakest first: one where both are the same.
    pub(super) fn levels(&self) -> Vec<Finality> {
        if self.usual == self.large { vec![self.large] } else { vec![self.usual, self.large] }
    }

    /// The finality tier of a level.
    pub(super) fn tier(&self, level: usize) -> FinalityTier {
        if level + 1 >= self.levels().len() { FinalityTier::Large } else { FinalityTier::Standard }
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{FinalityRule, FinalityTag};

    use super::*;
    use crate::blocks::BlockTag;

    const FINALIZED: FinalityRule =
        FinalityRule::Tag { tag: FinalityTag::Finalized, fallback_depth: Some(15) };

    fn of(small_deposits: FinalityRule, large_amounts: FinalityRule) -> OrderFinality {
        OrderFinality::new(FinalityPolicy { small_deposits, attestations: large_amounts, large_amounts })
    }

    #[test]
    fn small_deposits_wait_for_a_few_blocks_and_large_ones_for_the_finality_tag() {
        let finality = of(FinalityRule::Depth(4), FINALIZED);
        let large = Finality::Tag { tag: BlockTag::Finalized, or_depth: 15 };
        assert_eq!(finality.levels(), [Finality::Depth(4), large]);
        assert_eq!((finality.tier(0), finality.tier(1)), (FinalityTier::Standard, FinalityTier::Large));
    }

    #[test]
    fn a_chain_with_one_finality_tag_uses_it_for_all_amounts() {
        let finality = of(FINALIZED, FINALIZED);
        assert_eq!(finality.levels(), [Finality::Tag { tag: BlockTag::Finalized, or_depth: 15 }]);
        assert_eq!(finality.tier(0), FinalityTier::Large);
        assert_eq!(OrderFinality::sandbox().levels(), [Finality::Depth(2)]);
    }
}
