use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_qr::{Error, Style, svg};

use crate::extract::Params;

/// The headers that the specification gives to every code; CORS is the router's.
const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml; charset=utf-8")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// What is wrong with a request for a code: plain text, as image clients expect it.
pub(super) enum Refusal {
    Query(String),
    Code(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Code(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Self::Query(message) => (StatusCode::BAD_REQUEST, message),
            Self::Code(error @ Error::TooLong { .. }) => (StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            Self::Code(error) => (StatusCode::BAD_REQUEST, error.to_string()),
        };
        (status, [(header::CACHE_CONTROL, "no-store")], message).into_response()
    }
}

/// The given parameters, each at most once, and the style, which both codes share.
pub(super) fn read<const N: usize>(
    mut params: Params,
    names: [&str; N],
) -> Result<([Option<String>; N], Style), Refusal> {
    let values = names.map(|name| params.raw(name));
    let [size, theme, margin] = ["size", "theme", "margin"].map(|name| params.raw(name));
    if let Some(issue) = params.issues.first() {
        return Err(Refusal::Query(format!("{} {}", issue.path, issue.message)));
    }
    let style = Style::from_query(size.as_deref(), theme.as_deref(), margin.as_deref())?;
    Ok((values, style))
}

/// The payload as an SVG image.
pub(super) fn draw(payload: &str, style: Style) -> Result<Response, Refusal> {
    Ok((HEADERS, svg(payload, &style)?).into_response())
}
