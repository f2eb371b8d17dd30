use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use causeway_domain::IntentTerms;

use super::post_attest::read_terms;
use super::refusal::Refusal;
use crate::attester::Attester;
use crate::wire::{AttestBatchRequest, SignedBatchJson};

/// Signs the fills of a list of orders at once, or says why not.
pub(super) async fn post_attest_batch(
    State(attester): State<Attester>,
    body: Bytes,
) -> Result<Json<SignedBatchJson>, Refusal> {
    let request: AttestBatchRequest = serde_json::from_slice(&body)
        .map_err(|error| Refusal::BadBody(format!("the body is {{\"orders\": [\"0x…\"]}}: {error}")))?;
    let orders: Vec<IntentTerms> =
        request.orders.iter().map(|terms| read_terms(terms)).collect::<Result<_, _>>()?;
    let signed = attester.attest_batch(&orders).await.map_err(Refusal::NoBatch)?;
    Ok(Json(SignedBatchJson::from(&signed)))
}
