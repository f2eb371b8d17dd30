//! What a wallet sends, by the text of Solana's wire format and nothing of ours.

use super::solana::address_bytes;

const SYSTEM: [u8; 32] = [0; 32];
const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const ASSOCIATED: &str = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

/// What every token of these tests has.
const DECIMALS: u8 = 6;

/// The program's account index, the indexes of its accounts, and its data.
type Instruction<'a> = (u8, &'a [u8], Vec<u8>);

/// A version 0 message that the first of its accounts signs and pays for; the last ones are only read.
fn message(
    accounts: &[[u8; 32]],
    only_read: u8,
    blockhash: [u8; 32],
    instructions: &[Instruction<'_>],
) -> Vec<u8> {
    let count = |number: usize| u8::try_from(number).ok().filter(|number| *number < 128).unwrap();
    let mut bytes = vec![0x80, 1, 0, only_read, count(accounts.len())];
    bytes.extend(accounts.concat());
    bytes.extend(blockhash);
    bytes.push(count(instructions.len()));
    for (program, places, data) in instructions {
        bytes.extend([*program, count(places.len())]);
        bytes.extend(*places);
        bytes.push(count(data.len()));
        bytes.extend(data);
    }
    // No lookup tables.
    bytes.push(0);
    bytes
}

/// Moves SOL.
pub(super) fn pay_coins(from: [u8; 32], to: [u8; 32], amount: u64, blockhash: [u8; 32]) -> Vec<u8> {
    let transfer = [&2_u32.to_le_bytes()[..], &amount.to_le_bytes()].concat();
    message(&[from, to, SYSTEM], 1, blockhash, &[(2, &[0, 1], transfer)])
}

/// Makes the receiver's token account where it is missing, and moves tokens to it.
pub(super) fn pay_tokens(
    from: [u8; 32],
    (source, destination): ([u8; 32], [u8; 32]),
    (mint, to): ([u8; 32], [u8; 32]),
    amount: u64,
    blockhash: [u8; 32],
) -> Vec<u8> {
    let accounts =
        [from, source, destination, to, mint, SYSTEM, address_bytes(TOKEN), address_bytes(ASSOCIATED)];
    let transfer = [&[12][..], &amount.to_le_bytes(), &[DECIMALS]].concat();
    let instructions: [Instruction<'_>; 2] =
        [(7, &[0, 2, 3, 4, 5, 6], vec![1]), (6, &[1, 4, 2, 0], transfer)];
    message(&accounts, 5, blockhash, &instructions)
}
