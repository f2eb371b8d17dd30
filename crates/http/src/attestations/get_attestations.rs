use std::sync::Arc;

use alloy_primitives::{B256, hex};
use axum::Json;
use axum::extract::State;
use causeway_domain::{Attestation, Collected, Order, OrderStatus};
use causeway_wire::{AttestedOutcome, ErrorBody, IntentAttestations};

use super::desk::NoWord;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, Segment, parse_hash};

/// When asking again is worth it.
const RETRY_SECONDS: u64 = 1;
/// The same while too many ask.
const BUSY_SECONDS: u64 = 5;

/// What the attesters have signed of an intent, for whoever claims the deposit or gives it back.
///
/// Fillers that deliver by themselves take from here what the escrow's `claim` wants. Anybody may ask: the signatures
/// bind nobody but the escrow.
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
    segment: Segment,
) -> ApiResult<Json<IntentAttestations>> {
    let mut issues = Issues::default();
    let text = segment.text(&mut issues);
    let id = text.and_then(|text| issues.keep("intentId", parse_hash(&text)));
    issues.finish()?;
    let order = match id {
        Some(id) => app.orders.order_of_intent(id).await?,
        None => None,
    };
    let order = order.filter(|order| order.announced).ok_or_else(ApiError::intent_not_found)?;
    let delivered = order.evidence.fill.is_some();
    if !delivered && order.status != OrderStatus::RefundPending {
        let words = "The chain has not shown a delivery that stands yet. Ask again in a moment.";
        return Err(ApiError::not_yet(words, RETRY_SECONDS));
    }
    if order.terms.is_same_chain() {
        return own_eyes(&order).map(Json);
    }
    let asked = app.attestations.ask(&order.terms).await;
    let asked = asked.ok_or_else(|| ApiError::not_found("This service knows no attesters."))?;
    match asked {
        Ok(collected) => Ok(Json(map(&order, &collected))),
        Err(NoWord::Busy) => {
            let words = "The attesters take their time now. Ask again in a moment.";
            Err(ApiError::not_yet(words, BUSY_SECONDS))
        }
        Err(NoWord::Unsigned(error)) => {
            tracing::debug!(order = %order.id, %error, "the attesters have not signed");
            let words =
                format!("{} of {} attesters have signed. Ask again in a moment.", error.have, error.need);
            Err(ApiError::not_yet(words, RETRY_SECONDS))
        }
    }
}

/// Within one chain the escrow looks itself: it takes no signatures.
fn own_eyes(order: &Order) -> ApiResult<IntentAttestations> {
    let fill = order.evidence.fill.as_ref();
    let fill = fill.ok_or_else(|| {
        ApiError::not_found(
            "Within one chain the escrow gives back without attesters, after the fill deadline.",
        )
    })?;
    let order_id = order.intent;
    let attestation = Attestation::Filled { order: order_id, filled_at: fill.time, fill_ref: B256::ZERO };
    Ok(map(order, &Collected { attestation, signatures: Vec::new() }))
}

fn map(order: &Order, collected: &Collected) -> IntentAttestations {
    let (outcome, filled_at, fill_ref, destination_time) = match collected.attestation {
        Attestation::Filled { filled_at, fill_ref, .. } => {
            (AttestedOutcome::Filled, Some(filled_at), Some(fill_ref), None)
        }
        Attestation::Unfilled { destination_time, .. } => {
            (AttestedOutcome::Unfilled, None, None, Some(destination_time))
        }
    };
    IntentAttestations {
        intent_id: order.intent.to_string(),
        chain_id: order.from.chain().get(),
        outcome,
        filled_at: filled_at.map(|time| time.to_string()),
        fill_ref: fill_ref.map(|reference| reference.to_string()),
        destination_time: destination_time.map(|time| time.to_string()),
        epoch: order.terms.epoch.to_string(),
        signatures: collected.signatures.iter().map(hex::encode_prefixed).collect(),
    }
}
