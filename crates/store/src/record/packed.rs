use std::borrow::Cow;
use std::fmt::Display;

use causeway_domain::ports::StoreError;
use causeway_domain::{Fee, RawAmount, Route};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use super::{Plain, PlainToken, RouteRecord, corrupt, text};

/// A route on its way into the row of its quote. Quotes are written in thousands, so nothing is copied before it stands there.
#[derive(Serialize)]
struct Packing<'a> {
    id: &'a str,
    filler: Cow<'a, str>,
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_out: Option<&'static str>,
    methods: String,
    amount_in: Shown<RawAmount>,
    amount_out: Shown<RawAmount>,
    min_out: Shown<RawAmount>,
    seconds: u32,
    valid_before: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds_until: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gas: Option<Shown<RawAmount>>,
    fees: Vec<PackingFee>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parties: Option<(Shown<Plain>, Shown<Plain>)>,
}

/// A fee on its way into JSON.
#[derive(Serialize)]
pub(super) struct PackingFee {
    kind: &'static str,
    token: Shown<PlainToken>,
    amount: Shown<RawAmount>,
}

/// A value whose text is what is kept.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl From<&Fee> for PackingFee {
    fn from(fee: &Fee) -> Self {
        Self { kind: fee.kind.as_str(), token: Shown(PlainToken(fee.token)), amount: Shown(fee.amount) }
    }
}

/// The same route as it is read back.
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

/// A fee as it is read back.
#[derive(Serialize, Deserialize)]
pub(super) struct FeeRecord {
    pub(super) kind: String,
    pub(super) token: String,
    pub(super) amount: String,
}

/// JSON of what is nothing but texts and numbers, which cannot fail; were it to, an empty text is no list and reads as damage.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The routes as one text; none is no text.
pub(super) fn pack(routes: &[Route]) -> Option<String> {
    let packed: Vec<Packing<'_>> = routes.iter().map(pack_one).collect();
    (!packed.is_empty()).then(|| json(&packed))
}

fn pack_one(route: &Route) -> Packing<'_> {
    Packing {
        id: route.id.as_str(),
        filler: clean(&route.filler),
        kind: clean(&route.kind),
        exact_out: route.exact_out.map(causeway_domain::ExactOutMethod::as_str),
        methods: RouteRecord::method_names(&route.deposit_methods),
        amount_in: Shown(route.amount_in),
        amount_out: Shown(route.amount_out),
        min_out: Shown(route.min_amount_out),
        seconds: route.expected_duration_seconds,
        valid_before: route.valid_before.as_millisecond(),
        holds_until: route.price_holds_until.map(Timestamp::as_millisecond),
        gas: route.estimated_gas.map(Shown),
        fees: route.fees.iter().map(PackingFee::from).collect(),
        parties: route.parties.map(|parties| (Shown(Plain(parties.filler)), Shown(Plain(parties.payee)))),
    }
}

/// Words as every column holds them.
fn clean(words: &str) -> Cow<'_, str> {
    if words.contains('\0') { Cow::Owned(text(words)) } else { Cow::Borrowed(words) }
}

/// The routes that a quote was made with, as rows of their own.
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
        fn packed_routes_are_the_rows_that_they_stand_for(routes in prop::collection::vec(any_route(), 0..4)) {
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
