use std::sync::Arc;
use std::time::Instant;

use alloy_primitives::B256;

use super::chain::Inner;
use super::draft::draft;
use super::ledger::RecentBlock;

/// The inputs of a pending block.
type Source = (B256, (u64, usize), u64);

/// The last pending block that was requested.
#[derive(Debug, Default)]
pub(crate) struct PendingCache(Option<(Source, RecentBlock)>);

impl Inner {
    /// The next block as it would be if made now. It is rebuilt only when its inputs change.
    pub(crate) fn pending(&self) -> RecentBlock {
        let (head, branch) = {
            let ledger = self.ledger.read();
            (ledger.head().clone(), ledger.branch())
        };
        let timestamp = self.clock.lock().timestamp(head.block.header.timestamp);
        let (version, runs) = {
            let pool = self.pool.lock();
            (pool.version(), pool.ready(&head.world, Instant::now()))
        };
        let source = (head.block.hash, version, timestamp);
        if let Some((made_from, recent)) = &self.pending.lock().0
            && *made_from == source
        {
            return recent.clone();
        }
        let plan = self.plan(timestamp, branch, Arc::default(), runs);
        let recent = draft(&head.block, &head.world, plan, &|number| self.block_hash(number)).recent;
        self.pending.lock().0 = Some((source, recent.clone()));
        recent
    }
}
