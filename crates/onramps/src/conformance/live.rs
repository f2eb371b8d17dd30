//! What may be asked of a provider with a real account.

use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampOffer, RampRefusal};
use causeway_domain::{ChainId, Token, TokenId};
use jiff::Timestamp;

use super::{CheckPlan, Checked, Fault, failed, must};
use crate::transport::origin;

/// Prices move between two questions: so many parts of a hundred at most.
const DRIFT_PERCENT: u64 = 5;

pub(super) async fn what_it_offers_is_known(ramp: &dyn OnRamp, _: &CheckPlan) -> Checked {
    match ramp.refresh().await {
        Ok(()) => Ok("its lists were read".to_owned()),
        Err(error) => failed(format!("{error}. Check its address and the keys")),
    }
}

pub(super) async fn a_profile_is_whole(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let profile = ramp.profile();
    let simple = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    must(!profile.id.is_empty() && profile.id.bytes().all(simple), "its id is not a plain word")?;
    must(!profile.name.is_empty(), "it has no name")?;
    must(!profile.currencies.is_empty(), "it takes no currency")?;
    must(!profile.methods.is_empty(), "it takes no way of paying")?;
    must(profile.chains.contains(&plan.asset.id.chain()), "it does not deliver on the asset's chain")?;
    must(profile.limits.iter().all(|(least, most)| least.minor < most.minor), "a limit is upside down")?;
    let own = |text: &String| origin(text) == Some(text.as_str());
    must(!profile.origins.is_empty() && profile.origins.iter().all(own), "its checkout has no plain origin")?;
    let [chains, currencies, methods, countries] =
        [profile.chains.len(), profile.currencies.len(), profile.methods.len(), profile.countries.len()];
    Ok(format!("{chains} chains, {currencies} currencies, {methods} ways of paying, {countries} countries"))
}

pub(super) async fn it_sells_what_is_asked_for(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    must(ramp.sells(&plan.asset.id), format!("it does not sell {}", plan.asset.id))?;
    must(!ramp.sells(&elsewhere(plan)?.id), "it says that it sells on a chain that does not exist")?;
    Ok(plan.asset.id.to_string())
}

pub(super) async fn what_is_shown_is_what_is_charged(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let offer = quote(ramp, plan).await?;
    must(offer.pays == plan.pays, format!("it takes {} where {} was asked", offer.pays, plan.pays))?;
    must(!offer.delivers.is_zero(), "it delivers nothing")?;
    must(offer.expires_at > Timestamp::now(), "its offer is over already")?;
    must(
        offer.fees.iter().all(|fee| fee.amount.currency == plan.pays.currency),
        "a fee in another currency",
    )?;
    let fees = offer.fees.iter().try_fold(0_u64, |sum, fee| sum.checked_add(fee.amount.minor));
    must(fees.is_some_and(|fees| fees < plan.pays.minor), "its fees are more than the payment")?;
    let inside = |(least, most): (FiatAmount, FiatAmount)| {
        (least.minor..=most.minor).contains(&plan.pays.minor) && least.currency == plan.pays.currency
    };
    must(offer.limits.is_none_or(inside), "it offers what its own limits exclude")?;
    let bought = offer.delivers.to_decimal(plan.asset.decimals);
    Ok(format!("{} {} buys {bought} {}", offer.pays, plan.pays.currency, plan.asset.symbol))
}

pub(super) async fn what_is_asked_to_be_received_is_delivered(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
) -> Checked {
    let paying = quote(ramp, plan).await?;
    let wanted = paying.delivers;
    let offer = match ramp.quote(&plan.ask(WantedAmount::Receive(wanted))).await {
        Ok(offer) => offer,
        Err(RampError::Refused(refusal)) => return Err(Fault::Skipped(refusal.to_string())),
        Err(error) => return failed(error.to_string()),
    };
    must(offer.delivers >= wanted, format!("it delivers {} where {wanted} was asked", offer.delivers))?;
    let apart = offer.pays.minor.abs_diff(plan.pays.minor);
    let drift = plan.pays.minor.saturating_mul(DRIFT_PERCENT) / 100;
    must(apart <= drift.max(1), format!("{} one way and {} the other", plan.pays, offer.pays))?;
    Ok(format!("{} {}", offer.pays, offer.pays.currency))
}

