use super::Refusal;
use crate::{ChainId, RawAmount, TokenId};

/// Knows what one unit of gas costs on each chain.
pub trait GasFeed: Send + Sync {
    /// In the chain's smallest native units (on Solana: per signature), if it is known and fresh enough.
    fn price(&self, chain: ChainId) -> Option<RawAmount>;
}

/// What a vault's shares are worth: `shares` of them for `assets` of the asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultRate {
    pub asset: TokenId,
    pub assets: RawAmount,
    pub shares: RawAmount,
}

/// Knows which tokens are shares of a vault, and their rate.
pub trait VaultRates: Send + Sync {
    /// `None` for a token that is no vault share, or whose rate is not known now.
    fn rate(&self, share: &TokenId) -> Option<VaultRate>;
    /// Whether the token is a vault share at all.
    fn is_share(&self, token: &TokenId) -> bool;
}

/// Knows tokens that look like any other and cannot be held or passed on safely.
pub trait TokenOddities: Send + Sync {
    /// Why the token is not traded now; `None` where nothing is against it.
    fn refusal(&self, token: &TokenId) -> Option<Refusal>;
}

/// Where every listed token is known to be plain.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOddities;

impl TokenOddities for NoOddities {
    fn refusal(&self, _: &TokenId) -> Option<Refusal> {
        None
    }
}
