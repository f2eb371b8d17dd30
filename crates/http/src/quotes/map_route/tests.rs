use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::{Address, ChainId, DepositMethod, ExactOutMethod, Family, FeeKind, QuoteId, TradeType};
use causeway_wire as wire;
use proptest::prelude::*;
use serde::Serialize;

use causeway_domain::UsdPrice;

use super::*;

/// Every EVM token costs 2.5 USD; Solana tokens have no price.
struct Prices;

impl PriceFeed for Prices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        if token.chain().family() == Family::Evm { "2.5".parse().ok() } else { None }
    }
}

fn catalog() -> &'static Catalog {
    static CATALOG: std::sync::LazyLock<Catalog> = std::sync::LazyLock::new(|| Catalog::bundled().unwrap());
    &CATALOG
}

fn quote(slippage: Option<Slippage>, routes: Vec<Route>) -> Quote {
    let from = TokenId::native(ChainId::new(1).unwrap());
    let wallet = Address::native(Family::Evm);
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
        deposit_window: None,
    };
    Quote { id: QuoteId::random().unwrap(), ask, integrator: None, routes }
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
        filler_quote: None,
        gas_charge: None,
        provider: None,
        warnings: vec![causeway_domain::Warning {
            code: causeway_domain::WarningCode::HighFees,
            severity: causeway_domain::Severity::Severe,
            field: Some("recipient"),
            message: "Fees take 20 %.".to_owned(),
        }],
    }
}

fn mapping(snapshot: &Snapshot) -> RouteMapping<'_> {
    RouteMapping { snapshot, prices: &Prices, public_url: "https://swap.example" }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn written(write: impl FnOnce(&mut JsonText) -> serde_json::Result<()>) -> String {
    let mut out = JsonText::with_capacity(0);
    write(&mut out).unwrap();
    String::from_utf8(out.into_bytes()).unwrap()
}

/// The response in the wire's own types, field by field and independent of the views.
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
    // What is known has one price, 2.5 dollars, so that one token is worth one of the other.
    let decimals = |token: &TokenId| {
        let listed = snapshot.token(token).map(|listed| listed.token.decimals);
        listed.filter(|_| Prices.usd_price(token).is_some())
    };
    let usd = |token: &TokenId, amount| {
        let price = "2.5".parse::<UsdPrice>().unwrap();
        price.value(amount, decimals(token)?).map(|usd| usd.to_string())
    };
    let value = |token: &TokenId, amount: RawAmount| {
        let one = U256::from(10).pow(U256::from(decimals(token)?));
        amount.mul_div_floor(U256::from(2_500_000_000_000_000_000_u64), one).map(RawAmount::get)
    };
    let loss = |paid, received| {
        let paid = value(&ask.from, paid)?;
        let kept = value(&ask.to, received)?.checked_mul(U256::from(1_000_000))?.checked_div(paid)?;
        let lost = 1_000_000 - i64::try_from(kept).ok()?;
        let percent = RawAmount::new(U256::from(lost.unsigned_abs())).to_decimal(4);
        Some(format!("{}{percent}", if lost < 0 { "-" } else { "" }))
    };
    let tag = if is_one_click(ask, route) { "1-click" } else { "needs-approval" };
    wire::Route {
        route_id: route.id.to_string(),
        filler: Some(route.filler.clone()),
        r#type: route.kind.clone(),
        icon: Some(format!("https://swap.example/v1/fillers/{}/icon", route.filler)),
        exact_out_method: route.exact_out.map(|method| method.as_str().to_owned()),
        deposit_methods: route.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
        settlement: route.provider.as_ref().map(|_| "provider".to_owned()),
        held_by: route.provider.as_ref().map(|provider| provider.notice.held_by.clone()),
        refunds: route.provider.as_ref().map(|provider| provider.notice.refunds.clone()),
        warnings: route
            .warnings
            .iter()
            .map(|warning| wire::Warning {
                code: warning.code.as_str().to_owned(),
                severity: warning.severity.as_str().to_owned(),
                message: warning.message.clone(),
                field: warning.field.map(str::to_owned),
            })
            .collect(),
        quote: wire::RouteQuote {
            amount_in: route.amount_in.to_string(),
            amount_out: route.amount_out.to_string(),
            min_amount_out: route.min_amount_out.to_string(),
            price: decimals(&ask.from).and(decimals(&ask.to)).map(|_| "1".to_owned()),
            amount_in_usd: usd(&ask.from, route.amount_in),
            amount_out_usd: usd(&ask.to, route.amount_out),
            total_fee_percent: loss(route.amount_in, route.amount_out),
            slippage_tolerance: ask.slippage.map(|slippage| slippage.to_string().parse().unwrap()),
            expected_duration_seconds: route.expected_duration_seconds,
            valid_before: route.valid_before.as_second(),
            open_until: ask.deposit_window.map(|window| window.ends_at(route.valid_before)),
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
    let json = written(|out| mapping(&snapshot).write_answer(out, &quote));
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
        let routes = expected(&snapshot, &quote).routes;
        assert_eq!(mapping(&snapshot).route(&quote.ask, &quote.routes[0]).into_wire(), routes[0]);
        assert_eq!(routes[0].quote.tags, [tag]);
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
            TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
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
    fn routes_are_written_as_the_wire_types_serialize(
        routes in prop::collection::vec(any_route(), 0..4),
        from in any_token(),
        millionths in prop::option::of(0_u32..=500_000),
    ) {
        let mut quote = quote(millionths.and_then(Slippage::from_millionths), routes);
        quote.ask.from = from;
        let snapshot = catalog().snapshot();
        let answer = expected(&snapshot, &quote);
        let text = written(|out| mapping(&snapshot).write_answer(out, &quote));
        prop_assert_eq!(text, json(&answer));
        for (route, expected) in quote.routes.iter().zip(answer.routes) {
            prop_assert_eq!(&mapping(&snapshot).route(&quote.ask, route).into_wire(), &expected);
            let streamed = wire::StreamedRoute { quote_id: quote.id.to_string(), route: expected };
            let line = written(|out| mapping(&snapshot).write_line(out, &quote, route));
            prop_assert_eq!(line, json(&streamed));
        }
    }
}
