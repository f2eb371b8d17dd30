use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::ChainCursor;
use causeway_domain::{ChainDemand, ChainId};
use parking_lot::RwLock;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Nothing new begins with a chain that has not been read on for so long.
pub(crate) const MAX_CURSOR_AGE: Duration = Duration::from_mins(10);

/// How far each chain has been read, and a signal that orders may be due.
///
/// A cursor is set only after every fact up to it is stored, so a reader that loads the cursor first and the facts second
/// misses none.
#[derive(Debug)]
pub struct ChainCursors {
    read: RwLock<HashMap<ChainId, ChainCursor>>,
    /// When each cursor last moved.
    moved: RwLock<HashMap<ChainId, Instant>>,
    max_age: RwLock<Duration>,
    halted: RwLock<HashSet<ChainId>>,
    signal: Notify,
    demand: Arc<ChainDemand>,
}

impl Default for ChainCursors {
    fn default() -> Self {
        Self {
            read: RwLock::default(),
            moved: RwLock::default(),
            max_age: RwLock::new(MAX_CURSOR_AGE),
            halted: RwLock::default(),
            signal: Notify::default(),
            demand: Arc::default(),
        }
    }
}

impl ChainCursors {
    /// Sets for how long a chain may stay unread before nothing new begins with it; ten minutes unless set.
    pub fn set_max_age(&self, max_age: Duration) {
        *self.max_age.write() = max_age;
    }

    /// Which chains are waited for; followers poll those more often.
    pub fn demand(&self) -> Arc<ChainDemand> {
        Arc::clone(&self.demand)
    }

    /// The newest block that is final for any amount; `None` until the chain was read.
    pub fn get(&self, chain: ChainId) -> Option<ChainCursor> {
        self.read.read().get(&chain).copied()
    }

    /// Moves a cursor forward; never back.
    pub fn set(&self, chain: ChainId, cursor: ChainCursor) {
        let mut read = self.read.write();
        let known = read.entry(chain).or_insert(cursor);
        if known.number <= cursor.number {
            *known = cursor;
            self.moved.write().insert(chain, Instant::now());
        }
    }

    /// For how long a chain that was read before has not been read on, if that is too long to begin anything with it: what
    /// is delivered now could be claimed only after the chain is read again.
    pub fn stale_for(&self, chain: ChainId) -> Option<Duration> {
        let age = self.moved.read().get(&chain).map(Instant::elapsed)?;
        (age > *self.max_age.read()).then_some(age)
    }

    /// Halts a chain that contradicted a final block: its orders stay as they are until an operator intervenes.
    pub fn halt(&self, chain: ChainId) {
        self.halted.write().insert(chain);
    }

    pub fn is_halted(&self, chain: ChainId) -> bool {
        self.halted.read().contains(&chain)
    }

    /// Signals that orders may be due.
    pub fn notify(&self) {
        self.signal.notify_one();
    }

    /// Waits for the next signal; one sent while nobody waited counts.
    pub async fn notified(&self) {
        self.signal.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_chain_that_is_not_read_on_becomes_stale() {
        let (cursors, chain) = (ChainCursors::default(), ChainId::new(1).unwrap());
        let cursor = |number| ChainCursor { number, hash: B256::ZERO, time: 0 };
        assert_eq!(cursors.stale_for(chain), None, "it has not been read yet");
        cursors.set(chain, cursor(5));
        tokio::time::advance(MAX_CURSOR_AGE).await;
        assert_eq!(cursors.stale_for(chain), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(cursors.stale_for(chain).is_some());
        cursors.set(chain, cursor(4));
        assert!(cursors.stale_for(chain).is_some(), "an older block is no progress");
        cursors.set(chain, cursor(6));
        assert_eq!(cursors.stale_for(chain), None);
    }
}
