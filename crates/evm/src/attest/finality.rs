use causeway_domain::ChainId;

use crate::blocks::BlockTag;
use crate::follow::Finality;

/// No depth is enough: without the chain's own finality tag nothing is final.
const NO_DEPTH: u64 = u64::MAX;

/// When a block is final enough to attest to its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttestFinality {
    pub usual: Finality,
    /// For large amounts, where the chain has a stronger finality tag.
    pub large: Option<Finality>,
}

impl AttestFinality {
    /// The rule for a production chain. An unknown chain must report `finalized` itself.
    pub fn for_chain(chain: ChainId) -> Self {
        let finalized = |or_depth| Finality::Tag { tag: BlockTag::Finalized, or_depth };
        let only = |usual| Self { usual, large: None };
        match chain.get() {
            10 | 130 | 5_000 | 8_453 | 42_161 | 747_474 => Self {
                usual: Finality::Tag { tag: BlockTag::Safe, or_depth: NO_DEPTH },
                large: Some(finalized(NO_DEPTH)),
            },
            56 => only(finalized(15)),
            137 => only(finalized(128)),
            143 | 16_661 => only(finalized(10)),
            43_114 => only(finalized(3)),
            80_094 => only(finalized(5)),
            324 | 2_741 | 59_144 | 5_734_951 | 4_278_608 => only(Finality::Depth(120)),
            _ => only(finalized(NO_DEPTH)),
        }
    }

    /// The rule of the sandbox: two blocks.
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
    fn rollups_use_safe_and_finalized_for_large_amounts() {
        for chain in [10, 130, 5_000, 8_453, 42_161, 747_474] {
            assert!(matches!(of(chain).usual, Finality::Tag { tag: BlockTag::Safe, or_depth: NO_DEPTH }));
            assert!(matches!(of(chain).large, Some(Finality::Tag { tag: BlockTag::Finalized, .. })));
        }
    }

    #[test]
    fn an_unknown_chain_needs_its_own_finalized_tag() {
        for chain in [1, 999_999] {
            let only = Finality::Tag { tag: BlockTag::Finalized, or_depth: NO_DEPTH };
            assert_eq!(of(chain), AttestFinality { usual: only, large: None });
        }
    }
}
