use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::error::{HttpError, chain_id, node_number};
use crate::Sandbox;
use crate::jsonrpc::FIRST_NODE;

/// JSON-RPC of one chain, as a node would answer it.
pub(super) async fn rpc(
    State(sandbox): State<Arc<Sandbox>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, HttpError> {
    answer(&sandbox, FIRST_NODE, &id, &body).await
}

/// The same by another node of the chain.
pub(super) async fn rpc_at(
    State(sandbox): State<Arc<Sandbox>>,
    Path((node, id)): Path<(String, String)>,
    body: Bytes,
) -> Result<Response, HttpError> {
    let node = node.parse().ok().and_then(node_number);
    let node = node.ok_or_else(|| HttpError::Invalid("A node is a number from 1 to 255.".to_owned()))?;
    answer(&sandbox, node, &id, &body).await
}

async fn answer(sandbox: &Sandbox, node: u8, id: &str, body: &[u8]) -> Result<Response, HttpError> {
    let id = chain_id(id)?;
    let answer = match (sandbox.evm.get(&id), &sandbox.solana) {
        (Some(chain), _) => chain.rpc_at(node, body).await,
        (None, Some(solana)) if solana.chain_id() == id => solana.rpc_at(node, body).await,
        _ => return Err(HttpError::NoChain),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
