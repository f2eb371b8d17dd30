//! Addresses that no key has: the program's own, and the usual token account of a wallet.

use pinocchio::cpi::{Seed, Signer};
use pinocchio::{AccountView, Address};

use crate::error::EscrowError;
use crate::terms::Word;

pub const ORDER: &[u8] = b"order";
pub const VAULT: &[u8] = b"vault";
pub const FILL: &[u8] = b"fill";
pub const DEPOSIT: &[u8] = b"deposit";
pub const EPOCH: &[u8] = b"epoch";
pub const ATTESTER_CONFIG: &[u8] = b"config";

const ASSOCIATED_TOKEN: Address = Address::new_from_array([
    140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16, 41, 20, 142, 13, 131, 11, 90, 19, 153, 218, 255, 16,
    132, 4, 142, 123, 216, 219, 233, 248, 89,
]);

/// An address of the program with what it takes to sign for it.
pub struct ProgramAddress<'a> {
    kind: &'a [u8],
    name: &'a [u8],
    bump: [u8; 1],
}

impl<'a> ProgramAddress<'a> {
    /// Makes sure that `account` is the program's address of that kind and name, with the canonical bump.
    // Inlined, because a call takes five arguments at most.
    #[inline(always)]
    pub fn check(
        program: &Address,
        kind: &'a [u8],
        name: &'a [u8],
        account: &AccountView,
    ) -> Result<Self, EscrowError> {
        let (address, bump) =
            Address::try_find_program_address(&[kind, name], program).ok_or(EscrowError::WrongAddress)?;
        if address != *account.address() {
            return Err(EscrowError::WrongAddress);
        }
        Ok(Self { kind, name, bump: [bump] })
    }

    #[inline(always)]
    pub fn sign<R>(&self, f: impl FnOnce(&[Signer]) -> R) -> R {
        let seeds = [Seed::from(self.kind), Seed::from(self.name), Seed::from(&self.bump)];
        f(&[Signer::from(&seeds)])
    }
}

/// Who agrees to a move: the account's key has signed the transaction, or the program signs for its own address.
pub struct Authority<'a> {
    pub account: &'a AccountView,
    pub own: Option<&'a ProgramAddress<'a>>,
}

impl Authority<'_> {
    #[inline(always)]
    pub fn sign<R>(&self, f: impl Fn(&[Signer]) -> R) -> R {
        match self.own {
            Some(own) => own.sign(f),
            None => f(&[]),
        }
    }
}

/// Makes sure that `account` is where wallets look for `wallet`'s tokens of this mint.
pub fn check_associated(
    account: &AccountView,
    wallet: &Word,
    mint: &AccountView,
    token_program: &AccountView,
) -> Result<(), EscrowError> {
    let seeds: [&[u8]; 3] = [wallet, token_program.address().as_ref(), mint.address().as_ref()];
    let (address, _) =
        Address::try_find_program_address(&seeds, &ASSOCIATED_TOKEN).ok_or(EscrowError::WrongAddress)?;
    if address == *account.address() { Ok(()) } else { Err(EscrowError::WrongAddress) }
}
