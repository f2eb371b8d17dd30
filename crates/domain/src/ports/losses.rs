use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{OrderId, UsdAmount};

/// The loss of a filler on one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub filler: String,
    pub order: OrderId,
    pub amount: UsdAmount,
}

/// Stores losses to enforce a daily limit across replicas and restarts. Writes are durable when a call returns.
#[async_trait]
pub trait Losses: Send + Sync {
    /// Records the loss if the filler's losses since then stay within `limit`; otherwise returns `false` and writes nothing.
    /// An order that was recorded before is accepted again.
    async fn record_loss(
        &self,
        loss: &Loss,
        limit: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
