use solana_signature::Signature;
use thiserror::Error;

use super::build::MAX_TRANSACTION_BYTES;

const SIGNATURE_BYTES: usize = 64;
const ADDRESS_BYTES: usize = 32;
/// A version 0 message starts with its version and the three counts of its header, then the number of its keys.
const VERSION_ZERO: u8 = 0x80;
const KEYS_COUNT_AT: usize = 4;

/// A transaction with verified signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    wire: Vec<u8>,
    signature: Signature,
    /// The last block height at which it can land.
    pub last_valid_block_height: u64,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SignedError {
    #[error("this is not a signed version 0 transaction")]
    Form,
    #[error("the transaction is longer than the {MAX_TRANSACTION_BYTES} bytes that Solana carries")]
    TooLarge,
    #[error("the signed message is not the one that was built; sign it unchanged")]
    Altered,
    #[error("signature {0} is missing or does not fit its signer")]
    Signature(usize),
}

impl SignedTransaction {
    /// Accepts `wire` only if it contains exactly `message`, with every required signature.
    pub fn check(wire: &[u8], message: &[u8], last_valid_block_height: u64) -> Result<Self, SignedError> {
        if wire.len() > MAX_TRANSACTION_BYTES {
            return Err(SignedError::TooLarge);
        }
        // Fewer than 128 signatures are counted in one byte, and no more than nineteen would fit.
        let (count, rest) =
            wire.split_first().filter(|(count, _)| (1..128).contains(*count)).ok_or(SignedError::Form)?;
        let count = usize::from(*count);
        let (signatures, signed) = rest.split_at_checked(count * SIGNATURE_BYTES).ok_or(SignedError::Form)?;
        if signed != message {
            return Err(SignedError::Altered);
        }
        let signers = signers(message).ok_or(SignedError::Form)?;
        if signers.len() != count {
            return Err(SignedError::Form);
        }
        let mut first = None;
        for (index, (signature, signer)) in signatures.chunks_exact(SIGNATURE_BYTES).zip(signers).enumerate()
        {
            let signature = Signature::try_from(signature).map_err(|_| SignedError::Form)?;
            if !signature.verify(signer, message) {
                return Err(SignedError::Signature(index + 1));
            }
            first.get_or_insert(signature);
        }
        let signature = first.ok_or(SignedError::Form)?;
        Ok(Self { wire: wire.to_vec(), signature, last_valid_block_height })
    }

    /// The payer's signature, which identifies the transaction on the chain.
    pub const fn signature(&self) -> Signature {
        self.signature
    }

    pub fn wire(&self) -> &[u8] {
        &self.wire
    }
}

/// The addresses that must sign a version 0 message.
fn signers(message: &[u8]) -> Option<Vec<&[u8]>> {
    let [VERSION_ZERO, required, ..] = message else { return None };
    let keys = *message.get(KEYS_COUNT_AT)?;
    if keys >= 128 || required > &keys {
        return None;
    }
    let first = KEYS_COUNT_AT + 1;
    let bytes = message.get(first..first + usize::from(*required) * ADDRESS_BYTES)?;
    Some(bytes.chunks_exact(ADDRESS_BYTES).collect())
}
