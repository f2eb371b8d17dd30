use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Refusal};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument as _, Span};

use super::breaker::Breaker;
use super::calls::{Call, Calls, Joined, TicketSlot};
use super::check_offer::read_offers;
use super::outcome::{NoOffer, Outcome, count, sanitize};
use super::queue::Queue;
use super::tally::Tally;
use super::{FillerQuery, FillerReport, QuoteOptions};
use crate::pauses::Pauses;

/// Asks one filler within limits: its queue, circuit breaker and counters.
pub(crate) struct FillerClient {
    filler: Arc<dyn Filler>,
    deadline: Duration,
    queue: Queue,
    breaker: Arc<Breaker>,
    calls: Arc<Calls>,
    tally: Tally,
    pauses: Arc<Pauses>,
}

/// The state of an ask.
pub(crate) enum AskState {
    /// The filler answered immediately, or is not asked now.
    Answered(Outcome),
    /// The answer is awaited until the deadline; dropping this cancels the ask.
    Pending(BoxFuture<'static, Outcome>),
}

/// Says in a trace what a filler answered.
fn record_outcome(span: &Span, outcome: &Outcome) {
    match outcome {
        Ok(offers) => span.record("outcome", format_args!("{} offers", offers.len())),
        Err(fault) if fault.is_fault() => span.record("error", format_args!("{fault:?}")),
        Err(refusal) => span.record("outcome", format_args!("{refusal:?}")),
    };
}

impl FillerClient {
    pub(super) fn new(filler: Arc<dyn Filler>, options: &QuoteOptions, pauses: Arc<Pauses>) -> Self {
        Self {
            deadline: options.deadlines.get(filler.name()).copied().unwrap_or(options.deadline),
            pauses,
            filler,
            queue: Queue::new(options.calls, options.waiting),
            breaker: Breaker::new(options.breaker),
            calls: Arc::default(),
            tally: Tally::default(),
        }
    }

    /// Overrides the deadline.
    pub(super) fn with_deadline(self, deadline: Option<Duration>) -> Self {
        Self { deadline: deadline.unwrap_or(self.deadline), ..self }
    }

    pub(crate) fn name(&self) -> &str {
        self.filler.name()
    }

    /// Suspends the filler because of its unfilled orders; returns whether that is new.
    pub(super) fn suspend_until(&self, until: Instant) -> bool {
        self.breaker.open_until(until)
    }

    pub(crate) fn kind(&self) -> &str {
        self.filler.kind()
    }

    pub(crate) fn count_win(&self) {
        self.tally.win();
    }

    /// Counts how far its offer was above the median offer, in basis points.
    pub(crate) fn count_price(&self, bps: i32) {
        self.tally.price(bps);
    }

    /// The sum of all counted prices, and how many there are.
    pub(crate) fn prices(&self) -> (i64, u64) {
        self.tally.prices()
    }

    pub(super) fn report(&self) -> FillerReport {
        let (health, breaker) = (self.breaker.health(), self.breaker.state());
        self.tally.report(self.filler.name(), self.filler.kind(), health, breaker)
    }

    /// Starts an ask without waiting for a slow filler: the caller polls the returned state.
    pub(crate) async fn ask(self: &Arc<Self>, query: &Arc<FillerQuery>, start: Instant) -> AskState {
        self.tally.ask();
        let joined = match self.pauses.reason_for_filler(self.name()) {
            Some(reason) => Joined::Answered(Err(NoOffer::Paused(reason))),
            None if self.breaker.admits() => self.join(query).await,
            None => Joined::Answered(Err(NoOffer::CoolingDown)),
        };
        match joined {
            Joined::Answered(outcome) => AskState::Answered(self.counted(outcome)),
            Joined::Call(call) => AskState::Pending(Arc::clone(self).wait(call, start).boxed()),
        }
    }

    async fn join(self: &Arc<Self>, query: &Arc<FillerQuery>) -> Joined {
        let begin = |ticket: Arc<TicketSlot>| {
            let (client, query) = (Arc::clone(self), Arc::clone(query));
            let span = tracing::trace_span!(
                target: "causeway::trace",
                "filler.quote",
                otel.kind = "client",
                filler = self.name(),
                outcome = tracing::field::Empty,
                error = tracing::field::Empty,
            );
            async move { client.call(&query.ask, &ticket).await }.instrument(span)
        };
        self.calls.join(query, begin).await
    }

    async fn wait(self: Arc<Self>, call: Call, start: Instant) -> Outcome {
        let answer = timeout_at(start + self.deadline, call.outcome).await;
        let outcome = answer.unwrap_or_else(|_| {
            call.ticket.time_out(&self.breaker, self.deadline / 2);
            Err(NoOffer::TimedOut)
        });
        self.counted(outcome)
    }

    fn counted(&self, outcome: Outcome) -> Outcome {
        self.tally.count(count(&outcome));
        outcome
    }

    async fn call(&self, ask: &FillerAsk, ticket: &TicketSlot) -> Outcome {
        let Some(_slot) = self.queue.enter().await else { return Err(NoOffer::Busy) };
        let Some(admitted) = self.breaker.admit() else { return Err(NoOffer::CoolingDown) };
        let start = Instant::now();
        ticket.put(admitted, start);
        let answer = AssertUnwindSafe(async { self.filler.quote(ask).await }).catch_unwind().await;
        self.tally.observe(start.elapsed());
        let outcome = match answer {
            Ok(answer) => self.check(ask, answer),
            Err(_) => Err(self.fault(&"panicked")),
        };
        record_outcome(&Span::current(), &outcome);
        ticket.settle(&self.breaker, outcome.as_ref().is_err_and(NoOffer::is_fault));
        outcome
    }

    fn check(&self, ask: &FillerAsk, answer: Result<Answer, FillerError>) -> Outcome {
        let offers = match answer {
            Ok(Answer::Offers(offers)) => offers,
            Ok(Answer::Refused(refusal)) => return Err(NoOffer::Refused(sanitize(refusal))),
            Err(error) => return Err(self.fault(&error)),
        };
        match read_offers(&ask.ask, offers, Timestamp::now()) {
            Ok(offers) if offers.is_empty() => Err(NoOffer::Refused(Refusal::NoDepositMethod)),
            Ok(offers) => Ok(Arc::new(offers)),
            Err(reason) => Err(self.fault(&reason)),
        }
    }

    /// Logs the cause; the client learns only that there was a fault.
    fn fault(&self, cause: &dyn std::fmt::Display) -> NoOffer {
        tracing::warn!(filler = self.filler.name(), %cause, "filler failed");
        NoOffer::Faulted
    }

    #[cfg(test)]
    pub(super) fn calls_in_flight(&self) -> usize {
        self.calls.len()
    }
}
