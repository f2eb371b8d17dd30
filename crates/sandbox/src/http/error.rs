use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use causeway_domain::ChainId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::jsonrpc::FIRST_NODE;

/// Why a sandbox request failed, as an API error body.
#[derive(Debug)]
pub(super) enum HttpError {
    /// The request is malformed.
    Invalid(String),
    /// No such chain runs here.
    NoChain,
    /// The chain rejected the request.
    Refused(String),
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let (status, name, message) = match self {
            Self::Invalid(message) => (StatusCode::BAD_REQUEST, "ValidationException", message),
            Self::NoChain => {
                (StatusCode::NOT_FOUND, "NotFoundException", "No such chain runs in the sandbox.".to_owned())
            }
            Self::Refused(message) => (StatusCode::BAD_REQUEST, "BadRequestException", message),
        };
        (status, Json(json!({ "name": name, "message": message }))).into_response()
    }
}

/// The number of a node that can have faults.
pub(super) fn node_number(number: u64) -> Option<u8> {
    u8::try_from(number).ok().filter(|node| *node >= FIRST_NODE)
}

pub(super) fn chain_id(text: &str) -> Result<ChainId, HttpError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let id = if digits { text.parse().ok().and_then(ChainId::new) } else { None };
    id.ok_or_else(|| HttpError::Invalid("A chain id is a number between 1 and 2^53 - 1.".to_owned()))
}

/// Parses a JSON body; errors include the position.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, HttpError> {
    serde_json::from_slice(body).map_err(|error| HttpError::Invalid(format!("The request body: {error}.")))
}

pub(super) fn done(value: Value) -> Json<Value> {
    Json(value)
}
