use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use causeway_domain::ChainId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::jsonrpc::FIRST_NODE;

/// Why a request to the sandbox was not carried out, in the error body of the API.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The request is malformed.
    Invalid(String),
    /// No such chain runs here.
    NoChain,
    /// The chain would not do it.
    Refused(String),
}

impl IntoResponse for Refusal {
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

/// A node that faults can be given to.
pub(super) fn node_number(number: u64) -> Option<u8> {
    u8::try_from(number).ok().filter(|node| *node >= FIRST_NODE)
}

pub(super) fn chain_id(text: &str) -> Result<ChainId, Refusal> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let id = if digits { text.parse().ok().and_then(ChainId::new) } else { None };
    id.ok_or_else(|| Refusal::Invalid("A chain id is a number between 1 and 2^53 - 1.".to_owned()))
}

/// Reads a JSON body; what is wrong with it is told with its place.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::Invalid(format!("The request body: {error}.")))
}

pub(super) fn done(value: Value) -> Json<Value> {
    Json(value)
}
