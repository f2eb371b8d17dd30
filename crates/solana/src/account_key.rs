use std::fmt;
use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningEffect, SigningRequest, TransactionEffect};
use causeway_domain::{Address as AnyAddress, SOLANA_CHAIN_ID};
use solana_address::Address;
use solana_instruction::Instruction;
use thiserror::Error;

use crate::{SignedError, SignedTransaction, SolanaKey, UnsignedTransaction};

/// The System Program, whose instruction 2 moves coins.
const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);
const TRANSFER: [u8; 4] = [2, 0, 0, 0];

/// Why a transaction was not signed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AccountKeyError {
    #[error(transparent)]
    Transaction(#[from] SignedError),
    /// The key lives elsewhere, or has limits.
    #[error("the key of {address} in {place} has not signed: {error}")]
    Unsigned { address: Address, place: String, error: KeySignerError },
}

/// The key of an account on Solana, wherever it lives. It gives out only signatures that are the account's.
#[derive(Clone)]
pub struct SolanaAccountKey {
    key: Arc<dyn KeySigner>,
    address: Address,
}

impl SolanaAccountKey {
    /// Takes a key of Solana.
    pub fn new(key: Arc<dyn KeySigner>) -> Result<Self, KeySignerError> {
        match key.address() {
            AnyAddress::Solana(address) => Ok(Self { key, address: Address::new_from_array(address) }),
            other @ (AnyAddress::Evm(_) | AnyAddress::Bitcoin(_) | AnyAddress::Tron(_)) => {
                Err(KeySignerError::Family(other))
            }
        }
    }

    pub const fn address(&self) -> Address {
        self.address
    }

    /// Signs a transaction of these instructions that needs only this key's signature, and costs at most this fee.
    pub async fn sign(
        &self,
        transaction: &UnsignedTransaction,
        instructions: &[Instruction],
        max_fee: U256,
    ) -> Result<SignedTransaction, AccountKeyError> {
        let message = transaction.message();
        let effect = SigningEffect::Transaction(effect(instructions, &self.address, max_fee));
        let signed = self.key.sign(&SigningRequest { payload: message.to_vec(), effect }).await;
        let unsigned = |error| {
            let place = self.key.place();
            AccountKeyError::Unsigned { address: self.address, place, error }
        };
        let signature = signed.map_err(unsigned)?;
        let wire = [&[1], signature.as_slice(), message].concat();
        SignedTransaction::check(&wire, message, transaction.last_valid_block_height).map_err(|error| {
            match error {
                SignedError::Signature(_) => unsigned(KeySignerError::OtherKey { found: None }),
                _ if signature.len() != 64 => {
                    unsigned(KeySignerError::InvalidAnswer("it is not 64 bytes".to_owned()))
                }
                error => error.into(),
            }
        })
    }
}

fn effect(instructions: &[Instruction], payer: &Address, max_fee: U256) -> TransactionEffect {
    let mut targets: Vec<AnyAddress> =
        instructions.iter().map(|one| AnyAddress::Solana(one.program_id.to_bytes())).collect();
    targets.sort_unstable();
    targets.dedup();
    let paid = instructions.iter().map(|one| transferred(one, payer));
    let value = paid.fold(U256::ZERO, U256::saturating_add);
    TransactionEffect { chain: SOLANA_CHAIN_ID, targets, approves: None, value, max_fee }
}

/// The lamports that an instruction moves out of the payer's account by itself.
fn transferred(instruction: &Instruction, payer: &Address) -> U256 {
    let from = instruction.accounts.first().is_some_and(|meta| meta.pubkey == *payer);
    let amount = instruction.data.strip_prefix(&TRANSFER).and_then(|rest| rest.try_into().ok());
    match amount {
        Some(amount) if from && instruction.program_id == SYSTEM_PROGRAM => {
            U256::from(u64::from_le_bytes(amount))
        }
        _ => U256::ZERO,
    }
}

/// The key itself, in this process.
impl From<SolanaKey> for SolanaAccountKey {
    fn from(key: SolanaKey) -> Self {
        Self { address: key.address(), key: Arc::new(key) }
    }
}

impl fmt::Debug for SolanaAccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaAccountKey({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use futures::executor::block_on;
    use solana_hash::Hash;
    use solana_instruction::AccountMeta;

    use super::*;
    use crate::RecentBlockhash;

    /// Says that it has one key, and answers something else.
    #[derive(Debug)]
    struct Answers(Address, Vec<u8>);

    #[async_trait]
    impl KeySigner for Answers {
        fn address(&self) -> AnyAddress {
            AnyAddress::Solana(self.0.to_bytes())
        }

        fn place(&self) -> String {
            "elsewhere".to_owned()
        }

        async fn sign(&self, _: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
            Ok(self.1.clone())
        }
    }

    fn instruction(payer: &Address, lamports: u64) -> Instruction {
        let accounts = vec![AccountMeta::new(*payer, true), AccountMeta::new(Address::default(), false)];
        let data = [TRANSFER.as_slice(), &lamports.to_le_bytes()].concat();
        Instruction { program_id: SYSTEM_PROGRAM, accounts, data }
    }

    fn built(payer: &Address, instructions: &[Instruction]) -> UnsignedTransaction {
        let recent =
            RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
        UnsignedTransaction::build(payer, instructions, &[], recent).unwrap()
    }

    #[test]
    fn key_elsewhere_signs_as_a_key_here() {
        let local = SolanaKey::from_seed([5; 32]);
        let instructions = [instruction(&local.address(), 9)];
        let unsigned = built(&local.address(), &instructions);
        let signed = local.sign(&unsigned).unwrap();
        let key = SolanaAccountKey::from(local);
        assert_eq!(block_on(key.sign(&unsigned, &instructions, U256::ZERO)).unwrap(), signed);
    }

    #[test]
    fn answer_that_is_not_the_accounts_signature_is_never_used() {
        let address = SolanaKey::from_seed([5; 32]).address();
        let instructions = [instruction(&address, 9)];
        let unsigned = built(&address, &instructions);
        let request = SigningRequest { payload: unsigned.message().to_vec(), effect: SigningEffect::Probe };
        let other = block_on(KeySigner::sign(&SolanaKey::from_seed([6; 32]), &request)).unwrap();
        for (answer, words) in [
            (other, "another key"),
            (Vec::new(), "64 bytes"),
            (vec![1; 65], "64 bytes"),
            (vec![0; 64], "another key"),
        ] {
            let key = SolanaAccountKey::new(Arc::new(Answers(address, answer))).unwrap();
            let error = block_on(key.sign(&unsigned, &instructions, U256::ZERO)).unwrap_err().to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn effect_names_every_program_and_what_the_payer_pays() {
        let payer = Address::new_from_array([3; 32]);
        let other =
            Instruction { program_id: Address::new_from_array([4; 32]), accounts: vec![], data: vec![2] };
        let stranger = instruction(&Address::new_from_array([8; 32]), 50);
        let found =
            effect(&[instruction(&payer, 5), other, stranger, instruction(&payer, 6)], &payer, U256::ONE);
        assert_eq!(found.targets, [AnyAddress::Solana([0; 32]), AnyAddress::Solana([4; 32])]);
        assert_eq!((found.value, found.max_fee), (U256::from(11), U256::ONE));
    }
}
