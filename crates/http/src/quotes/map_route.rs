use causeway_domain::{Family, Fee, Quote, Route};
use causeway_wire as wire;
use jiff::Timestamp;

/// The routes of a quote as the wire shows them.
pub(super) fn quote_routes(quote: &Quote) -> Vec<wire::Route> {
    quote.routes.iter().map(|route| map_route(quote, route)).collect()
}

fn map_route(quote: &Quote, route: &Route) -> wire::Route {
    let needs_approval = !quote.ask.from.is_native() && quote.ask.from.address().family() == Family::Evm;
    wire::Route {
        route_id: route.id.to_string(),
        r#type: route.kind.clone(),
        exact_out_method: route.exact_out.map(|method| method.as_str().to_owned()),
        deposit_methods: route.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
        quote: wire::RouteQuote {
            amount_in: route.amount_in.to_string(),
            amount_out: route.amount_out.to_string(),
            min_amount_out: route.min_amount_out.to_string(),
            slippage_tolerance: quote.ask.slippage.and_then(|slippage| slippage.to_string().parse().ok()),
            expected_duration_seconds: route.expected_duration_seconds,
            valid_before: route.valid_before.as_second(),
            quote_expires_at: route.price_holds_until.map(Timestamp::as_second),
            estimated_gas: route.estimated_gas.map(|gas| gas.to_string()),
            tags: vec![if needs_approval { "needs-approval" } else { "1-click" }.to_owned()],
            fees: route.fees.iter().map(map_fee).collect(),
        },
    }
}

fn map_fee(fee: &Fee) -> wire::Fee {
    wire::Fee {
        kind: fee.kind.as_str().to_owned(),
        token: fee.token.to_string(),
        amount: fee.amount.to_string(),
        usd: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causeway_domain::{
        Address, Ask, ChainId, DepositMethod, ExactOutMethod, FeeKind, QuoteId, RawAmount, RowKey, TokenId,
        TradeType,
    };

    #[test]
    fn a_route_has_the_names_types_and_units_of_the_contract() {
        let from = TokenId::native(ChainId::new(1).unwrap());
        let wallet = Address::native(Family::Evm);
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let one = RawAmount::from_decimal("1", 18).unwrap();
        let route = Route {
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
            fees: vec![Fee { kind: FeeKind::Gas, token: from, amount: RawAmount::ZERO }],
        };
        let quote = Quote {
            id: QuoteId::random().unwrap(),
            key: RowKey::new(1).unwrap(),
            ask: Ask {
                trade_type: TradeType::ExactInput,
                from,
                to: from,
                amount: one,
                from_address: wallet,
                recipient: wallet,
                refund_to: wallet,
                slippage: Some("0.005".parse().unwrap()),
            },
            integrator: None,
            created_at: at,
            routes: vec![route],
        };
        insta::assert_json_snapshot!(quote_routes(&quote));
    }
}
