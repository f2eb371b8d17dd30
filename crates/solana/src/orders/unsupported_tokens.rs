use causeway_domain::TokenId;
use causeway_domain::ports::{Refusal, TokenPolicy};

use super::mint::{CachedMints, MintError};

impl TokenPolicy for CachedMints {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        Some(match self.error_for(token)? {
            // Temporary, so no reason to refund an order.
            MintError::NotChecked => Refusal::NoPrice,
            why => Refusal::Other(format!("{} is not traded: {why}", token.address())),
        })
    }
}
