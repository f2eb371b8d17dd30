use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use causeway_domain::Ask;
use causeway_domain::ports::Integrator;
use causeway_engine::QuoteRequest;
use causeway_wire::{ErrorBody, Issue, QuoteAnswer, QuoteAsk, StreamedRoute};

use super::json_text::JsonText;
use super::map_route::RouteMapping;
use super::read_quote_request::read_quote_request;
use super::stream_routes::stream_routes;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, QueryParams};
use crate::middleware::admission::KeyHolder;

/// Enough for a response with six routes.
const TYPICAL_BYTES: usize = 8 * 1024;

/// Requests routes for a swap.
///
/// All fillers are asked in parallel; the response follows when all have answered, or at the deadline. Nothing is stored: a
/// `routeId` is the offer itself, sealed, so that any replica can build it. The best route comes first, routes for a plain
/// transfer after those for a wallet; the list is empty if no filler answers in time. With `mode=stream` the response has one
/// route per line as they arrive; errors are the same in both modes.
#[utoipa::path(
    post,
    path = "/v1/quotes",
    tag = "quotes",
    params(("mode" = Option<String>, Query, description = "`stream` for one route per line", example = "stream")),
    request_body(content = QuoteAsk, example = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "amount": "1000000000000000000",
        "fromAddress": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    })),
    responses(
        (status = 200, content((QuoteAnswer = "application/json"), (StreamedRoute = "application/x-ndjson"))),
        (status = 400, description = "ValidationException", body = ErrorBody, example = json!({
            "name": "ValidationException", "message": "amount: is required",
            "details": { "issues": [{ "path": "amount", "message": "is required" }] },
        })),
        (status = 413, description = "PayloadTooLargeException", body = ErrorBody),
        (
            status = 422,
            description = "CannotFillException (`details.reasons` holds a FillerReason per filler), \
                           NotSupportedChainException or NotSupportedTokenException",
            body = ErrorBody,
            example = json!({
                "name": "CannotFillException",
                "message": "No filler takes so small an amount: ask for at least 1 USDC (1000000 raw units).",
                "details": { "reasons": [
                    {
                        "filler": "north",
                        "reason": "the amount is too small: at least 1 USDC (1000000 raw units)",
                        "minimum": "1000000",
                    },
                    { "filler": "south", "reason": "did not answer in time" },
                ] },
            }),
        ),
    ),
)]
pub(crate) async fn post_quote(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
    caller: Caller,
    body: Body,
) -> ApiResult<Response> {
    let mode = params.raw("mode");
    if mode.as_deref().is_some_and(|mode| mode != "stream") {
        params.issues.add("mode", "is either absent or `stream`");
    }
    params.finish()?;
    let mut ask = read_quote_request(&body)?;
    drop(body);
    if let Some(holder) = &caller.holder {
        bind_referral(holder, &mut ask)?;
    }
    let request = QuoteRequest { ask, integrator: caller.integrator };
    let routes = app.request_quote.ask(request)?;
    if mode.is_some() {
        return stream_routes(app, routes).await;
    }
    let quote = routes.gather().await?;
    let mut body = JsonText::with_capacity(TYPICAL_BYTES);
    let snapshot = app.catalog.snapshot_guard();
    let written = RouteMapping::new(&app, &snapshot).write_answer(&mut body, &quote);
    written.map_err(|error| ApiError::internal(&error))?;
    drop(snapshot);
    let json = HeaderValue::from_static("application/json");
    Ok(([(CONTENT_TYPE, json)], axum::body::Body::from(body.into_bytes())).into_response())
}

/// Whom the request belongs to, if anybody.
pub(crate) struct Caller {
    /// Whose API key it carries.
    holder: Option<Arc<Integrator>>,
    /// The holder's name, or what the request says.
    pub(crate) integrator: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let holder = parts.extensions.get::<KeyHolder>().map(|KeyHolder(holder)| Arc::clone(holder));
        let name = holder.as_ref().map(|holder| holder.name.clone());
        Ok(Self { integrator: name.or_else(|| parse_integrator(&parts.headers)), holder })
    }
}

/// The referrer and fee of the key are those of its quotes; others are refused.
fn bind_referral(holder: &Integrator, ask: &mut Ask) -> ApiResult<()> {
    if !holder.has_referrer() {
        return Ok(());
    }
    let bound = holder.referral(ask.from.chain().family());
    if ask.referral.is_some() && ask.referral != bound {
        let whose = &holder.name;
        let message = match bound {
            Some(bound) => format!(
                "the API key of {whose} is bound to {} with {} basis points: leave referrer and referrerFeeBps out",
                bound.referrer,
                bound.fee_bps()
            ),
            None => format!(
                "the API key of {whose} is bound to a referrer on other chains: leave referrer and referrerFeeBps out"
            ),
        };
        return Err(ApiError::validation(&[Issue { path: "referrer".to_owned(), message }]));
    }
    ask.referral = bound;
    Ok(())
}

/// `X-Integrator-Id: <slug>-<8 hex>`; a malformed one is ignored.
fn parse_integrator(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("x-integrator-id")?.to_str().ok()?;
    let (slug, suffix) = id.rsplit_once('-')?;
    let is_slug = (1..=64).contains(&slug.len())
        && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let is_hex = suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_hexdigit());
    (is_slug && is_hex).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_integrator_id_is_ignored() {
        let read = |id: &str| {
            parse_integrator(&HeaderMap::from_iter([(
                "x-integrator-id".parse().unwrap(),
                id.parse().unwrap(),
            )]))
        };
        assert_eq!(read("my-wallet-0a1b2c3d").as_deref(), Some("my-wallet-0a1b2c3d"));
        for bad in ["wallet", "wallet-xyz", "-0a1b2c3d", "Wallet-0a1b2c3d", "wallet-0a1b2c3d4"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
