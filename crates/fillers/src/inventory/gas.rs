use alloy_primitives::U256;
use causeway_domain::{ChainId, DepositMethod, Family};

use super::wide::{PPM, Wide, ceil, narrow, product};

/// The largest batch that quotes count on: no share of a claim is below that of one order among so many.
const FLOOR_ORDERS: u64 = 20;

/// What a transaction takes: gas on EVM chains or signatures on Solana, and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) gas: u64,
    pub(super) bytes: u64,
}

/// The prices of one unit of gas and of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitPrices {
    pub(super) gas: U256,
    pub(super) byte: U256,
}

/// The bytes of our signed transactions on EVM chains, which rollups charge for.
const FILL_BYTES: u64 = 980;
const CLAIM_BYTES: u64 = 1_240;
const BATCH_BYTES: u64 = 1_260;
const BATCH_BYTES_PER_ORDER: u64 = 230;
const SWEEP_BYTES: u64 = 790;
const RELAY_BYTES: u64 = 1_310;
const AUTHORIZATION_BYTES: u64 = 1_030;
const PERMIT_BYTES: u64 = 1_190;

/// Gas usage of our transactions on one chain: gas on EVM chains, signatures on Solana. On EVM chains these are the figures of
/// the contracts' gas snapshots, the dearer of two where they depend on the recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasUnits {
    /// The user's own deposit.
    pub open: u64,
    /// Claiming one order alone.
    pub claim: u64,
    /// What a batch of claims takes whatever its size, and for each of its orders.
    pub claim_batch: u64,
    pub claim_in_batch: u64,
    /// Deploying a deposit address and opening the order from it.
    pub sweep: u64,
    /// Opening an order with a payer's Permit2 signature.
    pub relay: u64,
    /// Opening an order with a payer's EIP-3009 authorization.
    pub relay_authorization: u64,
    /// Opening an order with a payer's EIP-2612 permit.
    pub relay_permit: u64,
    pub fill_native: u64,
    pub fill_token: u64,
    /// Depositing into a vault for the recipient.
    pub fill_vault: u64,
    /// Native units that any fill costs besides its gas. Rent of its record is none of them: it comes back when the record is
    /// closed, by a transaction of its own.
    pub fill_closing: u64,
    /// Additional native units that a token fill costs, such as the rent of the recipient's account.
    pub fill_token_rent: u64,
}

/// The ZKsync chains run our contracts in an interpreter, which takes 150 to 400 % more gas than Ethereum.
const INTERPRETED: [u64; 2] = [324, 2_741];
const INTERPRETER_FACTOR: u64 = 4;

impl GasUnits {
    /// The figures of one chain.
    pub fn of_chain(chain: ChainId) -> Self {
        let units = Self::default_for(chain.family());
        if !INTERPRETED.contains(&chain.get()) {
            return units;
        }
        let times = |gas: u64| gas.saturating_mul(INTERPRETER_FACTOR);
        Self {
            open: times(units.open),
            claim: times(units.claim),
            claim_batch: times(units.claim_batch),
            claim_in_batch: times(units.claim_in_batch),
            sweep: times(units.sweep),
            relay: times(units.relay),
            relay_authorization: times(units.relay_authorization),
            relay_permit: times(units.relay_permit),
            fill_native: times(units.fill_native),
            fill_token: times(units.fill_token),
            fill_vault: times(units.fill_vault),
            ..units
        }
    }

    /// The measured figures of the contracts, with two signatures of attesters.
    pub const fn default_for(family: Family) -> Self {
        match family {
            Family::Evm => Self {
                open: 73_582,
                claim: 71_327,
                claim_batch: 62_860,
                claim_in_batch: 11_744,
                sweep: 162_043,
                relay: 123_377,
                relay_authorization: 110_529,
                relay_permit: 119_426,
                fill_native: 88_463,
                fill_token: 84_661,
                fill_vault: 168_339,
                fill_closing: 0,
                fill_token_rent: 0,
            },
            Family::Solana => Self {
                open: 1,
                claim: 1,
                claim_batch: 1,
                claim_in_batch: 0,
                sweep: 1,
                relay: 0,
                relay_authorization: 0,
                relay_permit: 0,
                fill_native: 1,
                fill_token: 1,
                fill_vault: 1,
                fill_closing: 5_000,
                // For Token-2022, whose accounts are slightly longer.
                fill_token_rent: 2_074_080,
            },
            // Inventory is never held there, and no contract of ours is.
            Family::Bitcoin | Family::Tron => Self {
                open: 0,
                claim: 0,
                claim_batch: 0,
                claim_in_batch: 0,
                sweep: 0,
                relay: 0,
                relay_authorization: 0,
                relay_permit: 0,
                fill_native: 0,
                fill_token: 0,
                fill_vault: 0,
                fill_closing: 0,
                fill_token_rent: 0,
            },
        }
    }

