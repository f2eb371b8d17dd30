//! Checks that are safe with a real account.

use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampOffer, RampRefusal};
use causeway_domain::{ChainId, Token, TokenId};
use jiff::Timestamp;

use super::{CheckError, CheckPlan, Checked, ensure, failed};
use crate::transport::origin;

/// Maximum price change between two quotes, in percent.
const DRIFT_PERCENT: u64 = 5;

pub(super) async fn offering_can_be_read(ramp: &dyn OnRamp, _: &CheckPlan) -> Checked {
    match ramp.refresh().await {
        Ok(()) => Ok("its lists were read".to_owned()),
        Err(error) => failed(format!("{error}. Check its URL and the keys")),
    }
}

pub(super) async fn profile_is_complete(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let profile = ramp.profile();
    let simple = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    ensure(
        !profile.id.is_empty() && profile.id.bytes().all(simple),
        "its id is not lowercase letters, digits and hyphens",
    )?;
    ensure(!profile.name.is_empty(), "it has no name")?;
    ensure(!profile.currencies.is_empty(), "it accepts no currency")?;
    ensure(!profile.methods.is_empty(), "it has no payment method")?;
    ensure(profile.chains.contains(&plan.asset.id.chain()), "it does not deliver on the asset's chain")?;
    ensure(
        profile.limits.iter().all(|(least, most)| least.minor < most.minor),
        "a minimum is above its maximum",
    )?;
    let own = |text: &String| origin(text) == Some(text.as_str());
    ensure(
        !profile.origins.is_empty() && profile.origins.iter().all(own),
        "its checkout has no valid origin",
    )?;
    let [chains, currencies, methods, countries] =
        [profile.chains.len(), profile.currencies.len(), profile.methods.len(), profile.countries.len()];
    Ok(format!("{chains} chains, {currencies} currencies, {methods} payment methods, {countries} countries"))
}

pub(super) async fn asset_is_sold(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    ensure(ramp.sells(&plan.asset.id), format!("it does not sell {}", plan.asset.id))?;
    ensure(!ramp.sells(&elsewhere(plan)?.id), "it claims to sell on a chain that does not exist")?;
    Ok(plan.asset.id.to_string())
}

pub(super) async fn quote_matches_the_payment(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let offer = quote(ramp, plan).await?;
    ensure(offer.pays == plan.pays, format!("it charges {} where {} was requested", offer.pays, plan.pays))?;
    ensure(!offer.delivers.is_zero(), "it delivers nothing")?;
    ensure(offer.expires_at > Timestamp::now(), "its offer has already expired")?;
    ensure(
        offer.fees.iter().all(|fee| fee.amount.currency == plan.pays.currency),
        "a fee in another currency",
    )?;
    let fees = offer.fees.iter().try_fold(0_u64, |sum, fee| sum.checked_add(fee.amount.minor));
    ensure(fees.is_some_and(|fees| fees < plan.pays.minor), "its fees exceed the payment")?;
    let inside = |(least, most): (FiatAmount, FiatAmount)| {
        (least.minor..=most.minor).contains(&plan.pays.minor) && least.currency == plan.pays.currency
    };
    ensure(offer.limits.is_none_or(inside), "its offer is outside its own limits")?;
    let bought = offer.delivers.to_decimal(plan.asset.decimals);
    Ok(format!("{} {} buys {bought} {}", offer.pays, plan.pays.currency, plan.asset.symbol))
}

pub(super) async fn quote_matches_the_received_amount(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let paying = quote(ramp, plan).await?;
    let wanted = paying.delivers;
    let offer = match ramp.quote(&plan.ask(WantedAmount::Receive(wanted))).await {
        Ok(offer) => offer,
        Err(RampError::Refused(refusal)) => return Err(CheckError::Skipped(refusal.to_string())),
        Err(error) => return failed(error.to_string()),
    };
    ensure(offer.delivers >= wanted, format!("it delivers {} where {wanted} was requested", offer.delivers))?;
    let apart = offer.pays.minor.abs_diff(plan.pays.minor);
    let drift = plan.pays.minor.saturating_mul(DRIFT_PERCENT) / 100;
    ensure(apart <= drift.max(1), format!("{} one way and {} the other", plan.pays, offer.pays))?;
    Ok(format!("{} {}", offer.pays, offer.pays.currency))
}

