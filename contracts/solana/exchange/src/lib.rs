//! A play-money exchange, the stand-in of an exchange aggregator in the sandbox.
//!
//! It takes the aggregator's instruction `route_v2` and does what the plan in it lists: an honest provider's plan lists
//! other moves than a hostile one's. The program keeps no bounds, so that the checks around it are tested, and whoever
//! calls it can take all that its authority holds. It must never be deployed anywhere but in a sandbox.
//!
//! `README.md` of this workspace has the accounts and the data.
#![no_std]
// The program lives on the chain only: elsewhere there is nothing to build.
#![cfg(target_arch = "bpf")]

mod error;
mod plan;
mod token;

use pinocchio::cpi::{Seed, Signer};
use pinocchio::{AccountView, Address, ProgramResult, no_allocator, nostd_panic_handler, program_entrypoint};

use crate::error::ExchangeError;
use crate::plan::{Also, Plan};
use crate::token::Transfer;

// As many accounts as a transaction can lock.
program_entrypoint!(process, 64);
no_allocator!();
nostd_panic_handler!();

/// The seed of the address that owns what the exchange pays from.
const AUTHORITY: &[u8] = b"authority";

fn process(program: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let plan = Plan::read(data)?;
    let accounts: &[AccountView] = accounts;
    let [
        user,
        source,
        destination,
        source_mint,
        destination_mint,
        source_program,
        destination_program,
        other_destination,
        _event_authority,
        _program,
        authority,
        authority_source,
        authority_destination,
        others @ ..,
    ] = accounts
    else {
        return Err(ExchangeError::MissingAccount.into());
    };
    if !user.is_signer() {
        return Err(ExchangeError::NotSigner.into());
    }
    // An optional account that is absent has the program's own address.
    let to = if other_destination.address() == program { destination } else { other_destination };

    let takes = Transfer {
        program: source_program,
        mint: source_mint,
        from: source,
        to: authority_source,
        authority: user,
        amount: plan.takes,
    };
    takes.send(&[])?;

    let pays = Transfer {
        program: destination_program,
        mint: destination_mint,
        from: authority_destination,
        to,
        authority,
        amount: plan.pays,
    };
    let bump = [plan.bump];
    // With another bump the address is another one, which has not signed.
    let seeds = [Seed::from(AUTHORITY), Seed::from(&bump)];
    pays.send(&[Signer::from(&seeds)])?;

    match plan.also {
        Also::Nothing => Ok(()),
        Also::Approve => {
            let [delegate, ..] = others else { return Err(ExchangeError::MissingAccount.into()) };
            token::approve_all(source_program, source, delegate, user)
        }
        Also::Take(amount) => {
            let [from, to, ..] = others else { return Err(ExchangeError::MissingAccount.into()) };
            token::transfer_unchecked(source_program, [from, to, user], amount)
        }
    }
}
