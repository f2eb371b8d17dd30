//! The operator's door: under `/operator`, behind a token, out of the API document, and not for scripts of other pages.

mod audit;
mod auth;
mod fillers;
mod orders;
mod pauses;
mod webhooks;

use std::fmt;
use std::sync::Arc;

use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::AuditLog;
use causeway_engine::{OperatePauses, Registry, ReviewOrders, WebhookDesk};
use serde_json::{Value, json};

use crate::App;

pub use auth::OperatorToken;

/// What operators reach.
pub struct OperatorDesk {
    pub token: OperatorToken,
    pub audit: Arc<dyn AuditLog>,
    pub webhooks: WebhookDesk,
    pub pauses: Arc<OperatePauses>,
    pub registry: Arc<Registry>,
    pub review: Arc<ReviewOrders>,
}

impl fmt::Debug for OperatorDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorDesk").finish_non_exhaustive()
    }
}

/// Every route of the operator's; one file per concern adds its own here.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/operator", get(greet))
        .merge(audit::routes())
        .merge(webhooks::routes())
        .merge(pauses::routes())
        .merge(fillers::routes())
        .merge(orders::routes())
        .route_layer(from_fn_with_state(Arc::clone(app), auth::require_token))
}

/// Tells who is behind the door, so that a token can be tried.
async fn greet(State(app): State<Arc<App>>) -> Json<Value> {
    let options = &app.options;
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "mode": options.mode,
        "publicUrl": options.public_url,
        "startedAt": options.started_at.to_string(),
    }))
}
