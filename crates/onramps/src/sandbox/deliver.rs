use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{ActionError, ChainAction, Progress, TxSender};
use causeway_domain::{Address, RawAmount, TokenId};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::journal::JournalError;
use super::provider::{Provider, now_ms};
use super::session::{Reason, Session, State};
use super::switches::Switches;

/// Poll interval of open purchases, and the interval while there are none.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Poll interval of pending transactions.
const PENDING_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Delay after a transfer that would revert, and maximum attempts.
const RETRY_DELAY_MS: i64 = 1_000;
const MAX_ATTEMPTS: u32 = 30;

/// Failed attempts of each delivery, and when it is retried.
type FailedAttempts = HashMap<String, (u32, i64)>;

/// Completes pending payments and delivers paid purchases, until `stop`.
pub(super) async fn deliver(provider: Arc<Provider>, stop: CancellationToken) {
    let mut failed_attempts = FailedAttempts::new();
    loop {
        let interval = if provider.purchases.lock().is_idle() { IDLE_POLL_INTERVAL } else { POLL_INTERVAL };
        tokio::select! {
            () = stop.cancelled() => return,
            () = provider.delivery_wake.notified() => {}
            () = tokio::time::sleep(interval) => {}
        }
        let switches = provider.switches();
        if switches.down {
            continue;
        }
        let open = provider.purchases.lock().open_sessions();
        for session in open {
            if let Err(error) = step(&provider, &session, &switches, &mut failed_attempts).await {
                tracing::error!(provider = provider.plan.id(), %error, "sandbox provider cannot write its journal");
            }
        }
    }
}

/// Polls pending transactions, until `stop`.
pub(super) async fn poll_pending_transactions(tx_senders: Vec<Arc<dyn TxSender>>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(PENDING_POLL_INTERVAL) => {}
        }
        for tx_sender in &tx_senders {
            if let Err(error) = tx_sender.poll_pending(Timestamp::now()).await {
                tracing::debug!(chain = %tx_sender.chain(), %error, "cannot poll pending transactions");
            }
        }
    }
}

/// Advances one purchase.
async fn step(
    provider: &Provider,
    session: &Session,
    switches: &Switches,
    failed_attempts: &mut FailedAttempts,
) -> Result<(), JournalError> {
    let (name, now) = (&session.terms.session, now_ms());
    match session.state {
        State::AwaitingPayment | State::Challenge if session.terms.expires_at <= now => {
            let reason = Reason::new("expired", "the payment did not arrive in time");
            provider.transition(name, State::Expired, None, Some(reason)).map(drop)
        }
        State::PaymentPending if session.due_at.is_none_or(|due| due <= now) => {
            provider.transition(name, State::Paid, None, None).map(drop)
        }
        State::Paid => {
            provider.purchases.lock().record_payouts(name, &payout_amounts(session, switches), now)?;
            provider.delivery_wake.notify_one();
            Ok(())
        }
        State::Delivering => send_transfers(provider, session, failed_attempts).await,
        _ => Ok(()),
    }
}

/// The amount of each transfer.
fn payout_amounts(session: &Session, switches: &Switches) -> Vec<String> {
    let promised: RawAmount = session.terms.amount.parse().unwrap_or_default();
    let share = promised.mul_div_floor(U256::from(switches.pays_bps), U256::from(10_000));
    let amount = share.filter(|share| !share.is_zero()).unwrap_or(promised).to_string();
    vec![amount; if switches.pays_twice { 2 } else { 1 }]
}

async fn send_transfers(
    provider: &Provider,
    session: &Session,
    failed_attempts: &mut FailedAttempts,
) -> Result<(), JournalError> {
    let name = &session.terms.session;
    let now = now_ms();
    if failed_attempts.get(name).is_some_and(|(_, again)| *again > now) {
        return Ok(());
    }
    for (index, delivery) in session.deliveries.iter().enumerate().filter(|(_, delivery)| !delivery.is_final)
    {
        match transfer(provider, session, index, &delivery.amount).await {
            Ok(Progress::Waiting) => return Ok(()),
            Ok(Progress::Sent(tx)) => {
                return provider.purchases.lock().record_transfer(name, index, &tx, false);
            }
            Ok(Progress::Succeeded(tx)) => {
                provider.purchases.lock().record_transfer(name, index, &tx, true)?;
            }
            Ok(Progress::Reverted(_)) => return fail_delivery(provider, name),
            Err(ActionError::Permanent(message)) => {
                tracing::warn!(
                    provider = provider.plan.id(),
                    message,
                    "sandbox purchase cannot be delivered"
                );
                return fail_delivery(provider, name);
            }
            Err(error) => {
                let failures = failed_attempts.entry(name.clone()).or_default();
                let would_fail = matches!(error, ActionError::WouldFail(_));
                *failures = (failures.0 + u32::from(would_fail), now + RETRY_DELAY_MS);
                tracing::debug!(provider = provider.plan.id(), %error, "delivery delayed");
                return if failures.0 < MAX_ATTEMPTS { Ok(()) } else { fail_delivery(provider, name) };
            }
        }
    }
    failed_attempts.remove(name);
    provider.transition(name, State::Completed, None, None).map(drop)
}

fn fail_delivery(provider: &Provider, name: &str) -> Result<(), JournalError> {
    let message = "the chain rejects the delivery; the payment is refunded";
    provider.transition(name, State::Failed, None, Some(Reason::new("delivery_failed", message))).map(drop)
}

/// Sends one transfer, or returns its progress: each purpose is sent once.
async fn transfer(
    provider: &Provider,
    session: &Session,
    index: usize,
    amount: &str,
) -> Result<Progress, ActionError> {
    let permanent = |message: &str| ActionError::Permanent(message.to_owned());
    let token: TokenId = session.terms.asset.parse().map_err(|_| permanent("the asset cannot be read"))?;
    let family = token.chain().family();
    let to =
        Address::parse(family, &session.terms.wallet).map_err(|_| permanent("the wallet cannot be read"))?;
    let amount: RawAmount = amount.parse().map_err(|_| permanent("the amount cannot be read"))?;
    let tx_sender = provider.settings.tx_senders.get(&token.chain());
    let tx_sender =
        tx_sender.ok_or_else(|| ActionError::Temporary("there is no sender on this chain yet".to_owned()))?;
    let mut purpose = format!("ramp:{}:{}", provider.plan.id(), session.terms.order);
    if index > 0 {
        purpose = format!("{purpose}:{index}");
    }
    tx_sender.send(&purpose, &ChainAction::Pay { token, to, amount }, Timestamp::now()).await
}
