use causeway_domain::ports::{ActionError, ChainAction, MAX_ATTEMPTS, Progress, TxSender, attempt_purposes};
use causeway_domain::{ChainId, Order};
use jiff::Timestamp;

use super::InventoryExecutor;

pub(super) const FILL: &str = "fill";
pub(super) const WAIVE: &str = "waive";
pub(super) const CLAIM: &str = "claim";

/// The idempotency key of an action: the outbox sends each purpose once.
pub(super) fn purpose(action: &str, order: &Order) -> String {
    format!("{action}:{:#x}", order.intent_id)
}

/// State of an action that may be retried after a revert.
pub(super) enum Attempt {
    Started(Progress),
    /// Not sent yet; send it under this purpose.
    Next(String),
}

impl InventoryExecutor {
    pub(super) fn sender(&self, chain: ChainId) -> Result<&dyn TxSender, ActionError> {
        let missing = || {
            let name = &self.filler.config.name;
            ActionError::Temporary(format!("the filler {name} has no signing key on chain {chain}"))
        };
        self.senders.get(&chain).map(AsRef::as_ref).ok_or_else(missing)
    }

    /// The sender of claims on a chain.
    pub(super) fn claim_sender(&self, chain: ChainId) -> Result<&dyn TxSender, ActionError> {
        match self.claim_senders.get(&chain) {
            Some(sender) => Ok(sender.as_ref()),
            None => self.sender(chain),
        }
    }

    /// The first attempt at a claim or a refund that was not reverted, or the purpose of the next one. A fill is sent once.
    pub(super) async fn next_attempt(
        sender: &dyn TxSender,
        action: &str,
        order: &Order,
    ) -> Result<Attempt, ActionError> {
        let first = purpose(action, order);
        for purpose in attempt_purposes(&first) {
            match sender.progress(&purpose).await? {
                None | Some(Progress::Waiting) => return Ok(Attempt::Next(purpose)),
                Some(Progress::Reverted(tx)) => {
                    tracing::debug!(purpose, tx, "transaction reverted, trying the next attempt");
                }
                Some(progress) => return Ok(Attempt::Started(progress)),
            }
        }
        let words = format!(
            "{first} was reverted {MAX_ATTEMPTS} times; an operator must find the cause before it is retried"
        );
        Err(ActionError::Permanent(words))
    }

    /// Sends an action under a purpose that was not sent before.
    pub(super) async fn send(
        &self,
        sender: &dyn TxSender,
        purpose: &str,
        action: &ChainAction,
        now: Timestamp,
    ) -> Result<Progress, ActionError> {
        let progress = sender.send(purpose, action, now).await?;
        if let Progress::Sent(tx) = &progress {
            self.record_outflow(sender, purpose, action, now).await;
            tracing::info!(filler = self.filler.config.name, chain = %sender.chain(), purpose, tx, "transaction sent");
        }
        Ok(progress)
    }
}
