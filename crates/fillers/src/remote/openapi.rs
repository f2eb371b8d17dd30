use utoipa::OpenApi;

use super::protocol::{CallError, OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "A filler of Causeway",
        version = "1",
        description = "The two calls that a filler answers, at an address of its own. Every call and every answer with status \
                       200 is signed; docs/fillers.md says how. Amounts are decimal digits in raw units, as strings. \
                       Fields that a reader does not know are passed over.",
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

/// What the filler would pay for an ask, at once and without binding anybody yet.
#[utoipa::path(
    post,
    path = "/quote",
    request_body = QuoteAsk,
    params(
        ("x-causeway-timestamp" = String, Header, description = "Unix seconds; at most 300 from the filler's clock", example = "1794744000"),
        ("x-causeway-nonce" = String, Header, description = "Names the call; a second one with the same is refused", example = "5f0c2a9be41d77c00000000000000001"),
        ("x-causeway-signature" = String, Header, description = "HMAC-SHA256 in hex, see docs/fillers.md"),
        ("x-causeway-deadline-ms" = u64, Header, description = "Milliseconds left; a later answer is not read", example = 2000),
    ),
    responses(
        (status = 200, description = "Offers, or a refusal", body = QuoteAnswer, headers(
            ("x-causeway-signature" = String, description = "HMAC-SHA256 in hex over the call's nonce, the status and the body"),
        )),
        (status = 400, description = "The ask is not in form", body = CallError),
        (status = 401, description = "Not signed with the secret, too old, or made before", body = CallError),
        (status = 413, description = "Larger than any ask", body = CallError),
    ),
)]
#[expect(dead_code, reason = "it only describes the call")]
fn quote() {}

/// An order took the filler's offer, and its deposit stands. Told until it is answered; the same order gets the same answer.
#[utoipa::path(
    post,
    path = "/orders",
    request_body = OrderNotice,
    params(
        ("x-causeway-timestamp" = String, Header, description = "Unix seconds; at most 300 from the filler's clock", example = "1794744000"),
        ("x-causeway-nonce" = String, Header, description = "Names the call; a second one with the same is refused", example = "5f0c2a9be41d77c00000000000000002"),
        ("x-causeway-signature" = String, Header, description = "HMAC-SHA256 in hex, see docs/fillers.md"),
        ("x-causeway-deadline-ms" = u64, Header, description = "Milliseconds left; a later answer is not read, and the order is told again", example = 10_000),
    ),
    responses(
        (status = 200, description = "Accepted, or declined", body = OrderAnswer, headers(
            ("x-causeway-signature" = String, description = "HMAC-SHA256 in hex over the call's nonce, the status and the body"),
        )),
        (status = 400, description = "The order is not in form, or its terms do not hash to its id", body = CallError),
        (status = 401, description = "Not signed with the secret, too old, or made before", body = CallError),
    ),
)]
#[expect(dead_code, reason = "it only describes the call")]
fn orders() {}
