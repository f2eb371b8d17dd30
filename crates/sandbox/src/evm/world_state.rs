use std::collections::BTreeMap;
use std::convert::Infallible;

use alloy_eips::eip2935::{HISTORY_SERVE_WINDOW, HISTORY_STORAGE_ADDRESS};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use revm::DatabaseRef;
use revm::state::{AccountInfo, Bytecode, EvmState};
use rpds::HashTrieMapSync;

use super::change::{AccountChange, Change, Core};
use super::commitment::Commitment;

/// An account with its code and storage.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) balance: U256,
    pub(crate) nonce: u64,
    pub(crate) code_hash: B256,
    pub(crate) code: Bytecode,
    pub(crate) slots: HashTrieMapSync<U256, U256>,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            balance: U256::ZERO,
            nonce: 0,
            code_hash: KECCAK256_EMPTY,
            code: Bytecode::default(),
            slots: HashTrieMapSync::new_sync(),
        }
    }
}

impl Account {
    pub(crate) fn core(&self) -> Core {
        Core { balance: self.balance, nonce: self.nonce, code_hash: self.code_hash }
    }

    pub(crate) fn set_code(&mut self, code: Bytecode) {
        self.code_hash = code.hash_slow();
        self.code = code;
    }

    pub(crate) fn set_slot(&mut self, key: U256, value: U256) {
        if value.is_zero() {
            self.slots.remove_mut(&key);
        } else {
            self.slots.insert_mut(key, value);
        }
    }
}

/// The world state after one block. Clones share structure, so that many past states cost little more than one.
#[derive(Clone, Debug)]
pub(crate) struct WorldState {
    accounts: HashTrieMapSync<Address, Account>,
    /// The tries behind the state root, as of the last `update_root`.
    commitment: Commitment,
}

impl Default for WorldState {
    fn default() -> Self {
        Self { accounts: HashTrieMapSync::new_sync(), commitment: Commitment::default() }
    }
}

impl WorldState {
    pub(crate) fn account(&self, address: Address) -> Option<&Account> {
        self.accounts.get(&address)
    }

    pub(crate) fn accounts(&self) -> impl Iterator<Item = (&Address, &Account)> {
        self.accounts.iter()
    }

    pub(crate) fn balance(&self, address: Address) -> U256 {
        self.account(address).map_or(U256::ZERO, |account| account.balance)
    }

    pub(crate) fn nonce(&self, address: Address) -> u64 {
        self.account(address).map_or(0, |account| account.nonce)
    }

    pub(crate) fn code(&self, address: Address) -> Bytes {
        self.account(address).map(|account| account.code.original_bytes()).unwrap_or_default()
    }

    fn insert(&mut self, address: Address, account: Account) {
        self.accounts.insert_mut(address, account);
    }

    /// Updates the state root after a change of accounts.
    pub(crate) fn update_root(&mut self, change: &Change) {
        for (address, changed) in &change.accounts {
            self.commitment.set(*address, self.accounts.get(address), &changed.slots);
        }
    }

    /// The tries behind the state root.
    pub(crate) fn commitment(&self) -> &Commitment {
        &self.commitment
    }

    /// Edits one account, creating it if needed, and records the change.
    pub(crate) fn edit(&mut self, address: Address, change: &mut Change, edit: impl FnOnce(&mut Account)) {
        let mut account = self.account(address).cloned().unwrap_or_default();
        let before = account.clone();
        edit(&mut account);
        let recorded = change.accounts.entry(address).or_default();
        recorded.core = Some(account.core());
        if before.code_hash != account.code_hash {
            change.codes.insert(account.code_hash, account.code.original_bytes());
        }
        for (key, value) in &account.slots {
            if before.slots.get(key) != Some(value) {
                recorded.slots.insert(*key, *value);
            }
        }
        for key in before.slots.keys().filter(|key| !account.slots.contains_key(*key)) {
            recorded.slots.insert(*key, U256::ZERO);
        }
        self.insert(address, account);
    }

