use causeway_domain::ports::{ActionError, ChainAction, ChainError, PermitKind, Progress};
use causeway_domain::{DepositMethod, Order};
use jiff::{SignedDuration, Timestamp};

use super::change::set_signed_payload;
use super::{SubmitDeposit, SubmitError, Submitted, check_error, check_time, moment};

/// The outcome of relaying a permit.
enum Relayed {
    As(String),
    /// Not yet, for a transient reason.
    Later,
    Refused(String),
}

impl SubmitDeposit {
    /// Stores the payer's permit, then relays it at once so that the response contains the transaction.
    pub(super) async fn accept_permit(
        &self,
        order: Order,
        permit: Vec<u8>,
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let builder = self.builder(&order)?;
        let is_same = order.signed_payload.as_deref() == Some(permit.as_slice());
        if let Some(tx) = relayed_as(&order).filter(|_| is_same) {
            return Ok(Submitted { order: order.id, tx });
        }
        check_time(&order, now)?;
        builder.check_permit(permit_kind(&order), &order.terms, &permit).await.map_err(check_error)?;
        // Two signatures over the same terms are one deposit.
        if let Some(tx) = relayed_as(&order) {
            return Ok(Submitted { order: order.id, tx });
        }
        // If a crashed process announced the order for this same permit, a refusal must hide it again.
        let was_announced = order.announced && !is_same;
        let order = self
            .change(order, now, |order| {
                if order.signed_payload.as_deref() == Some(permit.as_slice()) || relayed_as(order).is_some() {
                    return Ok(None);
                }
                set_signed_payload(order, permit.clone(), now);
                // An earlier submitted hash is not what we send.
                order.submitted_tx = None;
                Ok(Some("The payer's permit was accepted.".to_owned()))
            })
            .await?;
        match self.relay(&order, &permit, now).await? {
            Relayed::As(tx) => {
                let order = self.record_relayed(order, &tx, now).await?;
                Ok(Submitted { order: order.id, tx })
            }
            Relayed::Later => Err(SubmitError::PermitPending { order: order.id }),
            Relayed::Refused(reason) => {
                self.discard_permit(order, &permit, was_announced, now).await?;
                Err(SubmitError::Refused(reason))
            }
        }
    }

    async fn relay(&self, order: &Order, permit: &[u8], now: Timestamp) -> Result<Relayed, SubmitError> {
        let chain = order.from.chain();
        let relayer = self.parts.relayers.get(&chain).ok_or(SubmitError::ChainNotServed(chain))?;
        let action = open_action(order, permit.to_vec());
        let purpose = format!("open:{:#x}", order.intent_id);
        let sent_actions = relayer.send(&purpose, &action, now).await;
        if let Err(ActionError::WouldFail(_)) = &sent_actions
            && let Ok(Some(Progress::Sent(tx) | Progress::Succeeded(tx))) = relayer.progress(&purpose).await
        {
            // The worker relayed it first, and the same permit cannot be used twice.
            return Ok(Relayed::As(tx));
        }
        Ok(match sent_actions {
            Ok(Progress::Sent(tx) | Progress::Succeeded(tx)) => Relayed::As(tx),
            // A reverted transaction is retried like a waiting one.
            Ok(Progress::Waiting | Progress::Reverted(_)) => Relayed::Later,
            Err(
                ActionError::WouldFail(reason)
                | ActionError::Permanent(reason)
                | ActionError::Chain(ChainError::Refused(_, reason)),
            ) => Relayed::Refused(reason),
            Err(error) => {
                tracing::warn!(order = order.id.as_str(), %error, "permit relay postponed");
                Relayed::Later
            }
        })
    }

    async fn record_relayed(&self, order: Order, tx: &str, now: Timestamp) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.submitted_tx.as_deref() == Some(tx) {
                return Ok(None);
            }
            order.submitted_tx = Some(tx.to_owned());
            Ok(Some(format!("The permit was relayed in {tx}.")))
        })
        .await
    }

    /// The payer learns that it was refused, so it must not be used later.
    async fn discard_permit(
        &self,
        order: Order,
        permit: &[u8],
        was_announced: bool,
        now: Timestamp,
    ) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.signed_payload.as_deref() != Some(permit) || order.evidence.deposit.is_some() {
                return Ok(None);
            }
            order.signed_payload = None;
            order.submitted_tx = None;
            order.announced = was_announced;
            let over = moment(order.terms.open_deadline)
                .and_then(|at| at.checked_add(SignedDuration::from_secs(1)).ok());
            order.due_at = over.or(order.due_at);
            Ok(Some("The chain refused the permit.".to_owned()))
        })
        .await
    }
}

/// What the payer of the order signs.
pub(crate) const fn permit_kind(order: &Order) -> PermitKind {
    match order.method {
        DepositMethod::Authorization => PermitKind::Authorization,
        DepositMethod::Permit => PermitKind::TokenPermit,
        DepositMethod::ContractCall | DepositMethod::Permit2 | DepositMethod::Transfer => PermitKind::Permit2,
    }
}

/// The transaction that opens the order with the payer's signature.
pub(crate) fn open_action(order: &Order, signature: Vec<u8>) -> ChainAction {
    match permit_kind(order) {
        PermitKind::Permit2 => ChainAction::OpenFor { terms: order.terms, permit: signature },
        PermitKind::Authorization => ChainAction::OpenWithAuthorization { terms: order.terms, signature },
        PermitKind::TokenPermit => ChainAction::OpenWithPermit { terms: order.terms, signature },
    }
}

/// The deposit's transaction, once the chain has shown it or the stored permit was relayed.
fn relayed_as(order: &Order) -> Option<String> {
    let shown = order.evidence.deposit.as_ref().map(|shown| &shown.tx);
    shown.or(order.submitted_tx.as_ref().filter(|_| order.signed_payload.is_some())).cloned()
}
