use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{Carrier, Deed, DeedError, Progress};
use causeway_domain::{Address, RawAmount, TokenId};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::journal::JournalError;
use super::provider::{Provider, now_ms};
use super::session::{Reason, Session, State};
use super::switches::Switches;

/// How often purchases are looked at although nothing has happened, and how often while there are none.
const TURN: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(10);

/// How often what was sent is looked after.
const TEND: Duration = Duration::from_millis(500);

/// How long after a refusal of the chain it is tried again, and how often.
const AGAIN_MS: i64 = 1_000;
const TRIES: u32 = 30;

/// How often a delivery was refused, and when it is tried again.
type Refusals = HashMap<String, (u32, i64)>;

/// Lets pending payments arrive, and delivers what is paid, until `stop`.
pub(super) async fn deliver(provider: Arc<Provider>, stop: CancellationToken) {
    let mut refusals = Refusals::new();
    loop {
        let turn = if provider.book().is_idle() { IDLE } else { TURN };
        tokio::select! {
            () = stop.cancelled() => return,
            () = provider.wake.notified() => {}
            () = tokio::time::sleep(turn) => {}
        }
        let switches = provider.switches();
        if switches.down {
            continue;
        }
        let open = provider.book().open_sessions();
        for session in open {
            if let Err(error) = step(&provider, &session, &switches, &mut refusals).await {
                tracing::error!(provider = provider.plan.id(), %error, "the play provider cannot write");
            }
        }
    }
}

/// Sends again what was lost, until `stop`.
pub(super) async fn tend(carriers: Vec<Arc<dyn Carrier>>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TEND) => {}
        }
        for carrier in &carriers {
            if let Err(error) = carrier.tend(Timestamp::now()).await {
                tracing::debug!(chain = %carrier.chain(), %error, "deliveries cannot be looked after now");
            }
        }
    }
}

/// Moves one purchase as far as it can go now.
async fn step(
    provider: &Provider,
    session: &Session,
    switches: &Switches,
    refusals: &mut Refusals,
) -> Result<(), JournalError> {
    let (name, now) = (&session.agreed.session, now_ms());
    match session.state {
        State::AwaitingPayment | State::Challenge if session.agreed.expires_at <= now => {
            let reason = Reason::new("expired", "nothing was paid in time");
            provider.shift(name, State::Expired, None, Some(reason)).map(drop)
        }
        State::PaymentPending if session.due_at.is_none_or(|due| due <= now) => {
            provider.shift(name, State::Paid, None, None).map(drop)
        }
        State::Paid => {
            provider.book().owe(name, &owed(session, switches), now)?;
            provider.wake.notify_one();
            Ok(())
        }
        State::Delivering => carry(provider, session, refusals).await,
        _ => Ok(()),
    }
}

/// What is delivered, transfer by transfer.
fn owed(session: &Session, switches: &Switches) -> Vec<String> {
    let promised: RawAmount = session.agreed.amount.parse().unwrap_or_default();
    let share = promised.mul_div_floor(U256::from(switches.pays_bps), U256::from(10_000));
    let amount = share.filter(|share| !share.is_zero()).unwrap_or(promised).to_string();
    vec![amount; if switches.pays_twice { 2 } else { 1 }]
}

async fn carry(provider: &Provider, session: &Session, refusals: &mut Refusals) -> Result<(), JournalError> {
    let name = &session.agreed.session;
    let now = now_ms();
    if refusals.get(name).is_some_and(|(_, again)| *again > now) {
        return Ok(());
    }
    for (place, delivery) in session.deliveries.iter().enumerate().filter(|(_, delivery)| !delivery.landed) {
        match transfer(provider, session, place, &delivery.amount).await {
            Ok(Progress::Waiting) => return Ok(()),
            Ok(Progress::OnItsWay(tx)) => return provider.book().carried(name, place, &tx, false),
            Ok(Progress::Succeeded(tx)) => provider.book().carried(name, place, &tx, true)?,
            Ok(Progress::Reverted(_)) => return undeliverable(provider, name),
            Err(DeedError::Never(words)) => {
                tracing::warn!(provider = provider.plan.id(), words, "a play purchase cannot be delivered");
                return undeliverable(provider, name);
            }
            Err(error) => {
                let refused = refusals.entry(name.clone()).or_default();
                let would_fail = matches!(error, DeedError::WouldFail(_));
                *refused = (refused.0 + u32::from(would_fail), now + AGAIN_MS);
                tracing::debug!(provider = provider.plan.id(), %error, "a delivery waits");
                return if refused.0 < TRIES { Ok(()) } else { undeliverable(provider, name) };
            }
        }
    }
    refusals.remove(name);
    provider.shift(name, State::Completed, None, None).map(drop)
}

fn undeliverable(provider: &Provider, name: &str) -> Result<(), JournalError> {
    let words = "the chain does not take the delivery; the payment goes back";
    provider.shift(name, State::Failed, None, Some(Reason::new("delivery_failed", words))).map(drop)
}

/// Sends one transfer, or tells how far it has come: a purpose is carried out once.
async fn transfer(
    provider: &Provider,
    session: &Session,
    place: usize,
    amount: &str,
) -> Result<Progress, DeedError> {
    let never = |words: &str| DeedError::Never(words.to_owned());
    let token: TokenId = session.agreed.asset.parse().map_err(|_| never("the asset cannot be read"))?;
    let family = token.chain().family();
    let to =
        Address::parse(family, &session.agreed.wallet).map_err(|_| never("the wallet cannot be read"))?;
    let amount: RawAmount = amount.parse().map_err(|_| never("the amount cannot be read"))?;
    let carrier = provider.settings.carriers.get(&token.chain());
    let carrier = carrier.ok_or_else(|| DeedError::Later("nobody delivers on this chain yet".to_owned()))?;
    let mut purpose = format!("ramp:{}:{}", provider.plan.id(), session.agreed.order);
    if place > 0 {
        purpose = format!("{purpose}:{place}");
    }
    carrier.carry(&purpose, &Deed::Pay { token, to, amount }, Timestamp::now()).await
}
