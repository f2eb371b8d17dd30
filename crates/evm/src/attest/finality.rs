use causeway_domain::FinalityPolicy;

use crate::follow::Finality;

/// When a block is final enough to attest to its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttestFinality {
    pub usual: Finality,
    /// For large amounts, where the chain has a stronger finality tag.
    pub large: Option<Finality>,
}

impl AttestFinality {
    /// The rule for a production chain.
    pub fn new(policy: FinalityPolicy) -> Self {
        let (usual, large) = (policy.attestations.into(), policy.large_amounts.into());
        Self { usual, large: (large != usual).then_some(large) }
    }

    /// The rule of the sandbox: two blocks.
    pub const fn sandbox() -> Self {
        Self { usual: Finality::Depth(2), large: None }
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{FinalityRule, FinalityTag};

    use super::*;
    use crate::blocks::BlockTag;

    fn of(tag: FinalityTag, fallback_depth: Option<u64>) -> AttestFinality {
        let finalized = FinalityRule::Tag { tag: FinalityTag::Finalized, fallback_depth };
        AttestFinality::new(FinalityPolicy {
            small_deposits: FinalityRule::Depth(10),
            attestations: FinalityRule::Tag { tag, fallback_depth },
            large_amounts: finalized,
        })
    }

    #[test]
    fn rollups_use_safe_and_finalized_for_large_amounts() {
        let expected = AttestFinality {
            usual: Finality::Tag { tag: BlockTag::Safe, or_depth: u64::MAX },
            large: Some(Finality::Tag { tag: BlockTag::Finalized, or_depth: u64::MAX }),
        };
        assert_eq!(of(FinalityTag::Safe, None), expected);
    }

    #[test]
    fn one_finality_tag_is_used_for_all_amounts_and_replaced_by_its_fallback_depth_only() {
        for (fallback_depth, or_depth) in [(None, u64::MAX), (Some(15), 15)] {
            let usual = Finality::Tag { tag: BlockTag::Finalized, or_depth };
            let expected = AttestFinality { usual, large: None };
            assert_eq!(of(FinalityTag::Finalized, fallback_depth), expected);
        }
    }
}
