//! Answers that are none. Each is the provider's fault, and a second question is answered as if nothing had been.

use std::time::{Duration, Instant};

use causeway_domain::ports::{OnRamp, RampError, RampOffer, RampState};

use super::live::quote;
use super::{CheckPlan, Checked, Fault, Mischief, StandIn, failed, must};

/// Longer than anybody waits.
const FOREVER: Duration = Duration::from_mins(1);

async fn under(
    mischief: Mischief,
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Result<RampOffer, RampError> {
    stand_in.behave(mischief);
    let answer = ramp.quote(&plan.pay()).await;
    stand_in.behave(Mischief::None);
    answer
}

/// The quote is nonsense, and the provider is fine again afterwards.
async fn is_nonsense(
    mischief: Mischief,
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    match under(mischief, ramp, plan, stand_in).await {
        Err(RampError::Nonsense(words)) => {
            quote(ramp, plan).await?;
            Ok(words)
        }
        Err(error) => failed(format!("it is taken for something else: {error}")),
        Ok(offer) => failed(format!("it is taken for an offer: {offer:?}")),
    }
}

pub(super) async fn html_is_no_answer(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    is_nonsense(Mischief::Html, ramp, plan, stand_in).await
}

pub(super) async fn another_currency_is_no_answer(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    is_nonsense(Mischief::OtherCurrency, ramp, plan, stand_in).await
}

pub(super) async fn a_negative_fee_is_no_answer(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    is_nonsense(Mischief::NegativeFee, ramp, plan, stand_in).await
}

pub(super) async fn a_float_with_17_digits_is_never_another_amount(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    match under(Mischief::LongFloat, ramp, plan, stand_in).await {
        Ok(offer) if offer.pays == plan.pays => Ok("it is read as the amount that was asked for".to_owned()),
        Ok(offer) => failed(format!("{} was asked, and {} is read", plan.pays, offer.pays)),
        Err(RampError::Nonsense(words)) => Ok(words),
        Err(error) => failed(error.to_string()),
    }
}

pub(super) async fn nobody_is_followed_to_a_foreign_host(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let words = is_nonsense(Mischief::Redirect, ramp, plan, stand_in).await?;
    must(stand_in.led_away() == 0, "it was followed")?;
    Ok(words)
}

pub(super) async fn an_order_of_another_partner_is_not_ours(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| Fault::Failed(error.to_string()))?;
    let delivered = stand_in.statuses().into_iter().find(|(_, state)| *state == RampState::Delivered);
    let status = delivered.map(|(status, _)| status).unwrap_or_default();
    stand_in.walk(&order, &session, status).await.map_err(Fault::Failed)?;
    stand_in.behave(Mischief::OtherPartner);
    let looked = ramp.look_up(&order).await;
    stand_in.behave(Mischief::None);
    match looked {
        Err(RampError::Nonsense(words)) => Ok(words),
        Ok(None) => Ok("it is not found".to_owned()),
        other => failed(format!("another's order is taken for ours: {other:?}")),
    }
}

pub(super) async fn a_short_failure_is_asked_again(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let before = stand_in.heard();
    let answer = under(Mischief::Failing(1), ramp, plan, stand_in).await;
    let asked = stand_in.heard().saturating_sub(before);
    must(answer.is_ok(), format!("one failure is final: {answer:?}"))?;
    must(asked >= 2, "it was not asked again")?;
    Ok(format!("answered at question {asked}"))
}

pub(super) async fn who_has_too_many_requests_is_left_alone(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    // Longer than a question may take, so that it is given up at once and remembered for a while.
    let first = under(Mischief::TooMany(FAR), ramp, plan, stand_in).await;
    must(matches!(first, Err(RampError::Unavailable(_))), format!("{first:?}"))?;
    let before = stand_in.heard();
    let second = ramp.quote(&plan.pay()).await;
    must(matches!(second, Err(RampError::Unavailable(_))), format!("{second:?}"))?;
    must(stand_in.heard() == before, "it was asked although it said for how long not to")?;
    tokio::time::sleep(Duration::from_secs(u64::from(FAR))).await;
    quote(ramp, plan).await?;
    Ok(format!("for {FAR} s, as it asked"))
}

/// Seconds: more than the patience that a stand-in is asked with, few enough to wait for.
const FAR: u32 = 3;

pub(super) async fn who_is_down_is_unavailable(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let before = stand_in.heard();
    let answer = under(Mischief::Down, ramp, plan, stand_in).await;
    let asked = stand_in.heard().saturating_sub(before);
    must(matches!(answer, Err(RampError::Unavailable(_))), format!("{answer:?}"))?;
    must((1..=8).contains(&asked), format!("it was asked {asked} times"))?;
    Ok(format!("given up after question {asked}"))
}

pub(super) async fn a_slow_answer_is_given_up(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let start = Instant::now();
    let answer = under(Mischief::Slow(FOREVER), ramp, plan, stand_in).await;
    must(matches!(answer, Err(RampError::Unavailable(_))), format!("{answer:?}"))?;
    must(start.elapsed() < FOREVER, "it was waited for")?;
    Ok("unavailable".to_owned())
}
