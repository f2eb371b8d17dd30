mod error;
mod join;
mod rank;
mod recipients;
mod routes;
#[cfg(test)]
mod tests;
mod timing;

use std::collections::HashMap;
use std::sync::Arc;

use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::ports::{DepositBuilder, FillerAsk};
use causeway_domain::{Ask, ChainId, Quote, QuoteId, RouteSeal, Token, TokenId};
use tokio::time::Instant;

pub use error::QuoteError;
pub use join::{JoinParts, JoinRoutes};
pub use rank::{is_one_click, rank_routes};
pub use routes::Routes;

use recipients::RecipientChecks;

use crate::chain_cursors::ChainCursors;
use crate::fillers::{Fillers, NoOffer};
use crate::warnings::Warnings;

/// An ask and its integrator.
#[derive(Clone, Debug)]
pub struct QuoteRequest {
    pub ask: Ask,
    pub integrator: Option<String>,
}

/// Asks every filler concurrently. Nothing is stored: each route's id holds what an order is built from.
#[derive(Clone)]
pub struct RequestQuote {
    catalog: Arc<Catalog>,
    seal: Arc<RouteSeal>,
    fillers: Fillers,
    cursors: Arc<ChainCursors>,
    recipients: Arc<RecipientChecks>,
    warnings: Option<Arc<Warnings>>,
    joining: Option<Arc<JoinRoutes>>,
    /// Whether paused chains and tokens are rejected.
    checks_pauses: bool,
}

impl std::fmt::Debug for RequestQuote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestQuote").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

impl RequestQuote {
    pub fn new(catalog: Arc<Catalog>, seal: Arc<RouteSeal>, fillers: Fillers) -> Self {
        Self {
            catalog,
            seal,
            fillers,
            cursors: Arc::default(),
            recipients: Arc::default(),
            warnings: None,
            joining: None,
            checks_pauses: true,
        }
    }

    /// Simulates payments of native coin to the recipients of quotes, on these chains (rule 25).
    #[must_use]
    pub fn with_recipient_checks(self, builders: HashMap<ChainId, Arc<dyn DepositBuilder>>) -> Self {
        Self { recipients: Arc::new(RecipientChecks::new(builders)), ..self }
    }

    /// Adds warnings to the routes.
    #[must_use]
    pub fn with_warnings(self, warnings: Arc<Warnings>) -> Self {
        Self { warnings: Some(warnings), ..self }
    }

    /// Joins two routes where nobody offers one.
    #[must_use]
    pub fn with_joined_routes(self, joining: Option<Arc<JoinRoutes>>) -> Self {
        Self { joining, ..self }
    }

    /// Quotes nothing through a chain that is halted, is not read, or has contracts that were not checked.
    #[must_use]
    pub fn with_cursors(self, cursors: Arc<ChainCursors>) -> Self {
        Self { cursors, ..self }
    }

    /// For work that started before a pause and must continue.
    #[must_use]
    pub fn ignoring_pauses(&self) -> Self {
        Self { checks_pauses: false, ..self.clone() }
    }

    pub fn fillers(&self) -> &Fillers {
        &self.fillers
    }

    /// Resolves both tokens and prepares the asks; the fillers are asked when the routes are awaited, one by one or together.
    pub fn ask(&self, mut request: QuoteRequest) -> Result<Routes, QuoteError> {
        let start = Instant::now();
        let snapshot = self.catalog.snapshot_guard();
        let ask = &mut request.ask;
        let (from, to) = (resolve(&snapshot, ask.from)?, resolve(&snapshot, ask.to)?);
        if ask.to.chain().family().is_source_only() {
            return Err(QuoteError::SourceOnly(ask.to.chain()));
        }
        if let Some(closed) = self.cursors.closed([ask.from.chain(), ask.to.chain()]) {
            let missing = self.fillers.all_without_offer(&NoOffer::Paused(closed.to_string()));
            return Err(QuoteError::CannotFill { missing, token: from });
        }
        if let Some(reason) =
            self.fillers.pauses().reason_for_tokens(&[ask.from, ask.to]).filter(|_| self.checks_pauses)
        {
            let missing = self.fillers.all_without_offer(&NoOffer::Paused(reason));
            return Err(QuoteError::CannotFill { missing, token: from });
        }
        // Sorted, so that equivalent asks are identical.
        ask.deposit_methods.sort_unstable_by_key(|method| method.as_str());
        ask.deposit_methods.dedup();
        let asked = FillerAsk { ask: ask.clone(), from, to };
        let quote = Quote {
            id: QuoteId::random()?,
            ask: request.ask,
            integrator: request.integrator,
            routes: Vec::new(),
        };
        let recipients = Arc::clone(&self.recipients);
        let span = tracing::trace_span!(
            target: "causeway::trace",
            "quote",
            trace_id = quote.id.trace_id(),
            root = true,
            quote = quote.id.as_str(),
            from = %quote.ask.from,
            to = %quote.ask.to,
        );
        let routes = Routes::new(quote, asked, &self.fillers, recipients, Arc::clone(&self.seal), start);
        let routes = routes.with_warnings(self.warnings.clone()).with_joining(self.joining.clone());
        Ok(routes.within(span))
    }
}

pub(crate) fn resolve(snapshot: &Snapshot, token: TokenId) -> Result<Arc<Token>, QuoteError> {
    if !snapshot.chain(token.chain()).is_some_and(|chain| chain.enabled) {
        return Err(QuoteError::UnsupportedChain(token.chain()));
    }
    snapshot.shared_token(&token).ok_or(QuoteError::UnsupportedToken(token))
}
