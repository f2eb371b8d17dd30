use std::sync::Arc;

use causeway_domain::{ChainId, IdError, Token, TokenId};
use thiserror::Error;

use crate::fillers::MissingOffer;

/// Why there is no quote. The first four are the client's to fix; the last is internal.
#[derive(Debug, Error)]
pub enum QuoteError {
    #[error("chain {0} is not supported")]
    UnsupportedChain(ChainId),
    #[error("swaps only begin on chain {0}")]
    SourceOnly(ChainId),
    #[error("token {0} is not known")]
    UnsupportedToken(TokenId),
    /// At least one filler answered and none can fill; fillers without an answer are listed too.
    #[error("no filler can fill this")]
    CannotFill {
        missing: Vec<MissingOffer>,
        /// The token of the asked amount, in which fillers state their limits.
        token: Arc<Token>,
    },
    #[error(transparent)]
    Id(#[from] IdError),
}
