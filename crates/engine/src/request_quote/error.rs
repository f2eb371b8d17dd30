use causeway_domain::ports::StoreError;
use causeway_domain::{ChainId, IdError, TokenId};
use thiserror::Error;

use crate::fillers::Unfilled;

/// Why there is no quote. The first three are for the asker to change; the others are ours and may pass.
#[derive(Debug, Error)]
pub enum QuoteError {
    #[error("chain {0} is not supported")]
    UnsupportedChain(ChainId),
    #[error("token {0} is not known")]
    UnsupportedToken(TokenId),
    /// At least one filler answered, and none can fill; the silent ones are listed too.
    #[error("no filler can fill this")]
    CannotFill(Vec<Unfilled>),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Id(#[from] IdError),
}
