use alloy_primitives::{B256, keccak256};
use causeway_domain::ports::{Attempt, DeedError, Outgoing};
use jiff::Timestamp;

use crate::SignedTransaction;

/// Behind the signed bytes stands the last block height at which they can land, in eight bytes.
const HEIGHT: usize = 8;
const SIGNATURE: usize = 64;

/// How the outbox keeps a signed transaction, which offers `price` millionths of a lamport for each compute unit.
pub(super) fn attempt(signed: &SignedTransaction, price: u64, now: Timestamp) -> Attempt {
    Attempt {
        hash: digest(signed),
        raw: [signed.wire(), &signed.last_valid_block_height.to_le_bytes()].concat(),
        max_fee_per_gas: price.into(),
        priority_fee_per_gas: None,
        made_at: now,
    }
}

/// By which the outbox knows a transaction: it has no room for a signature.
pub(super) fn digest(signed: &SignedTransaction) -> B256 {
    keccak256(signed.wire())
}

/// Reads what [`attempt`] wrote.
pub(super) fn read(attempt: &Attempt) -> Result<SignedTransaction, DeedError> {
    let broken = || DeedError::Never("the outbox holds something that is no signed transaction".to_owned());
    let (wire, height) = attempt.raw.split_last_chunk::<HEIGHT>().ok_or_else(broken)?;
    let signatures = wire.first().map_or(0, |count| usize::from(*count));
    let message = wire.get(1 + signatures * SIGNATURE..).ok_or_else(broken)?;
    SignedTransaction::check(wire, message, u64::from_le_bytes(*height)).map_err(|_| broken())
}

/// The transaction's name on the chain: its first signature.
pub(super) fn name(outgoing: &Outgoing, hash: Option<B256>) -> Option<String> {
    let wanted = |attempt: &&Attempt| hash.is_none_or(|hash| attempt.hash == hash);
    let attempt = outgoing.attempts.iter().rev().find(wanted)?;
    Some(read(attempt).ok()?.signature().to_string())
}

#[cfg(test)]
mod tests {
    use solana_address::Address;
    use solana_hash::Hash;
    use solana_instruction::Instruction;

    use super::*;
    use crate::{RecentBlockhash, SolanaKey, UnsignedTransaction};

    #[test]
    fn rule_13_what_is_stored_is_what_was_signed_and_until_when() {
        let key = SolanaKey::from_seed([5; 32]);
        let recent =
            RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
        let program_id = Address::new_from_array([2; 32]);
        let instruction = Instruction { program_id, accounts: Vec::new(), data: vec![1] };
        let built = UnsignedTransaction::build(&key.address(), &[instruction], &[], recent).unwrap();
        let signed = key.sign(&built).unwrap();
        let stored = attempt(&signed, 7, Timestamp::UNIX_EPOCH);
        assert_eq!(read(&stored).unwrap(), signed);
        let mut broken = stored;
        broken.raw[70] ^= 1;
        assert!(matches!(read(&broken), Err(DeedError::Never(_))));
        broken.raw.truncate(5);
        assert!(matches!(read(&broken), Err(DeedError::Never(_))));
    }
}
