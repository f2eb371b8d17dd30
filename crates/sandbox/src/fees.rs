use causeway_domain::ChainId;

/// What transactions pay per gas on the sandbox chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeeModel {
    /// Near the fees of each real chain.
    #[default]
    Realistic,
    /// The same on every chain: a tip of one gwei, and a base fee that falls from there while nothing happens.
    Flat,
}

/// Fees in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainFees {
    /// The least base fee, with which the chain starts; zero follows EIP-1559 from one gwei.
    pub(crate) base_fee: u64,
    /// The tip that is suggested while there are no recent transactions.
    pub(crate) tip: u128,
}

const MWEI: u64 = 1_000_000;
const FLAT: ChainFees = ChainFees { base_fee: 0, tip: 1_000_000_000 };

impl FeeModel {
    /// The tip in wei per gas that an idle chain suggests.
    pub fn tip(self, chain: ChainId) -> u128 {
        self.of(chain).tip
    }

    /// The fees of a chain; chains without a known figure have the flat ones.
    pub(crate) fn of(self, chain: ChainId) -> ChainFees {
        if self == Self::Flat {
            return FLAT;
        }
        // Base fee and tip in millions of wei, as the chains had them in autumn 2026.
        let (base_fee, tip): (u64, u64) = match chain.get() {
            1 => (200, 50),
            10 | 130 | 747_474 => (1, 1),
            8_453 => (5, 1),
            5_000 => (50_000, 1),
            42_161 => (20, 1),
            59_144 => (1, 60),
            324 | 2_741 => (45, 1),
            56 => (1, 50),
            137 => (250_000, 25_000),
            143 => (100_000, 2_000),
            43_114 => (52, 1),
            80_094 => (1_000, 1_000),
            16_661 => (1_000, 2_000),
            _ => return FLAT,
        };
        ChainFees { base_fee: base_fee * MWEI, tip: u128::from(tip) * u128::from(MWEI) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn realistic_fees_differ_by_chain_and_flat_ones_do_not() {
        let fees = |model: FeeModel, chain| model.of(ChainId::new(chain).unwrap());
        assert_eq!(fees(FeeModel::Realistic, 8_453), ChainFees { base_fee: 5_000_000, tip: 1_000_000 });
        assert!(fees(FeeModel::Realistic, 137).tip >= 25_000_000_000);
        assert_eq!(fees(FeeModel::Flat, 8_453), FLAT);
        assert_eq!(fees(FeeModel::Realistic, 999), FLAT);
    }
}
