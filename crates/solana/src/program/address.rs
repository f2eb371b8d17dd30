use alloy_primitives::B256;
use solana_address::Address;

use super::EscrowProgram;

pub(super) const SYSTEM: Address = Address::new_from_array([0; 32]);
const ASSOCIATED_TOKEN: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
const LOADER: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");

impl EscrowProgram {
    /// The account of an order: its state, all its terms and, if the deposit is SOL, the deposit.
    pub fn order(&self, id: B256) -> Address {
        self.derive(b"order", id.as_slice())
    }

    /// The token account that holds an order's deposit; it belongs to itself.
    pub fn vault(&self, id: B256) -> Address {
        self.derive(b"vault", id.as_slice())
    }

    /// The record of an order's delivery on Solana.
    pub fn fill_marker(&self, id: B256) -> Address {
        self.derive(b"fill", id.as_slice())
    }

    /// Where plain transfers for an order are sent: SOL to the address, tokens to its associated account.
    pub fn deposit(&self, id: B256) -> Address {
        self.derive(b"deposit", id.as_slice())
    }

    /// The attesters of one epoch.
    pub fn epoch(&self, number: u64) -> Address {
        self.derive(b"epoch", &number.to_le_bytes())
    }

    /// Which epoch is in office, and whether opening is paused.
    pub fn office(&self) -> Address {
        self.derive(b"office", b"")
    }

    /// The loader's account with the program's code and whoever may replace it.
    pub fn code(&self) -> Address {
        Address::find_program_address(&[self.id.as_ref()], &LOADER).0
    }

    fn derive(&self, kind: &[u8], name: &[u8]) -> Address {
        Address::find_program_address(&[kind, name], &self.id).0
    }
}

/// Where wallets look for `wallet`'s tokens of `mint`.
pub fn associated_token_account(wallet: &Address, mint: &Address, token_program: &Address) -> Address {
    let seeds = [wallet.as_ref(), token_program.as_ref(), mint.as_ref()];
    Address::find_program_address(&seeds, &ASSOCIATED_TOKEN).0
}

/// An address as the terms write it.
pub(super) fn address(word: B256) -> Address {
    Address::new_from_array(word.0)
}
