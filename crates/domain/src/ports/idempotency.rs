use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;

/// An attempt at a request that has an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedRequest {
    /// The hash of the key and of whose it is.
    pub key: B256,
    /// The hash of what is requested.
    pub request: B256,
    /// Identifies the attempt: one that has lost the key to another changes nothing.
    pub attempt: B256,
    pub at: Timestamp,
}

/// The answer to a request, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// What a key stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// This attempt has the key and executes the request.
    Claimed,
    /// Another attempt at the same request has it and has no answer yet.
    InProgress,
    /// It belongs to another request.
    OtherRequest,
    Answered(KeptAnswer),
}

/// The answers to requests with idempotency keys, shared by all processes.
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims the key for this attempt, unless it has an answer, an attempt in progress or another request.
    ///
    /// `abandoned_before` is when an attempt without an answer counts as lost, `expired_before` when a key is free again.
    async fn claim_request(
        &self,
        request: &KeyedRequest,
        abandoned_before: Timestamp,
        expired_before: Timestamp,
    ) -> Result<KeyUse, StoreError>;

    /// Keeps the answer of the attempt that has the key.
    async fn keep_answer(&self, request: &KeyedRequest, answer: &KeptAnswer) -> Result<(), StoreError>;

    /// Frees the key of an attempt that has no answer to keep.
    async fn release_request(&self, request: &KeyedRequest) -> Result<(), StoreError>;
}
