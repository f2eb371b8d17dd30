use causeway_domain::ports::StoreError;
use causeway_domain::{DepositMethod, ExactOutMethod, Fee, FeeKind, Parties, QuoteId, Route};
use jiff::Timestamp;

use super::packed::{FeeJson, FeeRecord, json};
use super::{Plain, address, corrupt, parse, parse_with, small, text, time};

/// A row of `routes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RouteRecord {
    pub(crate) quote_id: String,
    pub(crate) route_id: String,
    /// Its position among the quote's routes.
    pub(crate) place: i64,
    pub(crate) filler: String,
    pub(crate) kind: String,
    pub(crate) exact_out: Option<String>,
    /// Comma-separated names.
    pub(crate) deposit_methods: String,
    pub(crate) amount_in: String,
    pub(crate) amount_out: String,
    pub(crate) min_amount_out: String,
    pub(crate) expected_seconds: i64,
    pub(crate) valid_before: i64,
    pub(crate) price_holds_until: Option<i64>,
    pub(crate) estimated_gas: Option<String>,
    /// A JSON list.
    pub(crate) fees: String,
    pub(crate) filler_address: Option<String>,
    pub(crate) payee: Option<String>,
}

impl_from_row!(RouteRecord {
    quote_id,
    route_id,
    place,
    filler,
    kind,
    exact_out,
    deposit_methods,
    amount_in,
    amount_out,
    min_amount_out,
    expected_seconds,
    valid_before,
    price_holds_until,
    estimated_gas,
    fees,
    filler_address,
    payee
});

impl RouteRecord {
    pub(crate) fn new(quote: &QuoteId, place: i64, route: &Route) -> Self {
        Self {
            quote_id: quote.to_string(),
            route_id: route.id.to_string(),
            place,
            filler: text(&route.filler),
            kind: text(&route.kind),
            exact_out: route.exact_out.map(|method| method.as_str().to_owned()),
            deposit_methods: Self::method_names(&route.deposit_methods),
            amount_in: route.amount_in.to_string(),
            amount_out: route.amount_out.to_string(),
            min_amount_out: route.min_amount_out.to_string(),
            expected_seconds: i64::from(route.expected_duration_seconds),
            valid_before: route.valid_before.as_millisecond(),
            price_holds_until: route.price_holds_until.map(Timestamp::as_millisecond),
            estimated_gas: route.estimated_gas.map(|gas| gas.to_string()),
            fees: write_fees(&route.fees),
            filler_address: route.parties.map(|parties| Plain(parties.filler).to_string()),
            payee: route.parties.map(|parties| Plain(parties.payee).to_string()),
        }
    }

    pub(super) fn method_names(methods: &[DepositMethod]) -> String {
        let names: Vec<_> = methods.iter().map(|method| method.as_str()).collect();
        names.join(",")
    }

    pub(crate) fn into_route(self) -> Result<Route, StoreError> {
        Ok(Route {
            id: parse("routes.route_id", &self.route_id)?,
            exact_out: self
                .exact_out
                .map(|name| parse_with("routes.exact_out", &name, ExactOutMethod::parse))
                .transpose()?,
            deposit_methods: read_methods(&self.deposit_methods)?,
            amount_in: parse("routes.amount_in", &self.amount_in)?,
            amount_out: parse("routes.amount_out", &self.amount_out)?,
            min_amount_out: parse("routes.min_amount_out", &self.min_amount_out)?,
            expected_duration_seconds: small("routes.expected_seconds", self.expected_seconds)?,
            valid_before: time("routes.valid_before", self.valid_before)?,
            price_holds_until: self
                .price_holds_until
                .map(|millis| time("routes.price_holds_until", millis))
                .transpose()?,
            estimated_gas: self.estimated_gas.map(|gas| parse("routes.estimated_gas", &gas)).transpose()?,
            fees: read_fees(&self.fees)?,
            parties: read_parties(self.filler_address.as_deref(), self.payee.as_deref())?,
            filler: self.filler,
            kind: self.kind,
        })
    }
}

