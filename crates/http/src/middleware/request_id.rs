use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::hex;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: HeaderValue;
}

/// The id under which this request stands in the log.
pub(crate) fn current() -> String {
    CURRENT.try_with(|id| id.to_str().unwrap_or_default().to_owned()).unwrap_or_default()
}

/// Runs `work` so that [`current`] knows the id inside.
pub(crate) async fn with<F: Future>(id: HeaderValue, work: F) -> F::Output {
    CURRENT.scope(id, work).await
}

/// The caller's own id where it is harmless, otherwise a new one.
pub(crate) fn choose(headers: &HeaderMap) -> HeaderValue {
    headers.get(HEADER).filter(|id| is_harmless(id.as_bytes())).cloned().unwrap_or_else(next)
}

fn is_harmless(id: &[u8]) -> bool {
    (8..=64).contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// A prefix of this process and a number: unique without asking the system for every request.
fn next() -> HeaderValue {
    static PREFIX: LazyLock<u64> = LazyLock::new(|| {
        let mut bytes = [0; 8];
        // Without randomness ids of two processes may meet: a request is still better answered than refused.
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
    fn a_harmless_id_of_the_caller_is_kept_and_any_other_replaced() {
        let chosen = |id: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_static(id));
            choose(&headers).to_str().unwrap().to_owned()
        };
        assert_eq!(chosen("trace-0123456789"), "trace-0123456789");
        for bad in ["short", "with space in it", "<script>alert(1)</script>"] {
            let id = chosen(bad);
            assert_ne!(id, bad);
            assert_eq!(id.len(), 32);
        }
        assert_ne!(choose(&HeaderMap::new()), choose(&HeaderMap::new()));
    }
}
