use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::QuoteId;
use tokio::time::Instant;

use crate::fillers::{Desk, Outcome, word};

const TARGET: &str = "causeway::quote";

/// When each part of a quote was done, counted from its beginning.
#[derive(Debug)]
pub(super) struct Timing {
    start: Instant,
    /// Whether anybody looks; the clock is not asked for nobody.
    told: bool,
    resolved: Duration,
    answers: Vec<(usize, &'static str, Duration)>,
    all_answered: Duration,
    stored: Duration,
}

impl Timing {
    pub(super) fn new(start: Instant) -> Self {
        let told = tracing::enabled!(target: TARGET, tracing::Level::DEBUG);
        Self {
            start,
            told,
            resolved: if told { start.elapsed() } else { Duration::ZERO },
            answers: Vec::new(),
            all_answered: Duration::ZERO,
            stored: Duration::ZERO,
        }
    }

    pub(super) fn start(&self) -> Instant {
        self.start
    }

    pub(super) fn answered(&mut self, filler: usize, outcome: &Outcome) {
        if self.told {
            self.answers.push((filler, word(outcome), self.start.elapsed()));
        }
    }

    pub(super) fn all_answered(&mut self) {
        if self.told {
            self.all_answered = self.start.elapsed();
        }
    }

    pub(super) fn stored(&mut self) {
        if self.told {
            self.stored = self.start.elapsed();
        }
    }

    /// Writes the quote's one line, for those who look at debug level.
    pub(super) fn tell(&self, id: &QuoteId, routes: usize, desks: &[Arc<Desk>]) {
        if !self.told {
            return;
        }
        let mut answers = String::new();
        for (filler, word, at) in &self.answers {
            let name = desks.get(*filler).map_or("", |desk| desk.name());
            let comma = if answers.is_empty() { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(answers, "{comma}{name} {word} at {}", at.as_micros());
        }
        tracing::debug!(
            target: TARGET,
            id = id.as_str(),
            routes,
            resolved_micros = micros(self.resolved),
            answers,
            answered_micros = micros(self.all_answered),
            stored_micros = micros(self.stored),
            total_micros = micros(self.start.elapsed()),
        );
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
