use causeway_domain::Address;
use causeway_evm::Signer;

use super::seeded_rng::SeededRng;
use super::solana::{SOLANA, SolanaWallet};

/// A payer on a chain of either family.
pub(super) enum Key {
    Evm(Signer),
    Solana(SolanaWallet),
}

impl Key {
    /// An unused key of the chain's family.
    pub(super) fn new(chain: u64, rng: &mut SeededRng) -> Self {
        let secret = rng.secret();
        if chain == SOLANA {
            Self::Solana(SolanaWallet::new(secret))
        } else {
            Self::Evm(Signer::from_bytes(&secret).unwrap())
        }
    }

    pub(super) fn address(&self) -> Address {
        match self {
            Self::Evm(key) => Address::Evm(key.address()),
            Self::Solana(wallet) => Address::Solana(wallet.address),
        }
    }
}
