use alloy_primitives::B256;
use async_trait::async_trait;

use super::ChainError;
use crate::{Address, ChainId, ForwardingOrder, IntentTerms};

/// How a deposit reached the escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenedBy {
    /// A contract call, or an unknown way.
    Call,
    /// The payer's Permit2 transfer was submitted.
    Permit,
    /// The payer's EIP-3009 authorization was submitted.
    Authorization,
    /// The payer's EIP-2612 permit was submitted.
    TokenPermit,
    /// The order's own deposit address was swept.
    Transfer,
    /// The address of this forwarding order was swept with the maker's signature.
    Forwarding(Box<ForwardingOrder>),
}

/// Chain data beyond facts, for recovery when the chain is the only record left.
#[async_trait]
pub trait ChainHistory: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The number of the newest block at the standard finality tier.
    async fn newest(&self) -> Result<u64, ChainError>;
    /// The deposit address of an intent or of a forwarding order.
    fn address_for(&self, id: B256) -> Address;
    /// How the transaction opened the order with these terms.
    async fn opened_by(&self, tx: &str, terms: &IntentTerms) -> Result<OpenedBy, ChainError>;
    /// A checkpoint for [`ChainHistory::is_settled_since`].
    async fn moment(&self) -> Result<u64, ChainError>;
    /// Whether everything that these keys signed before the checkpoint is final or can no longer land, as far as the
    /// endpoints know.
    async fn is_settled_since(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError>;
}
