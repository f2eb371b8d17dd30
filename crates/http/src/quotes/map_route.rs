use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Ask, Fee, Quote, RawAmount, Route, Slippage, TokenId, UsdAmount};
use causeway_engine::{Decimal, Loss, Market, PricedToken, is_one_click};
use causeway_wire as wire;
use jiff::Timestamp;

use super::json_text::JsonText;
use crate::App;
use crate::mapping::map_warning;

/// What routes are mapped with. The views borrow from the quote and are written as the types of `causeway-wire` serialize.
#[derive(Clone, Copy)]
pub(crate) struct RouteMapping<'a> {
    snapshot: &'a Snapshot,
    prices: &'a dyn PriceFeed,
    /// Base of the icon URLs.
    public_url: &'a str,
}

/// What is known of the market of both tokens: the same for all routes of a quote.
#[derive(Clone, Copy)]
struct PricedPair {
    market: Option<Market>,
    input: Option<PricedToken>,
    output: Option<PricedToken>,
    rate: Option<Decimal>,
}

/// A route, as [`wire::Route`].
pub(crate) struct RouteView<'a> {
    route: &'a Route,
    public_url: &'a str,
    quote: QuoteView<'a>,
}

/// The amounts of a route, as [`wire::RouteQuote`].
struct QuoteView<'a> {
    route: &'a Route,
    price: Option<Decimal>,
    amount_in_usd: Option<UsdAmount>,
    amount_out_usd: Option<UsdAmount>,
    total_fee_percent: Option<Loss>,
    slippage_tolerance: Option<f64>,
    open_until: Option<i64>,
    tag: &'static str,
    fees: FeesView<'a>,
}

struct FeesView<'a> {
    mapping: RouteMapping<'a>,
    /// Nearly all fees are in the input token.
    input: Option<PricedToken>,
    fees: &'a [Fee],
}

/// A fee, as [`wire::Fee`].
struct FeeView {
    kind: &'static str,
    token: TokenId,
    amount: RawAmount,
    usd: Option<UsdAmount>,
}

impl FeesView<'_> {
    fn views(&self) -> impl Iterator<Item = FeeView> {
        self.fees.iter().map(|fee| {
            let input = self.input.filter(|input| input.token == fee.token);
            let priced = input.or_else(|| self.mapping.priced(fee.token));
            FeeView {
                kind: fee.kind.as_str(),
                token: fee.token,
                amount: fee.amount,
                usd: priced.and_then(|token| token.usd(fee.amount)),
            }
        })
    }
}

impl<'a> RouteMapping<'a> {
    pub(crate) fn new(app: &'a App, snapshot: &'a Snapshot) -> Self {
        Self { snapshot, prices: app.prices.as_ref(), public_url: &app.options.public_url }
    }

