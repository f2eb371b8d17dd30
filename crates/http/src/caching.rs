use alloy_primitives::keccak256;
use axum::http::header::InvalidHeaderValue;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// An icon that clients keep for a day; 304 for those that have it.
pub(crate) fn icon_response(
    request: &HeaderMap,
    etag: &str,
    svg: impl IntoResponse,
) -> Result<Response, InvalidHeaderValue> {
    let etag = HeaderValue::from_str(etag)?;
    let caching = [
        (header::ETAG, etag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400")),
    ];
    if is_current(request, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    Ok((caching, [(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

/// Whether the client already has this version, by the weak comparison of `If-None-Match`.
pub(crate) fn is_current(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        value
            .split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/").as_bytes() == etag.as_bytes())
    })
}

/// Hexadecimal digits that another content does not have.
pub(crate) fn digest(content: &str) -> String {
    format!("{:x}", keccak256(content))
}

/// The entity tag of a content.
pub(crate) fn etag_of(content: &str) -> HeaderValue {
    // Hexadecimal digits in quotes are always a header's value.
    HeaderValue::from_str(&format!("\"{}\"", digest(content)))
        .unwrap_or_else(|_| HeaderValue::from_static("\"0\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_content_has_another_entity_tag() {
        assert_eq!(etag_of("a"), etag_of("a"));
        assert_ne!(etag_of("a"), etag_of("b"));
    }
}
