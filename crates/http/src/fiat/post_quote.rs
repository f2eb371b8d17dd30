use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use causeway_wire::{FiatErrorBody, FiatQuoteAnswer, FiatQuoteAsk, FiatQuoteLine};

use super::map_quote::{map_fault, map_quote};
use super::read_quote_request::read_quote_request;
use super::stream_quotes::stream_quotes;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{Body, QueryParams};

/// Requests quotes from all providers in parallel.
///
/// The best offer comes first. A provider that is slow, down or refuses is listed in `errors` and does not delay
/// the others. The target is given by `toChainId` and `toToken` or by `outputAsset`, the wallet by `recipient` or
/// `walletAddress`, the amount by exactly one of `fiatAmount` and `cryptoAmount`. With `mode=stream` each answer is a separate
/// line, `{"quote":…}` or `{"error":…}`, as it arrives.
#[utoipa::path(
    post,
    path = "/v1/fiat/quote",
    tag = "fiat",
    params(("mode" = Option<String>, Query, description = "`stream` for one line per provider", example = "stream")),
    request_body(content = FiatQuoteAsk, example = json!({
        "fiatCurrency": "USD", "fiatAmount": "100",
        "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "recipient": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    })),
    responses(
        (status = 200, content((FiatQuoteAnswer = "application/json"), (FiatQuoteLine = "application/x-ndjson"))),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody, example = json!({
            "name": "ValidationException",
            "message": "fiatAmount: USD has 2 digits after the point, and the amount has more",
            "details": { "issues": [{
                "path": "fiatAmount", "message": "USD has 2 digits after the point, and the amount has more",
            }] },
            "error": {
                "code": "VALIDATION_ERROR",
                "message": "fiatAmount: USD has 2 digits after the point, and the amount has more",
                "retryable": false,
                "details": { "issues": [{
                    "path": "fiatAmount", "message": "USD has 2 digits after the point, and the amount has more",
                }] },
            },
        })),
        (status = 413, description = "PAYLOAD_TOO_LARGE", body = FiatErrorBody),
        (status = 422, description = "UNSUPPORTED_ASSET or PROVIDER_DISABLED", body = FiatErrorBody),
    ),
)]
pub(crate) async fn post_fiat_quote(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
    body: Body,
) -> ApiResult<Response> {
    let mode = params.raw("mode");
    if mode.as_deref().is_some_and(|mode| mode != "stream") {
        params.issues.add("mode", "is either absent or `stream`");
    }
    params.finish()?;
    let ask = read_quote_request(&body)?;
    if mode.is_some() {
        let answers = app.fiat.quote.quote(ask)?;
        return Ok(stream_quotes(app, answers));
    }
    let gathered = app.fiat.quote.gather(ask).await?;
    let quotes = gathered.quotes.iter().map(|quote| map_quote(&app, quote)).collect::<ApiResult<_>>()?;
    let errors = gathered.errors.into_iter().map(map_fault).collect();
    Ok(Json(FiatQuoteAnswer { quotes, errors }).into_response())
}
