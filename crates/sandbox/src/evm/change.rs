use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_rlp::{Decodable, Encodable, RlpDecodable, RlpEncodable};

/// An account without its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) balance: U256,
    pub(crate) nonce: u64,
    pub(crate) code_hash: B256,
}

/// The change of one account: `core` is `None` when it was removed, `slots` holds the changed slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccountChange {
    pub(crate) core: Option<Core>,
    pub(crate) slots: BTreeMap<U256, U256>,
}

/// The state changes of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) accounts: BTreeMap<Address, AccountChange>,
    pub(crate) codes: BTreeMap<B256, Bytes>,
}

#[derive(RlpEncodable, RlpDecodable)]
struct SlotRecord {
    key: U256,
    value: U256,
}

/// An account in the journal, as a change and as part of a whole state.
#[derive(RlpEncodable, RlpDecodable)]
struct AccountRecord {
    address: Address,
    alive: bool,
    balance: U256,
    nonce: u64,
    code_hash: B256,
    slots: Vec<SlotRecord>,
}

#[derive(RlpEncodable, RlpDecodable)]
struct ChangeRecord {
    accounts: Vec<AccountRecord>,
    codes: Vec<Bytes>,
}

impl From<&Change> for ChangeRecord {
    fn from(change: &Change) -> Self {
        let account = |(address, changed): (&Address, &AccountChange)| {
            let core = changed.core.unwrap_or(Core { balance: U256::ZERO, nonce: 0, code_hash: B256::ZERO });
            AccountRecord {
                address: *address,
                alive: changed.core.is_some(),
                balance: core.balance,
                nonce: core.nonce,
                code_hash: core.code_hash,
                slots: changed
                    .slots
                    .iter()
                    .map(|(key, value)| SlotRecord { key: *key, value: *value })
                    .collect(),
            }
        };
        Self {
            accounts: change.accounts.iter().map(account).collect(),
            codes: change.codes.values().cloned().collect(),
        }
    }
}

impl From<ChangeRecord> for Change {
    fn from(record: ChangeRecord) -> Self {
        let account = |record: AccountRecord| {
            let core = Core { balance: record.balance, nonce: record.nonce, code_hash: record.code_hash };
            let slots = record.slots.into_iter().map(|slot| (slot.key, slot.value)).collect();
            (record.address, AccountChange { core: record.alive.then_some(core), slots })
        };
        Self {
            accounts: record.accounts.into_iter().map(account).collect(),
            codes: record.codes.into_iter().map(|code| (keccak256(&code), code)).collect(),
        }
    }
}

impl Encodable for Change {
    fn encode(&self, out: &mut dyn alloy_rlp::BufMut) {
        ChangeRecord::from(self).encode(out);
    }

    fn length(&self) -> usize {
        ChangeRecord::from(self).length()
    }
}

impl Decodable for Change {
    fn decode(buf: &mut &[u8]) -> alloy_rlp::Result<Self> {
        ChangeRecord::decode(buf).map(Self::from)
    }
}
