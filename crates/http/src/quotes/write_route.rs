use std::fmt::Write as _;

use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Ask, Fee, Quote, RawAmount, Route, Slippage, TokenId, UsdAmount, UsdPrice};
use causeway_engine::is_one_click;
use jiff::Timestamp;

/// Smallest slippage, in millionths, that `serde_json` prints without an exponent.
const MIN_WITHOUT_EXPONENT: u32 = 10;

/// Enough bytes for a response with three routes.
const TYPICAL_BYTES: usize = 2_816;

/// Writes routes as JSON, byte for byte as the types of `causeway-wire` serialize. It avoids a `String` for every value,
/// because quotes are the most frequent response.
pub(crate) struct RouteWriter<'a> {
    snapshot: &'a Snapshot,
    prices: &'a dyn PriceFeed,
    /// Base of the icon URLs.
    public_url: &'a str,
    slippage: Option<String>,
    /// The few tokens of the fees, resolved once.
    tokens: Vec<FeeToken>,
    out: String,
}

struct FeeToken {
    id: TokenId,
    name: String,
    /// Its decimals and price, if both are known.
    price: Option<(u8, UsdPrice)>,
}

impl<'a> RouteWriter<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        prices: &'a dyn PriceFeed,
        public_url: &'a str,
        ask: &Ask,
    ) -> Self {
        let slippage = ask.slippage.map(print_slippage);
        Self {
            snapshot,
            prices,
            public_url,
            slippage,
            tokens: Vec::new(),
            out: String::with_capacity(TYPICAL_BYTES),
        }
    }

    /// Writes the quote with its routes, in order.
    pub(super) fn write_answer(mut self, quote: &Quote) -> String {
        self.raw(r#"{"quoteId":"#);
        self.plain(quote.id.as_str());
        self.raw(r#","routes":["#);
        for (index, route) in quote.routes.iter().enumerate() {
            self.raw(if index == 0 { "{" } else { ",{" });
            self.route(&quote.ask, route);
            self.raw("}");
        }
        self.raw("]}");
        self.out
    }

    /// Writes one route with the id of its quote, as an NDJSON line.
    pub(crate) fn write_line(mut self, quote: &Quote, route: &Route) -> String {
        self.raw(r#"{"quoteId":"#);
        self.plain(quote.id.as_str());
        self.raw(",");
        self.route(&quote.ask, route);
        self.raw("}\n");
        self.out
    }

    /// Writes the fields of a route, without braces.
    fn route(&mut self, ask: &Ask, route: &Route) {
        self.raw(r#""routeId":"#);
        self.plain(route.id.as_str());
        self.raw(r#","type":"#);
        self.text(&route.kind);
        self.raw(r#","icon":""#);
        push_escaped(&mut self.out, self.public_url);
        self.raw("/v1/fillers/");
        push_escaped(&mut self.out, &route.filler);
        self.raw(r#"/icon""#);
        if let Some(method) = route.exact_out {
            self.raw(r#","exactOutMethod":"#);
            self.plain(method.as_str());
        }
        self.raw(r#","depositMethods":["#);
        for (index, method) in route.deposit_methods.iter().enumerate() {
            self.raw(if index == 0 { "" } else { "," });
            self.plain(method.as_str());
        }
        self.raw(r#"],"quote":{"amountIn":"#);
        self.amount(route.amount_in);
        self.raw(r#","amountOut":"#);
        self.amount(route.amount_out);
        self.raw(r#","minAmountOut":"#);
        self.amount(route.min_amount_out);
        if let Some(slippage) = &self.slippage {
            self.out.push_str(r#","slippageTolerance":"#);
            self.out.push_str(slippage);
        }
        self.raw(r#","expectedDurationSeconds":"#);
        self.digits(route.expected_duration_seconds.into());
        self.raw(r#","validBefore":"#);
        self.second(route.valid_before);
        if let Some(at) = route.price_holds_until {
            self.raw(r#","quoteExpiresAt":"#);
            self.second(at);
        }
        if let Some(gas) = route.estimated_gas {
            self.raw(r#","estimatedGas":"#);
            self.amount(gas);
        }
        self.raw(if is_one_click(ask, route) {
            r#","tags":["1-click"]"#
        } else {
            r#","tags":["needs-approval"]"#
        });
        for (index, fee) in route.fees.iter().enumerate() {
            self.raw(if index == 0 { r#","fees":["# } else { "," });
            self.fee(fee);
        }
        self.raw(if route.fees.is_empty() { "}" } else { "]}" });
    }

    fn fee(&mut self, fee: &Fee) {
        self.raw(r#"{"kind":"#);
        self.plain(fee.kind.as_str());
        self.raw(r#","token":"#);
        let index = self.token_index(fee.token);
        let token = self.tokens.get(index);
        if let Some(token) = token {
            self.out.push('"');
            self.out.push_str(&token.name);
            self.out.push('"');
        }
        let price = token.and_then(|token| token.price);
        self.raw(r#","amount":"#);
        self.amount(fee.amount);
        if let Some(usd) = price.and_then(|(decimals, price)| price.value(fee.amount, decimals)) {
            self.raw(r#","usd":"#);
            self.usd(usd);
        }
        self.raw("}");
    }

    /// The index of the token in `tokens`; resolves it on first use.
    fn token_index(&mut self, id: TokenId) -> usize {
        if let Some(index) = self.tokens.iter().position(|token| token.id == id) {
            return index;
        }
        let decimals = self.snapshot.token(&id).map(|listed| listed.token.decimals);
        let price = decimals.and_then(|decimals| Some((decimals, self.prices.usd_price(&id)?)));
        self.tokens.push(FeeToken { id, name: id.to_string(), price });
        self.tokens.len() - 1
    }

    fn raw(&mut self, json: &'static str) {
        self.out.push_str(json);
    }

    fn text(&mut self, text: &str) {
        self.raw("\"");
        push_escaped(&mut self.out, text);
        self.raw("\"");
    }

    /// Writes a string that needs no JSON escapes.
    fn plain(&mut self, name: &str) {
        self.raw("\"");
        self.out.push_str(name);
        self.raw("\"");
    }

    fn second(&mut self, time: Timestamp) {
        match u64::try_from(time.as_second()) {
            Ok(second) => self.digits(second),
            Err(_) => self.display(time.as_second()),
        }
    }

    fn amount(&mut self, amount: RawAmount) {
        self.raw("\"");
        match u64::try_from(amount.get()) {
            Ok(small) => self.digits(small),
            Err(_) => self.display(amount),
        }
        self.raw("\"");
    }

    /// Writes the same text as `Display`, without intermediate strings.
    fn usd(&mut self, usd: UsdAmount) {
        self.raw("\"");
        match u64::try_from(usd.cents().get()) {
            Ok(cents) => {
                self.digits(cents / 100);
                self.raw(if cents % 100 < 10 { ".0" } else { "." });
                self.digits(cents % 100);
            }
            Err(_) => self.display(usd),
        }
        self.raw("\"");
    }

    fn digits(&mut self, number: u64) {
        self.out.push_str(itoa::Buffer::new().format(number));
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = write!(self.out, "{value}");
    }
}

/// Prints the slippage as `serde_json` prints the float of the wire type: with an exponent if it is very small.
fn print_slippage(slippage: Slippage) -> String {
    let text = slippage.to_string();
    if slippage.millionths() >= MIN_WITHOUT_EXPONENT {
        return text;
    }
    let float = text.parse::<f64>().ok();
    float.and_then(|float| serde_json::to_string(&float).ok()).unwrap_or(text)
}

/// Appends the JSON-escaped text without quotes.
fn push_escaped(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push_str(text);
    } else {
        // A string always serializes.
        let escaped = serde_json::to_string(text).unwrap_or_default();
        out.push_str(escaped.get(1..escaped.len().saturating_sub(1)).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_catalog::Catalog;
    use causeway_domain::{
        Address, ChainId, DepositMethod, ExactOutMethod, Family, FeeKind, QuoteId, RowKeys, TradeType,
    };
    use causeway_wire as wire;
    use proptest::prelude::*;

    use super::*;

    /// Every EVM token costs 2.5 USD; Solana tokens have no price.
    struct Prices;

    impl PriceFeed for Prices {
        fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
            if token.chain().family() == Family::Evm { "2.5".parse().ok() } else { None }
        }
    }

    fn catalog() -> &'static Catalog {
        static CATALOG: std::sync::LazyLock<Catalog> =
            std::sync::LazyLock::new(|| Catalog::bundled().unwrap());
        &CATALOG
    }

    fn quote(slippage: Option<Slippage>, routes: Vec<Route>) -> Quote {
        let from = TokenId::native(ChainId::new(1).unwrap());
        let wallet = Address::native(Family::Evm);
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from,
            to: from,
            amount: RawAmount::from_decimal("1", 18).unwrap(),
            from_address: wallet,
            recipient: wallet,
            refund_to: wallet,
            slippage,
            deposit_methods: Vec::new(),
            referral: None,
        };
        let (id, key) = (QuoteId::random().unwrap(), RowKeys::new(0).next(at));
        Quote { id, key, ask, integrator: None, created_at: at, routes }
    }

    fn route() -> Route {
        let from = TokenId::native(ChainId::new(1).unwrap());
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let seconds = |seconds: i64| at + jiff::SignedDuration::from_secs(seconds);
        let amount = |text: &str| RawAmount::from_decimal(text, 18).unwrap();
        let unpriced = TokenId::native(causeway_domain::SOLANA_CHAIN_ID);
        Route {
            id: "north-1".parse().unwrap(),
            filler: "north".to_owned(),
            kind: "native-filler".to_owned(),
            exact_out: Some(ExactOutMethod::Native),
            deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
            amount_in: amount("1"),
            amount_out: amount("0.98"),
            min_amount_out: amount("0.97"),
            expected_duration_seconds: 12,
            valid_before: seconds(30),
            price_holds_until: Some(seconds(20)),
            estimated_gas: Some(amount("0.0004")),
            fees: vec![
                Fee { kind: FeeKind::Filler, token: from, amount: amount("0.02") },
                Fee { kind: FeeKind::Gas, token: unpriced, amount: RawAmount::ZERO },
            ],
            parties: None,
        }
    }

    fn writer<'a>(snapshot: &'a Snapshot, ask: &Ask) -> RouteWriter<'a> {
        RouteWriter::new(snapshot, &Prices, "https://swap.example", ask)
    }

    /// The response in the wire's own types, field by field and independent of the writer.
    fn expected(snapshot: &Snapshot, quote: &Quote) -> wire::QuoteAnswer {
        let routes = quote.routes.iter().map(|route| expected_route(snapshot, &quote.ask, route)).collect();
        wire::QuoteAnswer { quote_id: quote.id.to_string(), routes }
    }

    fn expected_route(snapshot: &Snapshot, ask: &Ask, route: &Route) -> wire::Route {
        let fee = |fee: &Fee| {
            let decimals = snapshot.token(&fee.token).map(|listed| listed.token.decimals);
            let usd = decimals.and_then(|decimals| Prices.usd_price(&fee.token)?.value(fee.amount, decimals));
            wire::Fee {
                kind: fee.kind.as_str().to_owned(),
                token: fee.token.to_string(),
                amount: fee.amount.to_string(),
                usd: usd.map(|usd| usd.to_string()),
            }
        };
        let tag = if is_one_click(ask, route) { "1-click" } else { "needs-approval" };
        wire::Route {
            route_id: route.id.to_string(),
            r#type: route.kind.clone(),
            icon: Some(format!("https://swap.example/v1/fillers/{}/icon", route.filler)),
            exact_out_method: route.exact_out.map(|method| method.as_str().to_owned()),
            deposit_methods: route.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
            quote: wire::RouteQuote {
                amount_in: route.amount_in.to_string(),
                amount_out: route.amount_out.to_string(),
                min_amount_out: route.min_amount_out.to_string(),
                slippage_tolerance: ask.slippage.map(|slippage| slippage.to_string().parse().unwrap()),
                expected_duration_seconds: route.expected_duration_seconds,
                valid_before: route.valid_before.as_second(),
                quote_expires_at: route.price_holds_until.map(Timestamp::as_second),
                estimated_gas: route.estimated_gas.map(|gas| gas.to_string()),
                tags: vec![tag.to_owned()],
                fees: route.fees.iter().map(fee).collect(),
            },
        }
    }

    #[test]
    fn route_has_the_field_names_types_and_units_of_the_contract() {
        let quote = quote(Some("0.005".parse().unwrap()), vec![route()]);
        let snapshot = catalog().snapshot();
        let json = writer(&snapshot, &quote.ask).write_answer(&quote);
        let answer: wire::QuoteAnswer = serde_json::from_str(&json).unwrap();
        assert_eq!(answer, expected(&snapshot, &quote));
        insta::assert_json_snapshot!(answer.routes[0]);
    }

    #[test]
    fn tag_depends_on_whether_an_approval_is_needed() {
        let snapshot = catalog().snapshot();
        let usdc = TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
        for (from, tag) in
            [(TokenId::native(ChainId::new(1).unwrap()), "1-click"), (usdc.unwrap(), "needs-approval")]
        {
            let mut quote = quote(None, vec![route()]);
            quote.ask.from = from;
            let json = writer(&snapshot, &quote.ask).write_answer(&quote);
            let answer: wire::QuoteAnswer = serde_json::from_str(&json).unwrap();
            assert_eq!(answer.routes[0].quote.tags, [tag]);
        }
    }

    fn any_amount() -> impl Strategy<Value = RawAmount> {
        (any::<[u64; 4]>(), 0_usize..256)
            .prop_map(|(limbs, bits)| RawAmount::new(U256::from_limbs(limbs) >> bits))
    }

    fn any_token() -> impl Strategy<Value = TokenId> {
        prop_oneof![
            Just(TokenId::native(ChainId::new(1).unwrap())),
            Just(
                TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
                    .unwrap()
            ),
            Just(TokenId::native(causeway_domain::SOLANA_CHAIN_ID)),
            any::<[u8; 20]>().prop_map(|bytes| {
                TokenId::from_address(ChainId::new(10).unwrap(), Address::Evm(bytes.into())).unwrap()
            }),
        ]
    }

    prop_compose! {
        fn any_route()(
            id in "[A-Za-z0-9._-]{1,64}",
            texts in ["\\PC{0,20}|[\"\\\\\u{1}-\u{1f}é]{0,5}"; 2],
            exact_out in prop::option::of(prop::sample::select(vec![ExactOutMethod::Native, ExactOutMethod::Adaptive])),
            deposit_methods in prop::sample::subsequence(
                vec![DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer], 0..=3),
            amounts in (any_amount(), any_amount(), any_amount(), prop::option::of(any_amount())),
            seconds in any::<u32>(),
            times in (-1_000_000_000_000_i64..1 << 45, prop::option::of(0_i64..1 << 45)),
            fees in prop::collection::vec(
                (prop::sample::select(vec![FeeKind::Filler, FeeKind::Gas, FeeKind::Referrer, FeeKind::Protocol]),
                 any_token(), any_amount()), 0..4),
        ) -> Route {
            let [kind, filler] = texts;
            let time = |millis| Timestamp::from_millisecond(millis).unwrap();
            Route {
                id: id.parse().unwrap(),
                kind,
                filler,
                exact_out,
                deposit_methods,
                amount_in: amounts.0,
                amount_out: amounts.1,
                min_amount_out: amounts.2,
                estimated_gas: amounts.3,
                expected_duration_seconds: seconds,
                valid_before: time(times.0),
                price_holds_until: times.1.map(time),
                fees: fees.into_iter().map(|(kind, token, amount)| Fee { kind, token, amount }).collect(),
                ..route()
            }
        }
    }

    proptest! {
        #[test]
        fn written_bytes_equal_the_serialized_wire_types(
            routes in prop::collection::vec(any_route(), 0..4),
            from in any_token(),
            millionths in prop::option::of(0_u32..=500_000),
        ) {
            let mut quote = quote(millionths.and_then(Slippage::from_millionths), routes);
            quote.ask.from = from;
            let snapshot = catalog().snapshot();
            let answer = expected(&snapshot, &quote);
            let json = writer(&snapshot, &quote.ask).write_answer(&quote);
            prop_assert_eq!(json, serde_json::to_string(&answer).unwrap());
            for (route, expected) in quote.routes.iter().zip(answer.routes) {
                let line = writer(&snapshot, &quote.ask).write_line(&quote, route);
                let streamed = wire::StreamedRoute { quote_id: quote.id.to_string(), route: expected };
                prop_assert_eq!(line, format!("{}\n", serde_json::to_string(&streamed).unwrap()));
            }
        }
    }
}