fn read_parties(filler: Option<&str>, payee: Option<&str>) -> Result<Option<Parties>, StoreError> {
    let (Some(filler), Some(payee)) = (filler, payee) else { return Ok(None) };
    let filler = address("routes.filler_address", filler)?;
    Ok(Some(Parties { filler, payee: address("routes.payee", payee)? }))
}

fn read_methods(names: &str) -> Result<Vec<DepositMethod>, StoreError> {
    names
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| parse("routes.deposit_methods", name))
        .collect()
}

fn write_fees(fees: &[Fee]) -> String {
    let fees: Vec<_> = fees.iter().map(FeeJson::from).collect();
    json(&fees)
}

fn read_fees(json: &str) -> Result<Vec<Fee>, StoreError> {
    const COLUMN: &str = "routes.fees";
    let fees: Vec<FeeRecord> = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    fees.into_iter()
        .map(|fee| {
            Ok(Fee {
                kind: parse_with(COLUMN, &fee.kind, FeeKind::parse)?,
                token: parse(COLUMN, &fee.token)?,
                amount: parse(COLUMN, &fee.amount)?,
            })
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use causeway_domain::{Address, RawAmount};
    use proptest::prelude::*;

    use super::*;

    const METHODS: [DepositMethod; 3] =
        [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
    const KINDS: [FeeKind; 4] = [FeeKind::Filler, FeeKind::Gas, FeeKind::Referrer, FeeKind::Protocol];

    prop_compose! {
        fn any_amount()(limbs in any::<[u64; 4]>()) -> RawAmount {
            RawAmount::new(alloy_primitives::U256::from_limbs(limbs))
        }
    }

    prop_compose! {
        fn any_fee()(kind in prop::sample::select(&KINDS[..]), chain in 1u64..99, amount in any_amount()) -> Fee {
            let token = format!("eip155:{chain}:0x{}", "0".repeat(40)).parse().unwrap();
            Fee { kind, token, amount }
        }
    }

    prop_compose! {
        pub(in crate::record) fn any_route()(
            texts in ("[a-z0-9._-]{1,64}", "[^\0]{0,20}", "[^\0]{0,20}"),
            exact_out in prop::option::of(prop::sample::select(vec![ExactOutMethod::Native, ExactOutMethod::Adaptive])),
            deposit_methods in prop::sample::subsequence(METHODS.to_vec(), 0..=3),
            amounts in (any_amount(), any_amount(), any_amount(), prop::option::of(any_amount())),
            expected_duration_seconds in any::<u32>(),
            times in (0i64..1 << 45, prop::option::of(0i64..1 << 45)),
            fees in prop::collection::vec(any_fee(), 0..4),
            parties in prop::option::of((any::<[u8; 20]>(), any::<[u8; 32]>())),
        ) -> Route {
            let time = |millis| Timestamp::from_millisecond(millis).unwrap();
            Route {
                id: texts.0.parse().unwrap(),
                filler: texts.1,
                kind: texts.2,
                exact_out,
                deposit_methods,
                amount_in: amounts.0,
                amount_out: amounts.1,
                min_amount_out: amounts.2,
                expected_duration_seconds,
                valid_before: time(times.0),
                price_holds_until: times.1.map(time),
                estimated_gas: amounts.3,
                fees,
                parties: parties.map(|(filler, payee)| Parties {
                    filler: Address::Evm(filler.into()),
                    payee: Address::Solana(payee),
                }),
            }
        }
    }

    proptest! {
        #[test]
        fn any_route_reads_back(route in any_route()) {
            let record = RouteRecord::new(&QuoteId::random().unwrap(), 0, &route);
            prop_assert_eq!(record.into_route().unwrap(), route);
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,60}|(\\[\\{\\PC{0,60})") {
            let _ = read_fees(&text);
            let _ = read_methods(&text);
        }
    }
}
