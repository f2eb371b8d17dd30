use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use causeway_engine::fiat::FiatOrderRequest;
use causeway_wire::{FiatErrorBody, FiatOrderAnswer, FiatOrderAsk};

use super::map_order::map_created;
use super::read_order_request::{read_order_request, read_origin};
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::Body;
use crate::middleware::idempotency::IdempotencyKey;
use crate::quotes::post_quote::Caller;

/// Creates an order from a quote: binds it to a wallet and opens the provider's checkout.
///
/// The same quote twice gives the same order. Show `wrapperUrl` in a popup or a frame: it reports the progress of the purchase
/// to its opener and its parent. The order completes even if every page is closed.
#[utoipa::path(
    post,
    path = "/v1/fiat/order",
    tag = "fiat",
    params(IdempotencyKey),
    request_body(content = FiatOrderAsk, example = json!({
        "quoteId": "019a8c3f5b200f8fad5bd9cb469fa16570867728950e",
        "author": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    })),
    responses(
        (status = 200, body = FiatOrderAnswer),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody),
        (status = 404, description = "QUOTE_INVALID", body = FiatErrorBody, example = json!({
            "name": "QuoteNotFoundException",
            "message": "This quote does not exist. Request one with POST /v1/fiat/quote and use it before it expires.",
            "error": {
                "code": "QUOTE_INVALID",
                "message": "This quote does not exist. Request one with POST /v1/fiat/quote and use it before it expires.",
                "retryable": false,
            },
        })),
        (status = 409, description = "STATE_CONFLICT: another wallet took the quote; or REQUEST_IN_PROGRESS", body = FiatErrorBody),
        (status = 410, description = "QUOTE_EXPIRED", body = FiatErrorBody),
        (status = 413, description = "PAYLOAD_TOO_LARGE", body = FiatErrorBody),
        (status = 422, description = "PROVIDER_DISABLED, NO_ROUTE or IDEMPOTENCY_KEY_REUSED", body = FiatErrorBody),
        (status = 502, description = "PROVIDER_UNAVAILABLE", body = FiatErrorBody),
    ),
)]
pub(crate) async fn create_fiat_order(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    caller: Caller,
    body: Body,
) -> ApiResult<Json<FiatOrderAnswer>> {
    let parsed = read_order_request(&body)?;
    // A malformed id cannot be one of ours.
    let quote = parsed.quote.parse().map_err(|_| ApiError::fiat_quote_not_found())?;
    let request = FiatOrderRequest {
        quote,
        author: parsed.author,
        route: parsed.route,
        integrator: caller.integrator,
        metadata: parsed.metadata,
        refund_to: parsed.refund_to,
        origin: read_origin(&headers),
    };
    let order = app.fiat.order.order(request).await?;
    Ok(Json(map_created(&app, order)))
}
