use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header::HeaderName};
use axum::response::{IntoResponse, Response};
use causeway_wire::{ErrorBody, Token};

use crate::App;
use crate::error::ApiResult;
use crate::extract::{PathParam, QueryParams};
use crate::mapping::map_token;

const PARTIAL: HeaderName = HeaderName::from_static("x-partial-chains");

/// The balances of an address in every token of the catalog, on all chains of its family.
///
/// Zero balances are omitted. Chains that do not answer in time are omitted too, and listed in the header
/// `x-partial-chains`.
#[utoipa::path(
    get,
    path = "/v1/tokens/balances/{address}",
    tag = "tokens",
    params(
        ("address" = String, Path, description = "An EVM or Solana address", example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        ("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "1,8453"),
    ),
    responses(
        (status = 200, body = Vec<Token>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_balances(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut params: QueryParams,
) -> ApiResult<Response> {
    let address = param.address(&mut params.issues);
    let chains = params.chain_ids();
    params.finish()?;
    let Some(address) = address else { return Ok(Json(Vec::<Token>::new()).into_response()) };
    let balances = app.read_balances.read(address, &chains).await;
    let snapshot = app.catalog.snapshot();
    let tokens = balances.held.iter().filter_map(|(id, amount)| {
        let mut token = map_token(snapshot.token(id)?, &app);
        token.extensions.get_or_insert_default().balance = Some(amount.to_string());
        Some(token)
    });
    let mut response = Json(tokens.collect::<Vec<Token>>()).into_response();
    let silent: Vec<String> = balances.silent.iter().map(ToString::to_string).collect();
    if let (false, Ok(value)) = (silent.is_empty(), HeaderValue::try_from(silent.join(","))) {
        response.headers_mut().insert(PARTIAL, value);
    }
    Ok(response)
}
