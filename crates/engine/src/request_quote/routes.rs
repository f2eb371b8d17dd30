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
use crate::fillers::{Asked, Asking, Desk, Fillers, NoOffer, Outcome, Unfilled};

/// A quote whose fillers are being asked. Dropping it gives up every ask that nobody else waits for.
pub struct Routes {
    /// With the routes that are stored.
    quote: Quote,
    stored: bool,
    ended: bool,
    /// Of those who were there when it began.
    asking: Arc<Asking>,
    begun: bool,
    store: Arc<dyn QuoteStore>,
    /// Those who did not answer on the spot.
    pending: Option<Pending>,
    /// Known, and not stored yet.
    arrived: Vec<Route>,
    /// Stored, and not handed out yet.
    ready: VecDeque<Route>,
    /// By the filler's place.
    silent: Vec<(usize, NoOffer)>,
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
            asking: Arc::new(Asking::new(ask, fillers.roster())),
            begun: false,
            store,
            pending: None,
            arrived: Vec::new(),
            ready: VecDeque::new(),
            silent: Vec::new(),
            timing: Timing::new(start),
        }
    }

    /// The quote that the routes belong to, with those that are stored.
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Waits for all fillers, and returns the quote with its routes best first.
    pub async fn gather(self) -> Result<Quote, QuoteError> {
        self.gather_into(|quote| quote).await
    }

    /// The same for who wants something made of the quote. It is made while the quote is being written, when everything is
    /// still at hand, and given out once the quote is durable; nothing else is held until then.
    pub async fn gather_into<T>(mut self, make: impl FnOnce(Quote) -> T) -> Result<T, QuoteError> {
        self.begin().await;
        while let Some(reply) = next_reply(&mut self.pending).await {
            self.take(reply);
        }
        self.timing.all_answered();
        let mut routes = std::mem::take(&mut self.arrived);
        rank_routes(&self.quote.ask, &mut routes, self.asking.standings());
        self.quote.routes = routes;
        self.refuse_if_all_did()?;
        let Self { quote, asking, store, mut timing, .. } = self;
        let durable = store.put_quote(&quote);
        let winner = quote.routes.first().and_then(|best| place_of(asking.desks(), &best.filler));
        let (id, count) = (quote.id.clone(), quote.routes.len());
        let outcome = make(quote);
        durable.await?;
        timing.stored();
        end(asking.desks(), winner, &timing, &id, count);
        Ok(outcome)
    }

    /// Waits for the next route; `None` when all fillers have answered or are out of time.
    pub async fn next(&mut self) -> Result<Option<Route>, QuoteError> {
        self.begin().await;
        while !self.ended {
            if let Some(route) = self.ready.pop_front() {
                return Ok(Some(route));
            }
            if !self.arrived.is_empty() {
                self.commit().await?;
                continue;
            }
            if let Some(reply) = next_reply(&mut self.pending).await {
                self.take(reply);
                continue;
            }
            self.timing.all_answered();
            if !self.stored {
                self.refuse_if_all_did()?;
                // Nobody answered: the quote is known all the same, like any whose id was handed out.
                self.commit().await?;
            }
            let best = best_route(&self.quote.ask, &self.quote.routes, self.asking.standings());
            let winner = best.and_then(|best| place_of(self.asking.desks(), &best.filler));
            self.ended = true;
            end(self.asking.desks(), winner, &self.timing, &self.quote.id, self.quote.routes.len());
        }
        Ok(None)
    }

    /// Asks everybody, once. Who answers on the spot is heard on the spot; the others are waited for together.
    async fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        let asking = Arc::clone(&self.asking);
        self.arrived.reserve(asking.desks().len());
        for (filler, desk) in asking.desks().iter().enumerate() {
            match desk.ask(&asking, filler, self.timing.start()).await {
                Asked::Answered(outcome) => self.take(Reply { filler, outcome }),
                Asked::Waiting(outcome) => {
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
            Ok(routes) => self.arrived.extend(Arc::unwrap_or_clone(routes)),
            Err(why) => self.silent.push((filler, why)),
        }
    }

    /// Stores what has arrived, with the quote itself if that is not stored yet; who answers meanwhile is heard.
    async fn commit(&mut self) -> Result<(), QuoteError> {
        let routes = std::mem::take(&mut self.arrived);
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
        let (written, heard) = hear_while(write, &mut self.pending).await;
        written?;
        self.stored = true;
        self.ready.extend(added.iter().cloned());
        self.timing.stored();
        for reply in heard {
            self.take(reply);
        }
        Ok(())
    }

    /// No route, and somebody who said no: that is an answer of its own, and no quote.
    fn refuse_if_all_did(&mut self) -> Result<(), QuoteError> {
        let refused = self.silent.iter().any(|(_, why)| why.is_no());
        if !self.quote.routes.is_empty() || !refused {
            return Ok(());
        }
        self.timing.tell(&self.quote.id, 0, self.asking.desks());
        let mut silent = std::mem::take(&mut self.silent);
        silent.sort_by_key(|(filler, _)| *filler);
        let reason = |(filler, why): (usize, NoOffer)| {
            self.asking.desks().get(filler).map(|desk| Unfilled { filler: desk.name().to_owned(), why })
        };
        Err(QuoteError::CannotFill(silent.into_iter().filter_map(reason).collect()))
    }
}

/// Whose desk has that name.
fn place_of(desks: &[Arc<Desk>], filler: &str) -> Option<usize> {
    desks.iter().position(|desk| desk.name() == filler)
}

/// Everything is known: counts who stands first, and writes the quote's line.
fn end(desks: &[Arc<Desk>], winner: Option<usize>, timing: &Timing, id: &QuoteId, routes: usize) {
    if let Some(desk) = winner.and_then(|place| desks.get(place)) {
        desk.count_win();
    }
    timing.tell(id, routes, desks);
}

/// Whoever answers next; `None` when nobody is waited for any more.
async fn next_reply(pending: &mut Option<Pending>) -> Option<Reply> {
    match pending {
        Some(pending) => pending.next().await,
        None => None,
    }
}

/// Runs a write to its end, and keeps what fillers answer until then.
async fn hear_while<T>(write: impl Future<Output = T>, pending: &mut Option<Pending>) -> (T, Vec<Reply>) {
    let (mut write, mut heard) = (pin!(write), Vec::new());
    loop {
        tokio::select! {
            written = &mut write => return (written, heard),
            Some(reply) = next_reply(pending) => heard.push(reply),
        }
    }
}
