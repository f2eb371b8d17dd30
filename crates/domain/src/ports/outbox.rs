use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{Address, ChainId};

/// A signed transaction to broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub hash: B256,
    /// The signed bytes.
    pub raw: Vec<u8>,
    pub max_fee_per_gas: u128,
    /// Absent in legacy transactions.
    pub priority_fee_per_gas: Option<u128>,
    pub made_at: Timestamp,
}

/// An outgoing transaction: one nonce, one purpose, and attempts of which at most one lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub chain: ChainId,
    pub signer: Address,
    pub nonce: u64,
    /// Such as the fill of one order; a purpose is pending at most once.
    pub purpose: String,
    /// Oldest first, never empty.
    pub attempts: Vec<Attempt>,
    /// The outcome, once final.
    pub end: Option<OutgoingEnd>,
}

/// The outcome of a transaction in a final block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutgoingEnd {
    Succeeded(B256),
    Reverted(B256),
    /// Another transaction used its nonce; the purpose may be sent again.
    Superseded,
}

/// The result of writing a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxPut {
    Written,
    /// Another transaction of this signer uses the nonce.
    NonceTaken,
    /// The purpose is pending, succeeded or reverted, as this transaction.
    Existing(Box<Outgoing>),
}

/// Stores signed transactions before they are broadcast. Writes are durable when a call returns.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Writes a new transaction with its first attempt, unless its nonce or its purpose on this chain is taken.
    async fn put(&self, outgoing: &Outgoing) -> Result<OutboxPut, StoreError>;
    /// Adds an attempt with the same nonce; the same attempt is written once. Fails after the outcome is recorded.
    async fn add_attempt(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        attempt: &Attempt,
    ) -> Result<(), StoreError>;
    /// The transaction of a purpose that is pending, succeeded or reverted.
    async fn for_purpose(&self, chain: ChainId, purpose: &str) -> Result<Option<Outgoing>, StoreError>;
    /// Pending transactions, lowest nonce first.
    async fn open(&self, chain: ChainId, signer: Address) -> Result<Vec<Outgoing>, StoreError>;
    /// The highest nonce ever written for the signer.
    async fn highest_nonce(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError>;
    /// Transactions with an attempt that was signed at or after that time, at least the newest thousands, with those attempts.
    async fn signed_since(
        &self,
        chain: ChainId,
        signer: Address,
        since: Timestamp,
    ) -> Result<Vec<Outgoing>, StoreError>;
    /// Records the outcome; the first one counts. Returns whether this one is it.
    async fn end(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        end: OutgoingEnd,
    ) -> Result<bool, StoreError>;
    /// Transactions of the signer below this nonce may be unknown here and not final, as after a restore.
    async fn unknown_below(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError>;
    /// Records that; a higher nonce that is recorded stays.
    async fn record_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError>;
    /// Records that every transaction below the nonce is final or gone; a higher nonce that is recorded stays.
    async fn forget_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError>;
}
