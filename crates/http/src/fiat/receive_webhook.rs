use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use causeway_wire::{FiatErrorBody, FiatWebhookAnswer};

use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam};
use crate::{App, BODY_LIMIT};

/// Receives a provider's webhook.
///
/// The signature is checked over the raw body, and the event is stored before it is acknowledged. Its content is only
/// a hint to query the provider: it changes nothing by itself.
#[utoipa::path(
    post,
    path = "/v1/fiat/webhook/{provider}",
    operation_id = "take_fiat_webhook",
    tag = "fiat",
    params(("provider" = String, Path, description = "The provider's id", example = "sandbox-card")),
    request_body(content = serde_json::Value, description = "As the provider signs it", content_type = "application/json", example = json!({
        "id": "evt_1", "type": "order.updated", "order": "0f8fad5bd9cb469fa16570867728950e",
    })),
    responses(
        (status = 200, body = FiatWebhookAnswer),
        (status = 400, description = "WEBHOOK_REJECTED", body = FiatErrorBody),
        (status = 413, description = "PAYLOAD_TOO_LARGE", body = FiatErrorBody),
        (status = 422, description = "PROVIDER_DISABLED", body = FiatErrorBody),
    ),
)]
pub(crate) async fn receive_fiat_webhook(
    State(app): State<Arc<App>>,
    param: PathParam,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> ApiResult<Json<FiatWebhookAnswer>> {
    let mut issues = Issues::default();
    let provider = param.text(&mut issues);
    issues.finish()?;
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    let outcome = app.fiat.webhook.receive(&provider.unwrap_or_default(), &header, &body).await?;
    Ok(Json(FiatWebhookAnswer { outcome: outcome.as_str().to_owned() }))
}

/// The raw body up to the limit; signatures cover its exact bytes.
pub(crate) struct RawBody(Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            if rejection.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE {
                ApiError::payload_too_large(BODY_LIMIT)
            } else {
                ApiError::webhook_rejected("The request body could not be read completely.")
            }
        })?;
        Ok(Self(bytes))
    }
}
