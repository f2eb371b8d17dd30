use std::fmt::{self, Display, Write as _};

use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{
    Ask, ExactOutMethod, Fee, Quote, RawAmount, Route, Slippage, TokenId, UsdAmount, Warning,
};
use causeway_engine::{Decimal, Loss, Market, PricedToken, is_one_click};
use causeway_wire as wire;
use jiff::Timestamp;
use serde::ser::SerializeSeq as _;
use serde::{Serialize, Serializer};

use crate::App;
use crate::mapping::map_warning;

/// What routes are mapped with. The views borrow from the quote and serialize as the types of `causeway-wire` do.
#[derive(Clone, Copy)]
pub(crate) struct RouteMapping<'a> {
    snapshot: &'a Snapshot,
    prices: &'a dyn PriceFeed,
    /// Base of the icon URLs.
    public_url: &'a str,
}

/// A quote with its routes, as [`wire::QuoteAnswer`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerView<'a> {
    quote_id: &'a str,
    routes: RoutesView<'a>,
}

/// A route with the id of its quote, as [`wire::StreamedRoute`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LineView<'a> {
    quote_id: &'a str,
    #[serde(flatten)]
    route: RouteView<'a>,
}

struct RoutesView<'a> {
    mapping: RouteMapping<'a>,
    pair: PricedPair,
    quote: &'a Quote,
}

/// What is known of the market of both tokens: the same for all routes of a quote.
#[derive(Clone, Copy)]
struct PricedPair {
    market: Option<Market>,
    input: Option<PricedToken>,
    output: Option<PricedToken>,
}

/// A route, as [`wire::Route`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteView<'a> {
    route_id: &'a str,
    filler: &'a str,
    r#type: &'a str,
    icon: Shown<Icon<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_out_method: Option<&'static str>,
    deposit_methods: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settlement: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refunds: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningView<'a>>,
    quote: QuoteView<'a>,
}

/// The amounts of a route, as [`wire::RouteQuote`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuoteView<'a> {
    amount_in: Shown<RawAmount>,
    amount_out: Shown<RawAmount>,
    min_amount_out: Shown<RawAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Shown<Decimal>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_in_usd: Option<Shown<UsdAmount>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_out_usd: Option<Shown<UsdAmount>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_fee_percent: Option<Shown<Loss>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slippage_tolerance: Option<f64>,
    expected_duration_seconds: u32,
    valid_before: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote_expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_gas: Option<Shown<RawAmount>>,
    tags: [&'static str; 1],
    #[serde(skip_serializing_if = "FeesView::is_empty")]
    fees: FeesView<'a>,
}

/// A warning, as [`wire::Warning`]. Most routes have none.
struct WarningView<'a>(&'a Warning);

impl<'a> WarningView<'a> {
    const fn new(warning: &'a Warning) -> Self {
        Self(warning)
    }
}

impl Serialize for WarningView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        map_warning(self.0).serialize(serializer)
    }
}

struct FeesView<'a> {
    mapping: RouteMapping<'a>,
    /// Nearly all fees are in the input token.
    input: Option<PricedToken>,
    fees: &'a [Fee],
}

/// A fee, as [`wire::Fee`].
#[derive(Serialize)]
struct FeeView {
    kind: &'static str,
    token: Shown<TokenId>,
    amount: Shown<RawAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd: Option<Shown<UsdAmount>>,
}

/// A value that is serialized by its `Display` text.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    /// In one piece: a serializer that is given the text piece by piece escapes each of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = ShortText { bytes: [0; 96], length: 0 };
        match write!(text, "{}", self.0) {
            Ok(()) => serializer.serialize_str(text.as_str()),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

/// Every amount and address fits, and most URLs of icons.
struct ShortText {
    bytes: [u8; 96],
    length: usize,
}

impl ShortText {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length.saturating_add(text.len());
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

struct Icon<'a> {
    public_url: &'a str,
    filler: &'a str,
}

impl Display for Icon<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/v1/fillers/{}/icon", self.public_url, self.filler)
    }
}

impl Serialize for RoutesView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Quote { ask, routes, .. } = self.quote;
        serializer.collect_seq(routes.iter().map(|route| self.mapping.priced_route(ask, route, &self.pair)))
    }
}

impl FeesView<'_> {
    const fn is_empty(&self) -> bool {
        self.fees.is_empty()
    }

    fn views(&self) -> impl Iterator<Item = FeeView> {
        self.fees.iter().map(|fee| {
            let input = self.input.filter(|input| input.token == fee.token);
            let priced = input.or_else(|| self.mapping.priced(fee.token));
            FeeView {
                kind: fee.kind.as_str(),
                token: Shown(fee.token),
                amount: Shown(fee.amount),
                usd: priced.and_then(|token| token.usd(fee.amount)).map(Shown),
            }
        })
    }
}

