use std::sync::Arc;

use alloy_primitives::{B256, hex};
use axum::Json;
use axum::extract::State;
use causeway_domain::{Attestation, CollectedAttestation, Order, OrderStatus};
use causeway_engine::AttestationError;
use causeway_wire::{AttestedOutcome, ErrorBody, IntentAttestations};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam, parse_hash};

/// `Retry-After` while signatures are missing.
const RETRY_SECONDS: u64 = 1;
/// `Retry-After` while the attesters are busy.
const BUSY_RETRY_SECONDS: u64 = 5;

/// The attestations of an intent, needed to claim or refund its deposit.
///
/// Fillers that deliver on their own get the arguments of the escrow's `claim` here. The endpoint is public: the signatures
/// are only valid for the escrow.
#[utoipa::path(
    get,
    path = "/v1/intent/{intentId}/attestations",
    tag = "intents",
    params((
        "intentId" = String, Path, description = "0x and 64 hex digits",
        example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad",
    )),
    responses(
        (status = 200, body = IntentAttestations),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (
            status = 404, body = ErrorBody,
            description = "IntentNotFoundException, or NotFoundException with `Retry-After` while the attesters have not signed",
        ),
    ),
)]
pub(crate) async fn get_attestations(
    State(app): State<Arc<App>>,
    param: PathParam,
) -> ApiResult<Json<IntentAttestations>> {
    let mut issues = Issues::default();
    let text = param.text(&mut issues);
    let id = text.and_then(|text| issues.check("intentId", parse_hash(&text)));
    issues.finish()?;
    let order = match id {
        Some(id) => app.orders.order_of_intent(id).await?,
        None => None,
    };
    let order = order.filter(|order| order.announced).ok_or_else(ApiError::intent_not_found)?;
    let delivered = order.evidence.fill.is_some();
    if !delivered && order.status != OrderStatus::RefundPending {
        let message = "No fill is final yet. Try again in a moment.";
        return Err(ApiError::not_yet(message, RETRY_SECONDS));
    }
    if order.terms.is_same_chain() {
        return same_chain_attestation(&order).map(Json);
    }
    let collected = app.attestations.get(&order.terms).await;
    let collected =
        collected.ok_or_else(|| ApiError::not_found("This service has no attesters configured."))?;
    match collected {
        Ok(collected) => Ok(Json(map(&order, &collected))),
        Err(AttestationError::Busy) => {
            let message = "The attesters are busy. Try again in a moment.";
            Err(ApiError::not_yet(message, BUSY_RETRY_SECONDS))
        }
        Err(AttestationError::Unsigned(error)) => {
            tracing::debug!(order = %order.id, %error, "attestations incomplete");
            let message =
                format!("{} of {} attesters have signed. Try again in a moment.", error.have, error.need);
            Err(ApiError::not_yet(message, RETRY_SECONDS))
        }
    }
}

/// On a same-chain order the escrow reads the fill itself and needs no signatures.
fn same_chain_attestation(order: &Order) -> ApiResult<IntentAttestations> {
    let fill = order.evidence.fill.as_ref();
    let fill = fill.ok_or_else(|| {
        ApiError::not_found(
            "On a same-chain order the escrow refunds without attesters, after the fill deadline.",
        )
    })?;
    let order_id = order.intent_id;
    let attestation = Attestation::Filled { order: order_id, filled_at: fill.time, fill_ref: B256::ZERO };
    Ok(map(order, &CollectedAttestation { attestation, signatures: Vec::new() }))
}

fn map(order: &Order, collected: &CollectedAttestation) -> IntentAttestations {
    let (outcome, filled_at, fill_ref, destination_time) = match collected.attestation {
        Attestation::Filled { filled_at, fill_ref, .. } => {
            (AttestedOutcome::Filled, Some(filled_at), Some(fill_ref), None)
        }
        Attestation::Unfilled { destination_time, .. } => {
            (AttestedOutcome::Unfilled, None, None, Some(destination_time))
        }
    };
    IntentAttestations {
        intent_id: order.intent_id.to_string(),
        chain_id: order.from.chain().get(),
        outcome,
        filled_at: filled_at.map(|time| time.to_string()),
        fill_ref: fill_ref.map(|reference| reference.to_string()),
        destination_time: destination_time.map(|time| time.to_string()),
        epoch: order.terms.epoch.to_string(),
        signatures: collected.signatures.iter().map(hex::encode_prefixed).collect(),
    }
}
