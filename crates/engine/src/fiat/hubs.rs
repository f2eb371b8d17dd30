use causeway_domain::{ChainId, Family, TokenId};

/// The stablecoins that are forwarded, by the family of the target's chain, so that a refund has an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hubs {
    pub evm: Option<TokenId>,
    pub solana: Option<TokenId>,
}

impl Hubs {
    /// The hub token for a target on that chain.
    pub fn for_chain(&self, chain: ChainId) -> Option<TokenId> {
        match chain.family() {
            Family::Evm => self.evm,
            Family::Solana => self.solana,
            Family::Bitcoin | Family::Tron => None,
        }
    }

    pub fn is_enabled(&self) -> bool {
        self.evm.is_some() || self.solana.is_some()
    }
}
