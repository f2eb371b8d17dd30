use axum::http::{HeaderMap, HeaderValue, header};

/// Whether the client already has this version, by the weak comparison of `If-None-Match`.
pub(crate) fn is_current(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        value
            .split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/").as_bytes() == etag.as_bytes())
    })
}
