use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use causeway_domain::ports::ChainCursor;
use causeway_domain::{ChainDemand, ChainId};
use parking_lot::RwLock;
use tokio::sync::Notify;

/// How far each chain has been read, and a signal that orders may be due.
///
/// A cursor is set only after every fact up to it is stored, so a reader that loads the cursor first and the facts second
/// misses none.
#[derive(Debug, Default)]
pub struct ChainCursors {
    read: RwLock<HashMap<ChainId, ChainCursor>>,
    halted: RwLock<HashSet<ChainId>>,
    signal: Notify,
    demand: Arc<ChainDemand>,
}

impl ChainCursors {
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
        if known.number < cursor.number {
            *known = cursor;
        }
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
