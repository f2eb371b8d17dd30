//! What a provider tells by itself, and what becomes of it when somebody else says it.

use alloy_primitives::Address as EvmAddress;
use causeway_domain::fiat::{FiatAmount, FiatOrder};
use causeway_domain::ports::{OnRamp, RampNotice, RampReport, RampSession, RampState, WebhookError};
use causeway_domain::{Address, FiatOrderId};
use jiff::{SignedDuration, Timestamp};

use super::live::quote;
use super::{CheckPlan, Checked, Fault, Hook, StandIn, failed, must};

/// An order with its checkout.
async fn order(ramp: &dyn OnRamp, plan: &CheckPlan) -> Result<(FiatOrder, RampSession), Fault> {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| Fault::Failed(error.to_string()))?;
    Ok((order, session))
}

fn read(ramp: &dyn OnRamp, hook: &Hook, now: Timestamp) -> Result<RampNotice, WebhookError> {
    let find =
        |name: &str| hook.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    ramp.read_webhook(&find, &hook.body, now)
}

fn good(ramp: &dyn OnRamp, hook: &Hook, now: Timestamp) -> Result<RampNotice, Fault> {
    read(ramp, hook, now).map_err(|error| Fault::Failed(format!("a good webhook is refused: {error}")))
}

/// A documented word for that state.
fn word(stand_in: &dyn StandIn, wanted: &RampState) -> Result<&'static str, Fault> {
    let found = stand_in.statuses().into_iter().find(|(_, state)| state == wanted);
    found.map_or_else(|| failed(format!("it has no word for {wanted:?}")), |(word, _)| Ok(word))
}

pub(super) async fn rule_22_a_webhook_is_believed_only_as_it_was_signed(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let hook = stand_in.hook(&order, word(stand_in, &RampState::Paid)?, now, false);
    let notice = good(ramp, &hook, now)?;
    must(notice.order == order.id, "it is about another order")?;
    must(notice.report.state == RampState::Paid, format!("it reads {:?}", notice.report.state))?;
    let mut longer = hook.clone();
    longer.body.push(b' ');
    must(read(ramp, &longer, now).is_err() || is_wrapped(&hook), "a longer body is believed")?;
    for at in 0..hook.body.len() {
        let mut changed = hook.clone();
        if let Some(byte) = changed.body.get_mut(at).filter(|byte| byte.is_ascii_alphanumeric()) {
            *byte = if *byte == b'7' { b'8' } else { b'7' };
        } else {
            continue;
        }
        // The last letter of a signature in base64 may hold bits that mean nothing.
        let same = |read: RampNotice| read == notice;
        let passes = read(ramp, &changed, now).is_ok_and(|read| !same(read));
        must(!passes, format!("byte {at} of the body may be changed"))?;
    }
    Ok(format!("none of {} changed bodies is believed", hook.body.len()))
}

/// A body that only carries a signed text: what stands around it is not signed, and says nothing.
fn is_wrapped(hook: &Hook) -> bool {
    hook.headers.iter().all(|(name, _)| name == "content-type")
}

pub(super) async fn a_forged_webhook_is_refused(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let word = word(stand_in, &RampState::Delivered)?;
    let forged = stand_in.hook(&order, word, now, true);
    must(read(ramp, &forged, now) == Err(WebhookError::Signature), "somebody else's signature is believed")?;
    let hook = stand_in.hook(&order, word, now, false);
    let bare = Hook { headers: Vec::new(), body: hook.body.clone() };
    must(is_wrapped(&hook) || read(ramp, &bare, now).is_err(), "it is believed without a signature")?;
    for (at, (name, value)) in hook.headers.iter().enumerate().filter(|(_, (name, _))| name != "content-type")
    {
        let mut changed = hook.clone();
        let turned: String = value.chars().rev().collect();
        if let Some(header) = changed.headers.get_mut(at) {
            header.1 = turned;
        }
        must(read(ramp, &changed, now).is_err(), format!("{name} is not looked at"))?;
    }
    Ok("refused".to_owned())
}

pub(super) async fn a_stale_webhook_is_refused(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    if !stand_in.hooks_have_times() {
        return Err(Fault::Skipped(
            "its signature covers no time; a repetition is known by its event".to_owned(),
        ));
    }
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let hook = stand_in.hook(&order, word(stand_in, &RampState::Paid)?, now, false);
    for minutes in [-6, 6] {
        let then = now.checked_add(SignedDuration::from_mins(minutes)).unwrap_or(now);
        let stale = read(ramp, &hook, then) == Err(WebhookError::Stale);
        must(stale, format!("it is believed at {minutes:+} minutes"))?;
    }
    Ok("older than five minutes, and from the future".to_owned())
}

pub(super) async fn a_repeated_webhook_names_the_same_event(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let paid = word(stand_in, &RampState::Paid)?;
    let hook = stand_in.hook(&order, paid, now, false);
    let (first, again) = (good(ramp, &hook, now)?, good(ramp, &hook, now)?);
    must(first.event == again.event && !first.event.is_empty(), "a copy is another event")?;
    let other = stand_in.hook(&order, word(stand_in, &RampState::Delivered)?, now, false);
    must(good(ramp, &other, now)?.event != first.event, "another status is the same event")?;
    let elsewhere = FiatOrder { id: another()?, ..order };
    let elsewhere = stand_in.hook(&elsewhere, paid, now, false);
    must(good(ramp, &elsewhere, now)?.event != first.event, "another order is the same event")?;
    Ok(first.event)
}

