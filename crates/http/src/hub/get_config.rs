use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::Deployment;
use causeway_wire::{ErrorBody, HubConfig, HubContracts};

use super::{hub, no_hub};
use crate::App;
use crate::error::ApiResult;

/// The addresses of the hub's contracts.
///
/// Several names may refer to the same contract. Every address has code on its chain.
#[utoipa::path(
    get,
    path = "/v1/config/hub",
    tag = "hub",
    responses(
        (status = 200, body = HubConfig),
        (status = 404, description = "NotFoundException: no hub is deployed", body = ErrorBody),
    ),
)]
pub(crate) async fn get_hub_config(State(app): State<Arc<App>>) -> ApiResult<Json<HubConfig>> {
    read_config(&app).map(Json)
}

/// The same as `/v1/config/hub`, under the name that older clients know.
#[utoipa::path(
    get,
    path = "/v1/config/arcadia",
    tag = "hub",
    responses(
        (status = 200, body = HubConfig),
        (status = 404, description = "NotFoundException: no hub is deployed", body = ErrorBody),
    ),
)]
pub(crate) async fn get_arcadia_config(State(app): State<Arc<App>>) -> ApiResult<Json<HubConfig>> {
    read_config(&app).map(Json)
}

fn read_config(app: &App) -> ApiResult<HubConfig> {
    let (deployment, hub) = hub(app).ok_or_else(no_hub)?;
    let by_chain = |read: fn(&Deployment) -> String| -> BTreeMap<u64, String> {
        app.deployments.iter().map(|deployment| (deployment.chain.get(), read(deployment))).collect()
    };
    let registry = deployment.registry.to_string();
    let (book, factory) = (hub.intent_book.to_string(), hub.vault_factory.to_string());
    Ok(HubConfig {
        chain_id: deployment.chain.get(),
        medusa_url: app.options.public_url.clone(),
        contract: HubContracts {
            access_manager: registry.clone(),
            intent_book: book.clone(),
            cross_chain_intent_book: book,
            m_token_manager: factory.clone(),
            m_token_registry: factory.clone(),
            m_token_vault_factory: factory,
            gateway: deployment.settler.to_string(),
            hyperlane_verifier: registry,
            vault_lib: None,
            intent_lib: None,
            stable_asset_rate_provider: None,
            asset_reserves: by_chain(|there| there.escrow.to_string()),
            depositor: by_chain(|there| there.deposit_factory.to_string()),
        },
    })
}
