use alloy_primitives::B256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_wire::QuoteAsk;

use super::super::message::{Instruction, Transaction, UNREADABLE};
use super::program_address::program_address;
use super::terms::ParsedTerms;
use super::word;

pub(super) const COMPUTE_BUDGET: &str = "ComputeBudget111111111111111111111111111111";
const MEMO: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
pub(super) const ASSOCIATED_TOKEN: &str = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/// The programs that tokens belong to.
pub(in super::super) const TOKEN_PROGRAMS: [&str; 2] =
    ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"];

/// The escrow instruction that takes a deposit.
const OPEN: u8 = 4;
/// In packed terms: the escrow's own address.
const OWN_ADDRESS: u8 = 33;
/// In packed terms: from here on, the number of an account.
const ACCOUNT: u8 = 64;

/// Maximum priority fee: 0.01 SOL.
const MAX_TIP_LAMPORTS: u128 = 10_000_000;
/// Maximum compute units of a transaction.
const MAX_COMPUTE_UNITS: u32 = 1_400_000;

/// Checks a transaction against the terms: only the wallet signs and pays, only programs that a deposit needs are called, and
/// the escrow gets exactly these terms, with exactly the accounts that they give. Returns its bytes.
pub(super) fn check_transaction(
    ask: &QuoteAsk,
    terms: &ParsedTerms,
    transaction: &str,
) -> Result<Vec<u8>, String> {
    let bytes = BASE64.decode(transaction).map_err(|_| UNREADABLE)?;
    let transaction = Transaction::read(&bytes).ok_or(UNREADABLE)?;
    let payer = word(&ask.from_address).ok_or("The payer is not an address.")?;
    if transaction.slots != 1 || transaction.signers != 1 || transaction.keys.first() != Some(&payer) {
        return Err("The deposit transaction is not signed and paid by the wallet alone.".to_owned());
    }
    if transaction.tables != 0 {
        return Err(
            "The deposit transaction uses an address lookup table, which cannot be verified.".to_owned()
        );
    }
    let escrow = terms.word("escrow");
    let mut opened = 0;
    for instruction in &transaction.instructions {
        let program = instruction.program;
        if program == escrow {
            opened += 1;
            check_open(&transaction, instruction, terms, payer)?;
        } else if !instruction.accounts.is_empty() {
            // What stands beside a deposit touches no account.
            return Err(unexpected_instruction(program));
        } else if ![word(COMPUTE_BUDGET), word(MEMO)].contains(&Some(program)) {
            return Err(unexpected_instruction(program));
        }
    }
    check_tip(&transaction.instructions)?;
    if opened != 1 {
        return Err(format!("The deposit transaction opens {opened} orders, expected one."));
    }
    for instruction in transaction.instructions.iter().filter(|one| one.program == escrow) {
        check_accounts(&transaction, instruction, terms, payer)?;
    }
    Ok(bytes)
}

/// Checks that the priority fee is within its bound, and returns it.
pub(super) fn check_tip(instructions: &[Instruction<'_>]) -> Result<u64, String> {
    let (mut price, mut units) = (0_u64, MAX_COMPUTE_UNITS);
    for instruction in instructions.iter().filter(|one| Some(one.program) == word(COMPUTE_BUDGET)) {
        match *instruction.data {
            [2, a, b, c, d] => units = u32::from_le_bytes([a, b, c, d]),
            [3, ref rest @ ..] => {
                price = rest.try_into().map(u64::from_le_bytes).map_err(|_| UNREADABLE)?;
            }
            _ => {}
        }
    }
    let tip = u128::from(price) * u128::from(units) / 1_000_000;
    if tip > MAX_TIP_LAMPORTS {
        return Err(format!(
            "The deposit transaction pays a priority fee of {tip} lamports, more than {MAX_TIP_LAMPORTS}."
        ));
    }
    Ok(u64::try_from(tip).unwrap_or(u64::MAX))
}

/// Checks that the escrow gets exactly the accounts that the terms give, in their order, and that the transaction references
/// no other: a program can use each of them in any way.
fn check_accounts(
    transaction: &Transaction<'_>,
    open: &Instruction<'_>,
    terms: &ParsedTerms,
    payer: B256,
) -> Result<(), String> {
    let (id, escrow, mint) = (terms.id(), terms.word("escrow"), terms.word("inputToken"));
    let derive = |seeds: &[&[u8]], program: B256| {
        program_address(seeds, program).ok_or_else(|| "The program address cannot be derived.".to_owned())
    };
    let order = derive(&[b"order", id.as_slice()], escrow)?;
    let mut expected = vec![payer, payer, order, derive(&[b"config"], escrow)?, B256::ZERO];
    if mint.is_zero() {
        expected.extend(Some(terms.word("referrer")).filter(|referrer| !referrer.is_zero()));
    } else {
        let tokens = transaction.account(open, 8);
        let tokens = tokens
            .filter(|tokens| TOKEN_PROGRAMS.iter().any(|known| word(known) == Some(*tokens)))
            .ok_or("The deposit transaction does not use a known token program.")?;
        let accounts = word(ASSOCIATED_TOKEN).unwrap_or_default();
        let source = derive(&[payer.as_slice(), tokens.as_slice(), mint.as_slice()], accounts)?;
        expected.extend([derive(&[b"vault", id.as_slice()], escrow)?, source, mint, tokens]);
    }
    let strange = |account: B256| {
        format!("The deposit transaction references the account {account}, which a deposit does not need.")
    };
    for at in 0..open.accounts.len() {
        let account = transaction.account(open, at).ok_or(UNREADABLE)?;
        if expected.get(at) != Some(&account) {
            return Err(strange(account));
        }
    }
    if open.accounts.len() < expected.len() {
        return Err("The deposit transaction is missing an account.".to_owned());
    }
    expected.extend([Some(escrow), word(COMPUTE_BUDGET), word(MEMO)].into_iter().flatten());
    match transaction.keys.iter().find(|key| !expected.contains(key)) {
        Some(other) => Err(strange(*other)),
        None => Ok(()),
    }
}

fn unexpected_instruction(program: B256) -> String {
    format!(
        "The deposit transaction has an instruction of the program {program} that a deposit does not need."
    )
}

fn check_open(
    transaction: &Transaction<'_>,
    open: &Instruction<'_>,
    terms: &ParsedTerms,
    payer: B256,
) -> Result<(), String> {
    let parties = [0, 1].map(|number| transaction.account(open, number));
    let [OPEN, packed @ ..] = open.data else { return Err(unexpected_instruction(open.program)) };
    if parties != [Some(payer); 2] {
        return Err("The deposit transaction opens an order for another payer.".to_owned());
    }
    let written = unpack(transaction, open, packed)
        .ok_or("The deposit transaction does not contain a complete order.")?;
    if terms.words().eq(written) {
        Ok(())
    } else {
        Err("The deposit transaction opens an order with different terms.".to_owned())
    }
}

/// Unpacks the words of the order as the escrow does.
fn unpack(transaction: &Transaction<'_>, open: &Instruction<'_>, packed: &[u8]) -> Option<Vec<B256>> {
    let (mut words, mut rest) = (Vec::new(), packed);
    while let Some((&length, after)) = rest.split_first() {
        rest = after;
        words.push(match length {
            0..=32 => {
                let (given, after) = rest.split_at_checked(usize::from(length))?;
                rest = after;
                B256::left_padding_from(given)
            }
            OWN_ADDRESS => open.program,
            _ => transaction.account(open, usize::from(length.checked_sub(ACCOUNT)?))?,
        });
    }
    Some(words)
}

#[cfg(test)]
mod tests;
