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
    headers.get(HEADER).filter(|id| is_harmless(id.as_bytes())).cloned().unwrap_or_else(random)
}

fn is_harmless(id: &[u8]) -> bool {
    (8..=64).contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn random() -> HeaderValue {
    let mut bytes = [0; 16];
    // Without randomness the id is all zeros: a request is still better answered than refused.
    let _ = getrandom::fill(&mut bytes);
    let mut text = [0; 32];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[hex_digit(byte >> 4), hex_digit(byte & 15)]);
    }
    HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}

const fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
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
