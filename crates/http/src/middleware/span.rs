use axum::extract::{MatchedPath, Request};
use axum::http::HeaderMap;
use tracing::field::Empty;
use tracing::{Level, Span};

/// The span of a request: part of a trace where traces are sent, otherwise for the log alone.
pub(super) fn of_request(request: &Request, id: &str) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let is_traced =
        route.starts_with("/v1/") && tracing::span_enabled!(target: "causeway::trace", Level::TRACE);
    if !is_traced {
        return tracing::debug_span!("request", id);
    }
    let method = request.method().as_str();
    let (trace, parent) = match caller(request.headers()) {
        Some(Caller::Traced { trace, parent }) => (Some(trace), Some(parent)),
        Some(Caller::NotSampled) => return tracing::debug_span!("request", id),
        None => (None, None),
    };
    tracing::trace_span!(
        target: "causeway::trace",
        "http.request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        trace_id = trace,
        parent_id = parent,
        id,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    )
}

/// What a caller says of its own trace.
#[derive(Debug, PartialEq, Eq)]
enum Caller<'a> {
    Traced {
        trace: &'a str,
        parent: &'a str,
    },
    /// It does not record this trace.
    NotSampled,
}

/// Reads `traceparent: 00-<trace>-<span>-<flags>`; `None` if it is missing or malformed.
fn caller(headers: &HeaderMap) -> Option<Caller<'_>> {
    let mut parts = headers.get("traceparent")?.to_str().ok()?.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_known = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    let is_id = |text: &str, length| is_hex(text, length) && text.bytes().any(|byte| byte != b'0');
    if !is_known || !is_id(trace, 32) || !is_id(parent, 16) || !is_hex(flags, 2) {
        return None;
    }
    let is_sampled = u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1);
    Some(if is_sampled { Caller::Traced { trace, parent } } else { Caller::NotSampled })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    fn headers(text: &str) -> HeaderMap {
        HeaderMap::from_iter([("traceparent".parse().unwrap(), text.parse().unwrap())])
    }

    #[test]
    fn a_callers_trace_is_read() {
        let traced = Some(Caller::Traced { trace: TRACE, parent: PARENT });
        assert_eq!(caller(&headers(&format!("00-{TRACE}-{PARENT}-01"))), traced);
        assert_eq!(caller(&headers(&format!("01-{TRACE}-{PARENT}-03-more"))), traced, "a later version");
        assert_eq!(caller(&headers(&format!("00-{TRACE}-{PARENT}-00"))), Some(Caller::NotSampled));
    }

    #[test]
    fn a_malformed_trace_is_ignored() {
        assert_eq!(caller(&HeaderMap::new()), None);
        for text in [
            String::new(),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("00-{}-{PARENT}-01", "0".repeat(32)),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-zz"),
        ] {
            assert_eq!(caller(&headers(&text)), None, "{text}");
        }
    }
}
