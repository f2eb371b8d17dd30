use std::sync::Arc;

use causeway_domain::ports::{
    ActionError, BroadcastError, ChainAction, MAX_ATTEMPTS, OrderExecutor, Progress, TxSender,
    attempt_purposes,
};
use causeway_domain::{
    Action, Attestation, ChainId, Decision, EventKind, Order, OrderContext, OrderEvent, RefundMethod, TokenId,
};
use jiff::{SignedDuration, Timestamp};
use tracing::Instrument as _;

use super::WorkOrders;
use crate::event_keys::advance_keys_past;
use crate::submit_deposit::open_action;

/// How long before the permissionless refund an unclaimed fill is logged as an error.
const UNCLAIMED_ALARM: SignedDuration = SignedDuration::from_hours(2);

/// What is left of a list of actions, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    Nothing,
    /// Transactions are on their way to a chain, whose events wake the order.
    OnChain,
    /// Some action has to be tried again: it failed, or waits for something that no chain tells.
    ToDo,
}

/// The outcome of a list of actions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performed {
    pub(super) left: Left,
    /// The filler's decision has changed the order, which needs another pass at once.
    pub(super) decided: bool,
}

/// The name of an action in a trace.
const fn action_name(action: &Action) -> &'static str {
    match action {
        Action::AskFiller => "order.decide",
        Action::Fill => "order.fill",
        Action::Claim => "order.claim",
        Action::Release => "order.release",
        Action::Refund(_) => "order.refund",
        Action::BroadcastDeposit => "order.open",
        Action::Sweep => "order.sweep",
        Action::ReturnBalance { .. } => "order.return",
    }
}

/// The outcome of one action.
enum ActionOutcome {
    Done,
    InProgress,
    /// Its transaction is sent, and the chain's events tell how it ends.
    Sent,
    /// The filler has decided.
    Decided(Decision),
}

impl WorkOrders {
    /// Executes the actions, or finds them in progress. A failed action is not lost: the next pass lists it again.
    pub(super) async fn perform(
        &self,
        order: &mut Order,
        actions: &[Action],
        context: &OrderContext,
    ) -> Performed {
        let mut performed = Performed { left: Left::Nothing, decided: false };
        let mut stuck_reason = None;
        for action in actions {
            let span = tracing::trace_span!(
                target: "causeway::trace",
                "action",
                otel.name = action_name(action),
                quiet = true,
                order = order.id.as_str(),
                filler = order.filler,
            );
            match self.execute(order, action, context).instrument(span).await {
                Ok(ActionOutcome::Done) => {}
                Ok(ActionOutcome::InProgress) => performed.left = Left::ToDo,
                Ok(ActionOutcome::Sent) => performed.left = performed.left.max(Left::OnChain),
                Ok(ActionOutcome::Decided(decision)) => {
                    order.decision = Some(decision);
                    (performed.left, performed.decided) = (Left::ToDo, true);
                }
                Err(error) => {
                    performed.left = Left::ToDo;
                    log_blocked(order, action, &error);
                    stuck_reason = Some((action, error));
                }
            }
        }
        warn_unclaimed(order, context);
        let stuck_reason = stuck_reason.as_ref().map(|(action, error)| (*action, error));
        self.stuck_reasons.record(&order.id, stuck_reason, context.now).await;
        performed
    }

    async fn execute(
        &self,
        order: &mut Order,
        action: &Action,
        context: &OrderContext,
    ) -> Result<ActionOutcome, ActionError> {
        let now = context.now;
        match action {
            Action::AskFiller => {
                self.check_followed(order)?;
                return self.ask_filler(order, now).await;
            }
            Action::Fill => return self.fill(order, now).await,
            Action::Claim => return Ok(on_its_way(&self.executor(order)?.claim(order, now).await?)),
            Action::Release => {
                if let Ok(executor) = self.executor(order) {
                    executor.release(order).await?;
                }
                return Ok(ActionOutcome::Done);
            }
            Action::Refund(method) => self.refund(order, *method, context).await?,
            Action::BroadcastDeposit => self.broadcast_deposit(order, now).await?,
            Action::Sweep => self.sweep(order, now).await?,
            Action::ReturnBalance { seen_in, tokens } => {
                return self.return_balance(order, *seen_in, tokens, now).await;
            }
        }
        // The chain shows when it is done.
        Ok(ActionOutcome::InProgress)
    }

