//! Tracks whether a request belongs to the fiat API, whose errors have a different envelope.

tokio::task_local! {
    static FIAT: bool;
}

/// Path prefix of the fiat API.
pub(crate) const FIAT_PATH: &str = "/v1/fiat";

/// Whether the current request belongs to the fiat API.
pub(crate) fn is_fiat() -> bool {
    FIAT.try_with(|is_fiat| *is_fiat).unwrap_or(false)
}

/// Runs `work` with the value that [`is_fiat`] returns inside it.
pub(crate) async fn with_fiat<F: Future>(is_fiat: bool, work: F) -> F::Output {
    FIAT.scope(is_fiat, work).await
}

/// Whether a path belongs to the fiat API.
pub(crate) fn is_fiat_path(path: &str) -> bool {
    path.strip_prefix(FIAT_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