pub(super) async fn out_of_range_is_refused(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let limits = quote(ramp, plan).await?.limits;
    let Some((least, most)) = limits else { return Err(Fault::Skipped("it tells no limits".to_owned())) };
    for minor in [least.minor.saturating_sub(1), most.minor.saturating_add(1)] {
        let amount = FiatAmount::new(plan.pays.currency, minor);
        if minor == 0 {
            continue;
        }
        match ramp.quote(&plan.ask(WantedAmount::Pay(amount))).await {
            Err(RampError::Refused(_)) => {}
            Ok(_) => return failed(format!("it offers to take {amount}")),
            Err(error) => return failed(format!("{amount}: {error}")),
        }
    }
    Ok(format!("{least} to {most} {}", plan.pays.currency))
}

pub(super) async fn what_it_does_not_sell_or_take_is_refused(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let elsewhere = RampAsk { asset: elsewhere(plan)?, ..plan.pay() };
    let method = RampAsk { method: Some("cowrie_shells".to_owned()), ..plan.pay() };
    let Ok(won) = "KPW".parse() else { return failed("a currency is missing") };
    let amount = WantedAmount::Pay(FiatAmount::new(won, plan.pays.minor));
    let currency = RampAsk { currency: won, amount, ..plan.pay() };
    for (ask, what) in [(elsewhere, "a token"), (method, "a way of paying"), (currency, "a currency")] {
        match ramp.quote(&ask).await {
            Err(RampError::Refused(RampRefusal::Asset | RampRefusal::Method | RampRefusal::Currency(_))) => {}
            Err(RampError::Refused(refusal)) => return failed(format!("{what}: only says “{refusal}”")),
            Ok(_) => return failed(format!("it offers {what} that it does not have")),
            Err(error) => return failed(format!("{what}: {error}")),
        }
    }
    Ok("a token, a way of paying and a currency".to_owned())
}

pub(super) async fn an_order_that_nobody_began_is_unknown(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    match ramp.look_up(&order).await {
        Ok(None) => Ok("nothing is known of it".to_owned()),
        Ok(Some(report)) => failed(format!("it knows an order that nobody made: {:?}", report.state)),
        Err(error) => failed(error.to_string()),
    }
}

pub(super) async fn a_checkout_lies_at_its_own_origin(ramp: &dyn OnRamp, plan: &CheckPlan) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let session = ramp.checkout(&order, None).await.map_err(|error| Fault::Failed(error.to_string()))?;
    let found = origin(&session.url).unwrap_or_default();
    must(ramp.profile().origins.iter().any(|own| own == found), format!("its checkout lies at {found}"))?;
    Ok(found.to_owned())
}

pub(super) async fn an_order_is_one_purchase_however_often_it_is_opened(
    ramp: &dyn OnRamp,
    plan: &CheckPlan,
) -> Checked {
    let order = plan.order(&ramp.profile().id, &quote(ramp, plan).await?)?;
    let open = async || ramp.checkout(&order, None).await.map_err(|error| Fault::Failed(error.to_string()));
    let (first, second) = (open().await?, open().await?);
    must(first.provider_order == second.provider_order, "the second checkout is another purchase")?;
    if ramp.profile().session_for.is_some() {
        return Ok("each checkout has an address of its own".to_owned());
    }
    must(first.url == second.url, "the second checkout lies elsewhere")?;
    Ok("the same address".to_owned())
}

pub(super) async fn rule_22_a_webhook_that_nobody_signed_is_refused(
    ramp: &dyn OnRamp,
    _: &CheckPlan,
) -> Checked {
    for body in
        [b"".as_slice(), b"{}", b"{\"data\":\"e30.e30.\"}", b"{\"data\":\"eyJhbGciOiJub25lIn0.e30.\"}"]
    {
        let believed = [
            ramp.read_webhook(&|_| None, body, Timestamp::now()),
            ramp.read_webhook(&|_| Some("t=1,s=00".to_owned()), body, Timestamp::now()),
        ];
        if believed.iter().any(Result::is_ok) {
            return failed(format!("it believes {}", String::from_utf8_lossy(body)));
        }
    }
    Ok("none is believed".to_owned())
}

/// A price for what the plan names.
pub(super) async fn quote(ramp: &dyn OnRamp, plan: &CheckPlan) -> Result<RampOffer, Fault> {
    ramp.quote(&plan.pay()).await.map_err(|error| Fault::Failed(format!("no quote: {error}")))
}

/// A token on a chain that nobody has heard of.
fn elsewhere(plan: &CheckPlan) -> Result<Token, Fault> {
    let Some(chain) = ChainId::new(1_234_567) else { return failed("a chain is missing") };
    Ok(Token { id: TokenId::native(chain), ..plan.asset.clone() })
}
