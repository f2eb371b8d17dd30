use alloy_primitives::{Address, B256};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use crate::attester::Attester;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HealthJson {
    status: &'static str,
    attester: Address,
    signed: usize,
    waiting: usize,
    chains: Vec<ChainJson>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChainJson {
    chain_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_block: Option<BlockJson>,
    halted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "trouble")]
    last_error: Option<String>,
}

#[derive(Debug, Serialize)]
struct BlockJson {
    number: u64,
    hash: B256,
    time: u64,
}

/// The attester's health; 503 while any chain is not readable.
pub(super) async fn get_health(State(attester): State<Attester>) -> (StatusCode, Json<HealthJson>) {
    let health = attester.health();
    let chains = health.chains.iter().map(|(chain, health)| ChainJson {
        chain_id: chain.get(),
        final_block: health.last.map(|block| BlockJson {
            number: block.number,
            hash: block.hash,
            time: block.time,
        }),
        halted: health.halted,
        last_error: health.last_error.clone(),
    });
    let body = HealthJson {
        status: health.status(),
        attester: attester.address(),
        signed: health.signed,
        waiting: health.waiting,
        chains: chains.collect(),
    };
    let code = if body.status == "ok" { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, Json(body))
}
