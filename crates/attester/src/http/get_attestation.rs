use alloy_primitives::B256;
use axum::Json;
use axum::extract::{Path, State};

use super::refusal::Refusal;
use crate::attester::Attester;
use crate::wire::AttestationJson;

/// The attestation signed for an order, without reading any chain.
pub(super) async fn get_attestation(
    State(attester): State<Attester>,
    Path(order): Path<String>,
) -> Result<Json<AttestationJson>, Refusal> {
    let order: B256 = order.parse().map_err(|_| Refusal::BadOrderId)?;
    let signed = attester.attestation(&order).ok_or(Refusal::NothingSigned)?;
    Ok(Json(AttestationJson::from(&signed)))
}
