use alloy_primitives::{B256, keccak256};
use causeway_domain::ports::{ActionError, Attempt, Outgoing};
use jiff::Timestamp;

use crate::SignedTransaction;

/// The last valid block height follows the signed bytes, in eight bytes.
const HEIGHT_BYTES: usize = 8;
const SIGNATURE_BYTES: usize = 64;

/// The outbox entry of a signed transaction that offers `price` micro-lamports per compute unit.
pub(super) fn encode(signed: &SignedTransaction, price: u64, now: Timestamp) -> Attempt {
    Attempt {
        hash: hash(signed),
        raw: [signed.wire(), &signed.last_valid_block_height.to_le_bytes()].concat(),
        max_fee_per_gas: price.into(),
        priority_fee_per_gas: None,
        made_at: now,
    }
}

/// The key of a transaction in the outbox, which has no field for a signature.
pub(super) fn hash(signed: &SignedTransaction) -> B256 {
    keccak256(signed.wire())
}

/// Decodes an entry written by [`encode`].
pub(super) fn decode(attempt: &Attempt) -> Result<SignedTransaction, ActionError> {
    let invalid = || ActionError::Permanent("the outbox entry is not a signed transaction".to_owned());
    let (wire, height) = attempt.raw.split_last_chunk::<HEIGHT_BYTES>().ok_or_else(invalid)?;
    let signatures = wire.first().map_or(0, |count| usize::from(*count));
    let message = wire.get(1 + signatures * SIGNATURE_BYTES..).ok_or_else(invalid)?;
    SignedTransaction::check(wire, message, u64::from_le_bytes(*height)).map_err(|_| invalid())
}

/// The first signature of the transaction, which identifies it on the chain.
pub(super) fn signature(outgoing: &Outgoing, hash: Option<B256>) -> Option<String> {
    let wanted = |attempt: &&Attempt| hash.is_none_or(|hash| attempt.hash == hash);
    let attempt = outgoing.attempts.iter().rev().find(wanted)?;
    Some(decode(attempt).ok()?.signature().to_string())
}

#[cfg(test)]
mod tests {
    use solana_address::Address;
    use solana_hash::Hash;
    use solana_instruction::Instruction;

    use super::*;
    use crate::{RecentBlockhash, SolanaKey, UnsignedTransaction};

    #[test]
    fn rule_13_stored_attempt_holds_the_signed_bytes_and_last_valid_height() {
        let key = SolanaKey::from_seed([5; 32]);
        let recent =
            RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
        let program_id = Address::new_from_array([2; 32]);
        let instruction = Instruction { program_id, accounts: Vec::new(), data: vec![1] };
        let built = UnsignedTransaction::build(&key.address(), &[instruction], &[], recent).unwrap();
        let signed = key.sign(&built).unwrap();
        let stored = encode(&signed, 7, Timestamp::UNIX_EPOCH);
        assert_eq!(decode(&stored).unwrap(), signed);
        let mut invalid = stored;
        invalid.raw[70] ^= 1;
        assert!(matches!(decode(&invalid), Err(ActionError::Permanent(_))));
        invalid.raw.truncate(5);
        assert!(matches!(decode(&invalid), Err(ActionError::Permanent(_))));
    }
}