    /// Nothing is taken on between chains that are not read: its claim would have to wait for them.
    fn check_followed(&self, order: &Order) -> Result<(), ActionError> {
        for chain in [order.from.chain(), order.to.chain()] {
            if let Some(age) = self.parts.cursors.stale_for(chain) {
                let minutes = age.as_secs() / 60;
                let reason = format!("chain {chain} has not been read for {minutes} minutes");
                return Err(ActionError::Temporary(reason));
            }
        }
        Ok(())
    }

    /// Whether the event of a fill should have been followed by now, if it will be at all.
    fn is_event_overdue(&self, order: &Order) -> bool {
        let destination = order.to.chain();
        let time = self.parts.cursors.get(destination).map(|cursor| cursor.time);
        time.is_some_and(|time| time > order.terms.fill_deadline)
            || self.parts.cursors.stale_for(destination).is_some()
    }

    fn executor(&self, order: &Order) -> Result<Arc<dyn OrderExecutor>, ActionError> {
        let executor = self.parts.executors.get(&order.filler);
        executor
            .ok_or_else(|| ActionError::Temporary(format!("the filler {} is not registered", order.filler)))
    }

    fn relayer(&self, chain: ChainId) -> Result<&dyn TxSender, ActionError> {
        let relayer = self.parts.relayers.get(&chain).map(AsRef::as_ref);
        relayer.ok_or_else(|| ActionError::Temporary(format!("no relayer is configured for chain {chain}")))
    }

    async fn ask_filler(&self, order: &mut Order, now: Timestamp) -> Result<ActionOutcome, ActionError> {
        let (decision, reason) = self.executor(order)?.decide(order, now).await?;
        if decision == Decision::Waive {
            order.failure_reason = reason.or(order.failure_reason.take());
        }
        Ok(ActionOutcome::Decided(decision))
    }

    /// A fill that reverted in a final block becomes a waiver: no other attempt is in flight.
    async fn fill(&self, order: &mut Order, now: Timestamp) -> Result<ActionOutcome, ActionError> {
        if order.decision != Some(Decision::Fill) {
            return Ok(ActionOutcome::InProgress);
        }
        let progress = match self.executor(order)?.fill(order, now).await {
            Err(ActionError::Unpayable(reason)) => {
                order.set_unpayable(&reason);
                return Err(ActionError::Unpayable(reason));
            }
            progress => progress?,
        };
        if order.is_unpayable() {
            order.failure_reason = None;
        }
        let Progress::Reverted(tx) = progress else {
            if matches!(progress, Progress::Succeeded(_)) && self.is_event_overdue(order) {
                // The transaction is final although its event is missing: attestations are enough to claim.
                if let Err(error) = self.executor(order)?.claim(order, now).await {
                    log_blocked(order, &Action::Claim, &error);
                }
            }
            return Ok(on_its_way(&progress));
        };
        tracing::error!(order = %order.id, tx, "fill reverted");
        order.failure_reason = Some("The filler's delivery failed on the chain.".to_owned());
        Ok(ActionOutcome::Decided(Decision::Waive))
    }

    async fn refund(
        &self,
        order: &Order,
        method: RefundMethod,
        context: &OrderContext,
    ) -> Result<(), ActionError> {
        let now = context.now;
        self.check_refund_cost(order).await?;
        match method {
            RefundMethod::Waive => {
                let waived = match self.executor(order) {
                    Ok(executor) => executor.waive(order, now).await,
                    Err(error) => Err(error),
                };
                let is_overdue =
                    context.destination_time.is_some_and(|time| time > order.terms.fill_deadline);
                match waived {
                    // After the deadline no waiver is needed: the attesters can confirm that nobody filled.
                    Err(error) if is_overdue => {
                        log_blocked(order, &Action::Refund(method), &error);
                        self.refund_unfilled(order, now).await
                    }
                    waived => waived.map(drop),
                }
            }
            RefundMethod::Unfilled => self.refund_unfilled(order, now).await,
            RefundMethod::Permissionless => {
                self.check_not_filled(order, now).await?;
                self.relay(order, "refund", &ChainAction::Refund { terms: order.terms }, now).await.map(drop)
            }
        }
    }

