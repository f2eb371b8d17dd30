use std::path::PathBuf;
use std::time::Duration;

use causeway_engine::{OrderTiming, UnpaidLimits, WatchPolicy};
use serde::{Deserialize, Serialize};

use super::Mode;
use super::faults::{Faults, demand};

/// The minimum grace period of the contracts, in production and in the sandbox.
const MIN_GRACE: u64 = 2 * 60 * 60;
const MIN_SANDBOX_GRACE: u64 = 60;

/// The maximum grace period of the contracts.
const MAX_GRACE: u64 = 7 * 24 * 60 * 60;

/// How long an order may take at each stage, in seconds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OrdersConfig {
    /// How long after its quote's expiry a deposit is still accepted.
    pub(crate) open_slack_seconds: u64,
    /// How long a filler has once a deposit is final.
    pub(crate) fill_window_seconds: u64,
    /// How long after that anybody may trigger the refund of an unfilled deposit, without a signature.
    pub(crate) grace_seconds: u64,
    /// The file of the quote keys, newest first; `keys/quote` in the data folder unless set. Replicas share one.
    pub(crate) quote_key_file: Option<PathBuf>,
    /// How often the deposit addresses of ended orders are checked; a tenth as often from an hour after creation.
    pub(crate) look_back_seconds: u64,
    /// How often changes are written to the hub's intent book; 5 in the sandbox and 60 in production unless set.
    pub(crate) intent_book_seconds: Option<u64>,
    /// How many deposits one payer may have built that nobody has paid.
    pub(crate) unpaid_per_payer: usize,
    /// The same for one client's network address; whoever calls from this machine has no limit.
    pub(crate) unpaid_per_client: usize,
}

impl Default for OrdersConfig {
    fn default() -> Self {
        Self {
            open_slack_seconds: 10 * 60,
            fill_window_seconds: 15 * 60,
            grace_seconds: 6 * 60 * 60,
            quote_key_file: None,
            look_back_seconds: 60,
            intent_book_seconds: None,
            unpaid_per_payer: 50,
            unpaid_per_client: 1_000,
        }
    }
}

impl OrdersConfig {
    pub(super) fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let least = if mode == Mode::Production { MIN_GRACE } else { MIN_SANDBOX_GRACE };
        demand!(
            faults,
            (least..=MAX_GRACE).contains(&self.grace_seconds),
            "orders.grace_seconds must be between {least} and {MAX_GRACE}: the contracts take nothing else"
        );
        demand!(faults, self.open_slack_seconds > 0, "orders.open_slack_seconds must be at least 1");
        // A filler sends nothing in the last minute.
        let least_window = if mode == Mode::Production { 60 } else { 0 };
        demand!(
            faults,
            self.fill_window_seconds > least_window,
            "orders.fill_window_seconds must be more than {least_window}"
        );
        demand!(faults, self.look_back_seconds > 0, "orders.look_back_seconds must be at least 1");
        demand!(
            faults,
            self.unpaid_per_payer > 0 && self.unpaid_per_client > 0,
            "orders.unpaid_per_payer and orders.unpaid_per_client must be at least 1"
        );
        demand!(faults, self.intent_book_seconds != Some(0), "orders.intent_book_seconds must be at least 1");
        faults.end()
    }

    pub(crate) const fn unpaid(&self) -> UnpaidLimits {
        UnpaidLimits { per_payer: self.unpaid_per_payer, per_client: self.unpaid_per_client }
    }

    pub(crate) fn timing(&self) -> OrderTiming {
        OrderTiming {
            open_slack: self.open_slack_seconds,
            fill_window: self.fill_window_seconds,
            grace: self.grace_seconds,
            ..OrderTiming::default()
        }
    }

    pub(crate) fn intent_book_every(&self, mode: Mode) -> Duration {
        let defaults = if mode == Mode::Sandbox { 5 } else { 60 };
        Duration::from_secs(self.intent_book_seconds.unwrap_or(defaults))
    }

    pub(crate) fn watch(&self) -> WatchPolicy {
        WatchPolicy { ended_every: Duration::from_secs(self.look_back_seconds), ..WatchPolicy::default() }
    }
}
