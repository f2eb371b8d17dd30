use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_qr::{Error, Style, svg};

use crate::extract::QueryParams;

/// The headers of every QR code; the router adds CORS.
const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml; charset=utf-8")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// An error as plain text, as image clients expect it.
pub(super) enum QrError {
    Query(String),
    Code(Error),
}

impl From<Error> for QrError {
    fn from(error: Error) -> Self {
        Self::Code(error)
    }
}

impl IntoResponse for QrError {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Self::Query(message) => (StatusCode::BAD_REQUEST, message),
            Self::Code(error @ Error::TooLong { .. }) => (StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            Self::Code(error) => (StatusCode::BAD_REQUEST, error.to_string()),
        };
        (status, [(header::CACHE_CONTROL, "no-store")], message).into_response()
    }
}

/// Reads the given parameters, each at most once, and the style.
pub(super) fn read<const N: usize>(
    mut params: QueryParams,
    names: [&str; N],
) -> Result<([Option<String>; N], Style), QrError> {
    let values = names.map(|name| params.raw(name));
    let [size, theme, margin] = ["size", "theme", "margin"].map(|name| params.raw(name));
    if let Some(issue) = params.issues.first() {
        return Err(QrError::Query(format!("{} {}", issue.path, issue.message)));
    }
    let style = Style::from_query(size.as_deref(), theme.as_deref(), margin.as_deref())?;
    Ok((values, style))
}

/// Renders the payload as an SVG image.
pub(super) fn draw(payload: &str, style: Style) -> Result<Response, QrError> {
    Ok((HEADERS, svg(payload, &style)?).into_response())
}
