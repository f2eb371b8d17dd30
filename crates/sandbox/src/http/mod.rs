//! The chains over HTTP: JSON-RPC, the faucet, the controls.

mod control;
mod error;
mod faucet;
mod rpc;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::Sandbox;

/// The largest JSON-RPC body; a batch of a thousand calls fits.
const RPC_BODY_LIMIT: usize = 5 * 1024 * 1024;

/// Everything that the sandbox answers, under `/sandbox`.
pub fn routes<S: Clone + Send + Sync + 'static>(sandbox: Arc<Sandbox>) -> Router<S> {
    Router::new()
        .route("/sandbox/rpc/{chainId}", post(rpc::rpc).layer(DefaultBodyLimit::max(RPC_BODY_LIMIT)))
        .route(
            "/sandbox/rpc/node/{node}/{chainId}",
            post(rpc::rpc_at).layer(DefaultBodyLimit::max(RPC_BODY_LIMIT)),
        )
        .route("/sandbox/faucet", post(faucet::faucet))
        .route("/sandbox/control/{chainId}", get(control::state).post(control::control))
        .with_state(sandbox)
}
