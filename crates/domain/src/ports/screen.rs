use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::StoreError;
use crate::{Address, RawAmount, RowKey, TokenId};

/// What kind of order somebody wants to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deal {
    Swap,
    /// With fiat.
    Purchase,
}

impl Deal {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Swap => "swap",
            Self::Purchase => "purchase",
        }
    }
}

/// What a screening is asked, before an order is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenAsk {
    pub deal: Deal,
    /// Everybody who pays or is paid, each once.
    pub wallets: Vec<Address>,
    /// What is given for a swap, what is bought with a purchase.
    pub asset: TokenId,
    pub amount: RawAmount,
}

/// Why an order is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Which of the wallets it is about; the deal as a whole when absent.
    pub wallet: Option<Address>,
    /// Which screening said so.
    pub by: String,
    /// For the operator; whoever asked is only told that the screening refused.
    pub reason: String,
}

/// A screening that cannot be asked: the order is not made, and the same may work later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the screening `{by}` does not answer: {reason}")]
pub struct ScreenError {
    pub by: String,
    pub reason: String,
}

/// Judges who may make an order.
#[async_trait]
pub trait Screen: Send + Sync {
    /// The first reason against it, if there is one.
    async fn screen(&self, ask: &ScreenAsk) -> Result<Option<Hit>, ScreenError>;
}

/// Something that an operator may have to account for; lines are only ever added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    pub key: RowKey,
    /// `screening.hit`, …
    pub kind: String,
    /// Whom or what it is about.
    pub subject: String,
    /// In words.
    pub detail: String,
    pub at: Timestamp,
}

/// Keeps what an operator may have to account for.
#[async_trait]
pub trait AuditLog: Send + Sync {
    async fn record_audit(&self, event: &AuditEvent) -> Result<(), StoreError>;
    /// Newest first; only those older than the key where one is given.
    async fn audit(&self, before: Option<RowKey>, limit: u32) -> Result<Vec<AuditEvent>, StoreError>;
}
