use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{OrderId, UsdAmount};

/// What delivering an order costs a filler above what it is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub filler: String,
    pub order: OrderId,
    pub amount: UsdAmount,
}

/// Keeps what fillers have borne, so that prices that run away cannot take more than a day may cost, whichever replica
/// is asked and however often it is started. What a call has returned survives a power cut.
#[async_trait]
pub trait Losses: Send + Sync {
    /// Writes the loss down if the filler's losses since then stay within `most` with it. `false` when they do not: nothing is
    /// written. An order that was written before is borne already.
    async fn bear(
        &self,
        loss: &Loss,
        most: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
