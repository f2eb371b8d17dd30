use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::{Refusal, chain_id};
use crate::Sandbox;

/// JSON-RPC of one chain, as a node would answer it.
pub(super) async fn rpc(
    State(sandbox): State<Arc<Sandbox>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let id = chain_id(&id)?;
    let answer = match (sandbox.evm.get(&id), &sandbox.solana) {
        (Some(chain), _) => chain.rpc(&body).await,
        (None, Some(solana)) if solana.chain_id() == id => solana.rpc(&body).await,
        _ => return Err(Refusal::NoChain),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
