use async_trait::async_trait;

use super::StoreError;
use crate::{OrderId, RowKey};

/// The event histories of all orders as one log.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Events of all orders that are newer than the key, oldest first. Concurrent writers may commit keys out of order, so a
    /// reader that must not miss any starts a little before the newest key it has seen.
    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError>;
    /// The number of commits of this process.
    fn commits(&self) -> u64;
    /// Waits until the commit count of this process differs from `seen`. Commits of other processes do not count.
    async fn wait_for_commit_after(&self, seen: u64);
}
