use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use causeway_domain::IntentTerms;

use super::refusal::Refusal;
use crate::attester::Attester;
use crate::wire::{AttestRequest, AttestationJson};

/// Signs the final outcome of an order, or says why not.
pub(super) async fn post_attest(
    State(attester): State<Attester>,
    body: Bytes,
) -> Result<Json<AttestationJson>, Refusal> {
    let terms = read(&body)?;
    let signed = attester.attest(&terms).await.map_err(Refusal::No)?;
    Ok(Json(AttestationJson::from(&signed)))
}

fn read(body: &[u8]) -> Result<IntentTerms, Refusal> {
    let request: AttestRequest = serde_json::from_slice(body)
        .map_err(|error| Refusal::BadBody(format!("the body is {{\"terms\": \"0x…\"}}: {error}")))?;
    read_terms(&request.terms)
}

/// The terms of an order as the contracts encode them.
pub(super) fn read_terms(terms: &[u8]) -> Result<IntentTerms, Refusal> {
    IntentTerms::from_bytes(terms).ok_or_else(|| {
        let message = "the terms are 21 words of 32 bytes, the first of them version 2, as the contracts encode an order";
        Refusal::BadBody(message.to_owned())
    })
}
