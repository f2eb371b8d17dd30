use super::Refusal;
use crate::{ChainId, DepositMethod, RawAmount, TokenId};

/// Gas prices per chain.
pub trait GasFeed: Send + Sync {
    /// In the chain's smallest native unit (on Solana: per signature), if known and fresh.
    fn price(&self, chain: ChainId) -> Option<RawAmount>;

    /// The price of a byte of a transaction, for rollups that charge for data besides gas, in the chain's smallest native
    /// unit; zero on other chains. `None` if it is not known or not fresh.
    fn byte_price(&self, chain: ChainId) -> Option<RawAmount> {
        let _ = chain;
        Some(RawAmount::ZERO)
    }
}

/// The exchange rate of a vault: `shares` for `assets` of the asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultRate {
    pub asset: TokenId,
    pub assets: RawAmount,
    pub shares: RawAmount,
}

/// Which tokens are vault shares, and their rates.
pub trait VaultRates: Send + Sync {
    /// `None` for a token that is not a vault share, or whose rate is unknown now.
    fn rate(&self, share: &TokenId) -> Option<VaultRate>;
    /// Whether the token is a vault share.
    fn is_share(&self, token: &TokenId) -> bool;
}

/// Excludes tokens that cannot be held or transferred safely.
pub trait TokenPolicy: Send + Sync {
    /// Why the token is not traded; `None` when it is supported.
    fn refusal(&self, token: &TokenId) -> Option<Refusal>;

    /// The deposit methods for which the token itself takes the payer's signature, in an EIP-712 domain that was read from the
    /// chain.
    fn signed_methods(&self, token: &TokenId) -> Vec<DepositMethod> {
        let _ = token;
        Vec::new()
    }
}

/// A policy that supports every listed token.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllTokensSupported;

impl TokenPolicy for AllTokensSupported {
    fn refusal(&self, _: &TokenId) -> Option<Refusal> {
        None
    }
}
