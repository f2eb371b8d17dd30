mod error;
mod rank;
mod routes;
#[cfg(test)]
mod tests;
mod timing;

use std::sync::Arc;

use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::ports::{FillerAsk, QuoteStore};
use causeway_domain::{Ask, Quote, QuoteId, RowKeys, Token, TokenId};
use jiff::Timestamp;
use tokio::time::Instant;

pub use error::QuoteError;
pub use rank::{is_one_click, rank_routes};
pub use routes::Routes;

use crate::fillers::{Fillers, NoOffer};

/// An ask, and who brought it.
#[derive(Clone, Debug)]
pub struct QuoteRequest {
    pub ask: Ask,
    pub integrator: Option<String>,
}

/// Asks every filler at once. What is handed out, be it a quote or one of its routes, is durable before.
#[derive(Clone)]
pub struct RequestQuote {
    catalog: Arc<Catalog>,
    quotes: Arc<dyn QuoteStore>,
    keys: Arc<RowKeys>,
    fillers: Fillers,
    /// Whether paused chains and tokens count; for what was begun before, they do not.
    heeds_pauses: bool,
}

impl std::fmt::Debug for RequestQuote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestQuote").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

impl RequestQuote {
    pub fn new(
        catalog: Arc<Catalog>,
        quotes: Arc<dyn QuoteStore>,
        keys: Arc<RowKeys>,
        fillers: Fillers,
    ) -> Self {
        Self { catalog, quotes, keys, fillers, heeds_pauses: true }
    }

    /// The same for what was begun already and must go on, whatever chain or token is paused by now.
    #[must_use]
    pub fn despite_pauses(&self) -> Self {
        Self { heeds_pauses: false, ..self.clone() }
    }

    pub fn fillers(&self) -> &Fillers {
        &self.fillers
    }

    /// Resolves both tokens and asks the fillers; nothing happens until the routes are waited for, one by one or all together.
    pub fn ask(&self, mut request: QuoteRequest) -> Result<Routes, QuoteError> {
        let start = Instant::now();
        let snapshot = self.catalog.look();
        let ask = &mut request.ask;
        let (from, to) = (resolve(&snapshot, ask.from)?, resolve(&snapshot, ask.to)?);
        if let Some(words) =
            self.fillers.pauses().of_tokens(&[ask.from, ask.to]).filter(|_| self.heeds_pauses)
        {
            return Err(QuoteError::CannotFill(self.fillers.all_without(&NoOffer::Paused(words))));
        }
        // In one order, so that asks which mean the same are the same.
        ask.deposit_methods.sort_unstable_by_key(|method| method.as_str());
        ask.deposit_methods.dedup();
        let now = Timestamp::now();
        let asked = FillerAsk { ask: ask.clone(), from, to };
        let quote = Quote {
            id: QuoteId::random()?,
            key: self.keys.next(now),
            ask: request.ask,
            integrator: request.integrator,
            created_at: now,
            routes: Vec::new(),
        };
        Ok(Routes::new(quote, asked, &self.fillers, Arc::clone(&self.quotes), start))
    }
}

pub(crate) fn resolve(snapshot: &Snapshot, token: TokenId) -> Result<Arc<Token>, QuoteError> {
    if !snapshot.chain(token.chain()).is_some_and(|chain| chain.enabled) {
        return Err(QuoteError::UnsupportedChain(token.chain()));
    }
    snapshot.shared_token(&token).ok_or(QuoteError::UnsupportedToken(token))
}