impl Serialize for FeesView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fees = serializer.serialize_seq(Some(self.fees.len()))?;
        for fee in self.views() {
            fees.serialize_element(&fee)?;
        }
        fees.end()
    }
}

impl<'a> RouteMapping<'a> {
    pub(crate) fn new(app: &'a App, snapshot: &'a Snapshot) -> Self {
        Self { snapshot, prices: app.prices.as_ref(), public_url: &app.options.public_url }
    }

    pub(super) fn answer(self, quote: &'a Quote) -> AnswerView<'a> {
        let routes = RoutesView { mapping: self, pair: self.pair(&quote.ask), quote };
        AnswerView { quote_id: quote.id.as_str(), routes }
    }

    pub(super) fn line(self, quote: &'a Quote, route: &'a Route) -> LineView<'a> {
        LineView { quote_id: quote.id.as_str(), route: self.route(&quote.ask, route) }
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
        }
    }

    fn priced_route(self, ask: &Ask, route: &'a Route, pair: &PricedPair) -> RouteView<'a> {
        let PricedPair { market, input, output } = *pair;
        RouteView {
            route_id: route.id.as_str(),
            filler: &route.filler,
            r#type: &route.kind,
            icon: Shown(Icon { public_url: self.public_url, filler: &route.filler }),
            exact_out_method: route.exact_out.map(ExactOutMethod::as_str),
            deposit_methods: route.deposit_methods.iter().map(|method| method.as_str()).collect(),
            settlement: route.provider.as_ref().map(|_| "provider"),
            held_by: route.provider.as_ref().map(|provider| provider.notice.held_by.as_str()),
            refunds: route.provider.as_ref().map(|provider| provider.notice.refunds.as_str()),
            warnings: route.warnings.iter().map(WarningView::new).collect(),
            quote: QuoteView {
                amount_in: Shown(route.amount_in),
                amount_out: Shown(route.amount_out),
                min_amount_out: Shown(route.min_amount_out),
                price: market.and_then(|market| market.rate()).map(Shown),
                amount_in_usd: input.and_then(|token| token.usd(route.amount_in)).map(Shown),
                amount_out_usd: output.and_then(|token| token.usd(route.amount_out)).map(Shown),
                total_fee_percent: market
                    .and_then(|market| market.loss(route.amount_in, route.amount_out))
                    .map(Shown),
                slippage_tolerance: ask.slippage.map(fraction),
                expected_duration_seconds: route.expected_duration_seconds,
                valid_before: route.valid_before.as_second(),
                quote_expires_at: route.price_holds_until.map(Timestamp::as_second),
                open_until: ask.deposit_window.map(|window| window.ends_at(route.valid_before)),
                estimated_gas: route.estimated_gas.map(Shown),
                tags: [if is_one_click(ask, route) { "1-click" } else { "needs-approval" }],
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
    /// The same as a wire type that owns its texts.
    pub(crate) fn into_wire(self) -> wire::Route {
        let quote = self.quote;
        let fee = |fee: FeeView| wire::Fee {
            kind: fee.kind.to_owned(),
            token: fee.token.0.to_string(),
            amount: fee.amount.0.to_string(),
            usd: fee.usd.map(|usd| usd.0.to_string()),
        };
        wire::Route {
            route_id: self.route_id.to_owned(),
            filler: Some(self.filler.to_owned()),
            r#type: self.r#type.to_owned(),
            icon: Some(self.icon.0.to_string()),
            exact_out_method: self.exact_out_method.map(str::to_owned),
            deposit_methods: self.deposit_methods.into_iter().map(str::to_owned).collect(),
            settlement: self.settlement.map(str::to_owned),
            held_by: self.held_by.map(str::to_owned),
            refunds: self.refunds.map(str::to_owned),
            warnings: self.warnings.into_iter().map(|warning| map_warning(warning.0)).collect(),
            quote: wire::RouteQuote {
                amount_in: quote.amount_in.0.to_string(),
                amount_out: quote.amount_out.0.to_string(),
                min_amount_out: quote.min_amount_out.0.to_string(),
                price: quote.price.map(|price| price.0.to_string()),
                amount_in_usd: quote.amount_in_usd.map(|usd| usd.0.to_string()),
                amount_out_usd: quote.amount_out_usd.map(|usd| usd.0.to_string()),
                total_fee_percent: quote.total_fee_percent.map(|percent| percent.0.to_string()),
                slippage_tolerance: quote.slippage_tolerance,
                expected_duration_seconds: quote.expected_duration_seconds,
                valid_before: quote.valid_before,
                quote_expires_at: quote.quote_expires_at,
                open_until: quote.open_until,
                estimated_gas: quote.estimated_gas.map(|gas| gas.0.to_string()),
                tags: quote.tags.map(str::to_owned).to_vec(),
                fees: quote.fees.views().map(fee).collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests;
