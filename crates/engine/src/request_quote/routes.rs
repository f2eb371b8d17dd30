use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use causeway_domain::ports::{FillerAsk, QuoteStore};
use causeway_domain::{Quote, QuoteId, Route};
use futures::future::{BoxFuture, try_join_all};
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::Instant;

use super::QuoteError;
use super::rank::{best_route, rank_routes};
use super::timing::Timing;
use crate::fillers::{AskState, FillerClient, FillerQuery, Fillers, MissingOffer, NoOffer, Outcome};

/// A quote whose fillers are being asked. Dropping it cancels every ask that nobody else waits for.
pub struct Routes {
    /// With the stored routes.
    quote: Quote,
    stored: bool,
    ended: bool,
    /// Asks the fillers of the quote's start.
    query: Arc<FillerQuery>,
    started: bool,
    store: Arc<dyn QuoteStore>,
    /// Fillers that did not answer immediately.
    pending: Option<Pending>,
    /// Received, and not stored yet.
    received: Vec<Route>,
    /// Stored, and not returned yet.
    ready: VecDeque<Route>,
    /// By the filler's index.
    missing: Vec<(usize, NoOffer)>,
    timing: Timing,
}

type Pending = FuturesUnordered<BoxFuture<'static, Reply>>;

/// What one filler answered.
struct Reply {
    filler: usize,
    outcome: Outcome,
}

impl std::fmt::Debug for Routes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Routes").field("quote", &self.quote.id).finish_non_exhaustive()
    }
}

impl Routes {
    pub(super) fn new(
        quote: Quote,
        ask: FillerAsk,
        fillers: &Fillers,
        store: Arc<dyn QuoteStore>,
        start: Instant,
    ) -> Self {
        Self {
            quote,
            stored: false,
            ended: false,
            query: Arc::new(FillerQuery::new(ask, fillers.roster())),
            started: false,
            store,
            pending: None,
            received: Vec::new(),
            ready: VecDeque::new(),
            missing: Vec::new(),
            timing: Timing::new(start),
        }
    }

    /// The quote with its stored routes.
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Waits for all fillers, and returns the quote with its routes best first.
    pub async fn gather(self) -> Result<Quote, QuoteError> {
        self.gather_into(|quote| quote).await
    }

    /// As [`Self::gather`], with a conversion that runs while the quote is being written. The result is returned once the
    /// quote is durable.
    pub async fn gather_into<T>(mut self, make: impl FnOnce(Quote) -> T) -> Result<T, QuoteError> {
        self.start().await;
        while let Some(reply) = next_reply(&mut self.pending).await {
            self.take(reply);
        }
        self.timing.all_answered();
        let mut routes = std::mem::take(&mut self.received);
        rank_routes(&self.quote.ask, &mut routes, self.query.reputations());
        self.quote.routes = routes;
        self.check_refused()?;
        let Self { quote, query, store, mut timing, .. } = self;
        let durable = store.put_quote(&quote);
        let winner = quote.routes.first().and_then(|best| place_of(query.clients(), &best.filler));
        let (id, count) = (quote.id.clone(), quote.routes.len());
        let outcome = make(quote);
        durable.await?;
        timing.stored();
        end(query.clients(), winner, &timing, &id, count);
        Ok(outcome)
    }

    /// Waits for the next route; `None` when all fillers have answered or timed out.
    pub async fn next(&mut self) -> Result<Option<Route>, QuoteError> {
        self.start().await;
        while !self.ended {
            if let Some(route) = self.ready.pop_front() {
                return Ok(Some(route));
            }
            if !self.received.is_empty() {
                self.commit().await?;
                continue;
            }
            if let Some(reply) = next_reply(&mut self.pending).await {
                self.take(reply);
                continue;
            }
            self.timing.all_answered();
            if !self.stored {
                self.check_refused()?;
                // No filler answered: the quote is stored anyway, because its id was returned.
                self.commit().await?;
            }
            let best = best_route(&self.quote.ask, &self.quote.routes, self.query.reputations());
            let winner = best.and_then(|best| place_of(self.query.clients(), &best.filler));
            self.ended = true;
            end(self.query.clients(), winner, &self.timing, &self.quote.id, self.quote.routes.len());
        }
        Ok(None)
    }

