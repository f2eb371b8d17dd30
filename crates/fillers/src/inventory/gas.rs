use alloy_primitives::U256;
use causeway_domain::{DepositMethod, Family};

use super::wide::{WHOLE, Wide, ceil, narrow, product};

/// What the transactions of one chain use: gas on EVM chains, signatures on Solana.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasUnits {
    /// The user's own deposit.
    pub open: u64,
    pub claim: u64,
    /// Deploying a deposit address and opening the order from it.
    pub sweep: u64,
    /// Opening an order with somebody's Permit2 signature.
    pub relay: u64,
    pub fill_native: u64,
    pub fill_token: u64,
    /// Depositing into a vault for the recipient.
    pub fill_vault: u64,
    /// Native units that any filling costs beside gas, such as the rent of its record.
    pub fill_rent: u64,
    /// Native units that filling with a token costs beside that, such as the rent of the recipient's account.
    pub fill_token_rent: u64,
}

impl GasUnits {
    /// The usual figures, on the high side.
    pub const fn usual(family: Family) -> Self {
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
                // Of the newer token program, whose accounts are a little longer.
                fill_token_rent: 2_074_080,
            },
        }
    }

    /// What the filler uses on the source chain, whichever of the offered methods is chosen.
    pub(super) fn source(&self, offered: &[DepositMethod]) -> u64 {
        let opening = offered.iter().map(|method| match method {
            DepositMethod::ContractCall => 0,
            DepositMethod::Permit2 => self.relay,
            DepositMethod::Transfer => self.sweep,
        });
        self.claim.saturating_add(opening.max().unwrap_or(0))
    }
}

/// Native units that `units` cost with a margin on the price of this moment, rounded up to one unit.
pub(super) fn cost(units: u64, price: U256, margin: u32, rent: u64) -> Option<U256> {
    let with_margin = U256::from(WHOLE).checked_add(U256::from(margin))?;
    let cost = product([U256::from(units), price, with_margin])?;
    narrow(ceil(cost, Wide::from(WHOLE))?)?.checked_add(U256::from(rent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_offered_method_is_paid_for() {
        let units = GasUnits::usual(Family::Evm);
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
