use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use causeway_domain::ports::BlockMark;
use causeway_domain::{ChainId, Interest};
use tokio::sync::Notify;

/// How far each chain has been read, and a bell for those who wait for something to be shown.
///
/// A mark is set only when every fact up to it is stored, so that who reads a mark and then the facts misses none.
#[derive(Debug, Default)]
pub struct Marks {
    read: RwLock<HashMap<ChainId, BlockMark>>,
    halted: RwLock<HashSet<ChainId>>,
    bell: Notify,
    interest: Arc<Interest>,
}

impl Marks {
    /// Which chains somebody waits for; whoever follows them reads it.
    pub fn interest(&self) -> Arc<Interest> {
        Arc::clone(&self.interest)
    }

    /// The newest block of the chain that stands for any amount; unknown until it was read.
    pub fn get(&self, chain: ChainId) -> Option<BlockMark> {
        self.read.read().unwrap_or_else(PoisonError::into_inner).get(&chain).copied()
    }

    /// Moves a mark; never back.
    pub fn set(&self, chain: ChainId, mark: BlockMark) {
        let mut marks = self.read.write().unwrap_or_else(PoisonError::into_inner);
        let known = marks.entry(chain).or_insert(mark);
        if known.number < mark.number {
            *known = mark;
        }
    }

    /// The chain has contradicted what stood: nothing is done for orders that touch it until a person has looked.
    pub fn halt(&self, chain: ChainId) {
        self.halted.write().unwrap_or_else(PoisonError::into_inner).insert(chain);
    }

    pub fn is_halted(&self, chain: ChainId) -> bool {
        self.halted.read().unwrap_or_else(PoisonError::into_inner).contains(&chain)
    }

    /// Tells that orders may be due.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// Waits until somebody rings; a ring while nobody waited counts.
    pub async fn rung(&self) {
        self.bell.notified().await;
    }
}
