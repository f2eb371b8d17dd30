use std::collections::HashMap;
use std::time::Duration;

use causeway_domain::ChainId;
use tokio::time::Instant;

/// How many calls for quotes begin on one chain in a second. What strangers ask for must not use up our calls to a node.
pub(crate) const MAX_PER_SECOND: u32 = 20;

/// Counts the calls to nodes that quotes begin.
#[derive(Debug, Default)]
pub(crate) struct CallLimit {
    /// When the current second of a chain began, and how many calls it has.
    begun: HashMap<ChainId, (Instant, u32)>,
}

impl CallLimit {
    /// Counts a call, and says whether it may begin.
    pub(crate) fn may_begin(&mut self, chain: ChainId, now: Instant) -> bool {
        let second = self.begun.entry(chain).or_insert((now, 0));
        if now.duration_since(second.0) >= Duration::from_secs(1) {
            *second = (now, 0);
        }
        second.1 = second.1.saturating_add(1);
        second.1 <= MAX_PER_SECOND
    }
}
