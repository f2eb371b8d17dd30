use std::borrow::Cow;
use std::fmt::Display;

use causeway_domain::ports::StoreError;
use causeway_domain::{Fee, RawAmount, Route};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use super::{Plain, PlainToken, RouteRecord, corrupt, text};

/// A route as JSON in the row of its quote, borrowed to avoid copies.
#[derive(Serialize)]
struct RouteJson<'a> {
    id: &'a str,
    filler: Cow<'a, str>,
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_out: Option<&'static str>,
    methods: String,
    amount_in: DisplayJson<RawAmount>,
    amount_out: DisplayJson<RawAmount>,
    min_out: DisplayJson<RawAmount>,
    seconds: u32,
    valid_before: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds_until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gas: Option<DisplayJson<RawAmount>>,
    fees: Vec<FeeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parties: Option<(DisplayJson<Plain>, DisplayJson<Plain>)>,
}

/// A fee as JSON.
#[derive(Serialize)]
pub(super) struct FeeJson {
    kind: &'static str,
    token: DisplayJson<PlainToken>,
    amount: DisplayJson<RawAmount>,
}

/// A value that is serialized by its `Display` text.
struct DisplayJson<T>(T);

impl<T: Display> Serialize for DisplayJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl From<&Fee> for FeeJson {
    fn from(fee: &Fee) -> Self {
        Self {
            kind: fee.kind.as_str(),
            token: DisplayJson(PlainToken(fee.token)),
            amount: DisplayJson(fee.amount),
        }
    }
}

/// The same route for reading.
#[derive(Deserialize)]
struct PackedRoute {
    id: String,
    filler: String,
    kind: String,
    exact_out: Option<String>,
    methods: String,
    amount_in: String,
    amount_out: String,
    min_out: String,
    seconds: i64,
    valid_before: i64,
    holds_until: Option<i64>,
    gas: Option<String>,
    fees: Vec<FeeRecord>,
    parties: Option<(String, String)>,
}

/// The same fee for reading.
#[derive(Serialize, Deserialize)]
pub(super) struct FeeRecord {
    pub(super) kind: String,
    pub(super) token: String,
    pub(super) amount: String,
}

/// Serializes plain data, which cannot fail; an empty text would read as corrupt.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The routes as one JSON text; `None` if there are none.
pub(super) fn pack(routes: &[Route]) -> Option<String> {
    let packed: Vec<RouteJson<'_>> = routes.iter().map(pack_one).collect();
    (!packed.is_empty()).then(|| json(&packed))
}

fn pack_one(route: &Route) -> RouteJson<'_> {
    RouteJson {
        id: route.id.as_str(),
        filler: clean(&route.filler),
        kind: clean(&route.kind),
        exact_out: route.exact_out.map(causeway_domain::ExactOutMethod::as_str),
        methods: RouteRecord::method_names(&route.deposit_methods),
        amount_in: DisplayJson(route.amount_in),
        amount_out: DisplayJson(route.amount_out),
        min_out: DisplayJson(route.min_amount_out),
        seconds: route.expected_duration_seconds,
        valid_before: route.valid_before.as_millisecond(),
        holds_until: route.price_holds_until.map(Timestamp::as_millisecond),
        gas: route.estimated_gas.map(DisplayJson),
        fees: route.fees.iter().map(FeeJson::from).collect(),
        parties: route
            .parties
            .map(|parties| (DisplayJson(Plain(parties.filler)), DisplayJson(Plain(parties.payee)))),
    }
}

/// Replaces NUL as [`text`] does.
fn clean(value: &str) -> Cow<'_, str> {
    if value.contains('\0') { Cow::Owned(text(value)) } else { Cow::Borrowed(value) }
}

/// The packed routes of a quote as rows.
pub(crate) fn unpack(quote_id: &str, packed: Option<&str>) -> Result<Vec<RouteRecord>, StoreError> {
    let Some(packed) = packed else { return Ok(Vec::new()) };
    let routes: Vec<PackedRoute> =
        serde_json::from_str(packed).map_err(|_| corrupt("quotes.routes", packed))?;
    Ok((0..).zip(routes).map(|(place, route)| unpack_one(quote_id, place, route)).collect())
}

fn unpack_one(quote_id: &str, place: i64, route: PackedRoute) -> RouteRecord {
    let (filler_address, payee) = route.parties.unzip();
    RouteRecord {
        quote_id: quote_id.to_owned(),
        route_id: route.id,
        place,
        filler: route.filler,
        kind: route.kind,
        exact_out: route.exact_out,
        deposit_methods: route.methods,
        amount_in: route.amount_in,
        amount_out: route.amount_out,
        min_amount_out: route.min_out,
        expected_seconds: route.seconds,
        valid_before: route.valid_before,
        price_holds_until: route.holds_until,
        estimated_gas: route.gas,
        fees: json(&route.fees),
        filler_address,
        payee,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::route::tests::any_route;

    proptest! {
        #[test]
        fn packed_routes_unpack_to_their_rows(routes in prop::collection::vec(any_route(), 0..4)) {
            let id = causeway_domain::QuoteId::random().unwrap();
            let packed = pack(&routes);
            let rows: Vec<_> = (0..).zip(&routes).map(|(place, route)| RouteRecord::new(&id, place, route)).collect();
            prop_assert_eq!(unpack(id.as_str(), packed.as_deref()).unwrap(), rows);
        }

        #[test]
        fn any_text_is_unpacked_or_refused_without_panic(text in "\\PC{0,60}|(\\[\\{\\PC{0,60})") {
            let _ = unpack("", Some(&text));
        }
    }
}
