use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::{Address, TokenId};
use causeway_wire::Token;

use super::hub;
use crate::App;
use crate::mapping::map_token;

/// Lists the share tokens of the hub's vaults; `extensions.spokeToken` is the underlying token of a share.
#[utoipa::path(get, path = "/v1/mtokens", tag = "hub", responses((status = 200, body = Vec<Token>)))]
pub(crate) async fn get_mtokens(State(app): State<Arc<App>>) -> Json<Vec<Token>> {
    let snapshot = app.catalog.snapshot();
    let vaults =
        hub(&app).into_iter().flat_map(|(there, hub)| hub.vaults.iter().map(|vault| (there.chain, vault)));
    let tokens = vaults.filter_map(|(chain, vault)| {
        let share = TokenId::from_address(chain, Address::Evm(vault.vault))?;
        let asset = TokenId::from_address(chain, Address::Evm(vault.asset))?;
        let mut token = map_token(snapshot.token(&share)?, app.prices.as_ref());
        token.extensions.get_or_insert_default().spoke_token = Some(asset.to_string());
        Some(token)
    });
    Json(tokens.collect())
}
