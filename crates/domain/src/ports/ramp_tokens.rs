use std::fmt;

use async_trait::async_trait;

use super::StoreError;

/// An access token of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct RampToken {
    pub text: String,
    /// Expiry, in Unix seconds.
    pub ends: i64,
}

impl fmt::Debug for RampToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RampToken(…)")
    }
}

/// Shares providers' access tokens between replicas, because a new token may invalidate the previous one.
#[async_trait]
pub trait RampTokens: Send + Sync {
    /// The newest token of the provider.
    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError>;
    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError>;
}
