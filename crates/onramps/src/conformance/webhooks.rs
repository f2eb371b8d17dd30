//! Webhooks of a provider: valid, forged, stale and out of order.

use alloy_primitives::Address as EvmAddress;
use causeway_domain::fiat::{FiatAmount, FiatOrder};
use causeway_domain::ports::{OnRamp, RampNotice, RampReport, RampSession, RampState, WebhookError};
use causeway_domain::{Address, FiatOrderId};
use jiff::{SignedDuration, Timestamp};

use super::live::quote;
use super::{CheckError, CheckPlan, Checked, SignedWebhook, StandIn, ensure, failed};

/// An order with its checkout.
async fn order(ramp: &dyn OnRamp, plan: &CheckPlan) -> Result<(FiatOrder, RampSession), CheckError> {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| CheckError::Failed(error.to_string()))?;
    Ok((order, session))
}

fn read(ramp: &dyn OnRamp, webhook: &SignedWebhook, now: Timestamp) -> Result<RampNotice, WebhookError> {
    let find =
        |name: &str| webhook.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    ramp.read_webhook(&find, &webhook.body, now)
}

fn read_valid(ramp: &dyn OnRamp, webhook: &SignedWebhook, now: Timestamp) -> Result<RampNotice, CheckError> {
    read(ramp, webhook, now)
        .map_err(|error| CheckError::Failed(format!("a valid webhook is rejected: {error}")))
}

/// A documented status for that state.
fn status_for(stand_in: &dyn StandIn, wanted: &RampState) -> Result<&'static str, CheckError> {
    let found = stand_in.statuses().into_iter().find(|(_, state)| state == wanted);
    found.map_or_else(|| failed(format!("it has no status for {wanted:?}")), |(status, _)| Ok(status))
}

pub(super) async fn rule_22_a_changed_webhook_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let webhook = stand_in.webhook(&order, status_for(stand_in, &RampState::Paid)?, now, false);
    let notice = read_valid(ramp, &webhook, now)?;
    ensure(notice.order == order.id, "it is about another order")?;
    ensure(notice.report.state == RampState::Paid, format!("it reads {:?}", notice.report.state))?;
    let mut longer = webhook.clone();
    longer.body.push(b' ');
    ensure(read(ramp, &longer, now).is_err() || is_signed_body(&webhook), "a longer body is accepted")?;
    for at in 0..webhook.body.len() {
        let mut changed = webhook.clone();
        if let Some(byte) = changed.body.get_mut(at).filter(|byte| byte.is_ascii_alphanumeric()) {
            *byte = if *byte == b'7' { b'8' } else { b'7' };
        } else {
            continue;
        }
        // The last character of a base64 signature may hold unused bits.
        let same = |read: RampNotice| read == notice;
        let is_accepted = read(ramp, &changed, now).is_ok_and(|read| !same(read));
        ensure(!is_accepted, format!("byte {at} of the body may be changed"))?;
    }
    Ok(format!("none of {} changed bodies is accepted", webhook.body.len()))
}

/// Whether the body carries a signed token: the text around it is not signed, and has no meaning.
fn is_signed_body(webhook: &SignedWebhook) -> bool {
    webhook.headers.iter().all(|(name, _)| name == "content-type")
}

pub(super) async fn forged_webhook_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let status = status_for(stand_in, &RampState::Delivered)?;
    let forged = stand_in.webhook(&order, status, now, true);
    ensure(read(ramp, &forged, now) == Err(WebhookError::Signature), "a forged signature is accepted")?;
    let webhook = stand_in.webhook(&order, status, now, false);
    let bare = SignedWebhook { headers: Vec::new(), body: webhook.body.clone() };
    ensure(
        is_signed_body(&webhook) || read(ramp, &bare, now).is_err(),
        "it is accepted without a signature",
    )?;
    for (at, (name, value)) in
        webhook.headers.iter().enumerate().filter(|(_, (name, _))| name != "content-type")
    {
        let mut changed = webhook.clone();
        let turned: String = value.chars().rev().collect();
        if let Some(header) = changed.headers.get_mut(at) {
            header.1 = turned;
        }
        ensure(read(ramp, &changed, now).is_err(), format!("{name} is not verified"))?;
    }
    Ok("rejected".to_owned())
}

pub(super) async fn stale_webhook_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    if !stand_in.webhooks_have_timestamps() {
        return Err(CheckError::Skipped(
            "its signature covers no timestamp; repetitions are detected by the event id".to_owned(),
        ));
    }
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let webhook = stand_in.webhook(&order, status_for(stand_in, &RampState::Paid)?, now, false);
    for minutes in [-6, 6] {
        let then = now.checked_add(SignedDuration::from_mins(minutes)).unwrap_or(now);
        let stale = read(ramp, &webhook, then) == Err(WebhookError::Stale);
        ensure(stale, format!("it is accepted at {minutes:+} minutes"))?;
    }
    Ok("older than five minutes, and from the future".to_owned())
}

pub(super) async fn repeated_webhook_has_the_same_event_id(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let paid = status_for(stand_in, &RampState::Paid)?;
    let webhook = stand_in.webhook(&order, paid, now, false);
    let (first, again) = (read_valid(ramp, &webhook, now)?, read_valid(ramp, &webhook, now)?);
    ensure(first.event == again.event && !first.event.is_empty(), "a copy is another event")?;
    let other = stand_in.webhook(&order, status_for(stand_in, &RampState::Delivered)?, now, false);
    ensure(read_valid(ramp, &other, now)?.event != first.event, "another status is the same event")?;
    let elsewhere = FiatOrder { id: random_order_id()?, ..order };
    let elsewhere = stand_in.webhook(&elsewhere, paid, now, false);
    ensure(read_valid(ramp, &elsewhere, now)?.event != first.event, "another order is the same event")?;
    Ok(first.event)
}