pub(super) async fn webhooks_out_of_order_are_told_apart(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let [paid, delivered] = [word(stand_in, &RampState::Paid)?, word(stand_in, &RampState::Delivered)?];
    stand_in.walk(&order, &session, delivered).await.map_err(Fault::Failed)?;
    let last = good(ramp, &stand_in.hook(&order, delivered, now, false), now)?;
    let earlier = now.checked_sub(SignedDuration::from_secs(30)).unwrap_or(now);
    let late = good(ramp, &stand_in.hook(&order, paid, earlier, false), now)?;
    must(late.event != last.event, "two events have one name")?;
    // A webhook only makes the service ask; what it is told then is the newest.
    let report = look(ramp, &order).await?;
    must(report.state == RampState::Delivered, format!("asked, it says {:?}", report.state))?;
    Ok("what it says when asked stays the newest".to_owned())
}

pub(super) async fn a_webhook_tells_whose_order_it_is(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let elsewhere = FiatOrder { id: another()?, ..order };
    let notice = good(ramp, &stand_in.hook(&elsewhere, word(stand_in, &RampState::Paid)?, now, false), now)?;
    must(notice.order == elsewhere.id, "an order that nobody knows is taken for another")?;
    Ok("an unknown order keeps its own name".to_owned())
}

pub(super) async fn a_webhook_tells_its_amount_and_wallet(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, _) = order(ramp, plan).await?;
    let now = Timestamp::now();
    let paid = word(stand_in, &RampState::Paid)?;
    let told = |order: &FiatOrder| good(ramp, &stand_in.hook(order, paid, now, false), now);
    let own = told(&order)?.report;
    must(is_about(&own, &order), format!("it reads {own:?} of the order itself"))?;
    let dearer = FiatAmount::new(order.pays.currency, order.pays.minor.saturating_mul(3));
    let dear = told(&FiatOrder { pays: dearer, ..order.clone() })?.report;
    let wallet = match order.recipient {
        Address::Evm(_) => Address::Evm(EvmAddress::repeat_byte(0x66)),
        Address::Solana(_) => Address::Solana([0x66; 32]),
    };
    let astray = told(&FiatOrder { recipient: wallet, ..order.clone() })?.report;
    let seen = [("amount", !is_about(&dear, &order)), ("wallet", !is_about(&astray, &order))];
    if let Some((what, _)) = seen.iter().find(|(_, seen)| !seen) {
        let silent = if *what == "amount" { own.paid.is_none() } else { own.wallet.is_none() };
        must(silent, format!("another {what} is not seen"))?;
        return Err(Fault::Skipped(format!("its webhooks do not tell the {what}; it is asked then")));
    }
    Ok("another amount and another wallet are seen".to_owned())
}

pub(super) async fn every_documented_status_is_known(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let statuses = stand_in.statuses();
    for (status, state) in &statuses {
        let (order, session) = order(ramp, plan).await?;
        stand_in.walk(&order, &session, status).await.map_err(Fault::Failed)?;
        let report = look(ramp, &order).await?;
        must(report.state == *state, format!("{status} reads {:?}, not {state:?}", report.state))?;
        let now = Timestamp::now();
        let notice = good(ramp, &stand_in.hook(&order, status, now, false), now)?;
        must(notice.report.state == *state, format!("a webhook's {status} reads {:?}", notice.report.state))?;
    }
    Ok(format!("{} statuses", statuses.len()))
}

pub(super) async fn a_status_from_the_future_is_kept_and_still_open(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    stand_in.walk(&order, &session, "TELEPORTING").await.map_err(Fault::Failed)?;
    let report = look(ramp, &order).await?;
    let kept = matches!(&report.state, RampState::Unknown(raw) if raw == "TELEPORTING");
    must(kept, format!("it reads {:?}", report.state))?;
    Ok("kept as it came".to_owned())
}

pub(super) async fn what_is_reported_is_the_order_itself(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let (order, session) = order(ramp, plan).await?;
    stand_in.walk(&order, &session, word(stand_in, &RampState::Delivered)?).await.map_err(Fault::Failed)?;
    let report = look(ramp, &order).await?;
    must(is_about(&report, &order), format!("it reports {report:?}"))?;
    must(!report.payouts.is_empty(), "it delivered, and names no transaction")?;
    Ok("amount, token and wallet".to_owned())
}

async fn look(ramp: &dyn OnRamp, order: &FiatOrder) -> Result<RampReport, Fault> {
    match ramp.look_up(order).await {
        Ok(Some(report)) => Ok(report),
        Ok(None) => failed("nothing is known of an order that was begun"),
        Err(error) => failed(error.to_string()),
    }
}

/// Whether a report contradicts its order in nothing.
fn is_about(report: &RampReport, order: &FiatOrder) -> bool {
    report.paid.is_none_or(|paid| paid == order.pays)
        && report.asset.is_none_or(|asset| asset == order.sold)
        && report.wallet.is_none_or(|wallet| wallet == order.deliver_to())
}

fn another() -> Result<FiatOrderId, Fault> {
    FiatOrderId::random().map_err(|error| Fault::Failed(error.to_string()))
}
