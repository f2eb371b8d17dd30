use alloy_primitives::{Address, B256};
use async_trait::async_trait;
use thiserror::Error;

use super::ChainError;
use crate::{Attestation, ChainId, Collected, Outcome, SignatureBytes, Terms};

/// A block that will not be replaced, as the endpoints agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    pub number: u64,
    pub hash: B256,
    /// The chain's own time, in Unix seconds.
    pub time: u64,
}

/// How final a block must be for the amount at stake, where a chain has two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Care {
    Usual,
    Large,
}

/// Where an order stands at its escrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscrowState {
    /// The escrow has never seen it.
    Unknown,
    Open,
    Claimed,
    Refunded,
}

/// What a settler recorded of an order's delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillRecord {
    /// The destination chain's time of the delivery.
    pub filled_at: u64,
    /// Where to look: the transaction's hash on EVM, the address of the fill's record on Solana.
    pub reference: B256,
}

/// What contracts told in their logs; a reason to look, not evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    Opened(Box<Terms>),
    Filled(B256),
    /// Claimed or refunded.
    Ended(B256),
}

/// Our contracts on one chain, of every version that is still followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainContracts {
    pub chain: ChainId,
    pub escrows: Vec<B256>,
    pub settlers: Vec<B256>,
    /// No event of theirs is older than this block.
    pub from_block: u64,
}

/// One chain as an attester sees it, through endpoints of its own that must agree.
#[async_trait]
pub trait ChainView: Send + Sync {
    fn chain(&self) -> ChainId;
    /// How many blocks are worth reading at once.
    fn span(&self) -> u64 {
        1_000
    }
    /// The newest final block; after a disagreement about one, that error for good.
    async fn final_block(&self, care: Care) -> Result<FinalBlock, ChainError>;
    async fn escrow_state(
        &self,
        escrow: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<EscrowState, ChainError>;
    async fn fill_record(
        &self,
        settler: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError>;
    /// What the contracts told from block `from` to block `to`, both included, in the chain's order.
    async fn sightings(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<Sighting>, ChainError>;
}

#[derive(Debug, Error)]
pub enum SigningError {
    #[error("the escrow that the terms name is no address of chain {0}")]
    Family(ChainId),
    #[error("the attestation could not be signed: {0}")]
    Key(String),
}

/// An attester's key.
pub trait AttestationSigner: Send + Sync {
    fn address(&self) -> Address;
    fn sign(&self, terms: &Terms, attestation: &Attestation) -> Result<SignatureBytes, SigningError>;
}

/// Tells who signed.
pub trait AttestationVerifier: Send + Sync {
    /// The signer, unless the signature is none that an escrow would take.
    fn signer(&self, terms: &Terms, attestation: &Attestation, signature: &SignatureBytes)
    -> Option<Address>;
}

/// Why an attester does not sign.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoAttestation {
    #[error("both sides of the order lie on chain {0}, where its escrow needs no attester")]
    SameChain(u64),
    #[error("this attester does not know the order's escrow on chain {0}")]
    UnknownEscrow(u64),
    #[error("this attester does not know the order's settler on chain {0}")]
    UnknownSettler(u64),
    #[error("the order is not open in a final block of chain {0}")]
    NotOpen(u64),
    #[error("the order has ended at its escrow already")]
    Ended,
    #[error("in the final blocks of chain {chain} the order is neither filled nor past its fill deadline")]
    Undecided { chain: u64 },
    #[error("the settler records a fill after the order's fill deadline, which it should have refused")]
    FilledLate,
    #[error("this attester has signed that the order is {0}, and never signs the opposite")]
    Opposite(Outcome),
    #[error("chain {0} does not answer this attester")]
    Unavailable(u64),
    #[error("this attester has stopped believing chain {chain}: {words}")]
    Halted { chain: u64, words: String },
    #[error("this attester is answering too many others")]
    Busy,
    #[error("this attester cannot keep its word: {0}")]
    Journal(String),
    #[error("this attester's key cannot sign that: {0}")]
    Unsignable(String),
    #[error("this attester cannot be reached: {0}")]
    Unreachable(String),
    #[error("this attester's answer is not one: {0}")]
    Nonsense(String),
    /// In the words of an attester elsewhere.
    #[error("{message}")]
    Told { name: String, message: String, retry: bool },
}

impl NoAttestation {
    /// The name by which programs know it.
    pub fn name(&self) -> &str {
        match self {
            Self::SameChain(_) => "SameChain",
            Self::UnknownEscrow(_) => "UnknownEscrow",
            Self::UnknownSettler(_) => "UnknownSettler",
            Self::NotOpen(_) => "NotOpen",
            Self::Ended => "Ended",
            Self::Undecided { .. } => "Undecided",
            Self::FilledLate => "FilledLate",
            Self::Opposite(_) => "Opposite",
            Self::Unavailable(_) => "Unavailable",
            Self::Halted { .. } => "Halted",
            Self::Busy => "Busy",
            Self::Journal(_) => "Journal",
            Self::Unsignable(_) => "Unsignable",
            Self::Unreachable(_) => "Unreachable",
            Self::Nonsense(_) => "Nonsense",
            Self::Told { name, .. } => name,
        }
    }

    /// Whether the same question may be answered later without anybody's help.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::NotOpen(_)
            | Self::Undecided { .. }
            | Self::Unavailable(_)
            | Self::Busy
            | Self::Unreachable(_) => true,
            Self::Told { retry, .. } => *retry,
            _ => false,
        }
    }
}

impl From<ChainError> for NoAttestation {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Disagreement(chain, words) => Self::Halted { chain: chain.get(), words },
            ChainError::Unavailable(chain)
            | ChainError::Refused(chain, _)
            | ChainError::Nonsense(chain, _) => Self::Unavailable(chain.get()),
        }
    }
}

/// Too few attesters say the same.
#[derive(Clone, Debug, Error)]
#[error("{have} of {need} attesters have signed the same{}", reasons(.answers))]
pub struct CollectError {
    /// The most that said the same.
    pub have: usize,
    pub need: usize,
    /// Whether enough of them may sign later.
    pub retry: bool,
    /// Why each of the others did not.
    pub answers: Vec<(Address, NoAttestation)>,
}

fn reasons(answers: &[(Address, NoAttestation)]) -> String {
    let words: Vec<String> = answers.iter().map(|(attester, why)| format!("; {attester}: {why}")).collect();
    words.concat()
}

/// Collects a threshold of attesters' signatures.
#[async_trait]
pub trait Attestations: Send + Sync {
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError>;
}
