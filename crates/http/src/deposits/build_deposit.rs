use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, State};
use axum::http::HeaderMap;
use axum::{Extension, Json};
use causeway_wire::{BuildAnswer, BuildAsk, ErrorBody};

use super::map_built::map_built;
use super::read_build_request::read_build_request;
use crate::App;
use crate::error::ApiResult;
use crate::extract::Body;
use crate::middleware::idempotency::IdempotencyKey;

/// Turns a route into a deposit that a wallet can make.
///
/// The first build freezes the order's terms. Repeating it with the same values returns the same deposit; other values need
/// a new quote. The deposit is simulated on the chain first, so that wallets are not asked to sign what would fail. Every
/// response has `summary`, which describes in plain sentences what is signed, and the `terms` with which the deposit can be
/// recovered without this service. An order paid by `TRANSFER` exists from now on and needs no submit.
#[utoipa::path(
    post,
    path = "/v1/deposit/build",
    tag = "deposits",
    params(IdempotencyKey),
    request_body(content = BuildAsk, example = json!({
        "quoteId": "019a8c3f5b200f8fad5bd9cb469fa16570867728950e", "routeId": "pAEWAZqMP1sgD4-tW9nLRp-hZXCGdyiVDg…",
        "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", "depositMethod": "CONTRACT_CALL",
    })),
    responses(
        (status = 200, body = BuildAnswer),
        (
            status = 400,
            description = "ValidationException, UnexpectedFromAddressException or BadRequestException with \
                           `details.errorCode`: ROUTE_ALREADY_BUILT, INSUFFICIENT_BALANCE, INSUFFICIENT_GAS or \
                           SIMULATION_REVERTED",
            body = ErrorBody,
            example = json!({
                "name": "BadRequestException",
                "message": "The payer has 12.5 USDC, and the deposit takes 1000.",
                "details": { "errorCode": "INSUFFICIENT_BALANCE", "symbol": "USDC", "has": "12.5", "needs": "1000" },
            }),
        ),
        (status = 404, description = "QuoteNotFoundException", body = ErrorBody, example = json!({
            "name": "QuoteNotFoundException",
            "message": "The routeId belongs to another quoteId; pass on the quoteId and the routeId as they came, or ask \
                        for a new quote.",
        })),
        (status = 409, description = "RequestInProgressException", body = ErrorBody),
        (status = 410, description = "QuoteExpiredException", body = ErrorBody, example = json!({
            "name": "QuoteExpiredException",
            "message": "The route was valid before 2026-11-15T12:00:00Z; ask for a new quote.",
            "details": { "validBefore": 1_794_744_000 },
        })),
        (status = 413, description = "PayloadTooLargeException", body = ErrorBody),
        (
            status = 422,
            description = "NotSupportedDepositMethodException, NotSupportedChainException or \
                           IdempotencyKeyReusedException",
            body = ErrorBody,
            example = json!({
                "name": "NotSupportedDepositMethodException",
                "message": "The route does not offer PERMIT2; it offers CONTRACT_CALL, TRANSFER.",
                "details": { "depositMethod": "PERMIT2", "depositMethods": ["CONTRACT_CALL", "TRANSFER"] },
            }),
        ),
        (
            status = 429,
            description = "RateLimitedException: too many deposits of this payer, or from this address, were built and not paid",
            body = ErrorBody,
        ),
    ),
)]
pub(crate) async fn build_deposit(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    body: Body,
) -> ApiResult<Json<BuildAnswer>> {
    let client = app.event_streams.client(&headers, peer.map(|Extension(ConnectInfo(peer))| peer));
    let built = app.build_deposit.build(read_build_request(&body, client)?).await?;
    map_built(&app, built).map(Json)
}
