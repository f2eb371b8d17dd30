use std::collections::BTreeMap;
use std::time::Duration;

use causeway_engine::{BreakerPolicy, QuoteOptions};
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};

/// The maximum deadline of a filler.
const MAX_DEADLINE_MS: u64 = 20_000;

/// How quotes are requested from fillers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct QuotesConfig {
    /// How long a filler may take to answer.
    pub(crate) deadline_ms: u64,
    /// How many calls one filler gets concurrently …
    pub(crate) calls_per_filler: usize,
    /// … and how many may wait for their turn.
    pub(crate) waiting_per_filler: usize,
    /// Consecutive faults after which a filler's circuit breaker opens …
    pub(crate) breaker_faults: u32,
    /// … for so long.
    pub(crate) breaker_seconds: u64,
    /// Other deadlines, by the filler's name.
    pub(crate) filler_deadlines_ms: BTreeMap<String, u64>,
}

impl Default for QuotesConfig {
    fn default() -> Self {
        Self {
            deadline_ms: 2_000,
            calls_per_filler: 256,
            waiting_per_filler: 4_096,
            breaker_faults: 5,
            breaker_seconds: 10,
            filler_deadlines_ms: BTreeMap::new(),
        }
    }
}

impl QuotesConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let within = |millis: u64| (1..=MAX_DEADLINE_MS).contains(&millis);
        demand!(
            faults,
            within(self.deadline_ms),
            "quotes.deadline_ms must be between 1 and {MAX_DEADLINE_MS}"
        );
        for (name, millis) in &self.filler_deadlines_ms {
            let key = format!("quotes.filler_deadlines_ms.{name}");
            demand!(faults, within(*millis), "{key} must be between 1 and {MAX_DEADLINE_MS}");
        }
        demand!(faults, self.calls_per_filler > 0, "quotes.calls_per_filler must be at least 1");
        demand!(faults, self.breaker_faults > 0, "quotes.breaker_faults must be at least 1");
        faults.end()
    }

    pub(crate) fn options(&self) -> QuoteOptions {
        let deadlines = self.filler_deadlines_ms.iter();
        QuoteOptions {
            deadline: Duration::from_millis(self.deadline_ms),
            deadlines: deadlines.map(|(name, ms)| (name.clone(), Duration::from_millis(*ms))).collect(),
            calls: self.calls_per_filler,
            waiting: self.waiting_per_filler,
            breaker: BreakerPolicy {
                faults_in_a_row: self.breaker_faults,
                cool_down: Duration::from_secs(self.breaker_seconds),
                ..BreakerPolicy::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::{Config, read};

    #[test]
    fn defaults_equal_the_engine_defaults() {
        assert_eq!(
            format!("{:?}", QuotesConfig::default().options()),
            format!("{:?}", QuoteOptions::default())
        );
    }

    #[test]
    fn out_of_range_deadline_is_rejected() {
        for text in ["deadline_ms = 0", "deadline_ms = 60000", "[quotes.filler_deadlines_ms]\nhouse = 0"] {
            let config: Config = read::parse(&format!("[quotes]\n{text}\n")).unwrap();
            assert!(config.quotes.check().unwrap_err().to_string().contains("between 1 and"), "{text}");
        }
    }
}
