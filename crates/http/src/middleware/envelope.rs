//! Which of the two envelopes a request's errors wear.

tokio::task_local! {
    static FIAT: bool;
}

/// Where the fiat API lies.
pub(crate) const FIAT_PATH: &str = "/v1/fiat";

/// Whether the request that is being answered is one of the fiat API.
pub(crate) fn is_fiat() -> bool {
    FIAT.try_with(|is_fiat| *is_fiat).unwrap_or(false)
}

/// Runs `work` so that [`is_fiat`] knows the path inside.
pub(crate) async fn with<F: Future>(is_fiat: bool, work: F) -> F::Output {
    FIAT.scope(is_fiat, work).await
}

/// Whether a path lies under that of the fiat API.
pub(crate) fn lies_in_fiat(path: &str) -> bool {
    path.strip_prefix(FIAT_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