    async fn refund_unfilled(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        if order.terms.is_same_chain() {
            return self
                .relay(order, "refund", &ChainAction::Refund { terms: order.terms }, now)
                .await
                .map(drop);
        }
        let Some(attestations) = &self.parts.attestations else {
            return Err(ActionError::Temporary("no attesters are configured".to_owned()));
        };
        let collected = attestations.collect(&order.terms).await?;
        let Attestation::Unfilled { destination_time, .. } = collected.attestation else {
            return Err(self.claim_attested(order, now).await);
        };
        let (terms, signatures) = (order.terms, collected.signatures);
        let chain_action = ChainAction::RefundUnfilled { terms, destination_time, signatures };
        self.relay(order, "unfilled", &chain_action, now).await.map(drop)
    }

    /// Fails when the attesters saw a fill that we did not: its filler is still owed the deposit, although by now anybody may
    /// ask for the refund. Attesters that do not answer do not block the refund.
    async fn check_not_filled(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        let Some(attestations) = self.parts.attestations.as_ref().filter(|_| !order.terms.is_same_chain())
        else {
            return Ok(());
        };
        match attestations.collect(&order.terms).await {
            Ok(collected) if matches!(collected.attestation, Attestation::Filled { .. }) => {
                Err(self.claim_attested(order, now).await)
            }
            _ => Ok(()),
        }
    }

    /// Claims an order whose fill the attesters saw and we did not. Why it is not refunded.
    async fn claim_attested(&self, order: &Order, now: Timestamp) -> ActionError {
        if let Ok(executor) = self.executor(order)
            && let Err(error) = executor.claim(order, now).await
        {
            log_blocked(order, &Action::Claim, &error);
        }
        ActionError::Permanent("the attesters say that the order was filled".to_owned())
    }

    async fn broadcast_deposit(&self, order: &mut Order, now: Timestamp) -> Result<(), ActionError> {
        let Some(signed_payload) = &order.signed_payload else { return Ok(()) };
        if order.method.is_relayed_signature() {
            let chain_action = open_action(order, signed_payload.clone());
            return self.relay(order, "open", &chain_action, now).await.map(drop);
        }
        let builder = self.parts.deposit_builders.get(&order.from.chain());
        let builder =
            builder.ok_or_else(|| ActionError::Temporary("the origin chain is not configured".to_owned()))?;
        match builder.broadcast(signed_payload).await {
            Err(BroadcastError::Expired { tx }) => self.drop_expired(order, &tx, now).await,
            result => result.map_err(|error| ActionError::Temporary(error.to_string())),
        }
    }

    /// Drops a signed deposit that has expired, so that another can be built, signed and submitted.
    pub(super) async fn drop_expired(
        &self,
        order: &mut Order,
        tx: &str,
        now: Timestamp,
    ) -> Result<(), ActionError> {
        let expired = Order { signed_payload: None, ..order.clone() };
        let submitted_tx = expired.submitted_tx.clone().filter(|known| known != tx);
        let expired = Order { submitted_tx, updated_at: now, ..expired };
        advance_keys_past(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Note,
            detail: format!("The signed deposit {tx} expired before the chain took it."),
            at: now,
        };
        // On a version conflict the next pass works with what the other writer stored.
        if self.parts.orders.update_order(&expired, &[event]).await? {
            *order = Order { version: expired.version.saturating_add(1), ..expired };
        }
        Ok(())
    }

    async fn return_balance(
        &self,
        order: &Order,
        seen_in: u64,
        tokens: &[TokenId],
        now: Timestamp,
    ) -> Result<ActionOutcome, ActionError> {
        if !self.is_worth_returning(order, tokens).await? {
            return Ok(ActionOutcome::Done);
        }
        let tokens = tokens.iter().map(TokenId::address).collect();
        let purpose = format!("giveback:{:#x}:{seen_in}", order.intent_id);
        let chain_action = ChainAction::ReturnBalance { terms: order.terms, tokens };
        let progress = self.relay_as(order, purpose, &chain_action, now).await?;
        Ok(if matches!(progress, Progress::Succeeded(_)) {
            ActionOutcome::Done
        } else {
            ActionOutcome::InProgress
        })
    }

    pub(super) async fn relay(
        &self,
        order: &Order,
        what: &str,
        chain_action: &ChainAction,
        now: Timestamp,
    ) -> Result<Progress, ActionError> {
        self.relay_as(order, format!("{what}:{:#x}", order.intent_id), chain_action, now).await
    }

