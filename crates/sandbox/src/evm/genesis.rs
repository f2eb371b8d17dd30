use std::collections::{BTreeMap, HashMap};

use alloy_consensus::Header;
use alloy_eips::eip2935::{HISTORY_STORAGE_ADDRESS, HISTORY_STORAGE_CODE};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use causeway_domain::ChainId;
use revm::state::Bytecode;

use super::block::{SealedBlock, first_header};
use super::change::Change;
use super::world_state::{WorldState, bytecode};

/// An account that a chain starts with.
#[derive(Clone, Debug, Default)]
pub struct GenesisAccount {
    pub address: Address,
    pub balance: U256,
    pub nonce: u64,
    pub code: Bytes,
    pub storage: Vec<(U256, U256)>,
}

/// The genesis of a chain. If two accounts share an address, the later one adds to the earlier.
#[derive(Clone, Debug)]
pub struct Genesis {
    pub chain_id: ChainId,
    pub accounts: Vec<GenesisAccount>,
    /// The first block's time, in seconds since 1970.
    pub timestamp: u64,
}

impl Genesis {
    /// The first state.
    pub(crate) fn world(&self) -> WorldState {
        let mut codes: HashMap<B256, Bytecode> = HashMap::new();
        let (mut world, mut change) = (WorldState::default(), Change::default());
        let history = GenesisAccount {
            address: HISTORY_STORAGE_ADDRESS,
            nonce: 1,
            code: HISTORY_STORAGE_CODE.clone(),
            ..GenesisAccount::default()
        };
        for account in std::iter::once(&history).chain(&self.accounts) {
            // Tokens with the same code share its memory.
            let code =
                codes.entry(keccak256(&account.code)).or_insert_with(|| bytecode(account.code.clone()));
            let slots: BTreeMap<_, _> = account.storage.iter().copied().collect();
            world.edit(account.address, &mut change, |edited| {
                edited.balance = edited.balance.saturating_add(account.balance);
                edited.nonce = edited.nonce.max(account.nonce);
                if !account.code.is_empty() {
                    edited.set_code(code.clone());
                }
                for (key, value) in slots {
                    edited.set_slot(key, value);
                }
            });
        }
        world.update_root(&change);
        world
    }

    /// The first block over a state root.
    pub(crate) fn block(&self, state_root: B256) -> SealedBlock {
        let header = Header { timestamp: self.timestamp, state_root, ..first_header() };
        SealedBlock::new(header, Vec::new())
    }
}