    /// The gas of claiming so many orders at once.
    fn claims(&self, orders: u64) -> u64 {
        match orders {
            1 => self.claim,
            _ => self.claim_batch.saturating_add(self.claim_in_batch.saturating_mul(orders)),
        }
    }

    /// One order's share of its claim, rounded up: the average of claims of these sizes, but never below the share in a batch
    /// of twenty. Without any it is claimed alone.
    pub(super) fn claim_share(&self, sizes: &[u32]) -> Usage {
        let sizes = || sizes.iter().map(|size| u64::from(*size)).filter(|size| *size > 0);
        let orders: u64 = sizes().sum();
        let share = |of: &dyn Fn(u64) -> u64, least: u64| {
            if orders == 0 {
                return of(1);
            }
            let spent = sizes().fold(0_u64, |sum, size| sum.saturating_add(of(size)));
            spent.div_ceil(orders).max(least)
        };
        let least = self.least_claim_share();
        Usage { gas: share(&|size| self.claims(size), least.gas), bytes: share(&claim_bytes, least.bytes) }
    }

    /// The least share of a claim that is ever charged.
    pub(super) fn least_claim_share(&self) -> Usage {
        Usage {
            gas: self.claims(FLOOR_ORDERS).div_ceil(FLOOR_ORDERS),
            bytes: claim_bytes(FLOOR_ORDERS).div_ceil(FLOOR_ORDERS),
        }
    }

    /// What opening an order for the payer takes, by the most expensive of the offered methods.
    pub(super) fn opening(&self, offered: &[DepositMethod]) -> Usage {
        let opening = offered.iter().map(|method| match method {
            DepositMethod::ContractCall => Usage::default(),
            DepositMethod::Permit2 => Usage { gas: self.relay, bytes: RELAY_BYTES },
            DepositMethod::Authorization => {
                Usage { gas: self.relay_authorization, bytes: AUTHORIZATION_BYTES }
            }
            DepositMethod::Permit => Usage { gas: self.relay_permit, bytes: PERMIT_BYTES },
            DepositMethod::Transfer => Usage { gas: self.sweep, bytes: SWEEP_BYTES },
        });
        opening.max_by_key(|usage| usage.gas).unwrap_or_default()
    }
}

/// The bytes of a claim of so many orders.
const fn claim_bytes(orders: u64) -> u64 {
    match orders {
        1 => CLAIM_BYTES,
        _ => BATCH_BYTES.saturating_add(BATCH_BYTES_PER_ORDER.saturating_mul(orders)),
    }
}

/// A fill that takes so much gas.
pub(super) const fn fill(gas: u64) -> Usage {
    Usage { gas, bytes: FILL_BYTES }
}

