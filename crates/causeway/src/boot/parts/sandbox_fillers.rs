//! The sandbox's switches that let its fillers fail, so that a person can watch a refund.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use causeway_domain::ChainId;
use causeway_domain::ports::Filler as _;
use causeway_fillers::inventory::InventoryFiller;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::boot::config::Mode;
use crate::boot::parts::market::Market;

/// A filler with its accounts.
struct Switched {
    filler: Arc<InventoryFiller>,
    accounts: Vec<String>,
}

/// Lets a filler fail, or heals it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Switch {
    failing: bool,
    /// The chain it does not deliver on; all that it serves without one.
    chain_id: Option<u64>,
}

/// The switches under `/sandbox/fillers`; nothing outside the sandbox.
pub(crate) fn routes(mode: Mode, market: &Market) -> Router {
    if mode != Mode::Sandbox {
        return Router::new();
    }
    let accounts = |name: &str| {
        let own = market.known.iter().filter(|known| known.name == name);
        own.flat_map(|known| known.accounts.iter().map(ToString::to_string)).collect()
    };
    let switched = market
        .inventory
        .iter()
        .map(|maker| Switched { filler: Arc::clone(&maker.filler), accounts: accounts(maker.filler.name()) });
    let fillers: Arc<[Switched]> = switched.collect();
    Router::new()
        .route("/sandbox/fillers", get(list))
        .route("/sandbox/fillers/{name}", post(switch))
        .with_state(fillers)
}

/// Every filler with its accounts, and the chains on which it fails.
async fn list(State(fillers): State<Arc<[Switched]>>) -> Json<Value> {
    Json(fillers.iter().map(standing).collect())
}

async fn switch(State(fillers): State<Arc<[Switched]>>, Path(name): Path<String>, body: Bytes) -> Response {
    let request: Switch = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => {
            let words = format!("The request body: {error}.");
            return refused(StatusCode::BAD_REQUEST, "ValidationException", &words);
        }
    };
    let Some(found) = fillers.iter().find(|one| one.filler.name() == name) else {
        let words = "The sandbox has no such filler; GET /sandbox/fillers lists them.";
        return refused(StatusCode::NOT_FOUND, "NotFoundException", words);
    };
    let wanted = |chain: &ChainId| request.chain_id.is_none_or(|id| id == chain.get());
    let chains: Vec<ChainId> = found.filler.chains().filter(wanted).collect();
    if chains.is_empty() {
        return refused(StatusCode::NOT_FOUND, "NotFoundException", "That filler does not serve that chain.");
    }
    for chain in chains {
        found.filler.set_waived(chain, request.failing);
    }
    Json(standing(found)).into_response()
}

fn standing(switched: &Switched) -> Value {
    let failing: Vec<u64> = switched.filler.waived().iter().map(|chain| chain.get()).collect();
    json!({
        "name": switched.filler.name(),
        "accounts": switched.accounts,
        "chains": switched.filler.chains().count(),
        "failing": failing,
    })
}

fn refused(status: StatusCode, name: &str, message: &str) -> Response {
    (status, Json(json!({ "name": name, "message": message }))).into_response()
}
