//! What nodes answer, chains hold and payers sign, with the rules that hold for all that is read. Compiled for fuzzing and for the
//! test that replays the committed inputs.

use std::sync::LazyLock;

use alloy_primitives::{B256, U256};
use causeway_domain::IntentTerms;
use serde::de::DeserializeOwned;
use solana_address::Address;
use solana_hash::Hash;

use crate::account::{WireAccount, read_accounts};
use crate::commitment::Contextual;
use crate::extensions::extensions;
use crate::orders::{check_mint, check_signed_deposit, read_answer, requires_memo, split_transaction};
use crate::program::{
    AttesterConfig, EpochAccount, EscrowProgram, FillMarker, OrderAccount, SANDBOX_PROGRAM, SOLANA_CHAIN_ID,
};
use crate::transaction::explain;
use crate::{
    Account, MAX_TRANSACTION_BYTES, RecentBlockhash, SolanaKey, TOKEN_PROGRAM, TokenAccount,
    UnsignedTransaction,
};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("accounts", accounts),
    ("answers", answers),
    ("instructions", instructions),
    ("signed_transactions", signed_transactions),
    ("transactions", transactions),
];

const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

fn accounts(bytes: &[u8]) {
    let places = |data: &[u8]| {
        extensions(data).map(|found| found.iter().map(|(_, value)| value.len() + 4).sum::<usize>())
    };
    assert!(places(bytes).is_none_or(|sum| sum <= bytes.len()), "extensions overlap");
    if let Ok(token) = TokenAccount::parse(bytes) {
        assert_eq!(bytes.get(..32), Some(token.mint.as_ref()));
        assert_eq!(bytes.get(64..72), Some(token.amount.to_le_bytes().as_slice()));
    }
    if let Ok(order) = OrderAccount::parse(bytes) {
        assert_eq!(bytes.get(136..), Some(order.terms.to_bytes().as_slice()));
    }
    if let Ok(epoch) = EpochAccount::parse(bytes) {
        assert!(epoch.members.len() <= 15 && epoch.resigned.iter().all(|one| epoch.members.contains(one)));
    }
    let _ = (FillMarker::parse(bytes), requires_memo(bytes));
    if let Ok(config) = AttesterConfig::parse(bytes) {
        assert!(config.current_epoch(0) <= config.newest_epoch);
    }
    let mint = Account { owner: TOKEN_PROGRAM, lamports: 1, data: bytes.to_vec(), executable: false };
    if let Ok(mint) = check_mint(&mint) {
        assert_eq!(bytes.get(44), Some(&mint.decimals));
    }
}

fn answers(bytes: &[u8]) {
    if let Some(error) = json::<serde_json::Value>(bytes) {
        let reason = explain(&error);
        assert!(!reason.is_empty() && reason.chars().count() <= 1_000, "{reason}");
    }
    for asked in 0..3 {
        let Some(wire) = json::<Contextual<Vec<Option<WireAccount>>>>(bytes) else { return };
        if let Ok(read) = read_accounts(wire, asked, Some(5)) {
            assert!(read.slot >= 5 && read.value.len() == asked);
        }
    }
}

/// Each event of a transaction has a number of its own, in execution order.
fn transactions(bytes: &[u8]) {
    let Some(read) = read_answer(PROGRAM, bytes) else { return };
    let numbers: Vec<u64> = read.events.iter().map(|(number, _)| *number).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

/// The first byte is the number of accounts, which precede the data; what is read is written to what reads the same.
fn instructions(bytes: &[u8]) {
    let Some((count, rest)) = bytes.split_first() else { return };
    let (accounts, data) = rest.split_at(rest.len().min(usize::from(count % 8) * 32));
    let accounts: Vec<Address> = accounts.as_chunks::<32>().0.iter().map(|bytes| (*bytes).into()).collect();
    let events = PROGRAM.parse_events(&accounts, data, |place| place % 2 == 0);
    assert!(events.len() <= 255);
    let Some((_, terms)) = PROGRAM.opened_by(&accounts, data) else { return };
    assert_eq!(PROGRAM.deposited_terms(&accounts, data), Some(terms));
    let caller = Address::new_from_array([7; 32]);
    for built in [PROGRAM.open(&terms, caller, None), PROGRAM.sweep(&terms, caller, None)] {
        let accounts: Vec<Address> = built.accounts.iter().map(|meta| meta.pubkey).collect();
        assert_eq!(PROGRAM.deposited_terms(&accounts, &built.data), Some(terms));
    }
}

/// Terms, the transaction that was built for them, and the payer's signed one.
type Deposit = (IntentTerms, Vec<u8>, Vec<u8>);

static SIGNED: LazyLock<Option<Deposit>> = LazyLock::new(|| {
    let key = SolanaKey::from_seed([7; 32]);
    let word = |address: Address| B256::from(address.to_bytes());
    let user = word(key.address());
    let terms = IntentTerms {
        origin_chain_id: SOLANA_CHAIN_ID,
        escrow: word(SANDBOX_PROGRAM),
        user,
        nonce: B256::repeat_byte(9),
        input_token: B256::ZERO,
        amount_in: U256::from(1_000),
        refund_to: user,
        filler: B256::repeat_byte(2),
        payee: B256::repeat_byte(3),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8453,
        settler: B256::left_padding_from(&[0x5e; 20]),
        output_token: B256::ZERO,
        amount_out: U256::from(990),
        recipient: B256::left_padding_from(&[4; 20]),
        open_deadline: 1_900_000_000,
        fill_deadline: 1_900_000_600,
        refund_at: 1_900_010_000,
        epoch: 1,
    };
    let open = PROGRAM.open(&terms, key.address(), None);
    let recent = RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
    let built = UnsignedTransaction::build(&key.address(), &[open], &[], recent).ok()?;
    let signed = key.sign(&built).ok()?;
    Some((terms, built.to_wire(), signed.wire().to_vec()))
});

/// Bytes are tried as a transaction, and as changes of one that is right: pairs of a place and a mask.
fn signed_transactions(bytes: &[u8]) {
    let Some((terms, built, signed)) = SIGNED.as_ref() else { unreachable!("nothing could be signed") };
    let mut changed = signed.clone();
    for change in bytes.as_chunks::<3>().0 {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % changed.len();
        changed[at] ^= change[2];
    }
    for raw in [bytes, changed.as_slice()] {
        let accepted = check_signed_deposit(PROGRAM, terms, Some(built), raw);
        assert_eq!(raw == signed, accepted.is_ok(), "{accepted:?}");
        assert!(
            accepted.is_ok()
                || raw.len() <= MAX_TRANSACTION_BYTES
                || accepted.is_err_and(|it| it.contains("carries"))
        );
        assert!(check_signed_deposit(PROGRAM, terms, None, raw).is_err());
        if let Ok((signatures, message)) = split_transaction(raw) {
            assert_eq!(1 + signatures.len() * 64 + message.len(), raw.len());
        }
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("solana", super::PARSERS);
    }
}
