use causeway_domain::ChainId;
use causeway_domain::ports::FinalityTier;

use crate::attest::AttestFinality;
use crate::follow::Finality;

/// When a block is final enough to act on an order's deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFinality {
    pub usual: Finality,
    /// The chain's strongest finality; the same as `usual` if it has only one.
    pub large: Finality,
}

impl OrderFinality {
    /// The rule for a production chain. An unknown chain must report `finalized` for any amount.
    pub fn for_chain(chain: ChainId) -> Self {
        let attest = AttestFinality::for_chain(chain);
        // Some chains have `safe` in between; waiting for the stronger tag is always correct.
        let large = attest.large.unwrap_or(attest.usual);
        let usual = match chain.get() {
            1 => Finality::Depth(4),
            10 | 130 | 5_000 | 8_453 | 747_474 => Finality::Depth(10),
            42_161 => Finality::Depth(20),
            324 | 2_741 | 59_144 | 5_734_951 | 4_278_608 => Finality::Depth(60),
            _ => large,
        };
        Self { usual, large }
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
    use super::*;
    use crate::blocks::BlockTag;

    fn of(chain: u64) -> OrderFinality {
        OrderFinality::for_chain(ChainId::new(chain).unwrap())
    }

    fn is_finalized(finality: Finality) -> bool {
        matches!(finality, Finality::Tag { tag: BlockTag::Finalized, .. })
    }

    #[test]
    fn small_deposits_wait_for_a_few_blocks_and_large_ones_for_the_finality_tag() {
        for (chain, depth) in
            [(1, 4), (10, 10), (130, 10), (5_000, 10), (8_453, 10), (747_474, 10), (42_161, 20)]
        {
            assert_eq!(of(chain).usual, Finality::Depth(depth), "{chain}");
            assert!(is_finalized(of(chain).large), "{chain}");
            assert_eq!((of(chain).tier(0), of(chain).tier(1)), (FinalityTier::Standard, FinalityTier::Large));
        }
        for chain in [324, 2_741, 59_144, 5_734_951, 4_278_608] {
            let both = OrderFinality { usual: Finality::Depth(60), large: Finality::Depth(120) };
            assert_eq!(of(chain), both, "{chain}");
        }
    }

    #[test]
    fn a_chain_with_one_finality_tag_uses_it_for_all_amounts() {
        for chain in [56, 137, 143, 43_114, 80_094, 16_661, 999_999] {
            assert!(is_finalized(of(chain).usual) && of(chain).levels().len() == 1, "{chain}");
            assert_eq!(of(chain).tier(0), FinalityTier::Large);
        }
        assert_eq!(OrderFinality::sandbox().levels(), [Finality::Depth(2)]);
    }
}
