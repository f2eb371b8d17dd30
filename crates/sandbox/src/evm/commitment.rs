use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_trie::TrieAccount;
use rpds::HashTrieMapSync;

use super::trie::Trie;
use super::world_state::Account;

/// The tries behind the state root: the accounts and their slots, by the hashes of their keys.
#[derive(Clone, Debug)]
pub(crate) struct Commitment {
    accounts: Trie,
    slots: HashTrieMapSync<Address, Trie>,
}

impl Default for Commitment {
    fn default() -> Self {
        Self { accounts: Trie::default(), slots: HashTrieMapSync::new_sync() }
    }
}

impl Commitment {
    /// Updates an account and its changed slots.
    pub(crate) fn set(
        &mut self,
        address: Address,
        account: Option<&Account>,
        changed: &BTreeMap<U256, U256>,
    ) {
        let Some(account) = account else {
            self.accounts.remove(keccak256(address));
            self.slots.remove_mut(&address);
            return;
        };
        let mut slots = self.slots_of(address);
        for (key, value) in changed {
            if value.is_zero() {
                slots.remove(path_of(*key));
            } else {
                slots.insert(path_of(*key), alloy_rlp::encode(value));
            }
        }
        self.accounts.insert(keccak256(address), alloy_rlp::encode(leaf(account, slots.root())));
        if !changed.is_empty() {
            self.slots.insert_mut(address, slots);
        }
    }

    /// The state root.
    pub(crate) fn root(&self) -> B256 {
        self.accounts.root()
    }

    /// The root over an account's slots.
    pub(crate) fn storage_root(&self, address: Address) -> B256 {
        self.slots_of(address).root()
    }

    /// The nodes from the state root down to where the account is or would be.
    pub(crate) fn prove(&self, address: Address) -> Vec<Bytes> {
        self.accounts.prove(keccak256(address))
    }

    /// The nodes from the root over an account's slots down to where the slot is or would be.
    pub(crate) fn prove_slot(&self, address: Address, key: U256) -> Vec<Bytes> {
        self.slots_of(address).prove(path_of(key))
    }

    fn slots_of(&self, address: Address) -> Trie {
        self.slots.get(&address).cloned().unwrap_or_default()
    }
}

fn path_of(key: U256) -> B256 {
    keccak256(key.to_be_bytes::<32>())
}

fn leaf(account: &Account, storage_root: B256) -> TrieAccount {
    TrieAccount { nonce: account.nonce, balance: account.balance, storage_root, code_hash: account.code_hash }
}
