use async_trait::async_trait;

use super::StoreError;
use crate::{OrderId, RowKey};

/// Tells which orders have a new line in their story.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// The lines of all stories that are newer than the key, oldest first. Of writers who write at the same time a later key may
    /// be seen first, so whoever must miss nothing looks a little further back than the newest key it has seen.
    async fn lines_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError>;
    /// How many commits this process has made.
    fn commits(&self) -> u64;
    /// Waits until this process has made another number of commits than `seen`. Others' are not waited for.
    async fn committed_since(&self, seen: u64);
}
