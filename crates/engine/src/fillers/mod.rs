//! Asking fillers for quotes: each filler has a client with a bounded queue, a deadline and a circuit breaker, and identical
//! asks share a call.

mod breaker;
mod calls;
mod check_offer;
mod client;
#[cfg(test)]
pub(crate) mod fake;
mod outcome;
mod queue;
mod set;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use thiserror::Error;

pub use breaker::{BreakerPolicy, BreakerState, FillerHealth};
pub(crate) use client::{AskState, FillerClient};
pub use outcome::{MissingOffer, NoOffer, at_least, at_most};
pub(crate) use outcome::{Outcome, label};
pub(crate) use set::FillerQuery;
pub use set::Fillers;
pub use tally::{FillerLatency, FillerReport};

/// How fillers are asked.
#[derive(Clone, Debug)]
pub struct QuoteOptions {
    /// How long a filler may take to answer, its queue included.
    pub deadline: Duration,
    /// Other deadlines, by the filler's name.
    pub deadlines: BTreeMap<String, Duration>,
    /// How many concurrent calls one filler gets …
    pub calls: usize,
    /// … and how many may wait in its queue.
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

/// Invalid or clashing filler names in the configuration.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FillerNameError {
    #[error("the filler name `{0}` is not 1 to 64 letters, digits, `-`, `_` or `.`")]
    Form(String),
    #[error("two fillers are named `{0}`: rename one of them")]
    Clash(String),
    #[error("a deadline is set for the filler `{0}`, and there is no filler with that name")]
    Unknown(String),
}
