use causeway_domain::ChainId;

use crate::blocks::BlockTag;
use crate::follow::Finality;

/// Stands for "no depth is deep enough": without the chain's own word nothing is final.
const NEVER: u64 = u64::MAX;

/// When a block is final enough to sign what stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttestFinality {
    pub usual: Finality,
    /// For large amounts, where the chain has a stronger word.
    pub large: Option<Finality>,
}

impl AttestFinality {
    /// What real chains are trusted with; a chain that is not known needs its own `finalized`.
    pub fn for_chain(chain: ChainId) -> Self {
        let finalized = |or_depth| Finality::Tag { tag: BlockTag::Finalized, or_depth };
        let only = |usual| Self { usual, large: None };
        match chain.get() {
            10 | 130 | 5_000 | 8_453 | 42_161 | 747_474 => Self {
                usual: Finality::Tag { tag: BlockTag::Safe, or_depth: NEVER },
                large: Some(finalized(NEVER)),
            },
            56 => only(finalized(15)),
            137 => only(finalized(128)),
            143 | 16_661 => only(finalized(10)),
            43_114 => only(finalized(3)),
            80_094 => only(finalized(5)),
            324 | 2_741 | 59_144 | 5_734_951 | 4_278_608 => only(Finality::Depth(120)),
            _ => only(finalized(NEVER)),
        }
    }

    /// Two blocks, as everywhere in the sandbox.
    pub const fn sandbox() -> Self {
        Self { usual: Finality::Depth(2), large: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(chain: u64) -> AttestFinality {
        AttestFinality::for_chain(ChainId::new(chain).unwrap())
    }

    #[test]
    fn rollups_take_safe_and_for_large_amounts_finalized() {
        for chain in [10, 130, 5_000, 8_453, 42_161, 747_474] {
            assert!(matches!(of(chain).usual, Finality::Tag { tag: BlockTag::Safe, or_depth: NEVER }));
            assert!(matches!(of(chain).large, Some(Finality::Tag { tag: BlockTag::Finalized, .. })));
        }
    }

    #[test]
    fn a_chain_that_nobody_knows_is_believed_by_its_own_word_only() {
        for chain in [1, 999_999] {
            let only = Finality::Tag { tag: BlockTag::Finalized, or_depth: NEVER };
            assert_eq!(of(chain), AttestFinality { usual: only, large: None });
        }
    }
}
