use std::fmt;

use async_trait::async_trait;

use super::StoreError;

/// An access token of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct RampToken {
    pub text: String,
    /// When it ends, in seconds since 1970.
    pub ends: i64,
}

impl fmt::Debug for RampToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RampToken(…)")
    }
}

/// Keeps providers' access tokens where every replica finds them: where fetching one ends the one before, they have to share it.
#[async_trait]
pub trait RampTokens: Send + Sync {
    /// The token of that provider that was put last.
    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError>;
    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError>;
}
