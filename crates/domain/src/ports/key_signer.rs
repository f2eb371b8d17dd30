use std::fmt;
use std::time::Duration;

use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use thiserror::Error;

use crate::{Address, ChainId};

/// What a key is asked to sign: the bytes, and what the signature makes happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningRequest {
    /// What is signed: a key of EVM chains signs its Keccak-256 hash, a key of Solana the bytes themselves.
    pub payload: Vec<u8>,
    pub effect: SigningEffect,
}

impl SigningRequest {
    /// A text that is no transaction and no statement on any chain, which shows that the key is there. The number makes each
    /// probe another one.
    pub fn probe(number: u64) -> Self {
        let payload = format!("causeway: this shows that a key answers, and does nothing else ({number})");
        Self { payload: payload.into_bytes(), effect: SigningEffect::Probe }
    }
}

/// What a signature makes happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SigningEffect {
    Transaction(TransactionEffect),
    /// A statement that this contract or program of the chain verifies: an attestation, or a word of the maker.
    Statement {
        chain: ChainId,
        contract: Address,
    },
    /// Nothing.
    Probe,
}

/// What a transaction does, as far as a limit on its key needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionEffect {
    pub chain: ChainId,
    /// The contract that is called, or all programs; for a plain transfer the recipient.
    pub targets: Vec<Address>,
    /// Who is given an allowance, if the transaction does nothing else.
    pub approves: Option<Address>,
    /// The coin that it carries, in its smallest units.
    pub value: U256,
    /// The most that it can cost in fees.
    pub max_fee: U256,
}

/// Why a key has not signed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeySignerError {
    /// The place of the key answers and does not sign.
    #[error("it refuses to sign: {0}")]
    Refused(String),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it has not answered within {} ms", .0.as_millis())]
    Slow(Duration),
    /// The signature is somebody's, and not this key's.
    #[error("it has signed with another key{}", whose(.found.as_ref()))]
    OtherKey { found: Option<Address> },
    /// The answer is no signature.
    #[error("its answer is no signature: {0}")]
    InvalidAnswer(String),
    /// A limit of the operator forbids it.
    #[error("the limits of this key forbid it: {0}")]
    Forbidden(String),
    /// The key is of another chain family.
    #[error("{0} is no key of this chain family")]
    Family(Address),
}

fn whose(found: Option<&Address>) -> String {
    found.map(|found| format!(": the signature is that of {found}")).unwrap_or_default()
}

impl KeySignerError {
    /// A short name, for metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::Slow(_) => "slow",
            Self::OtherKey { .. } => "other_key",
            Self::InvalidAnswer(_) => "invalid_answer",
            Self::Forbidden(_) => "forbidden",
            Self::Family(_) => "family",
        }
    }
}

/// One key, wherever it lives: in this process, in a remote signer, in a key management service.
#[async_trait]
pub trait KeySigner: fmt::Debug + Send + Sync {
    /// The account of the key.
    fn address(&self) -> Address;
    /// Where the key lives, for people; never a secret.
    fn place(&self) -> String;
    /// Signs: 65 bytes (r, low s, v of 27 or 28) for keys of EVM chains, 64 bytes for keys of Solana. Two calls may give two
    /// different signatures.
    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError>;
}

/// The contract or program that a word names on a chain.
pub fn contract_of(chain: ChainId, word: B256) -> Address {
    match chain.family() {
        crate::Family::Solana => Address::Solana(word.0),
        // No contract of ours is on the others.
        crate::Family::Evm | crate::Family::Bitcoin | crate::Family::Tron => {
            Address::Evm(alloy_primitives::Address::from_word(word))
        }
    }
}
