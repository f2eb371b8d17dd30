use alloy_primitives::{Address, Bytes, U256};
use alloy_rlp::{RlpDecodable, RlpEncodable};

use super::change::Change;
use super::world_state::{WorldState, bytecode};

/// A change of state that no transaction made: what the faucet and the tests do to a chain.
///
/// Writes become part of a block of their own and stay when that block is reorganised away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    Balance {
        address: Address,
        balance: U256,
    },
    Nonce {
        address: Address,
        nonce: u64,
    },
    Code {
        address: Address,
        code: Bytes,
    },
    Storage {
        address: Address,
        key: U256,
        value: U256,
    },
    /// Adds to what the account has, so that two faucets at once both count.
    Credit {
        address: Address,
        amount: U256,
    },
}

impl Write {
    pub(crate) fn apply(&self, world: &mut WorldState, change: &mut Change) {
        match self {
            Self::Balance { address, balance } => {
                world.edit(*address, change, |account| account.balance = *balance);
            }
            Self::Credit { address, amount } => world.edit(*address, change, |account| {
                account.balance = account.balance.saturating_add(*amount);
            }),
            Self::Nonce { address, nonce } => world.edit(*address, change, |account| account.nonce = *nonce),
            Self::Code { address, code } => {
                world.edit(*address, change, |account| account.set_code(bytecode(code.clone())));
            }
            Self::Storage { address, key, value } => {
                world.edit(*address, change, |account| account.set_slot(*key, *value));
            }
        }
    }
}

/// A write as the journal keeps it.
#[derive(RlpEncodable, RlpDecodable)]
pub(crate) struct WriteRecord {
    kind: u8,
    address: Address,
    key: U256,
    value: U256,
    code: Bytes,
}

impl From<&Write> for WriteRecord {
    fn from(write: &Write) -> Self {
        let record = |kind, address: &Address, key, value| Self {
            kind,
            address: *address,
            key,
            value,
            code: Bytes::new(),
        };
        match write {
            Write::Balance { address, balance } => record(0, address, U256::ZERO, *balance),
            Write::Nonce { address, nonce } => record(1, address, U256::ZERO, U256::from(*nonce)),
            Write::Code { address, code } => {
                Self { code: code.clone(), ..record(2, address, U256::ZERO, U256::ZERO) }
            }
            Write::Storage { address, key, value } => record(3, address, *key, *value),
            Write::Credit { address, amount } => record(4, address, U256::ZERO, *amount),
        }
    }
}

impl TryFrom<WriteRecord> for Write {
    type Error = alloy_rlp::Error;

    fn try_from(record: WriteRecord) -> Result<Self, Self::Error> {
        let WriteRecord { kind, address, key, value, code } = record;
        Ok(match kind {
            0 => Self::Balance { address, balance: value },
            1 => Self::Nonce { address, nonce: value.saturating_to() },
            2 => Self::Code { address, code },
            3 => Self::Storage { address, key, value },
            4 => Self::Credit { address, amount: value },
            _ => return Err(alloy_rlp::Error::Custom("unknown kind of write")),
        })
    }
}
