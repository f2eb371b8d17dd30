use std::fmt;

use async_trait::async_trait;
use causeway_domain::Address as AnyAddress;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use solana_address::Address;
use solana_keypair::Keypair;
use solana_signer::Signer as _;

use crate::{SignedError, SignedTransaction, UnsignedTransaction};

/// A Solana key of the service, which pays for the transactions that it signs.
pub struct SolanaKey(Keypair);

impl SolanaKey {
    /// The key of an ed25519 seed, which is the first half of what wallets export.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(Keypair::new_from_array(seed))
    }

    /// The address of the key.
    pub fn address(&self) -> Address {
        self.0.pubkey()
    }

    /// Signs a transaction that needs only this key's signature.
    pub fn sign(&self, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignedError> {
        let signature = self.0.sign_message(transaction.message());
        let wire = [&[1], signature.as_ref(), transaction.message()].concat();
        SignedTransaction::check(&wire, transaction.message(), transaction.last_valid_block_height)
    }
}

/// The key itself, read from a file or a keystore.
#[async_trait]
impl KeySigner for SolanaKey {
    fn address(&self) -> AnyAddress {
        AnyAddress::Solana(self.0.pubkey().to_bytes())
    }

    fn place(&self) -> String {
        "this process".to_owned()
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        Ok(self.0.sign_message(&request.payload).as_ref().to_vec())
    }
}

impl fmt::Debug for SolanaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaKey({})", self.address())
    }
}

#[cfg(test)]
mod tests {
    use solana_hash::Hash;
    use solana_instruction::{AccountMeta, Instruction};

    use super::*;
    use crate::RecentBlockhash;

    fn built(payer: &Address, other: Option<Address>) -> UnsignedTransaction {
        let recent =
            RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
        let accounts = other.into_iter().map(|other| AccountMeta::new(other, true)).collect();
        let program_id = Address::new_from_array([2; 32]);
        let instruction = Instruction { program_id, accounts, data: vec![1] };
        UnsignedTransaction::build(payer, &[instruction], &[], recent).unwrap()
    }

    #[test]
    fn key_signs_only_transactions_it_pays_for() {
        let key = SolanaKey::from_seed([5; 32]);
        let signed = key.sign(&built(&key.address(), None)).unwrap();
        assert_eq!(signed.last_valid_block_height, 150);
        let stranger = Address::new_from_array([9; 32]);
        assert_eq!(key.sign(&built(&stranger, None)), Err(SignedError::Signature(1)));
        assert_eq!(key.sign(&built(&key.address(), Some(stranger))), Err(SignedError::Form));
    }

    #[test]
    fn the_seed_does_not_reach_a_log() {
        let key = SolanaKey::from_seed([5; 32]);
        assert_eq!(format!("{key:?}"), format!("SolanaKey({})", key.address()));
    }
}
