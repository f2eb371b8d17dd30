use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::{Address, TokenId};
use causeway_wire::{ErrorBody, Token};

use super::hub;
use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::mapping::map_token;

/// Lists the share tokens of the hub's vaults; `extensions.spokeToken` is the underlying token of a share.
#[utoipa::path(
    get,
    path = "/v1/mtokens",
    tag = "hub",
    params(("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "4278608")),
    responses(
        (status = 200, body = Vec<Token>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_mtokens(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Vec<Token>>> {
    let chains = params.chain_ids();
    params.finish()?;
    let snapshot = app.catalog.snapshot();
    let vaults =
        hub(&app).into_iter().flat_map(|(there, hub)| hub.vaults.iter().map(|vault| (there.chain, vault)));
    let vaults = vaults.filter(|(chain, _)| chains.is_empty() || chains.contains(chain));
    let tokens = vaults.filter_map(|(chain, vault)| {
        let share = TokenId::from_address(chain, Address::Evm(vault.vault))?;
        let asset = TokenId::from_address(chain, Address::Evm(vault.asset))?;
        let mut token = map_token(snapshot.token(&share)?, &app);
        token.extensions.get_or_insert_default().spoke_token = Some(asset.to_string());
        Some(token)
    });
    Ok(Json(tokens.collect()))
}
