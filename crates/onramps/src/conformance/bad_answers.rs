//! Invalid responses. Each is the provider's fault, and later requests work normally.

use std::time::{Duration, Instant};

use causeway_domain::ports::{OnRamp, RampError, RampOffer, RampState};

use super::live::quote;
use super::{CheckError, CheckPlan, Checked, FaultInjection, StandIn, ensure, failed};

/// Longer than any timeout.
const VERY_LONG: Duration = Duration::from_mins(1);

async fn quote_with_fault(
    fault: FaultInjection,
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Result<RampOffer, RampError> {
    stand_in.inject_fault(fault);
    let answer = ramp.quote(&plan.pay()).await;
    stand_in.inject_fault(FaultInjection::None);
    answer
}

/// The quote is rejected as invalid, and the next one works.
async fn quote_is_rejected(
    fault: FaultInjection,
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    match quote_with_fault(fault, ramp, plan, stand_in).await {
        Err(RampError::Nonsense(message)) => {
            quote(ramp, plan).await?;
            Ok(message)
        }
        Err(error) => failed(format!("it gives another error: {error}")),
        Ok(offer) => failed(format!("it gives an offer: {offer:?}")),
    }
}

pub(super) async fn html_response_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    quote_is_rejected(FaultInjection::Html, ramp, plan, stand_in).await
}

pub(super) async fn quote_in_another_currency_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    quote_is_rejected(FaultInjection::OtherCurrency, ramp, plan, stand_in).await
}

pub(super) async fn negative_fee_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    quote_is_rejected(FaultInjection::NegativeFee, ramp, plan, stand_in).await
}

pub(super) async fn float_noise_never_changes_an_amount(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    match quote_with_fault(FaultInjection::LongFloat, ramp, plan, stand_in).await {
        Ok(offer) if offer.pays == plan.pays => Ok("it is read as the requested amount".to_owned()),
        Ok(offer) => failed(format!("{} was requested, but {} was read", plan.pays, offer.pays)),
        Err(RampError::Nonsense(message)) => Ok(message),
        Err(error) => failed(error.to_string()),
    }
}

pub(super) async fn redirect_is_not_followed(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let message = quote_is_rejected(FaultInjection::Redirect, ramp, plan, stand_in).await?;
    ensure(stand_in.redirects_followed() == 0, "the redirect was followed")?;
    Ok(message)
}

pub(super) async fn order_of_another_partner_is_rejected(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| CheckError::Failed(error.to_string()))?;
    let delivered = stand_in.statuses().into_iter().find(|(_, state)| *state == RampState::Delivered);
    let status = delivered.map(|(status, _)| status).unwrap_or_default();
    stand_in.set_status(&order, &session, status).await.map_err(CheckError::Failed)?;
    stand_in.inject_fault(FaultInjection::OtherPartner);
    let report = ramp.look_up(&order).await;
    stand_in.inject_fault(FaultInjection::None);
    match report {
        Err(RampError::Nonsense(message)) => Ok(message),
        Ok(None) => Ok("it is not found".to_owned()),
        other => failed(format!("another partner's order is accepted: {other:?}")),
    }
}

pub(super) async fn transient_failure_is_retried(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let before = stand_in.request_count();
    let answer = quote_with_fault(FaultInjection::Failing(1), ramp, plan, stand_in).await;
    let requests = stand_in.request_count().saturating_sub(before);
    ensure(answer.is_ok(), format!("one failure is not retried: {answer:?}"))?;
    ensure(requests >= 2, "the request was not retried")?;
    Ok(format!("succeeded at request {requests}"))
}

pub(super) async fn rate_limit_is_honoured(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    // Longer than the timeout, so that the request fails at once and the pause is remembered.
    let first = quote_with_fault(FaultInjection::TooMany(RETRY_AFTER_SECONDS), ramp, plan, stand_in).await;
    ensure(matches!(first, Err(RampError::Unavailable(_))), format!("{first:?}"))?;
    let before = stand_in.request_count();
    let second = ramp.quote(&plan.pay()).await;
    ensure(matches!(second, Err(RampError::Unavailable(_))), format!("{second:?}"))?;
    ensure(stand_in.request_count() == before, "a request was sent during Retry-After")?;
    tokio::time::sleep(Duration::from_secs(u64::from(RETRY_AFTER_SECONDS))).await;
    quote(ramp, plan).await?;
    Ok(format!("for {RETRY_AFTER_SECONDS} s, as requested"))
}

/// Longer than the timeout of the tests, short enough to wait for.
const RETRY_AFTER_SECONDS: u32 = 3;

pub(super) async fn unreachable_provider_is_unavailable(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let before = stand_in.request_count();
    let answer = quote_with_fault(FaultInjection::Down, ramp, plan, stand_in).await;
    let requests = stand_in.request_count().saturating_sub(before);
    ensure(matches!(answer, Err(RampError::Unavailable(_))), format!("{answer:?}"))?;
    ensure((1..=8).contains(&requests), format!("{requests} requests were sent"))?;
    Ok(format!("gave up after {requests} requests"))
}

pub(super) async fn slow_response_times_out(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
    stand_in: &dyn StandIn,
) -> Checked {
    let start = Instant::now();
    let answer = quote_with_fault(FaultInjection::Slow(VERY_LONG), ramp, plan, stand_in).await;
    ensure(matches!(answer, Err(RampError::Unavailable(_))), format!("{answer:?}"))?;
    ensure(start.elapsed() < VERY_LONG, "it did not time out")?;
    Ok("unavailable".to_owned())
}