pub(super) async fn webhooks_out_of_order_are_distinguished(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let [paid, delivered] =
        [status_for(stand_in, &RampState::Paid)?, status_for(stand_in, &RampState::Delivered)?];
    stand_in.set_status(&order, &session, delivered).await.map_err(CheckError::Failed)?;
    let last = read_valid(ramp, &stand_in.webhook(&order, delivered, now, false), now)?;
    let earlier = now.checked_sub(SignedDuration::from_secs(30)).unwrap_or(now);
    let late = read_valid(ramp, &stand_in.webhook(&order, paid, earlier, false), now)?;
    ensure(late.event != last.event, "two events have the same id")?;
    // A webhook only triggers a lookup, which returns the newest state.
    let report = look_up(ramp, &order).await?;
    ensure(report.state == RampState::Delivered, format!("the lookup returns {:?}", report.state))?;
    Ok("the lookup returns the newest state".to_owned())
}

pub(super) async fn webhook_names_its_order(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let elsewhere = FiatOrder { id: random_order_id()?, ..order };
    let notice = read_valid(
        ramp,
        &stand_in.webhook(&elsewhere, status_for(stand_in, &RampState::Paid)?, now, false),
        now,
    )?;
    ensure(notice.order == elsewhere.id, "an unknown order is mistaken for another")?;
    Ok("an unknown order keeps its own id".to_owned())
}

pub(super) async fn webhook_has_amount_and_wallet(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let paid = status_for(stand_in, &RampState::Paid)?;
    let notice_for = |order: &FiatOrder| read_valid(ramp, &stand_in.webhook(order, paid, now, false), now);
    let own = notice_for(&order)?.report;
    ensure(matches_order(&own, &order), format!("it reads {own:?} of the order itself"))?;
    let other_payment = FiatAmount::new(order.pays.currency, order.pays.minor.saturating_mul(3));
    let other_amount = notice_for(&FiatOrder { pays: other_payment, ..order.clone() })?.report;
    let wallet = match order.recipient {
        Address::Evm(_) => Address::Evm(EvmAddress::repeat_byte(0x66)),
        Address::Solana(_) => Address::Solana([0x66; 32]),
        Address::Bitcoin(_) | Address::Tron(_) => return failed("no purchase is delivered there"),
    };
    let other_wallet = notice_for(&FiatOrder { recipient: wallet, ..order.clone() })?.report;
    let seen = [
        ("amount", !matches_order(&other_amount, &order)),
        ("wallet", !matches_order(&other_wallet, &order)),
    ];
    if let Some((what, _)) = seen.iter().find(|(_, seen)| !seen) {
        let is_absent = if *what == "amount" { own.paid.is_none() } else { own.wallet.is_none() };
        ensure(is_absent, format!("another {what} is not detected"))?;
        return Err(CheckError::Skipped(format!("its webhooks do not contain the {what}; a lookup follows")));
    }
    Ok("another amount and another wallet are detected".to_owned())
}

pub(super) async fn documented_statuses_are_mapped(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let statuses = stand_in.statuses();
    for (status, state) in &statuses {
        let (order, session) = order(ramp, plan).await?;
        stand_in.set_status(&order, &session, status).await.map_err(CheckError::Failed)?;
        let report = look_up(ramp, &order).await?;
        ensure(report.state == *state, format!("{status} reads {:?}, not {state:?}", report.state))?;
        let now = Timestamp::now();
        let notice = read_valid(ramp, &stand_in.webhook(&order, status, now, false), now)?;
        ensure(
            notice.report.state == *state,
            format!("a webhook's {status} reads {:?}", notice.report.state),
        )?;
    }
    Ok(format!("{} statuses", statuses.len()))
}

pub(super) async fn unknown_status_is_kept_and_stays_open(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    stand_in.set_status(&order, &session, "TELEPORTING").await.map_err(CheckError::Failed)?;
    let report = look_up(ramp, &order).await?;
    let kept = matches!(&report.state, RampState::Unknown(raw) if raw == "TELEPORTING");
    ensure(kept, format!("it reads {:?}", report.state))?;
    Ok("kept unchanged".to_owned())
}

pub(super) async fn report_matches_the_order(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    stand_in
        .set_status(&order, &session, status_for(stand_in, &RampState::Delivered)?)
        .await
        .map_err(CheckError::Failed)?;
    let report = look_up(ramp, &order).await?;
    ensure(matches_order(&report, &order), format!("it reports {report:?}"))?;
    ensure(!report.payouts.is_empty(), "it delivered, but names no transaction")?;
    Ok("amount, token and wallet".to_owned())
}

async fn look_up(ramp: &dyn OnRamp, order: &FiatOrder) -> Result<RampReport, CheckError> {
    match ramp.look_up(order).await {
        Ok(Some(report)) => Ok(report),
        Ok(None) => failed("an opened order is unknown"),
        Err(error) => failed(error.to_string()),
    }
}

/// Whether a report is consistent with its order.
fn matches_order(report: &RampReport, order: &FiatOrder) -> bool {
    report.paid.is_none_or(|paid| paid == order.pays)
        && report.asset.is_none_or(|asset| asset == order.sold)
        && report.wallet.is_none_or(|wallet| wallet == order.deliver_to())
}

fn random_order_id() -> Result<FiatOrderId, CheckError> {
    FiatOrderId::random().map_err(|error| CheckError::Failed(error.to_string()))
}
