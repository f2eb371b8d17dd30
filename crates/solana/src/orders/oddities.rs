use causeway_domain::TokenId;
use causeway_domain::ports::{Refusal, TokenOddities};

use super::mint::{CachedMints, MintRefusal};

impl TokenOddities for CachedMints {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        Some(match Self::refusal(self, token)? {
            // Passes by itself, and is no reason to give an order back.
            MintRefusal::Unread => Refusal::NoPrice,
            why => Refusal::Other(format!("{} is not traded: {why}", token.address())),
        })
    }
}
