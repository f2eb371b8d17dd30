use alloy_primitives::{Address, B256};
use async_trait::async_trait;
use thiserror::Error;

use super::{ChainError, KeySignerError};
use crate::{
    Attestation, ChainId, CollectedAttestation, CollectedBatch, FilledOrder, IntentTerms, Outcome,
    SignatureBytes,
};

/// A final block that the endpoints agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    pub number: u64,
    pub hash: B256,
    /// The block's timestamp, in Unix seconds.
    pub time: u64,
}

/// The finality that an amount requires, where a chain has two levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FinalityTier {
    Standard,
    Large,
}

/// The state of an order at its escrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscrowState {
    /// The escrow does not know it.
    Unknown,
    Open,
    Claimed,
    Refunded,
}

/// A settler's record of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillRecord {
    /// The destination chain's time of the fill.
    pub filled_at: u64,
    /// The transaction hash on EVM, the address of the fill record on Solana.
    pub reference: B256,
}

/// An event from contract logs: a hint to check the state, not evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedEvent {
    Opened(Box<IntentTerms>),
    Filled(B256),
    /// Claimed or refunded.
    Ended(B256),
}

/// Our contracts on one chain, in every followed version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainContracts {
    pub chain: ChainId,
    pub escrows: Vec<B256>,
    pub settlers: Vec<B256>,
    /// None of their events is older than this block.
    pub from_block: u64,
}

/// An attester's view of one chain, through its own endpoints, which must agree.
#[async_trait]
pub trait ChainView: Send + Sync {
    fn chain(&self) -> ChainId;
    /// How many blocks to read per request.
    fn span(&self) -> u64 {
        1_000
    }
    /// The newest final block. After a disagreement about one, every call returns that error.
    async fn final_block(&self, tier: FinalityTier) -> Result<FinalBlock, ChainError>;
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
    /// The contract events from block `from` to block `to`, both included, in chain order.
    async fn observed_events(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<ObservedEvent>, ChainError>;
}

#[derive(Debug, Error)]
pub enum SigningError {
    #[error("the escrow in the terms is not an address of chain {0}")]
    Family(ChainId),
    #[error("the attestation could not be signed: {0}")]
    Key(String),
    #[error("the key in {place} has not signed: {error}")]
    Signer { place: String, error: KeySignerError },
}

/// An attester's key.
#[async_trait]
pub trait AttestationSigner: Send + Sync {
    fn address(&self) -> Address;
    async fn sign(
        &self,
        terms: &IntentTerms,
        attestation: &Attestation,
    ) -> Result<SignatureBytes, SigningError>;
    /// Signs a list of fills for the escrow of `first`, which all orders of the list share.
    async fn sign_batch(
        &self,
        first: &IntentTerms,
        fills: &[FilledOrder],
    ) -> Result<SignatureBytes, SigningError>;
}

/// Recovers the signer of an attestation.
pub trait AttestationVerifier: Send + Sync {
    /// The signer, unless an escrow would reject the signature.
    fn signer(
        &self,
        terms: &IntentTerms,
        attestation: &Attestation,
        signature: &SignatureBytes,
    ) -> Option<Address>;
    /// The signer of a list of fills for the escrow of `first`, unless an escrow would reject the signature.
    fn batch_signer(
        &self,
        first: &IntentTerms,
        fills: &[FilledOrder],
        signature: &SignatureBytes,
    ) -> Option<Address>;
}

/// Why an attester does not sign.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AttestationRefusal {
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
    #[error("this attester has already signed that the order is {0}")]
    Opposite(Outcome),
    #[error("chain {0} does not answer this attester")]
    Unavailable(u64),
    #[error("this attester has halted chain {chain}: {message}")]
    Halted { chain: u64, message: String },
    #[error("this attester has too many requests")]
    Busy,
    #[error("this attester cannot write its journal: {0}")]
    Journal(String),
    #[error("this attester's key cannot sign that: {0}")]
    Unsignable(String),
    #[error("this attester's key does not sign now: {0}")]
    NoSignature(String),
    #[error("a batch has 1 to {0} orders")]
    BatchSize(usize),
    #[error("the orders of a batch are distinct and share origin chain, escrow and epoch")]
    MixedBatch,
    #[error("this attester does not sign batches")]
    NoBatches,
    #[error("this attester cannot be reached: {0}")]
    Unreachable(String),
    #[error("this attester's answer is invalid: {0}")]
    Nonsense(String),
    /// The error of a remote attester.
    #[error("{message}")]
    Remote { name: String, message: String, retry: bool },
}

