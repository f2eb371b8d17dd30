use utoipa::OpenApi;

use super::protocol::{CallError, OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "A filler of Causeway",
        version = "1",
        description = "The two calls that a filler answers, at an address of its own. Every call and every answer with status \
                       200 is signed; docs/fillers.md says how. Amounts are decimal digits in raw units, as strings. \
                       Unknown fields are ignored.",
        license(name = "MIT OR Apache-2.0"),
    ),
    paths(quote, orders),
    components(schemas(CallError))
)]
struct Protocol;

/// The document of the calls that a filler answers.
pub fn openapi() -> utoipa::openapi::OpenApi {
    Protocol::openapi()
}

/// Quotes an ask. A quote binds nobody yet.
#[utoipa::path(
    post,
    path = "/quote",
    request_body = QuoteAsk,
    params(
        ("x-causeway-timestamp" = String, Header, description = "Unix seconds; at most 300 from the filler's clock", example = "1794744000"),
        ("x-causeway-nonce" = String, Header, description = "Unique id of the call; a second call with the same nonce is rejected", example = "5f0c2a9be41d77c00000000000000001"),
        ("x-causeway-signature" = String, Header, description = "HMAC-SHA256 in hex, see docs/fillers.md"),
        ("x-causeway-deadline-ms" = u64, Header, description = "Milliseconds left; a later response is not read", example = 2000),
    ),
    responses(
        (status = 200, description = "Offers, or a refusal", body = QuoteAnswer, headers(
            ("x-causeway-signature" = String, description = "HMAC-SHA256 in hex over the call's nonce, the status and the body"),
        )),
        (status = 400, description = "The ask is malformed", body = CallError),
        (status = 401, description = "Not signed with the secret, too old, or replayed", body = CallError),
        (status = 413, description = "Larger than any ask", body = CallError),
    ),
)]
#[expect(dead_code, reason = "it only describes the call")]
fn quote() {}

/// An order took the filler's offer, and its deposit is final. Repeated until it is answered; the same order gets the same answer.
#[utoipa::path(
    post,
    path = "/orders",
    request_body = OrderNotice,
    params(
        ("x-causeway-timestamp" = String, Header, description = "Unix seconds; at most 300 from the filler's clock", example = "1794744000"),
        ("x-causeway-nonce" = String, Header, description = "Unique id of the call; a second call with the same nonce is rejected", example = "5f0c2a9be41d77c00000000000000002"),
        ("x-causeway-signature" = String, Header, description = "HMAC-SHA256 in hex, see docs/fillers.md"),
        ("x-causeway-deadline-ms" = u64, Header, description = "Milliseconds left; a later response is not read, and the notice is repeated", example = 10_000),
    ),
    responses(
        (status = 200, description = "Accepted, or declined", body = OrderAnswer, headers(
            ("x-causeway-signature" = String, description = "HMAC-SHA256 in hex over the call's nonce, the status and the body"),
        )),
        (status = 400, description = "The order is malformed, or its terms do not hash to its id", body = CallError),
        (status = 401, description = "Not signed with the secret, too old, or replayed", body = CallError),
    ),
)]
#[expect(dead_code, reason = "it only describes the call")]
fn orders() {}
