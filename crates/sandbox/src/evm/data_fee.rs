use alloy_consensus::TxEnvelope;
use alloy_consensus::transaction::Recovered;
use alloy_eips::eip2718::Encodable2718 as _;
use alloy_primitives::{Address, U256, address};

use super::change::Change;
use super::world_state::WorldState;

/// The gas price oracle of the OP stack. Its first slot holds the price of a byte in ether, its second what an ether is worth in
/// the chain's own coin.
pub(crate) const OP_ORACLE: Address = address!("420000000000000000000000000000000000000F");
/// Arbitrum's prices; the second slot holds that of a byte.
pub(crate) const ARB_GAS_INFO: Address = address!("000000000000000000000000000000000000006C");
/// Where the OP stack and Arbitrum collect what they charge for data.
pub(crate) const OP_FEE_VAULT: Address = address!("420000000000000000000000000000000000001A");
pub(crate) const ARB_FEE_POOL: Address = address!("A4B00000000000000000000000000000000000f6");

/// What a signed transaction has besides its call data, about.
const ENVELOPE_BYTES: usize = 120;

/// How a chain charges for the bytes of a transaction, as its own contract says. The contracts never change, so the price is the
/// same in every block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFee {
    Free,
    /// Besides gas, as the OP stack does.
    Apart(U256),
    /// As more gas, as Arbitrum does.
    AsGas(U256),
}

impl DataFee {
    pub(crate) fn of(world: &WorldState) -> Self {
        let slot = |contract, key: u64| {
            let account = world.account(contract)?;
            account.slots.get(&U256::from(key)).copied().filter(|price: &U256| !price.is_zero())
        };
        if let Some(price) = slot(OP_ORACLE, 0) {
            return Self::Apart(price.saturating_mul(slot(OP_ORACLE, 1).unwrap_or(U256::ONE)));
        }
        slot(ARB_GAS_INFO, 1).map_or(Self::Free, Self::AsGas)
    }

    /// What the transaction pays besides its gas.
    pub(crate) fn apart(self, tx: &Recovered<TxEnvelope>) -> U256 {
        match self {
            Self::Apart(price) => price.saturating_mul(U256::from(tx.inner().encode_2718_len())),
            Self::Free | Self::AsGas(_) => U256::ZERO,
        }
    }

    /// How much of the transaction's gas pays for its data, rounded up.
    pub(crate) fn gas(self, tx: &Recovered<TxEnvelope>, base_fee: u64) -> u64 {
        self.gas_for(tx.inner().encode_2718_len(), base_fee)
    }

    /// The same for a call that is not signed yet.
    pub(crate) fn estimated_gas(self, data: usize, base_fee: u64) -> u64 {
        self.gas_for(data.saturating_add(ENVELOPE_BYTES), base_fee)
    }

    fn gas_for(self, bytes: usize, base_fee: u64) -> u64 {
        match self {
            Self::AsGas(price) if base_fee > 0 => {
                price.saturating_mul(U256::from(bytes)).div_ceil(U256::from(base_fee)).saturating_to()
            }
            _ => 0,
        }
    }

    /// Moves `fee` from the sender to where the chain collects it. The sender has it.
    pub(crate) fn collect(self, fee: U256, sender: Address, world: &mut WorldState, change: &mut Change) {
        let to = match self {
            Self::Apart(_) => OP_FEE_VAULT,
            Self::AsGas(_) => ARB_FEE_POOL,
            Self::Free => return,
        };
        if fee.is_zero() {
            return;
        }
        world.edit(sender, change, |account| account.balance = account.balance.saturating_sub(fee));
        world.edit(to, change, |account| account.balance = account.balance.saturating_add(fee));
    }
}