impl AttestationRefusal {
    /// The error name on the wire.
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
            Self::NoSignature(_) => "NoSignature",
            Self::BatchSize(_) => "BatchSize",
            Self::MixedBatch => "MixedBatch",
            Self::NoBatches => "NoBatches",
            Self::Unreachable(_) => "Unreachable",
            Self::Nonsense(_) => "Nonsense",
            Self::Remote { name, .. } => name,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::NotOpen(_)
            | Self::Undecided { .. }
            | Self::Unavailable(_)
            | Self::Busy
            | Self::NoSignature(_)
            | Self::Unreachable(_) => true,
            Self::Remote { retry, .. } => *retry,
            _ => false,
        }
    }
}

/// A key outside the process may sign later; what it can never sign stays unsigned.
impl From<SigningError> for AttestationRefusal {
    fn from(error: SigningError) -> Self {
        match error {
            SigningError::Signer { .. } => Self::NoSignature(error.to_string()),
            SigningError::Family(_) | SigningError::Key(_) => Self::Unsignable(error.to_string()),
        }
    }
}

impl From<ChainError> for AttestationRefusal {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Disagreement(chain, message) => Self::Halted { chain: chain.get(), message },
            ChainError::Unavailable(chain)
            | ChainError::Refused(chain, _)
            | ChainError::Nonsense(chain, _) => Self::Unavailable(chain.get()),
        }
    }
}

/// Why an attester does not sign a list.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BatchRefusal {
    /// It signs no such list.
    #[error(transparent)]
    Whole(#[from] AttestationRefusal),
    /// It does not sign for these orders of the list; it may for the others.
    #[error("{}", refused(.0))]
    Orders(Vec<(B256, AttestationRefusal)>),
}

fn refused(orders: &[(B256, AttestationRefusal)]) -> String {
    let reasons: Vec<String> = orders.iter().map(|(order, why)| format!("{order}: {why}")).collect();
    reasons.join("; ")
}

/// The attesters of one epoch, as a chain's registry has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochAttesters {
    /// How many must sign the same outcome.
    pub threshold: usize,
    /// Those that have not resigned.
    pub members: Vec<Address>,
}

/// The attester registry of one chain.
#[async_trait]
pub trait AttesterRegistry: Send + Sync {
    fn chain(&self) -> ChainId;
    async fn epoch_attesters(&self, epoch: u64) -> Result<EpochAttesters, ChainError>;
}

/// Too few attesters agree.
#[derive(Clone, Debug, Error)]
#[error("{have} of {need} attesters have signed the same outcome{}", reasons(.answers))]
pub struct CollectError {
    /// The largest number that agreed.
    pub have: usize,
    pub need: usize,
    /// Whether enough of them may sign later.
    pub retry: bool,
    /// Why each of the others did not sign.
    pub answers: Vec<(Address, AttestationRefusal)>,
}

fn reasons(answers: &[(Address, AttestationRefusal)]) -> String {
    let reasons: Vec<String> = answers.iter().map(|(attester, why)| format!("; {attester}: {why}")).collect();
    reasons.concat()
}

/// Too few attesters sign the same list.
#[derive(Clone, Debug, Error)]
#[error("{have} of {need} attesters have signed the same list{}", list_reasons(.answers))]
pub struct CollectBatchError {
    /// The largest number that agreed.
    pub have: usize,
    pub need: usize,
    /// The orders without which the list may be signed; none where that would not help.
    pub leave_out: Vec<B256>,
    /// Why each of the others did not sign.
    pub answers: Vec<(Address, BatchRefusal)>,
}

fn list_reasons(answers: &[(Address, BatchRefusal)]) -> String {
    let reasons: Vec<String> = answers.iter().map(|(attester, why)| format!("; {attester}: {why}")).collect();
    reasons.concat()
}

/// Collects a threshold of attesters' signatures.
#[async_trait]
pub trait Attestations: Send + Sync {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError>;
    /// Collects signatures over the fills of these orders as one list, in this order. The orders are distinct and share
    /// origin chain, escrow and epoch. Where lists are not signed, each order has to be collected for alone.
    async fn collect_batch(&self, orders: &[IntentTerms]) -> Result<CollectedBatch, CollectBatchError> {
        let _ = orders;
        Err(CollectBatchError { have: 0, need: 1, leave_out: Vec::new(), answers: Vec::new() })
    }
    /// Whether a threshold of the order's attesters answers now and reads both of its chains.
    async fn is_available(&self, terms: &IntentTerms) -> bool;
}
