use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::{AttestationRefusal, BatchRefusal};

use crate::wire::{BatchRefusalJson, RefusalJson};

/// Why a request is refused; the only mapping of refusals to HTTP.
#[derive(Debug)]
pub(super) enum Refusal {
    No(AttestationRefusal),
    NoBatch(BatchRefusal),
    BadBody(String),
    BadOrderId,
    NothingSigned,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let plain =
            |name: &str, message: String| RefusalJson { name: name.to_owned(), message, retry: false };
        let (status, body) = match self {
            Self::No(why) => (status(&why), RefusalJson::from(&why)),
            Self::NoBatch(why) => {
                let status = match &why {
                    BatchRefusal::Whole(why) => status(why),
                    BatchRefusal::Orders(_) => StatusCode::CONFLICT,
                };
                return (status, Json(BatchRefusalJson::from(&why))).into_response();
            }
            Self::BadBody(message) => (StatusCode::BAD_REQUEST, plain("BadRequest", message)),
            Self::BadOrderId => {
                let message = "an order id is 0x and 64 hexadecimal digits".to_owned();
                (StatusCode::BAD_REQUEST, plain("BadRequest", message))
            }
            Self::NothingSigned => {
                let message = "this attester has signed nothing about that order".to_owned();
                (StatusCode::NOT_FOUND, RefusalJson { retry: true, ..plain("NothingSigned", message) })
            }
        };
        (status, Json(body)).into_response()
    }
}

fn status(why: &AttestationRefusal) -> StatusCode {
    match why {
        AttestationRefusal::Unavailable(_)
        | AttestationRefusal::Halted { .. }
        | AttestationRefusal::Busy
        | AttestationRefusal::NoSignature(_)
        | AttestationRefusal::Journal(_) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::CONFLICT,
    }
}
