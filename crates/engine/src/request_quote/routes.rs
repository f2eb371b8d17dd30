use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::FillerAsk;
use causeway_domain::{Quote, Route, RouteSeal, TradeType, Warning};
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use super::QuoteError;
use super::join::{JoinRoutes, Joined};
use super::rank::{best_route, rank_routes};
use super::recipients::{Check, RecipientChecks};
use super::timing::Timing;
use crate::fillers::{AskState, FillerQuery, Fillers, MissingOffer, NoOffer, Outcome};
use crate::reputation::compare_prices;
use crate::warnings::{AccountCheck, Elsewhere, Warnings};

/// A quote whose fillers are being asked. Dropping it cancels every ask that nobody else waits for.
pub struct Routes {
    /// With the routes that have arrived.
    quote: Quote,
    /// How many of them [`Self::next`] has returned.
    returned: usize,
    seal: Arc<RouteSeal>,
    /// Asks the fillers of the quote's start.
    query: Arc<FillerQuery>,
    started: bool,
    ended: bool,
    /// Fillers that did not answer immediately.
    pending: Option<FuturesUnordered<BoxFuture<'static, Reply>>>,
    /// The best amount of each filler that offered, by the filler's index.
    prices: Vec<(usize, U256)>,
    /// By the filler's index.
    missing: Vec<(usize, NoOffer)>,
    recipients: Arc<RecipientChecks>,
    /// Begun with the first offer.
    recipient: Option<Check>,
    warnings: Option<Arc<Warnings>>,
    /// Begun with the first ask.
    accounts: Option<AccountCheck>,
    /// The warnings of all routes, once they are known.
    common: Option<Vec<Warning>>,
    /// Asked once, where no filler offers anything.
    joining: Option<Arc<JoinRoutes>>,
    timing: Timing,
    /// Of the swap's trace.
    span: Span,
}

/// What one filler answered.
struct Reply {
    filler: usize,
    outcome: Outcome,
    /// Whether it is known, as far as it will be, that the recipient can be paid.
    is_checked: bool,
}

impl Reply {
    const fn new(filler: usize, outcome: Outcome) -> Self {
        Self { filler, outcome, is_checked: false }
    }

