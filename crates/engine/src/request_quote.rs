use std::sync::Arc;

use causeway_catalog::Catalog;
use causeway_domain::ports::{QuoteStore, StoreError};
use causeway_domain::{Ask, ChainId, IdError, Quote, QuoteId, RowKeys, TokenId};
use jiff::Timestamp;
use thiserror::Error;

/// An ask, and who brought it.
#[derive(Clone, Debug)]
pub struct QuoteRequest {
    pub ask: Ask,
    pub integrator: Option<String>,
}

#[derive(Debug, Error)]
pub enum QuoteError {
    #[error("chain {0} is not supported")]
    UnsupportedChain(ChainId),
    #[error("token {0} is not known")]
    UnsupportedToken(TokenId),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Id(#[from] IdError),
}

/// Answers asks with quotes that are durable before anybody holds their id.
pub struct RequestQuote {
    catalog: Arc<Catalog>,
    quotes: Arc<dyn QuoteStore>,
    keys: Arc<RowKeys>,
}

impl std::fmt::Debug for RequestQuote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestQuote").finish_non_exhaustive()
    }
}

impl RequestQuote {
    pub fn new(catalog: Arc<Catalog>, quotes: Arc<dyn QuoteStore>, keys: Arc<RowKeys>) -> Self {
        Self { catalog, quotes, keys }
    }

    /// Resolves both tokens and records the quote. No filler takes part yet, so no route answers.
    pub async fn request(&self, request: QuoteRequest) -> Result<Quote, QuoteError> {
        for token in [request.ask.from, request.ask.to] {
            self.resolve(token)?;
        }
        let now = Timestamp::now();
        let quote = Quote {
            id: QuoteId::random()?,
            key: self.keys.next(now),
            ask: request.ask,
            integrator: request.integrator,
            created_at: now,
            routes: Vec::new(),
        };
        self.quotes.put_quote(&quote).await?;
        Ok(quote)
    }

    fn resolve(&self, token: TokenId) -> Result<(), QuoteError> {
        let snapshot = self.catalog.snapshot();
        if !snapshot.chain(token.chain()).is_some_and(|chain| chain.enabled) {
            return Err(QuoteError::UnsupportedChain(token.chain()));
        }
        if snapshot.token(&token).is_none() {
            return Err(QuoteError::UnsupportedToken(token));
        }
        Ok(())
    }
}
