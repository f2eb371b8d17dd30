use causeway_domain::fiat::{FiatAmount, FiatQuote, ForwardingOption, PaymentMethod};
use causeway_domain::{Quote, Route};
use causeway_engine::fiat::{FiatAnswer, ProviderFault};
use causeway_wire as wire;

use super::map_order::map_asset;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::mapping::map_token;
use crate::quotes::write_route::RouteWriter;

/// Maps one provider's answer to a line of the stream.
pub(super) async fn map_answer(app: &App, answer: FiatAnswer) -> ApiResult<wire::FiatQuoteLine> {
    Ok(match answer {
        FiatAnswer::Quote(quote) => wire::FiatQuoteLine::Quote(Box::new(map_quote(app, &quote).await?)),
        FiatAnswer::Fault(fault) => wire::FiatQuoteLine::Error(map_fault(fault)),
    })
}

pub(super) fn map_fault(fault: ProviderFault) -> wire::FiatProviderError {
    wire::FiatProviderError {
        provider: fault.provider,
        code: fault.code.as_str().to_owned(),
        message: fault.message,
        retryable: fault.retryable,
    }
}

pub(super) fn map_methods(methods: &[PaymentMethod]) -> Vec<wire::PaymentMethod> {
    let map =
        |method: &PaymentMethod| wire::PaymentMethod { id: method.id.clone(), name: method.name.clone() };
    methods.iter().map(map).collect()
}

pub(super) async fn map_quote(app: &App, quote: &FiatQuote) -> ApiResult<wire::FiatQuote> {
    let routes = if quote.is_forwarding() { Some(map_routes(app, quote).await?) } else { None };
    let snapshot = app.catalog.snapshot();
    let profile = app.fiat.ramps.get(&quote.provider).map(|ramp| ramp.profile());
    let zero = FiatAmount::new(quote.pays.currency, 0);
    let total = quote.fees.iter().try_fold(zero, |sum, fee| sum.checked_add(fee.amount));
    let total = total.ok_or_else(|| ApiError::internal(&"the sum of the fees overflows"))?;
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
        fees: quote
            .fees
            .iter()
            .map(|fee| wire::FiatFee { kind: fee.kind.as_str().to_owned(), amount: fee.amount.to_string() })
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

/// The routes of the swap engine, each with the minimum output that the forwarding order guarantees.
async fn map_routes(app: &App, quote: &FiatQuote) -> ApiResult<Vec<wire::FiatRoute>> {
    let mut routes = Vec::with_capacity(quote.forwarding_options.len());
    let mut swap: Option<Quote> = None;
    for option in &quote.forwarding_options {
        if swap.as_ref().is_none_or(|swap| swap.id != option.quote) {
            swap = app.quotes.quote(&option.quote).await?;
        }
        let found = swap.as_ref().and_then(|swap| {
            let route = swap.routes.iter().find(|route| route.id == option.route)?;
            map_route(app, swap, route, option)
        });
        routes
            .push(found.ok_or_else(|| {
                ApiError::internal(&"the route of a forwarding option is not in the store")
            })?);
    }
    Ok(routes)
}

fn map_route(app: &App, swap: &Quote, route: &Route, option: &ForwardingOption) -> Option<wire::FiatRoute> {
    let snapshot = app.catalog.snapshot();
    let line = RouteWriter::new(&snapshot, app.prices.as_ref(), &app.options.public_url, &swap.ask)
        .write_line(swap, route);
    let wire::StreamedRoute { route, .. } = serde_json::from_str(&line).ok()?;
    let quote = wire::RouteQuote { min_amount_out: option.least.to_string(), ..route.quote };
    Some(wire::FiatRoute { route_id: route.route_id, r#type: route.r#type, quote })
}
