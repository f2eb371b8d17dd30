use std::fmt::Write as _;

use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Ask, Fee, Quote, RawAmount, Route, Slippage, TokenId, UsdAmount, UsdPrice};
use causeway_engine::is_one_click;
use jiff::Timestamp;

/// From here on, in millionths, JSON's floats are printed without an exponent.
const LEAST_PLAIN: u32 = 10;

/// What an answer with three routes takes, and a little more.
const USUAL: usize = 2_816;

/// Writes routes as JSON: to the byte what the types of `causeway-wire` give, without a text of its own for every value,
/// because nothing is answered as often as a quote.
pub(crate) struct RouteWriter<'a> {
    snapshot: &'a Snapshot,
    prices: &'a dyn PriceFeed,
    /// Forms the icons' addresses.
    public_url: &'a str,
    slippage: Option<String>,
    /// The tokens of the fees, which are few.
    tokens: Vec<FeeToken>,
    out: String,
}

struct FeeToken {
    id: TokenId,
    name: String,
    /// Its decimals and price, where both are known.
    worth: Option<(u8, UsdPrice)>,
}

impl<'a> RouteWriter<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        prices: &'a dyn PriceFeed,
        public_url: &'a str,
        ask: &Ask,
    ) -> Self {
        let slippage = ask.slippage.map(print_slippage);
        Self { snapshot, prices, public_url, slippage, tokens: Vec::new(), out: String::with_capacity(USUAL) }
    }

    /// The whole quote: its id, and its routes in their order.
    pub(super) fn write_answer(mut self, quote: &Quote) -> String {
        self.put(r#"{"quoteId":"#);
        self.name(quote.id.as_str());
        self.put(r#","routes":["#);
        for (place, route) in quote.routes.iter().enumerate() {
            self.put(if place == 0 { "{" } else { ",{" });
            self.route(&quote.ask, route);
            self.put("}");
        }
        self.put("]}");
        self.out
    }

    /// One route with the id of its quote, as a line.
    pub(crate) fn write_line(mut self, quote: &Quote, route: &Route) -> String {
        self.put(r#"{"quoteId":"#);
        self.name(quote.id.as_str());
        self.put(",");
        self.route(&quote.ask, route);
        self.put("}\n");
        self.out
    }

    /// A route without the braces around it.
    fn route(&mut self, ask: &Ask, route: &Route) {
        self.put(r#""routeId":"#);
        self.name(route.id.as_str());
        self.put(r#","type":"#);
        self.text(&route.kind);
        self.put(r#","icon":""#);
        push_inside(&mut self.out, self.public_url);
        self.put("/v1/fillers/");
        push_inside(&mut self.out, &route.filler);
        self.put(r#"/icon""#);
        if let Some(method) = route.exact_out {
            self.put(r#","exactOutMethod":"#);
            self.name(method.as_str());
        }
        self.put(r#","depositMethods":["#);
        for (place, method) in route.deposit_methods.iter().enumerate() {
            self.put(if place == 0 { "" } else { "," });
            self.name(method.as_str());
        }
        self.put(r#"],"quote":{"amountIn":"#);
        self.amount(route.amount_in);
        self.put(r#","amountOut":"#);
        self.amount(route.amount_out);
        self.put(r#","minAmountOut":"#);
        self.amount(route.min_amount_out);
        if let Some(slippage) = &self.slippage {
            self.out.push_str(r#","slippageTolerance":"#);
            self.out.push_str(slippage);
        }
        self.put(r#","expectedDurationSeconds":"#);
        self.digits(route.expected_duration_seconds.into());
        self.put(r#","validBefore":"#);
        self.second(route.valid_before);
        if let Some(at) = route.price_holds_until {
            self.put(r#","quoteExpiresAt":"#);
            self.second(at);
        }
        if let Some(gas) = route.estimated_gas {
            self.put(r#","estimatedGas":"#);
            self.amount(gas);
        }
        self.put(if is_one_click(ask, route) {
            r#","tags":["1-click"]"#
        } else {
            r#","tags":["needs-approval"]"#
        });
        for (place, fee) in route.fees.iter().enumerate() {
            self.put(if place == 0 { r#","fees":["# } else { "," });
            self.fee(fee);
        }
        self.put(if route.fees.is_empty() { "}" } else { "]}" });
    }

    fn fee(&mut self, fee: &Fee) {
        self.put(r#"{"kind":"#);
        self.name(fee.kind.as_str());
        self.put(r#","token":"#);
        let place = self.place_of(fee.token);
        let token = self.tokens.get(place);
        if let Some(token) = token {
            self.out.push('"');
            self.out.push_str(&token.name);
            self.out.push('"');
        }
        let worth = token.and_then(|token| token.worth);
        self.put(r#","amount":"#);
        self.amount(fee.amount);
        if let Some(usd) = worth.and_then(|(decimals, price)| price.value(fee.amount, decimals)) {
            self.put(r#","usd":"#);
            self.usd(usd);
        }
        self.put("}");
    }

    /// Where the token is kept, looked up the first time.
    fn place_of(&mut self, id: TokenId) -> usize {
        if let Some(place) = self.tokens.iter().position(|token| token.id == id) {
            return place;
        }
        let decimals = self.snapshot.token(&id).map(|listed| listed.token.decimals);
        let worth = decimals.and_then(|decimals| Some((decimals, self.prices.usd_price(&id)?)));
        self.tokens.push(FeeToken { id, name: id.to_string(), worth });
        self.tokens.len() - 1
    }

    fn put(&mut self, piece: &'static str) {
        self.out.push_str(piece);
    }

    fn text(&mut self, text: &str) {
        self.put("\"");
        push_inside(&mut self.out, text);
        self.put("\"");
    }

    /// A name of ours, which has nothing in it that JSON would spell in another way.
    fn name(&mut self, name: &str) {
        self.put("\"");
        self.out.push_str(name);
        self.put("\"");
    }

    fn second(&mut self, time: Timestamp) {
        match u64::try_from(time.as_second()) {
            Ok(second) => self.digits(second),
            Err(_) => self.display(time.as_second()),
        }
    }

    fn amount(&mut self, amount: RawAmount) {
        self.put("\"");
        match u64::try_from(amount.get()) {
            Ok(small) => self.digits(small),
            Err(_) => self.display(amount),
        }
        self.put("\"");
    }

    /// As it prints itself, but for the way through several texts.
    fn usd(&mut self, usd: UsdAmount) {
        self.put("\"");
        match u64::try_from(usd.cents().get()) {
            Ok(cents) => {
                self.digits(cents / 100);
                self.put(if cents % 100 < 10 { ".0" } else { "." });
                self.digits(cents % 100);
            }
            Err(_) => self.display(usd),
        }
        self.put("\"");
    }

    fn digits(&mut self, number: u64) {
        self.out.push_str(itoa::Buffer::new().format(number));
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = write!(self.out, "{value}");
    }
}

/// As the float that the wire type holds is printed: with an exponent where it is very small.
fn print_slippage(slippage: Slippage) -> String {
    let text = slippage.to_string();
    if slippage.millionths() >= LEAST_PLAIN {
        return text;
    }
    let float = text.parse::<f64>().ok();
    float.and_then(|float| serde_json::to_string(&float).ok()).unwrap_or(text)
}

/// A part of a text, without the marks around it.
fn push_inside(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push_str(text);
    } else {
        // A text is always JSON.
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

    /// Everything but Solana costs two dollars and a half.
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
        let one = RawAmount::from_decimal("1", 18).unwrap();
        let unpriced = TokenId::native(causeway_domain::SOLANA_CHAIN_ID);
        Route {
            id: "house-1".parse().unwrap(),
            filler: "house".to_owned(),
            kind: "native-filler".to_owned(),
            exact_out: Some(ExactOutMethod::Native),
            deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
            amount_in: one,
            amount_out: one,
            min_amount_out: one,
            expected_duration_seconds: 12,
            valid_before: at,
            price_holds_until: None,
            estimated_gas: None,
            fees: vec![
                Fee { kind: FeeKind::Filler, token: from, amount: one },
                Fee { kind: FeeKind::Gas, token: unpriced, amount: RawAmount::ZERO },
            ],
            parties: None,
        }
    }

    fn writer<'a>(snapshot: &'a Snapshot, ask: &Ask) -> RouteWriter<'a> {
        RouteWriter::new(snapshot, &Prices, "https://swap.example", ask)
    }

    #[test]
    fn a_route_has_the_names_types_and_units_of_the_contract() {
        let quote = quote(Some("0.005".parse().unwrap()), vec![route()]);
        let json = writer(&catalog().snapshot(), &quote.ask).write_answer(&quote);
        let answer: wire::QuoteAnswer = serde_json::from_str(&json).unwrap();
        assert_eq!(answer.quote_id, quote.id.as_str());
        insta::assert_json_snapshot!(answer.routes[0]);
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
            words in ("[A-Za-z0-9._-]{1,64}", "\\PC{0,20}|[\"\\\\\u{1}-\u{1f}é]{0,5}"),
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
            let time = |millis| Timestamp::from_millisecond(millis).unwrap();
            Route {
                id: words.0.parse().unwrap(),
                kind: words.1,
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
        fn what_is_written_is_to_the_byte_what_the_wire_types_write(
            routes in prop::collection::vec(any_route(), 0..4), millionths in prop::option::of(0_u32..=500_000),
        ) {
            let quote = quote(millionths.and_then(Slippage::from_millionths), routes);
            let snapshot = catalog().snapshot();
            let json = writer(&snapshot, &quote.ask).write_answer(&quote);
            let answer: wire::QuoteAnswer = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(serde_json::to_string(&answer).unwrap(), json);
            for (route, written) in quote.routes.iter().zip(&answer.routes) {
                prop_assert_eq!(&written.r#type, &route.kind);
                prop_assert_eq!(&written.quote.amount_in, &route.amount_in.to_string());
                for (fee, written) in route.fees.iter().zip(&written.quote.fees) {
                    prop_assert_eq!(&written.token, &fee.token.to_string());
                    let decimals = snapshot.token(&fee.token).map(|listed| listed.token.decimals);
                    let usd = decimals.and_then(|decimals| Prices.usd_price(&fee.token)?.value(fee.amount, decimals));
                    prop_assert_eq!(&written.usd, &usd.map(|usd| usd.to_string()));
                }
                let line = writer(&snapshot, &quote.ask).write_line(&quote, route);
                let streamed: wire::StreamedRoute = serde_json::from_str(&line).unwrap();
                prop_assert_eq!(format!("{}\n", serde_json::to_string(&streamed).unwrap()), line);
                prop_assert_eq!(&streamed.route, written);
            }
        }
    }
}