    /// Asks every filler once. Immediate answers are taken at once; the others are awaited together.
    async fn start(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let query = Arc::clone(&self.query);
        self.received.reserve(query.clients().len());
        for (filler, client) in query.clients().iter().enumerate() {
            match client.ask(&query, filler, self.timing.start()).await {
                AskState::Answered(outcome) => self.take(Reply { filler, outcome }),
                AskState::Pending(outcome) => {
                    let reply = outcome.map(move |outcome| Reply { filler, outcome });
                    self.pending.get_or_insert_default().push(reply.boxed());
                }
            }
        }
    }

    fn take(&mut self, reply: Reply) {
        let Reply { filler, outcome } = reply;
        self.timing.answered(filler, &outcome);
        match outcome {
            Ok(routes) => self.received.extend(Arc::unwrap_or_clone(routes)),
            Err(reason) => self.missing.push((filler, reason)),
        }
    }

    /// Stores the received routes, with the quote itself the first time, and collects answers meanwhile.
    async fn commit(&mut self) -> Result<(), QuoteError> {
        let routes = std::mem::take(&mut self.received);
        let known = self.quote.routes.len();
        self.quote.routes.extend(routes);
        let (quote, store, first) = (&self.quote, self.store.as_ref(), !self.stored);
        let added = quote.routes.get(known..).unwrap_or_default();
        let write = async {
            if first {
                return store.put_quote(quote).await;
            }
            try_join_all(added.iter().map(|route| store.add_route(&quote.id, route))).await.map(drop)
        };
        let (written, replies) = collect_while(write, &mut self.pending).await;
        written?;
        self.stored = true;
        self.ready.extend(added.iter().cloned());
        self.timing.stored();
        for reply in replies {
            self.take(reply);
        }
        Ok(())
    }

    /// Fails if there is no route and at least one filler refused.
    fn check_refused(&mut self) -> Result<(), QuoteError> {
        let refused = self.missing.iter().any(|(_, reason)| reason.is_refusal());
        if !self.quote.routes.is_empty() || !refused {
            return Ok(());
        }
        self.timing.log(&self.quote.id, 0, self.query.clients());
        let mut missing = std::mem::take(&mut self.missing);
        missing.sort_by_key(|(filler, _)| *filler);
        let named = |(filler, reason): (usize, NoOffer)| {
            let client = self.query.clients().get(filler)?;
            Some(MissingOffer { filler: client.name().to_owned(), reason })
        };
        Err(QuoteError::CannotFill(missing.into_iter().filter_map(named).collect()))
    }
}

/// The index of the client with that name.
fn place_of(clients: &[Arc<FillerClient>], filler: &str) -> Option<usize> {
    clients.iter().position(|client| client.name() == filler)
}

/// Counts the winner and logs the quote.
fn end(clients: &[Arc<FillerClient>], winner: Option<usize>, timing: &Timing, id: &QuoteId, routes: usize) {
    if let Some(client) = winner.and_then(|place| clients.get(place)) {
        client.count_win();
    }
    timing.log(id, routes, clients);
}

/// The next answer; `None` when none is pending.
async fn next_reply(pending: &mut Option<Pending>) -> Option<Reply> {
    match pending {
        Some(pending) => pending.next().await,
        None => None,
    }
}

/// Runs a write to its end and collects the answers that arrive meanwhile.
async fn collect_while<T>(write: impl Future<Output = T>, pending: &mut Option<Pending>) -> (T, Vec<Reply>) {
    let (mut write, mut replies) = (pin!(write), Vec::new());
    loop {
        tokio::select! {
            written = &mut write => return (written, replies),
            Some(reply) = next_reply(pending) => replies.push(reply),
        }
    }
}
