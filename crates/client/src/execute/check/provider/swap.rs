use alloy_primitives::{B256, U256};
use causeway_provider_calls::Unreadable;
use causeway_provider_calls::jupiter::{Key, Swap};
use causeway_wire::QuoteAsk;

use super::super::super::effects::SolanaSwap;
use super::super::super::message::{Instruction, Transaction};
use super::super::program_address::program_address;
use super::super::solana::{ASSOCIATED_TOKEN, TOKEN_PROGRAMS};
use super::super::{mismatch, number, word};
use super::call::{other_arguments, unknown_function};
use crate::answers::RouteQuote;

/// Compares what a swap of Jupiter says with the request: payer, token accounts, input and least output. Returns what it may do.
///
/// What a lookup table names is not read, because a table is on the chain. Payer and token accounts must stand in the transaction
/// itself; a token account's address follows from its owner, its token and its token program, so those need not.
pub(super) fn check_swap(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
) -> Result<SolanaSwap, String> {
    let keys = (0..instruction.accounts.len()).map(|place| transaction.account(instruction, place));
    let accounts: Vec<Option<Key>> = keys.map(|key| key.map(|key| key.0)).collect();
    let name = instruction.data.get(..8).unwrap_or(instruction.data);
    let swap = match Swap::read(&instruction.program.0, &accounts, instruction.data) {
        Ok(swap) => swap,
        Err(Unreadable::Unknown) => return Err(unknown_function(name, &instruction.program)),
        Err(Unreadable::Malformed) => return Err(other_arguments(name, &instruction.program)),
    };
    if ask.to_chain_id != ask.from_chain_id {
        return Err(mismatch("call's destination chain", ask.from_chain_id, ask.to_chain_id));
    }
    let recipient = ask.recipient.as_deref().unwrap_or(&ask.from_address);
    check_key("call's payer", swap.payer, &ask.from_address)?;
    for (what, mint, asked) in [
        ("call's input token", swap.input, &ask.from_token),
        ("call's output token", swap.output, &ask.to_token),
    ] {
        if mint.is_some() {
            check_key(what, mint, asked)?;
        }
    }
    for program in [swap.input_program, swap.output_program].into_iter().flatten().map(B256::from) {
        if !TOKEN_PROGRAMS.iter().any(|known| word(known) == Some(program)) {
            return Err(mismatch("call's token program", program, "a known token program"));
        }
    }
    check_account("call's source", swap.source, &ask.from_address, &ask.from_token)?;
    check_account("call's destination", swap.destination, recipient, &ask.to_token)?;
    if number(&quote.amount_in).is_none_or(|amount| U256::from(swap.amount) != amount) {
        return Err(mismatch("call's input", swap.amount, &quote.amount_in));
    }
    let fees = u32::from(swap.fee_bps).saturating_add(swap.surplus_bps.into());
    if fees != 0 {
        return Err(mismatch("call's fee in basis points", fees, 0));
    }
    let promised = quote.min_amount_out.as_ref().unwrap_or(&quote.amount_out);
    let least = number(promised).filter(|least| U256::from(swap.least()) >= *least);
    let least =
        least.ok_or_else(|| mismatch("call's least output", swap.least(), format!("at least {promised}")))?;
    let key = |key: Option<Key>| key.map(B256::from).unwrap_or_default();
    Ok(SolanaSwap {
        payer: key(swap.payer),
        recipient: word(recipient).unwrap_or_default(),
        source: key(swap.source),
        destination: key(swap.destination),
        amount: swap.amount,
        least,
        tip: 0,
    })
}

/// A key of the call as text: those of lookup tables are not known.
fn shown(key: Option<Key>) -> String {
    key.map_or_else(|| "in a lookup table".to_owned(), |key| B256::from(key).to_string())
}

fn check_key(what: &str, key: Option<Key>, asked: &str) -> Result<(), String> {
    let is_asked = key.is_some_and(|key| word(asked) == Some(B256::from(key)));
    if is_asked { Ok(()) } else { Err(mismatch(what, shown(key), asked)) }
}

/// The account is where the owner keeps the token, with one of the token programs.
fn check_account(what: &str, account: Option<Key>, owner: &str, mint: &str) -> Result<(), String> {
    let own = |program: &str| -> Option<B256> {
        let [owner, program, mint] = [word(owner)?, word(program)?, word(mint)?];
        program_address(&[owner.as_slice(), program.as_slice(), mint.as_slice()], word(ASSOCIATED_TOKEN)?)
    };
    let is_own = |program: &str| own(program).is_some_and(|own| account == Some(own.0));
    if TOKEN_PROGRAMS.iter().any(|program| is_own(program)) {
        return Ok(());
    }
    Err(mismatch(what, shown(account), format!("the token account of {owner} for {mint}")))
}
