use causeway_domain::ChainId;
use causeway_domain::ports::Care;

use crate::attest::AttestFinality;
use crate::follow::Finality;

/// When a block is final enough to act on an order's deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFinality {
    pub usual: Finality,
    /// The strongest word that the chain has; the same as `usual` where it has one only.
    pub large: Finality,
}

impl OrderFinality {
    /// What real chains are trusted with; a chain that is not known needs its own `finalized` for any amount.
    pub fn for_chain(chain: ChainId) -> Self {
        let attest = AttestFinality::for_chain(chain);
        // Between the two lies `safe` on some chains; whoever waits for the stronger word is never wrong.
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

    /// Two blocks, as everywhere in the sandbox.
    pub const fn sandbox() -> Self {
        Self { usual: Finality::Depth(2), large: Finality::Depth(2) }
    }

    /// The levels to follow, weakest first: one where both are the same.
    pub(super) fn levels(&self) -> Vec<Finality> {
        if self.usual == self.large { vec![self.large] } else { vec![self.usual, self.large] }
    }

    /// For which care a level's blocks stand.
    pub(super) fn care(&self, level: usize) -> Care {
        if level + 1 >= self.levels().len() { Care::Large } else { Care::Usual }
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
    fn small_deposits_wait_for_a_few_blocks_and_large_ones_for_the_chains_own_word() {
        for (chain, depth) in
            [(1, 4), (10, 10), (130, 10), (5_000, 10), (8_453, 10), (747_474, 10), (42_161, 20)]
        {
            assert_eq!(of(chain).usual, Finality::Depth(depth), "{chain}");
            assert!(is_finalized(of(chain).large), "{chain}");
            assert_eq!((of(chain).care(0), of(chain).care(1)), (Care::Usual, Care::Large));
        }
        for chain in [324, 2_741, 59_144, 5_734_951, 4_278_608] {
            let both = OrderFinality { usual: Finality::Depth(60), large: Finality::Depth(120) };
            assert_eq!(of(chain), both, "{chain}");
        }
    }

    #[test]
    fn where_a_chain_has_one_word_it_stands_for_all_amounts() {
        for chain in [56, 137, 143, 43_114, 80_094, 16_661, 999_999] {
            assert!(is_finalized(of(chain).usual) && of(chain).levels().len() == 1, "{chain}");
            assert_eq!(of(chain).care(0), Care::Large);
        }
        assert_eq!(OrderFinality::sandbox().levels(), [Finality::Depth(2)]);
    }
}