pub(super) async fn out_of_range_amount_is_refused(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let limits = quote(ramp, plan).await?.limits;
    let Some((least, most)) = limits else { return Err(CheckError::Skipped("it has no limits".to_owned())) };
    for minor in [least.minor.saturating_sub(1), most.minor.saturating_add(1)] {
        let amount = FiatAmount::new(plan.pays.currency, minor);
        if minor == 0 {
            continue;
        }
        match ramp.quote(&plan.ask(WantedAmount::Pay(amount))).await {
            Err(RampError::Refused(_)) => {}
            Ok(_) => return failed(format!("it accepts {amount}")),
            Err(error) => return failed(format!("{amount}: {error}")),
        }
    }
    Ok(format!("{least} to {most} {}", plan.pays.currency))
}

pub(super) async fn unsupported_asset_method_or_currency_is_refused(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
) -> Checked {
    let elsewhere = RampAsk { asset: elsewhere(plan)?, ..plan.pay() };
    let method = RampAsk { method: Some("cowrie_shells".to_owned()), ..plan.pay() };
    let Ok(won) = "KPW".parse() else { return failed("a currency is missing") };
    let amount = WantedAmount::Pay(FiatAmount::new(won, plan.pays.minor));
    let currency = RampAsk { currency: won, amount, ..plan.pay() };
    for (ask, what) in [(elsewhere, "a token"), (method, "a payment method"), (currency, "a currency")] {
        match ramp.quote(&ask).await {
            Err(RampError::Refused(RampRefusal::Asset | RampRefusal::Method | RampRefusal::Currency(_))) => {}
            Err(RampError::Refused(refusal)) => {
                return failed(format!("{what}: the refusal is only “{refusal}”"));
            }
            Ok(_) => return failed(format!("it offers {what} that it does not support")),
            Err(error) => return failed(format!("{what}: {error}")),
        }
    }
    Ok("a token, a payment method and a currency".to_owned())
}

pub(super) async fn unopened_order_is_unknown(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    match ramp.look_up(&order).await {
        Ok(None) => Ok("it is unknown".to_owned()),
        Ok(Some(report)) => failed(format!("it reports an order that was never opened: {:?}", report.state)),
        Err(error) => failed(error.to_string()),
    }
}

pub(super) async fn checkout_is_at_the_providers_origin(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| CheckError::Failed(error.to_string()))?;
    let found = origin(&session.url).unwrap_or_default();
    ensure(ramp.profile().origins.iter().any(|own| own == found), format!("its checkout is at {found}"))?;
    Ok(found.to_owned())
}

pub(super) async fn repeated_checkout_is_the_same_purchase(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let open =
        async || ramp.checkout(&order, None).await.map_err(|error| CheckError::Failed(error.to_string()));
    let (first, second) = (open().await?, open().await?);
    ensure(first.provider_order == second.provider_order, "the second checkout is another purchase")?;
    if ramp.profile().session_for.is_some() {
        return Ok("each checkout has its own URL".to_owned());
    }
    ensure(first.url == second.url, "the second checkout has another URL")?;
    Ok("the same URL".to_owned())
}

pub(super) async fn rule_22_an_unsigned_webhook_is_rejected(ramp: &dyn OnRamp, _: &CheckPlan) -> Checked {
    for body in
        [b"".as_slice(), b"{}", b"{\"data\":\"e30.e30.\"}", b"{\"data\":\"eyJhbGciOiJub25lIn0.e30.\"}"]
    {
        let results = [
            ramp.read_webhook(&|_| None, body, Timestamp::now()),
            ramp.read_webhook(&|_| Some("t=1,s=00".to_owned()), body, Timestamp::now()),
        ];
        if results.iter().any(Result::is_ok) {
            return failed(format!("it accepts {}", String::from_utf8_lossy(body)));
        }
    }
    Ok("all are rejected".to_owned())
}

/// A quote for the plan.
pub(super) async fn quote(ramp: &dyn OnRamp, plan: &CheckPlan) -> Result<RampOffer, CheckError> {
    ramp.quote(&plan.pay()).await.map_err(|error| CheckError::Failed(format!("no quote: {error}")))
}

/// A token on an unknown chain.
fn elsewhere(plan: &CheckPlan) -> Result<Token, CheckError> {
    let Some(chain) = ChainId::new(1_234_567) else { return failed("a chain is missing") };
    Ok(Token { id: TokenId::native(chain), ..plan.asset.clone() })
}
