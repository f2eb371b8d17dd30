use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::providers::{Budget, ProviderKey};

/// Where Jupiter's API lies.
const URL: &str = "https://api.jup.ag/swap/v2";

/// Jupiter's limits in 60 seconds, over all endpoints, without a key and with one that costs nothing, as its documentation says
/// (dev.jup.ag/docs/portal/rate-limits, read on 2026-11-19).
const WINDOW: Duration = Duration::from_mins(1);
const QUOTES: u32 = 30;
const QUOTES_WITH_KEY: u32 = 60;

/// Jupiter's program, as dev.jup.ag/docs/swap/build and github.com/jup-ag/instruction-parser name it, both read on 2026-11-19; the
/// chain was not asked.
pub const PROGRAM: &str = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";

/// Configuration of Jupiter.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct JupiterConfig {
    /// The name of its routes.
    pub name: String,
    pub url: String,
    /// Raises its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    pub deadline_ms: u64,
    /// How long a quote is offered; Jupiter names no time, and prices move with every slot.
    pub valid_for_s: u32,
    /// How many quotes all processes together ask for in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_in_a_minute: Option<u32>,
    /// The program that the payer's transaction calls.
    pub program: String,
}

impl Default for JupiterConfig {
    fn default() -> Self {
        Self {
            name: "jupiter".to_owned(),
            url: URL.to_owned(),
            api_key: None,
            deadline_ms: 4_000,
            valid_for_s: 30,
            quotes_in_a_minute: None,
            program: PROGRAM.to_owned(),
        }
    }
}

impl JupiterConfig {
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn budget(&self) -> Budget {
        let usual = if self.api_key.is_some() { QUOTES_WITH_KEY } else { QUOTES };
        Budget::new(self.quotes_in_a_minute.unwrap_or(usual), WINDOW)
    }
}
