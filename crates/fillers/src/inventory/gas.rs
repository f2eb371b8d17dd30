use alloy_primitives::U256;
use causeway_domain::{DepositMethod, Family};

use super::wide::{PPM, Wide, ceil, narrow, product};

/// Gas usage of our transactions on one chain: gas on EVM chains, signatures on Solana.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasUnits {
    /// The user's own deposit.
    pub open: u64,
    pub claim: u64,
    /// Deploying a deposit address and opening the order from it.
    pub sweep: u64,
    /// Opening an order with a payer's Permit2 signature.
    pub relay: u64,
    pub fill_native: u64,
    pub fill_token: u64,
    /// Depositing into a vault for the recipient.
    pub fill_vault: u64,
    /// Native units that any fill costs besides gas, such as the rent of its record.
    pub fill_rent: u64,
    /// Additional native units that a token fill costs, such as the rent of the recipient's account.
    pub fill_token_rent: u64,
}

impl GasUnits {
    /// Default figures, on the high side.
    pub const fn default_for(family: Family) -> Self {
        match family {
            Family::Evm => Self {
                open: 120_000,
                claim: 130_000,
                sweep: 280_000,
                relay: 160_000,
                fill_native: 80_000,
                fill_token: 110_000,
                fill_vault: 260_000,
                fill_rent: 0,
                fill_token_rent: 0,
            },
            Family::Solana => Self {
                open: 1,
                claim: 1,
                sweep: 1,
                relay: 0,
                fill_native: 1,
                fill_token: 1,
                fill_vault: 1,
                fill_rent: 1_503_360,
                // For Token-2022, whose accounts are slightly longer.
                fill_token_rent: 2_074_080,
            },
        }
    }

    /// The filler's gas on the source chain for the most expensive of the offered methods.
    pub(super) fn source(&self, offered: &[DepositMethod]) -> u64 {
        let opening = offered.iter().map(|method| match method {
            DepositMethod::ContractCall => 0,
            DepositMethod::Permit2 => self.relay,
            DepositMethod::Transfer => self.sweep,
        });
        self.claim.saturating_add(opening.max().unwrap_or(0))
    }
}

/// Cost of `units` in native units with a margin on the current gas price, rounded up.
pub(super) fn cost(units: u64, price: U256, margin: u32, rent: u64) -> Option<U256> {
    let with_margin = U256::from(PPM).checked_add(U256::from(margin))?;
    let cost = product([U256::from(units), price, with_margin])?;
    narrow(ceil(cost, Wide::from(PPM))?)?.checked_add(U256::from(rent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_covers_the_most_expensive_offered_method() {
        let units = GasUnits::default_for(Family::Evm);
        assert_eq!(units.source(&[DepositMethod::ContractCall]), units.claim);
        let all = [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
        assert_eq!(units.source(&all), units.claim + units.sweep);
        assert_eq!(units.source(&all[..2]), units.claim + units.relay);
    }

    #[test]
    fn gas_is_rounded_up_and_never_overflows_silently() {
        assert_eq!(cost(3, U256::from(1), 250_000, 0), Some(U256::from(4)));
        assert_eq!(cost(4, U256::from(1), 250_000, 7), Some(U256::from(12)));
        assert_eq!(cost(u64::MAX, U256::MAX, 0, 0), None);
        assert_eq!(cost(1, U256::MAX, 0, 1), None);
    }
}
