use std::net::IpAddr;

use causeway_domain::{Address, DepositMethod, QuoteId, RouteId};
use causeway_engine::BuildRequest;

use crate::error::ApiError;
use crate::extract::{Body, Fields, parse_address};

/// Parses the body of a build request, or returns all of its issues.
pub(crate) fn read_build_request(body: &Body, client: Option<IpAddr>) -> Result<BuildRequest, ApiError> {
    let mut fields = body.fields()?;
    let ids = read_ids(&mut fields);
    let from = fields.required_string("from");
    let from = from.and_then(|text| fields.issues.check("from", parse_address(&text)));
    let recipient = read_address(&mut fields, "recipient");
    let refund_to = read_address(&mut fields, "refundTo");
    let method = fields.string("depositMethod");
    fields.finish()?;
    let method = method.map(|text| text.parse::<DepositMethod>()).transpose().map_err(|error| {
        ApiError::not_supported_deposit_method(format!(
            "{error}. The route's depositMethods says which of them it offers."
        ))
    })?;
    let missing = || ApiError::internal(&"a field of the build request is missing without an issue");
    let (quote, route) = parse_ids(ids.ok_or_else(missing)?)?;
    let from = from.ok_or_else(missing)?;
    Ok(BuildRequest { quote, route, from, recipient, refund_to, method, client })
}

/// An address of any family; only the quote determines which one is required.
fn read_address(fields: &mut Fields<'_>, name: &str) -> Option<Address> {
    let text = fields.string(name)?;
    fields.issues.check(name, parse_address(&text))
}

pub(super) fn read_ids(fields: &mut Fields<'_>) -> Option<(String, String)> {
    let (quote, route) = (fields.required_string("quoteId"), fields.required_string("routeId"));
    Some((quote?.into_owned(), route?.into_owned()))
}

/// Ids are opaque to clients, so a malformed id is reported as unknown.
pub(super) fn parse_ids((quote, route): (String, String)) -> Result<(QuoteId, RouteId), ApiError> {
    let unknown = |name: &str| {
        ApiError::quote_not_found(format!(
            "The {name} is not one of ours, or was changed; pass on the quoteId and the routeId as they came, or ask \
             for a new quote."
        ))
    };
    let quote = quote.parse().map_err(|_| unknown("quoteId"))?;
    Ok((quote, route.parse().map_err(|_| unknown("routeId"))?))
}
