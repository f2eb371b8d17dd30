pub(crate) mod get_config;
pub(crate) mod get_mtokens;
pub(crate) mod get_vaults;

use causeway_domain::{Deployment, HubDeployment};

use crate::App;
use crate::error::ApiError;

/// The hub's deployment, if there is a hub.
fn hub(app: &App) -> Option<(&Deployment, &HubDeployment)> {
    app.deployments.iter().find_map(|deployment| Some((deployment, deployment.hub.as_ref()?)))
}

fn no_hub() -> ApiError {
    ApiError::not_found("This service has no hub: its contracts are not deployed on the hub chain.")
}
