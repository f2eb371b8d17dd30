use alloy_primitives::B256;
use solana_address::Address;

use super::EscrowProgram;

pub(super) const SYSTEM: Address = Address::new_from_array([0; 32]);
/// Creates token accounts.
pub const ASSOCIATED_TOKEN_PROGRAM: Address =
    Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
pub(crate) const LOADER: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");

impl EscrowProgram {
    /// The account of an order: its state, all its terms and, if the deposit is SOL, the deposit.
    pub fn order(&self, id: B256) -> Address {
        self.derive(b"order", id.as_slice())
    }

    /// The token account that holds an order's deposit; it is its own authority.
    pub fn vault(&self, id: B256) -> Address {
        self.derive(b"vault", id.as_slice())
    }

    /// The record of an order's fill on Solana.
    pub fn fill_marker(&self, id: B256) -> Address {
        self.derive(b"fill", id.as_slice())
    }

    /// The deposit address of an order: SOL goes to the address, tokens to its associated account.
    pub fn deposit(&self, id: B256) -> Address {
        self.derive(b"deposit", id.as_slice())
    }

    /// The attesters of one epoch.
    pub fn epoch(&self, number: u64) -> Address {
        self.derive(b"epoch", &number.to_le_bytes())
    }

    /// The attester configuration: the current epoch, and whether opening is paused.
    pub fn attester_config(&self) -> Address {
        self.derive(b"config", b"")
    }

    /// The loader's account with the program's code and upgrade authority.
    pub fn code(&self) -> Address {
        Address::find_program_address(&[self.id.as_ref()], &LOADER).0
    }

    fn derive(&self, kind: &[u8], name: &[u8]) -> Address {
        Address::find_program_address(&[kind, name], &self.id).0
    }
}

/// The associated token account of `wallet` for `mint`.
pub fn associated_token_account(wallet: &Address, mint: &Address, token_program: &Address) -> Address {
    let seeds = [wallet.as_ref(), token_program.as_ref(), mint.as_ref()];
    Address::find_program_address(&seeds, &ASSOCIATED_TOKEN_PROGRAM).0
}

/// The address in a word of the terms.
pub(super) fn address(word: B256) -> Address {
    Address::new_from_array(word.0)
}