    /// Withholds the offers where the recipient cannot be paid.
    fn checked(self, unpayable: Option<String>) -> Self {
        let outcome = match unpayable {
            Some(reason) => Err(NoOffer::Unpayable(reason)),
            None => self.outcome,
        };
        Self { outcome, is_checked: true, ..self }
    }
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
        recipients: Arc<RecipientChecks>,
        seal: Arc<RouteSeal>,
        start: Instant,
    ) -> Self {
        Self {
            quote,
            returned: 0,
            seal,
            query: Arc::new(FillerQuery::new(ask, fillers.roster())),
            started: false,
            ended: false,
            pending: None,
            prices: Vec::new(),
            missing: Vec::new(),
            recipients,
            recipient: None,
            warnings: None,
            accounts: None,
            common: None,
            joining: None,
            timing: Timing::new(start),
            span: Span::none(),
        }
    }

    /// Traces the asks within this span.
    pub(super) fn within(self, span: Span) -> Self {
        Self { span, ..self }
    }

    pub(super) fn with_warnings(self, warnings: Option<Arc<Warnings>>) -> Self {
        Self { warnings, ..self }
    }

    pub(super) fn with_joining(self, joining: Option<Arc<JoinRoutes>>) -> Self {
        Self { joining, ..self }
    }

    /// The quote with the routes that have arrived.
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Waits for all fillers, and returns the quote with its routes best first.
    pub async fn gather(self) -> Result<Quote, QuoteError> {
        let span = self.span.clone();
        self.gather_all().instrument(span).await
    }

    async fn gather_all(mut self) -> Result<Quote, QuoteError> {
        self.start().await;
        while let Some(reply) = self.next_reply().await {
            self.receive(reply);
        }
        self.join().await;
        self.check_refused()?;
        rank_routes(&self.quote.ask, &mut self.quote.routes, self.query.reputations());
        for at in 0..self.quote.routes.len() {
            self.warn(at).await;
        }
        self.end(0);
        Ok(self.quote)
    }

    /// Waits for the next route and returns it with its quote; `None` when all fillers have answered or timed out.
    pub async fn next(&mut self) -> Result<Option<(&Quote, &Route)>, QuoteError> {
        let span = self.span.clone();
        self.next_route().instrument(span).await
    }

    async fn next_route(&mut self) -> Result<Option<(&Quote, &Route)>, QuoteError> {
        self.start().await;
        while self.returned == self.quote.routes.len() {
            if let Some(reply) = self.next_reply().await {
                self.receive(reply);
                continue;
            }
            self.join().await;
            if self.returned < self.quote.routes.len() {
                break;
            }
            if !std::mem::replace(&mut self.ended, true) {
                self.check_refused()?;
                let best = best_route(&self.quote.ask, &self.quote.routes, self.query.reputations());
                self.end(best.unwrap_or_default());
            }
            return Ok(None);
        }
        self.warn(self.returned).await;
        self.returned += 1;
        Ok(self.quote.routes.get(self.returned - 1).map(|route| (&self.quote, route)))
    }

    /// Asks every filler once. Immediate answers are taken at once; the others are awaited together.
    async fn start(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        self.accounts = self.warnings.as_ref().and_then(|warnings| warnings.begin(&self.quote.ask));
        let query = Arc::clone(&self.query);
        self.quote.routes.reserve(query.clients().len());
        for (filler, client) in query.clients().iter().enumerate() {
            match client.ask(&query, self.timing.start()).await {
                AskState::Answered(outcome) => self.receive(Reply::new(filler, outcome)),
                AskState::Pending(outcome) => {
                    let reply = outcome.map(move |outcome| Reply::new(filler, outcome));
                    self.pending.get_or_insert_default().push(reply.boxed());
                }
            }
        }
    }

    /// Adds the warnings of a route.
    async fn warn(&mut self, at: usize) {
        let Some(warnings) = &self.warnings else { return };
        let ask = &self.quote.ask;
        if self.common.is_none() {
            let elsewhere = match self.accounts.take() {
                Some(accounts) => accounts.settle().await,
                None => Elsewhere::default(),
            };
            self.common = Some(warnings.of_ask(ask, elsewhere));
        }
        if let Some(route) = self.quote.routes.get_mut(at) {
            route.warnings.extend_from_slice(self.common.as_deref().unwrap_or_default());
            route.warnings.extend(warnings.of_route(ask, route));
        }
    }

    /// The next answer; `None` when none is pending.
    async fn next_reply(&mut self) -> Option<Reply> {
        self.pending.as_mut()?.next().await
    }

    /// Takes an answer, once it is known whether the recipient can be paid or that has taken too long.
    fn receive(&mut self, reply: Reply) {
        let offer = reply.outcome.as_ref().ok().and_then(|offers| offers.first());
        let Some(offer) = offer.filter(|_| !reply.is_checked) else { return self.take(reply) };
        let ask = &self.quote.ask;
        let check = self
            .recipient
            .get_or_insert_with(|| self.recipients.begin(ask.to, ask.recipient, offer.min_amount_out.get()));
        match check {
            Check::Known(unpayable) => {
                let unpayable = unpayable.clone();
                self.take(reply.checked(unpayable));
            }
            Check::Pending(pending) => {
                let reply = pending.clone().map(move |unpayable| reply.checked(unpayable));
                self.pending.get_or_insert_default().push(reply.boxed());
            }
        }
    }

    /// Seals the offers of an answer into routes.
    fn take(&mut self, reply: Reply) {
        let Reply { filler, outcome, .. } = reply;
        self.timing.answered(filler, &outcome);
        let offers = match outcome {
            Ok(offers) => Arc::unwrap_or_clone(offers),
            Err(reason) => return self.missing.push((filler, reason)),
        };
        let Some(client) = self.query.clients().get(filler) else { return };
        let (name, kind) = (client.name(), client.kind());
        let amounts = offers.iter().map(|offer| match self.quote.ask.trade_type {
            TradeType::ExactInput => offer.amount_out.get(),
            TradeType::ExactOutput => offer.amount_in.get(),
        });
        let best = match self.quote.ask.trade_type {
            TradeType::ExactInput => amounts.max(),
            TradeType::ExactOutput => amounts.min(),
        };
        self.prices.extend(best.map(|best| (filler, best)));
        for offer in offers {
            match self.seal.seal(&self.quote, name, kind, &offer) {
                // The same terms twice are one route.
                Ok(id) if self.quote.routes.iter().any(|route| route.id == id) => {}
                Ok(id) => self.quote.routes.push(Route::new(id, name, kind, offer)),
                // Bounded names, ids and amounts always fit.
                Err(error) => tracing::error!(filler = name, %error, "an offer cannot be sealed"),
            }
        }
    }

    /// Adds a route that is joined from two, where nobody has one.
    async fn join(&mut self) {
        let Some(joining) = self.joining.take().filter(|_| self.quote.routes.is_empty()) else { return };
        let Some(Joined { filler, kind, offer }) = joining.join(&self.quote.ask).await else { return };
        match self.seal.seal(&self.quote, &filler, &kind, &offer) {
            Ok(id) => self.quote.routes.push(Route::new(id, &filler, &kind, offer)),
            Err(error) => tracing::error!(filler, %error, "a joined offer cannot be sealed"),
        }
    }

    /// Fails if there is no route and at least one filler refused.
    fn check_refused(&mut self) -> Result<(), QuoteError> {
        self.timing.all_answered();
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
        let missing = missing.into_iter().filter_map(named).collect();
        let FillerAsk { ask, from, to } = &self.query.ask;
        let token = match ask.trade_type {
            TradeType::ExactInput => from,
            TradeType::ExactOutput => to,
        };
        Err(QuoteError::CannotFill { missing, token: Arc::clone(token) })
    }

    /// Counts the winner, compares the prices, and logs the quote.
    fn end(&self, best: usize) {
        let clients = self.query.clients();
        let winner = self.quote.routes.get(best);
        let winner = winner.and_then(|best| clients.iter().find(|client| client.name() == best.filler));
        if let Some(client) = winner {
            client.count_win();
        }
        for (filler, bps) in compare_prices(self.quote.ask.trade_type, &self.prices) {
            if let Some(client) = clients.get(filler) {
                client.count_price(bps);
            }
        }
        self.timing.log(&self.quote.id, self.quote.routes.len(), clients);
    }
}
