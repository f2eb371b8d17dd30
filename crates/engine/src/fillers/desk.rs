use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Refusal};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio::time::{Instant, timeout_at};

use super::breaker::Breaker;
use super::calls::{Call, Calls, Joined, TicketSlot};
use super::check_offer::read_offers;
use super::outcome::{NoOffer, Outcome, count, tidy};
use super::queue::Queue;
use super::tally::Tally;
use super::{Asking, FillerReport, QuoteOptions};
use crate::pauses::Pauses;

/// Where one filler is asked: its queue, its breaker, its counts.
pub(crate) struct Desk {
    filler: Arc<dyn Filler>,
    deadline: Duration,
    queue: Queue,
    breaker: Arc<Breaker>,
    calls: Arc<Calls>,
    tally: Tally,
    pauses: Arc<Pauses>,
}

/// What asking a filler has come to.
pub(crate) enum Asked {
    /// It answered on the spot, or is not asked now.
    Answered(Outcome),
    /// It is waited for until its deadline; dropping this gives the ask up.
    Waiting(BoxFuture<'static, Outcome>),
}

impl Desk {
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

    /// With a deadline of its own.
    pub(super) fn within(self, deadline: Option<Duration>) -> Self {
        Self { deadline: deadline.unwrap_or(self.deadline), ..self }
    }

    pub(crate) fn name(&self) -> &str {
        self.filler.name()
    }

    /// Leaves the filler alone until then, for what became of its orders.
    pub(super) fn rest_until(&self, until: Instant) -> bool {
        self.breaker.rest_until(until)
    }

    pub(crate) fn count_win(&self) {
        self.tally.win();
    }

    pub(super) fn report(&self) -> FillerReport {
        let (health, breaker) = (self.breaker.health(), self.breaker.state());
        self.tally.report(self.filler.name(), self.filler.kind(), health, breaker)
    }

    /// Asks, without waiting: who cannot answer on the spot is waited for by whoever holds what this returns.
    /// This desk stands at `place` among those who are asked.
    pub(crate) async fn ask(self: &Arc<Self>, asking: &Arc<Asking>, place: usize, start: Instant) -> Asked {
        self.tally.ask();
        let joined = match self.pauses.of_filler(self.name()) {
            Some(words) => Joined::Answered(Err(NoOffer::Paused(words))),
            None if self.breaker.admits() => self.join(asking, place).await,
            None => Joined::Answered(Err(NoOffer::Resting)),
        };
        match joined {
            Joined::Answered(outcome) => Asked::Answered(self.counted(outcome)),
            Joined::Call(call) => Asked::Waiting(Arc::clone(self).wait(call, start).boxed()),
        }
    }

    async fn join(&self, asking: &Arc<Asking>, place: usize) -> Joined {
        let begin = |ticket: Arc<TicketSlot>| {
            let asking = Arc::clone(asking);
            async move {
                match asking.desks().get(place) {
                    Some(desk) => desk.call(&asking.ask, &ticket).await,
                    None => Err(NoOffer::Resting),
                }
            }
        };
        self.calls.join(asking, begin).await
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
        let Some(admitted) = self.breaker.admit() else { return Err(NoOffer::Resting) };
        let start = Instant::now();
        ticket.put(admitted, start);
        let answer = AssertUnwindSafe(async { self.filler.quote(ask).await }).catch_unwind().await;
        self.tally.observe(start.elapsed());
        let outcome = match answer {
            Ok(answer) => self.judge(ask, answer),
            Err(_) => Err(self.fault(&"panicked")),
        };
        ticket.settle(&self.breaker, outcome.as_ref().is_err_and(NoOffer::is_fault));
        outcome
    }

    fn judge(&self, ask: &FillerAsk, answer: Result<Answer, FillerError>) -> Outcome {
        let offers = match answer {
            Ok(Answer::Offers(offers)) => offers,
            Ok(Answer::Refused(refusal)) => return Err(NoOffer::Refused(tidy(refusal))),
            Err(error) => return Err(self.fault(&error)),
        };
        let (name, kind) = (self.filler.name(), self.filler.kind());
        match read_offers(name, kind, &ask.ask, offers, Timestamp::now()) {
            Ok(routes) if routes.is_empty() => Err(NoOffer::Refused(Refusal::NoDepositMethod)),
            Ok(routes) => Ok(Arc::new(routes)),
            Err(words) => Err(self.fault(&words)),
        }
    }

    /// A fault is ours to know; whoever asked hears only that there was one.
    fn fault(&self, cause: &dyn std::fmt::Display) -> NoOffer {
        tracing::warn!(filler = self.filler.name(), %cause, "a filler failed to answer");
        NoOffer::Faulted
    }

    #[cfg(test)]
    pub(super) fn calls_in_flight(&self) -> usize {
        self.calls.len()
    }
}
