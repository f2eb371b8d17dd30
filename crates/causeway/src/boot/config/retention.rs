use std::time::Duration;

use causeway_engine::RetentionPolicy;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};

/// How long ended data is kept.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RetentionConfig {
    /// Quotes without an order.
    pub(crate) quotes_hours: u32,
    /// The events of ended orders.
    pub(crate) events_days: u32,
    /// Lines of the audit log.
    pub(crate) audit_days: u32,
    /// The personal data of ended purchases; for ever if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) purchases_days: Option<u32>,
    pub(crate) sweep_minutes: u32,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self {
            quotes_hours: 24,
            events_days: 400,
            audit_days: 1_830,
            purchases_days: None,
            sweep_minutes: 10,
        }
    }
}

impl RetentionConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        demand!(
            faults,
            self.quotes_hours > 0,
            "retention.quotes_hours must be at least 1: quotes live for minutes"
        );
        demand!(faults, self.audit_days > 0, "retention.audit_days must be at least 1");
        demand!(faults, self.purchases_days != Some(0), "retention.purchases_days must be at least 1");
        demand!(faults, self.sweep_minutes > 0, "retention.sweep_minutes must be at least 1");
        faults.end()
    }

    pub(crate) fn policy(&self) -> RetentionPolicy {
        RetentionPolicy {
            quotes: Duration::from_secs(u64::from(self.quotes_hours) * 60 * 60),
            events: Duration::from_secs(u64::from(self.events_days) * 24 * 60 * 60),
            audit: Duration::from_secs(u64::from(self.audit_days) * 24 * 60 * 60),
            purchases: self.purchases_days.map(|days| Duration::from_secs(u64::from(days) * 24 * 60 * 60)),
            every: Duration::from_secs(u64::from(self.sweep_minutes) * 60),
        }
    }
}
