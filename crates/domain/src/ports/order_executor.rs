use async_trait::async_trait;
use jiff::Timestamp;

use super::{ActionError, Progress};
use crate::{Decision, Order};

/// Executes the orders of one filler. For a remote filler it only forwards notifications.
#[async_trait]
pub trait OrderExecutor: Send + Sync {
    /// The filler's name, as in its routes.
    fn name(&self) -> &str;
    /// The order was built, but its deposit may never come. Reserves inventory within the limit for built orders.
    async fn hold(&self, order: &Order, now: Timestamp) -> Result<(), ActionError>;
    /// Why this order could never be delivered, as its chain simulates it now; `None` where it could, or where that is not known.
    /// A failure is no reason.
    async fn undeliverable_reason(&self, order: &Order) -> Option<String> {
        let _ = order;
        None
    }
    /// The deposit is on chain but not final. Reserves inventory, if available.
    async fn reserve(&self, order: &Order, now: Timestamp) -> Result<(), ActionError>;
    /// The deposit is final: decides to fill or to waive, with a reason. Called again only after an error.
    async fn decide(&self, order: &Order, now: Timestamp) -> Result<(Decision, Option<String>), ActionError>;
    /// Sends the fill, or returns its progress.
    async fn fill(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError>;
    /// Refunds the deposit.
    async fn waive(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError>;
    /// Claims the payment for the fill in the order's evidence.
    async fn claim(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError>;
    /// Releases the reservation; nothing more will be filled.
    async fn release(&self, order: &Order) -> Result<(), ActionError>;
}
