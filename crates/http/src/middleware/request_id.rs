use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::hex;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: HeaderValue;
}

/// The id of the current request, as logged.
pub(crate) fn current() -> String {
    CURRENT.try_with(|id| id.to_str().unwrap_or_default().to_owned()).unwrap_or_default()
}

/// Runs `work` with the id that [`current`] returns inside it.
pub(crate) async fn with_id<F: Future>(id: HeaderValue, work: F) -> F::Output {
    CURRENT.scope(id, work).await
}

/// The caller's own id if it is safe to log, otherwise a new one.
pub(crate) fn from_headers(headers: &HeaderMap) -> HeaderValue {
    headers.get(HEADER).filter(|id| is_safe(id.as_bytes())).cloned().unwrap_or_else(next)
}

fn is_safe(id: &[u8]) -> bool {
    (8..=64).contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// A random prefix of this process and a counter, which avoids a system call for each request.
fn next() -> HeaderValue {
    static PREFIX: LazyLock<u64> = LazyLock::new(|| {
        let mut bytes = [0; 8];
        // Without randomness the ids of two processes may collide, which is better than failing requests.
        let _ = getrandom::fill(&mut bytes);
        u64::from_ne_bytes(bytes)
    });
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let id = u128::from(*PREFIX) << 64 | u128::from(count);
    HeaderValue::try_from(hex::encode(id.to_be_bytes()))
        .unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_caller_id_is_kept_and_others_are_replaced() {
        let chosen = |id: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_static(id));
            from_headers(&headers).to_str().unwrap().to_owned()
        };
        assert_eq!(chosen("trace-0123456789"), "trace-0123456789");
        for bad in ["short", "with space in it", "<script>alert(1)</script>"] {
            let id = chosen(bad);
            assert_ne!(id, bad);
            assert_eq!(id.len(), 32);
        }
        assert_ne!(from_headers(&HeaderMap::new()), from_headers(&HeaderMap::new()));
    }
}