    /// Applies the state changes of a transaction and records them.
    pub(crate) fn absorb(&mut self, state: EvmState, change: &mut Change) {
        for (address, touched) in state {
            if !touched.is_touched() {
                continue;
            }
            if touched.is_selfdestructed() || touched.is_empty() {
                self.remove(address, change);
                continue;
            }
            let mut account = self.account(address).cloned().unwrap_or_default();
            account.balance = touched.info.balance;
            account.nonce = touched.info.nonce;
            if account.code_hash != touched.info.code_hash {
                account.set_code(touched.info.code.clone().unwrap_or_default());
                change.codes.insert(account.code_hash, account.code.original_bytes());
            }
            let recorded = change.accounts.entry(address).or_default();
            for (key, slot) in touched.changed_storage_slots() {
                account.set_slot(*key, slot.present_value());
                recorded.slots.insert(*key, slot.present_value());
            }
            recorded.core = Some(account.core());
            self.insert(address, account);
        }
    }

    fn remove(&mut self, address: Address, change: &mut Change) {
        let Some(account) = self.account(address) else {
            return;
        };
        let slots: BTreeMap<_, _> = account.slots.keys().map(|key| (*key, U256::ZERO)).collect();
        let recorded = change.accounts.entry(address).or_default();
        recorded.core = None;
        recorded.slots.extend(slots);
        self.accounts.remove_mut(&address);
    }

    /// Applies the stored changes of a block.
    pub(crate) fn apply(&mut self, change: &Change) {
        for (address, AccountChange { core, slots }) in &change.accounts {
            let Some(core) = core else {
                self.accounts.remove_mut(address);
                continue;
            };
            let mut account = self.account(*address).cloned().unwrap_or_default();
            account.balance = core.balance;
            account.nonce = core.nonce;
            if account.code_hash != core.code_hash {
                account.code =
                    change.codes.get(&core.code_hash).map(|code| bytecode(code.clone())).unwrap_or_default();
                account.code_hash = core.code_hash;
            }
            for (key, value) in slots {
                account.set_slot(*key, *value);
            }
            self.insert(*address, account);
        }
        self.update_root(change);
    }
}

/// Code for the interpreter; an invalid delegation is plain code.
pub(crate) fn bytecode(code: Bytes) -> Bytecode {
    Bytecode::new_raw_checked(code.clone()).unwrap_or_else(|_| Bytecode::new_legacy(code))
}

/// The hash of a past block, or zero where it is not kept.
pub(crate) type BlockHashes<'a> = dyn Fn(u64) -> B256 + Sync + 'a;

/// A state for the interpreter while block `number` is being made.
pub(crate) struct StateAt<'a> {
    pub(crate) world: &'a WorldState,
    pub(crate) number: u64,
    pub(crate) hashes: &'a BlockHashes<'a>,
}

impl StateAt<'_> {
    /// A slot. The history contract of EIP-2935 is answered from the block hashes themselves: writing each of
    /// them into storage would make every empty block a change of state.
    pub(crate) fn slot(&self, address: Address, key: U256) -> U256 {
        if address == HISTORY_STORAGE_ADDRESS {
            return self.history_slot(key);
        }
        self.world.account(address).and_then(|account| account.slots.get(&key)).copied().unwrap_or_default()
    }

    fn history_slot(&self, key: U256) -> U256 {
        let window = HISTORY_SERVE_WINDOW as u64;
        let (Ok(key), Some(parent)) = (u64::try_from(key), self.number.checked_sub(1)) else {
            return U256::ZERO;
        };
        let back = (parent % window + window - key % window) % window;
        match parent.checked_sub(back) {
            Some(number) if key < window => (self.hashes)(number).into(),
            _ => U256::ZERO,
        }
    }
}

impl DatabaseRef for StateAt<'_> {
    type Error = Infallible;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.world.account(address).map(|account| AccountInfo {
            balance: account.balance,
            nonce: account.nonce,
            code_hash: account.code_hash,
            code: Some(account.code.clone()),
            account_id: None,
        }))
    }

    fn code_by_hash_ref(&self, _: B256) -> Result<Bytecode, Infallible> {
        // Every account includes its code, so the interpreter never calls this.
        Ok(Bytecode::default())
    }

    fn storage_ref(&self, address: Address, key: U256) -> Result<U256, Infallible> {
        Ok(self.slot(address, key))
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, Infallible> {
        Ok((self.hashes)(number))
    }
}