    /// Sends with the service's own key. A transaction that reverted in a final block is sent again, a few times.
    async fn relay_as(
        &self,
        order: &Order,
        first: String,
        chain_action: &ChainAction,
        now: Timestamp,
    ) -> Result<Progress, ActionError> {
        let relayer = self.relayer(order.from.chain())?;
        for purpose in attempt_purposes(&first) {
            let progress = relayer.send(&purpose, chain_action, now).await?;
            if let Progress::Sent(tx) = &progress {
                tracing::trace!(target: "causeway::trace", chain = %relayer.chain(), purpose, tx, "transaction sent");
            }
            if !matches!(progress, Progress::Reverted(_)) {
                return Ok(progress);
            }
        }
        Err(ActionError::Permanent(format!("{first} reverted {MAX_ATTEMPTS} times")))
    }
}

/// The outcome of an action whose end an event tells.
const fn on_its_way(progress: &Progress) -> ActionOutcome {
    match progress {
        Progress::Sent(_) | Progress::Succeeded(_) => ActionOutcome::Sent,
        Progress::Waiting | Progress::Reverted(_) => ActionOutcome::InProgress,
    }
}

/// Logs an unclaimed order, independent of its next action: a claim that is never decided is unclaimed as well.
fn warn_unclaimed(order: &Order, context: &OrderContext) {
    if is_alarming(order, context) {
        tracing::error!(order = %order.id, "fill not claimed yet, and the deposit becomes refundable soon");
    }
}

/// Whether a fill is still unclaimed shortly before anybody may refund its deposit.
fn is_alarming(order: &Order, context: &OrderContext) -> bool {
    let evidence = &context.evidence;
    let refund_at = i64::try_from(order.terms.refund_at).ok().and_then(|at| Timestamp::from_second(at).ok());
    is_unclaimed(order.decision, evidence.fill.is_some(), evidence.is_ended())
        && refund_at.is_some_and(|at| at.duration_since(context.now) < UNCLAIMED_ALARM)
}

/// Whether a deposit is owed to the filler: it delivered, or decided to and nothing shows that it did not.
fn is_unclaimed(decision: Option<Decision>, is_filled: bool, has_ended: bool) -> bool {
    !has_ended && (is_filled || decision == Some(Decision::Fill))
}

/// Transient errors are logged at debug level.
fn log_blocked(order: &Order, action: &Action, error: &ActionError) {
    match error {
        ActionError::Permanent(_) | ActionError::WouldFail(_) | ActionError::Unpayable(_) => {
            tracing::warn!(order = %order.id, ?action, %error, "order blocked");
        }
        _ => tracing::debug!(order = %order.id, ?action, %error, "order blocked"),
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{ConfirmedTx, Evidence, RefundCause};
    use causeway_testing::sample::order;

    use super::*;

    #[test]
    fn rule_6_an_unclaimed_fill_raises_an_alert_two_hours_before_the_refund() {
        let order = order(1);
        let shown = || ConfirmedTx {
            chain: order.to.chain(),
            tx: "0x1".to_owned(),
            block: 1,
            time: 1,
            amount: order.dest_amount,
        };
        let refund_at = Timestamp::from_second(order.terms.refund_at.try_into().unwrap()).unwrap();
        let is_alarming = |decision, evidence: &Evidence, seconds_before| {
            let order = Order { decision, ..order.clone() };
            let now = refund_at - SignedDuration::from_secs(seconds_before);
            let evidence = evidence.clone();
            let context = OrderContext {
                now,
                evidence,
                origin_time: None,
                destination_time: None,
                deposit_balance: None,
            };
            is_alarming(&order, &context)
        };
        let none = Evidence::default();
        let filled = Evidence { fill: Some(shown()), ..Evidence::default() };
        assert!(!is_alarming(None, &filled, 7_200) && is_alarming(None, &filled, 7_199));
        assert!(is_alarming(Some(Decision::Fill), &none, 60), "its event may have been missed");
        assert!(!is_alarming(None, &none, 60) && !is_alarming(Some(Decision::Waive), &none, 60));
        let claimed = Evidence { claim: Some(shown()), ..filled.clone() };
        let refunded = Evidence { refund: Some((shown(), RefundCause::Waived)), ..filled };
        assert!(!is_alarming(None, &claimed, 60) && !is_alarming(None, &refunded, 60));
    }
}
