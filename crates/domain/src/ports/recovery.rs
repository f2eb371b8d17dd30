use alloy_primitives::B256;
use async_trait::async_trait;

use super::{ChainError, StoreError};
use crate::{Address, ChainId, Fact, FactPlace, Jump, Terms};

/// By which way a deposit came into the escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenedBy {
    /// The payer called the escrow, or somebody did so in a way that is not known.
    Call,
    /// Somebody brought the payer's permit.
    Permit,
    /// What lay at the order's own deposit address was swept.
    Transfer,
    /// What lay at the address of this jump was swept by the maker's word.
    Jump(Box<Jump>),
}

/// What a chain knows of orders beside its facts; asked when the chain is the only record that is left.
#[async_trait]
pub trait ChainRecord: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The number of the newest block that stands for usual amounts.
    async fn newest(&self) -> Result<u64, ChainError>;
    /// Where the money of an order's intent, or of a jump, is sent.
    fn address_for(&self, id: B256) -> Address;
    /// By which way the transaction opened the order of these terms.
    async fn opened_by(&self, tx: &str, terms: &Terms) -> Result<OpenedBy, ChainError>;
    /// A moment of the chain, for [`ChainRecord::is_quiet`].
    async fn moment(&self) -> Result<u64, ChainError>;
    /// Whether all that these keys signed before that moment lies in blocks that stand or can come into none any more, as far
    /// as the endpoints know.
    async fn is_quiet(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError>;
}

/// What is asked of a store that is filled from the chains.
#[async_trait]
pub trait RecoveryStore: Send + Sync {
    /// How many orders there are that did not come from the chain: all but those whose route has the given name.
    async fn orders_beside(&self, route: &str) -> Result<u64, StoreError>;
    /// Facts that opened something, in the order of their time, after that place.
    async fn openings(&self, after: Option<&FactPlace>, limit: u32) -> Result<Vec<Fact>, StoreError>;
}
