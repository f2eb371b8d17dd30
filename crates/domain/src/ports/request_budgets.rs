use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;

/// A part of a budget of requests, as one process takes it in advance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetLease {
    /// Whose budget it is, and of which requests.
    pub budget: String,
    /// When the window began: a multiple of its length since the epoch, so that it is the same for all processes.
    pub begun: Timestamp,
    pub window: Duration,
    /// How many requests all processes together may send in the window.
    pub limit: u32,
    pub wanted: u32,
    /// How many this process has sent in the window without a lease, because the store did not answer.
    pub sent: u32,
}

/// What a process got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leased {
    /// How many requests it may send in the window; at most what it wanted.
    pub granted: u32,
    /// Until when no process may send any.
    pub paused_until: Option<Timestamp>,
}

/// Budgets of requests to others, one for all processes.
#[async_trait]
pub trait RequestBudgets: Send + Sync {
    /// Takes a part of a budget. A window of the future, beyond the next one, is the mistake of a clock and does not count.
    async fn lease(&self, lease: &BudgetLease) -> Result<Leased, StoreError>;
    /// Lets no process send any before then; an earlier time changes nothing.
    async fn pause_budget(&self, budget: &str, until: Timestamp) -> Result<(), StoreError>;
    /// Until when no process may send any.
    async fn budget_paused_until(&self, budget: &str) -> Result<Option<Timestamp>, StoreError>;
}
