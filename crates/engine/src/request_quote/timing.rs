use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::QuoteId;
use tokio::time::Instant;

use crate::fillers::{FillerClient, Outcome, label};

const TARGET: &str = "causeway::quote";

/// When each part of a quote was done, relative to its start.
#[derive(Debug)]
pub(super) struct Timing {
    start: Instant,
    /// Whether debug logging is enabled; otherwise the clock is not read.
    is_enabled: bool,
    resolved: Duration,
    answers: Vec<(usize, &'static str, Duration)>,
    all_answered: Duration,
}

impl Timing {
    pub(super) fn new(start: Instant) -> Self {
        let is_enabled = tracing::enabled!(target: TARGET, tracing::Level::DEBUG);
        Self {
            start,
            is_enabled,
            resolved: if is_enabled { start.elapsed() } else { Duration::ZERO },
            answers: Vec::new(),
            all_answered: Duration::ZERO,
        }
    }

    pub(super) fn start(&self) -> Instant {
        self.start
    }

    pub(super) fn answered(&mut self, filler: usize, outcome: &Outcome) {
        if self.is_enabled {
            self.answers.push((filler, label(outcome), self.start.elapsed()));
        }
    }

    pub(super) fn all_answered(&mut self) {
        if self.is_enabled {
            self.all_answered = self.start.elapsed();
        }
    }

    /// Logs the quote at debug level.
    pub(super) fn log(&self, id: &QuoteId, routes: usize, clients: &[Arc<FillerClient>]) {
        if !self.is_enabled {
            return;
        }
        let mut answers = String::new();
        for (filler, label, at) in &self.answers {
            let name = clients.get(*filler).map_or("", |client| client.name());
            let comma = if answers.is_empty() { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(answers, "{comma}{name} {label} at {}", at.as_micros());
        }
        tracing::debug!(
            target: TARGET,
            id = id.as_str(),
            routes,
            resolved_micros = micros(self.resolved),
            answers,
            answered_micros = micros(self.all_answered),
            total_micros = micros(self.start.elapsed()),
        );
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
