use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::VaultDeployment;
use causeway_wire::Vault;

use super::hub;
use crate::App;

/// Lists the hub's vaults.
#[utoipa::path(get, path = "/v1/vaults", tag = "hub", responses((status = 200, body = Vec<Vault>)))]
pub(crate) async fn get_vaults(State(app): State<Arc<App>>) -> Json<Vec<Vault>> {
    let vaults = hub(&app).into_iter().flat_map(|(_, hub)| &hub.vaults);
    Json(vaults.map(|vault| map_vault(vault, app.options.mode == "sandbox")).collect())
}

fn map_vault(vault: &VaultDeployment, is_testnet: bool) -> Vault {
    let address = vault.vault.to_string();
    Vault {
        symbol: vault.symbol.clone(),
        name: vault.name.clone(),
        description: format!(
            "An ERC-4626 vault: its share token {} represents a share of the vault's holdings and can be redeemed at any time.",
            vault.symbol
        ),
        teller: address.clone(),
        vault: address,
        assets: vec![vault.asset.to_string()],
        testnet: is_testnet.then_some(true),
        decimals: vault.decimals,
        backend: "erc4626".to_owned(),
        extensions: None,
    }
}