/// Cost of a transaction in native units with a margin on the current prices, rounded up.
pub(super) fn cost(usage: Usage, prices: UnitPrices, margin: u32, rent: u64) -> Option<U256> {
    let with_margin = U256::from(PPM).checked_add(U256::from(margin))?;
    let gas = U256::from(usage.gas).checked_mul(prices.gas)?;
    let now = gas.checked_add(U256::from(usage.bytes).checked_mul(prices.byte)?)?;
    narrow(ceil(product([now, with_margin])?, Wide::from(PPM))?)?.checked_add(U256::from(rent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_covers_the_most_expensive_offered_method() {
        let units = GasUnits::default_for(Family::Evm);
        assert_eq!(units.opening(&[DepositMethod::ContractCall]), Usage::default());
        let all = [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
        assert_eq!(units.opening(&all), Usage { gas: units.sweep, bytes: SWEEP_BYTES });
        assert_eq!(units.opening(&all[..2]), Usage { gas: units.relay, bytes: RELAY_BYTES });
    }

    #[test]
    fn interpreted_contracts_take_more_gas() {
        let units = |chain| GasUnits::of_chain(ChainId::new(chain).unwrap());
        assert_eq!(units(8_453), GasUnits::default_for(Family::Evm));
        let gas = |chain| {
            let units = units(chain);
            let opened =
                [units.open, units.sweep, units.relay, units.relay_authorization, units.relay_permit];
            let filled = [units.fill_native, units.fill_token, units.fill_vault];
            (opened, filled, [1, 5, 20].map(|orders| units.claims(orders)))
        };
        let (opened, filled, claimed) = gas(8_453);
        for chain in INTERPRETED {
            let more = |gas: u64| 4 * gas;
            assert_eq!(gas(chain), (opened.map(more), filled.map(more), claimed.map(more)), "{chain}");
        }
    }

    #[test]
    fn units_are_those_of_the_gas_snapshots() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/evm/snapshots");
        let read = |file| std::fs::read_to_string(folder.join(file)).unwrap();
        let texts = [read("settlement.json"), read("deposit.json")].concat();
        let measured = |name: &str| {
            let after = texts.split(&format!("\"{name}\": \"")).nth(1).unwrap_or_else(|| panic!("{name}"));
            after.split('"').next().unwrap().parse::<u64>().unwrap()
        };
        let units = GasUnits::default_for(Family::Evm);
        for (used, name) in [
            (units.open, "open, ERC-20"),
            (units.claim, "claim, ERC-20, 2 signatures"),
            (units.sweep, "sweep ERC-20"),
            (units.relay, "openFor, Permit2"),
            (units.relay_authorization, "openWithAuthorization, EIP-3009"),
            (units.relay_permit, "openWithPermit, EIP-2612"),
            (units.fill_native, "fill, native"),
            (units.fill_token, "fill, ERC-20"),
            (units.fill_vault, "fill, ERC-4626 shares"),
        ] {
            assert_eq!(used, measured(name), "{name}");
        }
        for (orders, name) in [
            (5, "claimBatch, 5 orders, ERC-20, 2 signatures"),
            (20, "claimBatch, 20 orders, ERC-20, 2 signatures"),
        ] {
            let (used, measured) = (units.claims(orders), measured(name));
            assert!(used >= measured && used - measured < measured / 100, "{name}: {used} for {measured}");
        }
    }

    #[test]
    fn rule_31_the_share_of_a_claim_is_the_average_of_recent_ones_with_a_floor() {
        let units = GasUnits::default_for(Family::Evm);
        let share = |sizes: &[u32]| units.claim_share(sizes).gas;
        assert_eq!(share(&[]), units.claim, "nothing is known yet");
        assert_eq!(share(&[1, 1, 1]), units.claim);
        let twenty = units.claims(20).div_ceil(20);
        assert_eq!(share(&[20]), twenty);
        assert_eq!(share(&[50, 50]), twenty, "no less than in a batch of twenty");
        assert_eq!(units.least_claim_share(), units.claim_share(&[50]));
        let mixed = (units.claim + units.claims(4)).div_ceil(5);
        assert_eq!(share(&[1, 4]), mixed);
        assert_eq!(share(&[0, 1, 4]), mixed);
        assert!(twenty < mixed && mixed < units.claim);
        assert_eq!(units.claim_share(&[20]).bytes, (BATCH_BYTES + 20 * BATCH_BYTES_PER_ORDER) / 20);
        assert_eq!(GasUnits::default_for(Family::Solana).claim_share(&[6, 6]).gas, 1);
    }

    #[test]
    fn gas_is_rounded_up_and_never_overflows_silently() {
        let cost = |gas: u64, price: U256, margin, rent| {
            let prices = UnitPrices { gas: price, byte: U256::ZERO };
            super::cost(Usage { gas, bytes: 9 }, prices, margin, rent)
        };
        assert_eq!(cost(3, U256::from(1), 250_000, 0), Some(U256::from(4)));
        assert_eq!(cost(4, U256::from(1), 250_000, 7), Some(U256::from(12)));
        assert_eq!(cost(u64::MAX, U256::MAX, 0, 0), None);
        assert_eq!(cost(1, U256::MAX, 0, 1), None);
        let prices = UnitPrices { gas: U256::from(2), byte: U256::from(5) };
        assert_eq!(super::cost(Usage { gas: 10, bytes: 4 }, prices, 100_000, 1), Some(U256::from(45)));
    }
}
