use std::sync::OnceLock;

use reqwest::header::HeaderValue;

/// The header of the W3C that names a request's trace.
const TRACEPARENT: &str = "traceparent";

static SOURCE: OnceLock<fn() -> Option<String>> = OnceLock::new();

/// From now on, [`traceparent`] gives what this says of the current task; the first call counts.
pub fn carry_traces(source: fn() -> Option<String>) {
    // A process sends its traces to one place.
    let _ = SOURCE.set(source);
}

/// The header that a call to another server carries, if it belongs to a trace.
pub fn traceparent() -> Option<(&'static str, HeaderValue)> {
    let text = SOURCE.get().and_then(|source| source())?;
    Some((TRACEPARENT, HeaderValue::try_from(text).ok()?))
}
