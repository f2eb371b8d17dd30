use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Ask, Fee, Route};
use causeway_engine::is_one_click;
use causeway_wire as wire;
use jiff::Timestamp;

/// What a route's wire form needs beside the route.
pub(super) struct Surroundings<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) prices: &'a dyn PriceFeed,
}

impl Surroundings<'_> {
    pub(super) fn map_route(&self, ask: &Ask, route: &Route) -> wire::Route {
        let tag = if is_one_click(ask, route) { "1-click" } else { "needs-approval" };
        wire::Route {
            route_id: route.id.to_string(),
            r#type: route.kind.clone(),
            // No filler says yet where its picture is.
            icon: None,
            exact_out_method: route.exact_out.map(|method| method.as_str().to_owned()),
            deposit_methods: route.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
            quote: wire::RouteQuote {
                amount_in: route.amount_in.to_string(),
                amount_out: route.amount_out.to_string(),
                min_amount_out: route.min_amount_out.to_string(),
                slippage_tolerance: ask.slippage.and_then(|slippage| slippage.to_string().parse().ok()),
                expected_duration_seconds: route.expected_duration_seconds,
                valid_before: route.valid_before.as_second(),
                quote_expires_at: route.price_holds_until.map(Timestamp::as_second),
                estimated_gas: route.estimated_gas.map(|gas| gas.to_string()),
                tags: vec![tag.to_owned()],
                fees: route.fees.iter().map(|fee| self.map_fee(fee)).collect(),
            },
        }
    }

    fn map_fee(&self, fee: &Fee) -> wire::Fee {
        let worth = || {
            let decimals = self.snapshot.token(&fee.token)?.token.decimals;
            self.prices.usd_price(&fee.token)?.value(fee.amount, decimals)
        };
        wire::Fee {
            kind: fee.kind.as_str().to_owned(),
            token: fee.token.to_string(),
            amount: fee.amount.to_string(),
            usd: worth().map(|usd| usd.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use causeway_catalog::Catalog;
    use causeway_domain::{
        Address, ChainId, DepositMethod, ExactOutMethod, Family, FeeKind, RawAmount, TokenId, TradeType,
        UsdPrice,
    };

    use super::*;

    /// Everything but Solana costs two dollars and a half.
    struct Prices;

    impl PriceFeed for Prices {
        fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
            if token.chain().family() == Family::Evm { "2.5".parse().ok() } else { None }
        }
    }

    #[test]
    fn a_route_has_the_names_types_and_units_of_the_contract() {
        let from = TokenId::native(ChainId::new(1).unwrap());
        let wallet = Address::native(Family::Evm);
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let one = RawAmount::from_decimal("1", 18).unwrap();
        let unpriced = TokenId::native(causeway_domain::SOLANA_CHAIN_ID);
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
            fees: vec![
                Fee { kind: FeeKind::Filler, token: from, amount: one },
                Fee { kind: FeeKind::Gas, token: unpriced, amount: RawAmount::ZERO },
            ],
            parties: None,
        };
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from,
            to: from,
            amount: one,
            from_address: wallet,
            recipient: wallet,
            refund_to: wallet,
            slippage: Some("0.005".parse().unwrap()),
            deposit_methods: Vec::new(),
            referral: None,
        };
        let catalog = Catalog::bundled().unwrap();
        let around = Surroundings { snapshot: &catalog.snapshot(), prices: &Prices };
        insta::assert_json_snapshot!(around.map_route(&ask, &route));
    }
}
