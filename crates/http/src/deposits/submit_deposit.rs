use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{ErrorBody, SubmitAnswer, SubmitAsk};

use super::read_submit_request::read_submit_request;
use crate::App;
use crate::error::ApiResult;
use crate::extract::Body;
use crate::middleware::idempotency::IdempotencyKey;

/// Reports a deposit that was sent, or submits a signed one.
///
/// Takes exactly one of `txHash`, `signedTransaction` and `signature`; it is idempotent. It is a hint, not a
/// condition: a deposit is recognised on the chain by its order, whatever its hash, whether or not it was submitted, and
/// whether or not the quote has expired since. A hash that is not visible on the chain yet is accepted. On Solana a
/// `signedTransaction` must match the built one byte for byte; the response follows the first accepted broadcast, which is
/// repeated until the transaction is final or its blockhash has expired.
#[utoipa::path(
    put,
    path = "/v1/deposit/submit",
    tag = "deposits",
    params(IdempotencyKey),
    request_body(content = SubmitAsk, example = json!({
        "quoteId": "019a8c3f5b200f8fad5bd9cb469fa16570867728950e", "routeId": "house",
        "txHash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    })),
    responses(
        (status = 200, body = SubmitAnswer),
        (
            status = 400,
            description = "ValidationException, or BadRequestException with `details.errorCode`: EXACTLY_ONE_PROOF, \
                           WRONG_PROOF, ROUTE_NOT_BUILT, DEPOSIT_TX_HASH_CONFLICT (with `orderId`), NOT_THIS_DEPOSIT, \
                           MESSAGE_MISMATCH (a Solana transaction that is not the one that was built) or \
                           OPEN_DEADLINE_PASSED",
            body = ErrorBody,
            example = json!({
                "name": "BadRequestException",
                "message": "Another deposit was submitted for this route before; its order is 0f8fad5bd9cb469fa16570867728950e.",
                "details": { "errorCode": "DEPOSIT_TX_HASH_CONFLICT", "orderId": "0f8fad5bd9cb469fa16570867728950e" },
            }),
        ),
        (status = 404, description = "QuoteNotFoundException", body = ErrorBody, example = json!({
            "name": "QuoteNotFoundException",
            "message": "Quote 019a8c3f5b200f8fad5bd9cb469fa16570867728950e is not known.",
        })),
        (status = 409, description = "DuplicateRecordException or RequestInProgressException", body = ErrorBody, example = json!({
            "name": "DuplicateRecordException",
            "message": "This transaction was submitted for another order before.",
        })),
        (status = 413, description = "PayloadTooLargeException", body = ErrorBody),
        (status = 422, description = "IdempotencyKeyReusedException", body = ErrorBody),
        (status = 502, description = "BroadcastException", body = ErrorBody, example = json!({
            "name": "BroadcastException",
            "message": "The chain refused the deposit: nonce too low.",
            "details": { "reason": "nonce too low" },
        })),
    ),
)]
pub(crate) async fn submit_deposit(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<SubmitAnswer>> {
    let submitted = app.submit_deposit.submit(read_submit_request(&body)?).await?;
    Ok(Json(SubmitAnswer { order_id: submitted.order.to_string(), tx_hash: submitted.tx }))
}
