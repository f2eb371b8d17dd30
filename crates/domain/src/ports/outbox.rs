use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{Address, ChainId};

/// A signed transaction as it was, or will be, broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub hash: B256,
    /// The signed bytes.
    pub raw: Vec<u8>,
    pub max_fee_per_gas: u128,
    /// Absent in transactions that name one price only.
    pub priority_fee_per_gas: Option<u128>,
    pub made_at: Timestamp,
}

/// A transaction of ours on its way: one nonce and one purpose, and attempts of which the chain takes one at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub chain: ChainId,
    pub signer: Address,
    pub nonce: u64,
    /// What it is for, such as the fill of one order; a purpose is on its way once at most.
    pub purpose: String,
    /// Oldest first, never empty.
    pub attempts: Vec<Attempt>,
    /// How it ended, once it has.
    pub end: Option<OutgoingEnd>,
}

/// How a transaction ended, in a block that is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutgoingEnd {
    Succeeded(B256),
    Reverted(B256),
    /// Its nonce went to a transaction that is none of its attempts; the purpose may be tried anew.
    Superseded,
}

/// What became of a transaction that was to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxPut {
    Written,
    /// Another transaction of this signer has the nonce.
    NonceTaken,
    /// The purpose is on its way, or ended in a success or a revert, as this.
    Existing(Box<Outgoing>),
}

/// Keeps signed transactions, written before they are broadcast. What a call has returned survives a power cut.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Writes a new transaction with its first attempt, unless its nonce or its purpose on this chain is taken.
    async fn put(&self, outgoing: &Outgoing) -> Result<OutboxPut, StoreError>;
    /// Adds an attempt with the same nonce; the same attempt twice is written once. Refused once it has ended.
    async fn add_attempt(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        attempt: &Attempt,
    ) -> Result<(), StoreError>;
    /// The transaction for a purpose that is on its way, or ended in a success or a revert.
    async fn for_purpose(&self, chain: ChainId, purpose: &str) -> Result<Option<Outgoing>, StoreError>;
    /// What has not ended yet, lowest nonce first.
    async fn open(&self, chain: ChainId, signer: Address) -> Result<Vec<Outgoing>, StoreError>;
    /// The highest nonce ever written for the signer.
    async fn highest_nonce(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError>;
    /// Records the end; the first end stands.
    async fn end(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        end: OutgoingEnd,
    ) -> Result<(), StoreError>;
}
