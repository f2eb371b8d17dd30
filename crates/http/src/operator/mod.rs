//! The operator API under `/operator`: requires a token, has no CORS headers and is not in the API document.

mod audit;
mod auth;
mod erasures;
mod fillers;
mod integrators;
mod inventory;
mod orders;
mod overview;
mod pauses;
mod results;
mod webhooks;

use std::fmt;
use std::sync::Arc;

use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::RowKeys;
use causeway_domain::ports::{FiatStore, OperatorStore};
use causeway_engine::{OperateIntegrators, OperatePauses, Registry, ReviewOrders, WebhookAdmin};
use serde_json::{Value, json};

use crate::App;

pub use auth::{OperatorRole, OperatorToken, OperatorTokens};

/// The use cases of the operator API.
pub struct OperatorServices {
    pub tokens: OperatorTokens,
    pub audit: Arc<dyn OperatorStore>,
    pub fiat: Arc<dyn FiatStore>,
    pub row_keys: Arc<RowKeys>,
    pub webhooks: WebhookAdmin,
    pub pauses: Arc<OperatePauses>,
    pub registry: Arc<Registry>,
    pub integrators: Arc<OperateIntegrators>,
    pub review: Arc<ReviewOrders>,
}

impl fmt::Debug for OperatorServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorServices").finish_non_exhaustive()
    }
}

/// All routes of the operator API.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/operator", get(get_info))
        .merge(audit::routes())
        .merge(webhooks::routes())
        .merge(pauses::routes())
        .merge(fillers::routes())
        .merge(integrators::routes())
        .merge(erasures::routes())
        .merge(orders::routes())
        .merge(overview::routes())
        .merge(results::routes())
        .route_layer(from_fn_with_state(Arc::clone(app), auth::require_token))
}

/// Version and mode of the service; lets a client check its token.
async fn get_info(State(app): State<Arc<App>>) -> Json<Value> {
    let options = &app.options;
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "mode": options.mode,
        "publicUrl": options.public_url,
        "startedAt": options.started_at.to_string(),
    }))
}