    /// Writes a quote with its routes, as [`wire::QuoteAnswer`].
    pub(super) fn write_answer(self, out: &mut JsonText, quote: &Quote) -> serde_json::Result<()> {
        let Quote { id, ask, routes, .. } = quote;
        let pair = self.pair(ask);
        out.raw(r#"{"quoteId":""#);
        out.raw(id.as_str());
        out.raw(r#"","routes":["#);
        for (place, route) in routes.iter().enumerate() {
            out.raw(if place == 0 { "{" } else { ",{" });
            self.priced_route(ask, route, &pair).write_fields(out)?;
            out.raw("}");
        }
        out.raw("]}");
        Ok(())
    }

    /// Writes a route with the id of its quote, as [`wire::StreamedRoute`].
    pub(super) fn write_line(
        self,
        out: &mut JsonText,
        quote: &Quote,
        route: &Route,
    ) -> serde_json::Result<()> {
        out.raw(r#"{"quoteId":""#);
        out.raw(quote.id.as_str());
        out.raw(r#"","#);
        self.route(&quote.ask, route).write_fields(out)?;
        out.raw("}");
        Ok(())
    }

    pub(crate) fn route(self, ask: &Ask, route: &'a Route) -> RouteView<'a> {
        self.priced_route(ask, route, &self.pair(ask))
    }

    fn pair(self, ask: &Ask) -> PricedPair {
        let market = self.market(ask.from, ask.to);
        PricedPair {
            market,
            input: market.map(|market| market.from).or_else(|| self.priced(ask.from)),
            output: market.map(|market| market.to).or_else(|| self.priced(ask.to)),
            rate: market.and_then(|market| market.rate()),
        }
    }

    fn priced_route(self, ask: &Ask, route: &'a Route, pair: &PricedPair) -> RouteView<'a> {
        let PricedPair { market, input, output, rate } = *pair;
        let (amount_in, amount_out) = (route.amount_in, route.amount_out);
        RouteView {
            route,
            public_url: self.public_url,
            quote: QuoteView {
                route,
                price: rate,
                amount_in_usd: input.and_then(|token| token.usd(amount_in)),
                amount_out_usd: output.and_then(|token| token.usd(amount_out)),
                total_fee_percent: market.and_then(|market| market.loss(amount_in, amount_out)),
                slippage_tolerance: ask.slippage.map(fraction),
                open_until: ask.deposit_window.map(|window| window.ends_at(route.valid_before)),
                tag: if is_one_click(ask, route) { "1-click" } else { "needs-approval" },
                fees: FeesView { mapping: self, input, fees: &route.fees },
            },
        }
    }

    /// Both tokens at the market's prices, if they are known.
    pub(crate) fn market(self, from: TokenId, to: TokenId) -> Option<Market> {
        Market::find(from, to, self.snapshot, self.prices)
    }

    fn priced(self, token: TokenId) -> Option<PricedToken> {
        PricedToken::find(token, self.snapshot, self.prices)
    }
}

/// The number nearest to the decimal fraction.
#[expect(clippy::float_arithmetic, reason = "the wire has a JSON number, and nothing is computed with it")]
fn fraction(slippage: Slippage) -> f64 {
    f64::from(slippage.millionths()) / 1e6
}

impl RouteView<'_> {
    /// Writes the fields in the order of the wire type.
    fn write_fields(&self, out: &mut JsonText) -> serde_json::Result<()> {
        let Route { id, filler, kind, exact_out, deposit_methods, provider, warnings, .. } = self.route;
        out.raw(r#""routeId":""#);
        // Nothing in an id is escaped.
        out.raw(id.as_str());
        out.raw(r#"","filler":"#);
        out.string(filler);
        out.raw(r#","type":"#);
        out.string(kind);
        out.raw(r#","icon":""#);
        out.escaped(self.public_url);
        out.raw("/v1/fillers/");
        out.escaped(filler);
        out.raw(r#"/icon""#);
        if let Some(method) = exact_out {
            out.raw(r#","exactOutMethod":"#);
            out.name(method.as_str());
        }
        out.raw(r#","depositMethods":"#);
        out.array(deposit_methods, |out, method| out.name(method.as_str()));
        if let Some(provider) = provider {
            out.raw(r#","settlement":"provider","heldBy":"#);
            out.string(&provider.notice.held_by);
            out.raw(r#","refunds":"#);
            out.string(&provider.notice.refunds);
        }
        if !warnings.is_empty() {
            out.raw(r#","warnings":"#);
            out.value(&warnings.iter().map(map_warning).collect::<Vec<_>>())?;
        }
        out.raw(r#","quote":{"#);
        self.quote.write_fields(out)?;
        out.raw("}");
        Ok(())
    }

    /// The same as a wire type that owns its texts.
    pub(crate) fn into_wire(self) -> wire::Route {
        let Self { route, public_url, quote } = self;
        let fee = |fee: FeeView| wire::Fee {
            kind: fee.kind.to_owned(),
            token: fee.token.to_string(),
            amount: fee.amount.to_string(),
            usd: fee.usd.map(|usd| usd.to_string()),
        };
        let notice = route.provider.as_ref().map(|provider| &provider.notice);
        wire::Route {
            route_id: route.id.to_string(),
            filler: Some(route.filler.clone()),
            r#type: route.kind.clone(),
            icon: Some(format!("{public_url}/v1/fillers/{}/icon", route.filler)),
            exact_out_method: route.exact_out.map(|method| method.as_str().to_owned()),
            deposit_methods: route.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
            settlement: notice.map(|_| "provider".to_owned()),
            held_by: notice.map(|notice| notice.held_by.clone()),
            refunds: notice.map(|notice| notice.refunds.clone()),
            warnings: route.warnings.iter().map(map_warning).collect(),
            quote: wire::RouteQuote {
                amount_in: route.amount_in.to_string(),
                amount_out: route.amount_out.to_string(),
                min_amount_out: route.min_amount_out.to_string(),
                price: quote.price.map(|price| price.to_string()),
                amount_in_usd: quote.amount_in_usd.map(|usd| usd.to_string()),
                amount_out_usd: quote.amount_out_usd.map(|usd| usd.to_string()),
                total_fee_percent: quote.total_fee_percent.map(|percent| percent.to_string()),
                slippage_tolerance: quote.slippage_tolerance,
                expected_duration_seconds: route.expected_duration_seconds,
                valid_before: route.valid_before.as_second(),
                quote_expires_at: route.price_holds_until.map(Timestamp::as_second),
                open_until: quote.open_until,
                estimated_gas: route.estimated_gas.map(|gas| gas.to_string()),
                tags: vec![quote.tag.to_owned()],
                fees: quote.fees.views().map(fee).collect(),
            },
        }
    }
}

impl QuoteView<'_> {
    fn write_fields(&self, out: &mut JsonText) -> serde_json::Result<()> {
        let Route { amount_in, amount_out, min_amount_out, .. } = *self.route;
        out.raw(r#""amountIn":"#);
        out.shown(&amount_in);
        out.raw(r#","amountOut":"#);
        out.shown(&amount_out);
        out.raw(r#","minAmountOut":"#);
        out.shown(&min_amount_out);
        if let Some(price) = self.price {
            out.raw(r#","price":"#);
            out.shown(&price);
        }
        if let Some(usd) = self.amount_in_usd {
            out.raw(r#","amountInUsd":"#);
            out.shown(&usd);
        }
        if let Some(usd) = self.amount_out_usd {
            out.raw(r#","amountOutUsd":"#);
            out.shown(&usd);
        }
        if let Some(percent) = self.total_fee_percent {
            out.raw(r#","totalFeePercent":"#);
            out.shown(&percent);
        }
        if let Some(slippage) = self.slippage_tolerance {
            out.raw(r#","slippageTolerance":"#);
            out.value(&slippage)?;
        }
        out.raw(r#","expectedDurationSeconds":"#);
        out.integer(self.route.expected_duration_seconds);
        out.raw(r#","validBefore":"#);
        out.integer(self.route.valid_before.as_second());
        if let Some(until) = self.route.price_holds_until {
            out.raw(r#","quoteExpiresAt":"#);
            out.integer(until.as_second());
        }
        if let Some(until) = self.open_until {
            out.raw(r#","openUntil":"#);
            out.integer(until);
        }
        if let Some(gas) = self.route.estimated_gas {
            out.raw(r#","estimatedGas":"#);
            out.shown(&gas);
        }
        out.raw(r#","tags":[""#);
        out.raw(self.tag);
        out.raw(r#""]"#);
        if !self.fees.fees.is_empty() {
            out.raw(r#","fees":"#);
            out.array(self.fees.views(), |out, fee| fee.write(out));
        }
        Ok(())
    }
}

impl FeeView {
    fn write(&self, out: &mut JsonText) {
        out.raw(r#"{"kind":""#);
        out.raw(self.kind);
        out.raw(r#"","token":"#);
        out.shown(&self.token);
        out.raw(r#","amount":"#);
        out.shown(&self.amount);
        if let Some(usd) = self.usd {
            out.raw(r#","usd":"#);
            out.shown(&usd);
        }
        out.raw("}");
    }
}

#[cfg(test)]
mod tests;
