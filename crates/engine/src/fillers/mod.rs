//! The asking side of fillers: each has a desk with a bounded queue, a deadline and a breaker, and asks that are the same
//! share a call.

mod breaker;
mod calls;
mod check_offer;
mod desk;
#[cfg(test)]
pub(crate) mod fake;
mod outcome;
mod queue;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::RouteId;
use causeway_domain::ports::Filler;
use thiserror::Error;

pub use breaker::{BreakerPolicy, BreakerState, FillerHealth};
use check_offer::{MAX_OFFERS, route_name};
pub(crate) use desk::Desk;
pub use outcome::{NoOffer, Unfilled};
pub(crate) use outcome::{Outcome, word};
pub use tally::{FillerLatency, FillerReport};

/// How fillers are asked.
#[derive(Clone, Debug)]
pub struct QuoteOptions {
    /// How long a filler may take to answer, its queue included.
    pub deadline: Duration,
    /// Other deadlines, by the filler's name.
    pub deadlines: BTreeMap<String, Duration>,
    /// How many calls one filler gets at once …
    pub calls: usize,
    /// … and how many may wait for their turn.
    pub waiting: usize,
    pub breaker: BreakerPolicy,
}

impl Default for QuoteOptions {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(2),
            deadlines: BTreeMap::new(),
            calls: 256,
            waiting: 4_096,
            breaker: BreakerPolicy::default(),
        }
    }
}

/// Names that do not fit together; an operator's fault, found at the start.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FillerNameError {
    #[error("the filler name `{0}` is not 1 to 62 letters, digits, `-`, `_` or `.`")]
    Form(String),
    #[error("two fillers would both offer a route named `{0}`: rename one of them")]
    Clash(String),
    #[error("a deadline is set for the filler `{0}`, and there is none of that name")]
    Unknown(String),
}

/// All fillers of the service.
#[derive(Clone)]
pub struct Fillers {
    desks: Arc<[Arc<Desk>]>,
}

impl fmt::Debug for Fillers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.desks.iter().map(|desk| desk.name())).finish()
    }
}

impl Fillers {
    pub fn new(fillers: Vec<Arc<dyn Filler>>, options: &QuoteOptions) -> Result<Self, FillerNameError> {
        let mut names = BTreeSet::new();
        for name in
            fillers.iter().flat_map(|filler| (0..MAX_OFFERS).map(|place| route_name(filler.name(), place)))
        {
            if name.parse::<RouteId>().is_err() {
                return Err(FillerNameError::Form(name));
            }
            if let Some(name) = names.replace(name) {
                return Err(FillerNameError::Clash(name));
            }
        }
        let known = |name: &&String| !fillers.iter().any(|filler| filler.name() == name.as_str());
        if let Some(name) = options.deadlines.keys().find(known) {
            return Err(FillerNameError::Unknown(name.clone()));
        }
        let desks = fillers.into_iter().map(|filler| Arc::new(Desk::new(filler, options))).collect();
        Ok(Self { desks })
    }

    pub(crate) fn desks(&self) -> &[Arc<Desk>] {
        &self.desks
    }

    /// How each filler does, in the order in which they were given.
    pub fn reports(&self) -> Vec<FillerReport> {
        self.desks.iter().map(|desk| desk.report()).collect()
    }
}
