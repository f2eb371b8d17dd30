use causeway_domain::Quote;
use causeway_domain::fiat::{FiatAmount, FiatQuote, ForwardingOption, PaymentMethod};
use causeway_engine::fiat::{FiatAnswer, ProviderFault, QuotedPurchase};
use causeway_wire as wire;

use super::map_order::map_asset;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::mapping::map_token;
use crate::quotes::map_route::RouteMapping;

/// Maps one provider's answer to a line of the stream.
pub(super) fn map_answer(app: &App, answer: FiatAnswer) -> ApiResult<wire::FiatQuoteLine> {
    Ok(match answer {
        FiatAnswer::Quote(quote) => wire::FiatQuoteLine::Quote(Box::new(map_quote(app, &quote)?)),
        FiatAnswer::Fault(fault) => wire::FiatQuoteLine::Error(map_fault(fault)),
    })
}

pub(super) fn map_fault(fault: ProviderFault) -> wire::FiatProviderError {
    let (minimum, maximum) = fault.range.map(|(min, max)| (min.to_string(), max.to_string())).unzip();
    wire::FiatProviderError {
        provider: fault.provider,
        code: fault.code.as_str().to_owned(),
        minimum,
        maximum,
        message: fault.message,
        retryable: fault.retryable,
    }
}

pub(super) fn map_methods(methods: &[PaymentMethod]) -> Vec<wire::PaymentMethod> {
    let map =
        |method: &PaymentMethod| wire::PaymentMethod { id: method.id.clone(), name: method.name.clone() };
    methods.iter().map(map).collect()
}

pub(super) fn map_quote(app: &App, purchase: &QuotedPurchase) -> ApiResult<wire::FiatQuote> {
    let QuotedPurchase { quote, swap } = purchase;
    let routes = swap.as_ref().map(|swap| map_routes(app, swap, &quote.forwarding_options)).transpose()?;
    let snapshot = app.catalog.snapshot();
    let profile = app.fiat.ramps.get(&quote.provider).map(|ramp| ramp.profile());
    let zero = FiatAmount::new(quote.pays.currency, 0);
    let provider_fees = quote.fees.iter().try_fold(zero, |sum, fee| sum.checked_add(fee.amount));
    let swap_fee = match (&swap, provider_fees) {
        (Some(_), Some(fees)) => {
            swap_fee(RouteMapping::new(app, &snapshot), quote, fees).filter(|fee| fee.minor > 0)
        }
        _ => None,
    };
    let total = provider_fees.and_then(|fees| fees.checked_add(swap_fee.unwrap_or(zero)));
    let total = total.ok_or_else(|| ApiError::internal(&"the sum of the fees overflows"))?;
    let provider_fees = quote.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount));
    let (min_fiat_amount, max_fiat_amount) =
        quote.limits.map(|(min, max)| (min.to_string(), max.to_string())).unzip();
    Ok(wire::FiatQuote {
        quote_id: quote.id.to_string(),
        provider: quote.provider.clone(),
        provider_name: profile
            .as_ref()
            .map_or_else(|| quote.provider.clone(), |profile| profile.name.clone()),
        provider_logo_url: profile.and_then(|profile| profile.logo_url.clone()),
        kind: quote.firmness.as_str().to_owned(),
        swap_strategy: if routes.is_some() { "jump" } else { "direct" }.to_owned(),
        routes,
        fiat_currency: quote.pays.currency.to_string(),
        fiat_amount: quote.pays.to_string(),
        total_fee: total.to_string(),
        fees: provider_fees
            .chain(swap_fee.map(|fee| ("swap", fee)))
            .map(|(kind, amount)| wire::FiatFee { kind: kind.to_owned(), amount: amount.to_string() })
            .collect(),
        crypto_amount: quote.expected.to_string(),
        output_asset: map_asset(quote.ask.target),
        token: snapshot.token(&quote.ask.target).map(|listed| map_token(listed, app)),
        expected_output_amount: quote.expected.to_string(),
        min_output_amount: quote.least.to_string(),
        slippage_bps: quote.ask.slippage_bps,
        payment_methods: (!quote.methods.is_empty()).then(|| map_methods(&quote.methods)),
        min_fiat_amount,
        max_fiat_amount,
        expires_at: quote.expires_at.as_second(),
    })
}

/// What the swap costs: the part that its output is worth less than its input, of what is paid for that input. Rounded up.
fn swap_fee(mapping: RouteMapping<'_>, quote: &FiatQuote, provider_fees: FiatAmount) -> Option<FiatAmount> {
    let market = mapping.market(quote.sold, quote.ask.target)?;
    let paid = quote.pays.checked_sub(provider_fees)?;
    let lost = market.loss(quote.sold_amount, quote.expected)?.part_of(paid.minor)?;
    Some(FiatAmount::new(quote.pays.currency, lost))
}

/// The routes of the swap engine, each with the minimum output that the forwarding order guarantees.
fn map_routes(app: &App, swap: &Quote, options: &[ForwardingOption]) -> ApiResult<Vec<wire::FiatRoute>> {
    let snapshot = app.catalog.snapshot();
    let mapping = RouteMapping::new(app, &snapshot);
    let map = |option: &ForwardingOption| {
        let route = swap.routes.iter().find(|route| route.id == option.route);
        let route = route.ok_or_else(|| ApiError::internal(&"a forwarding option is not in its swap"))?;
        let wire::Route { route_id, r#type, quote, .. } = mapping.route(&swap.ask, route).into_wire();
        let quote = wire::RouteQuote { min_amount_out: option.least.to_string(), ..quote };
        Ok(wire::FiatRoute { route_id, r#type, quote })
    };
    options.iter().map(map).collect()
}
