use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use causeway_domain::ports::ChainCursor;
use causeway_domain::{ChainDemand, ChainId};
use parking_lot::RwLock;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Nothing new begins with a chain that has not been read on for so long.
pub(crate) const MAX_CURSOR_AGE: Duration = Duration::from_mins(10);

/// Why nothing new begins with a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedChain {
    /// It contradicted a final block.
    Halted(ChainId),
    /// Nobody has seen yet that our contracts there are those of the record.
    Unchecked(ChainId),
    /// It has not been read on for so long.
    Unread(ChainId, Duration),
}

impl fmt::Display for ClosedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Halted(chain) => {
                write!(
                    f,
                    "Chain {chain} is halted: its nodes contradict each other. No order is opened there."
                )
            }
            Self::Unchecked(chain) => write!(
                f,
                "The contracts on chain {chain} could not be checked yet, because the chain does not answer. No order is opened there."
            ),
            Self::Unread(chain, age) => {
                let minutes = age.as_secs() / 60;
                write!(
                    f,
                    "Chain {chain} has not been read for {minutes} minutes. No order is opened there until it is."
                )
            }
        }
    }
}

/// How far each chain has been read, whether anything new may begin with it, and a signal that orders may be due.
///
/// A cursor is set only after every fact up to it is stored, so a reader that loads the cursor first and the facts second
/// misses none. Quotes ask whether a chain is closed, so that question takes no lock.
#[derive(Debug)]
pub struct ChainCursors {
    read: RwLock<HashMap<ChainId, ChainCursor>>,
    /// When each cursor last moved, or the following of its chain began.
    moved: ArcSwap<HashMap<ChainId, Instant>>,
    max_age_millis: AtomicU64,
    halted: ArcSwap<HashSet<ChainId>>,
    unchecked: ArcSwap<HashSet<ChainId>>,
    signal: Notify,
    demand: Arc<ChainDemand>,
}

impl Default for ChainCursors {
    fn default() -> Self {
        let cursors = Self {
            read: RwLock::default(),
            moved: ArcSwap::default(),
            max_age_millis: AtomicU64::default(),
            halted: ArcSwap::default(),
            unchecked: ArcSwap::default(),
            signal: Notify::default(),
            demand: Arc::default(),
        };
        cursors.set_max_age(MAX_CURSOR_AGE);
        cursors
    }
}

impl ChainCursors {
    /// Sets for how long a chain may stay unread before nothing new begins with it; ten minutes unless set.
    pub fn set_max_age(&self, max_age: Duration) {
        let millis = u64::try_from(max_age.as_millis()).unwrap_or(u64::MAX);
        self.max_age_millis.store(millis, Ordering::Relaxed);
    }

    /// Which chains are waited for; followers poll those more often.
    pub fn demand(&self) -> Arc<ChainDemand> {
        Arc::clone(&self.demand)
    }

    /// The newest block that is final for any amount; `None` until the chain was read.
    pub fn get(&self, chain: ChainId) -> Option<ChainCursor> {
        self.read.read().get(&chain).copied()
    }

    /// The chain is followed from now on: if it is never read, it becomes stale too.
    pub fn begin(&self, chain: ChainId) {
        let now = Instant::now();
        update(&self.moved, |moved| {
            moved.entry(chain).or_insert(now);
        });
    }

    /// Moves a cursor forward; never back.
    pub fn set(&self, chain: ChainId, cursor: ChainCursor) {
        let mut read = self.read.write();
        let known = read.entry(chain).or_insert(cursor);
        if known.number <= cursor.number {
            *known = cursor;
            let now = Instant::now();
            update(&self.moved, |moved| {
                moved.insert(chain, now);
            });
        }
    }

    /// For how long a followed chain has not been read on, if that is too long to begin anything with it: what is delivered
    /// now could be claimed only after the chain is read again.
    pub fn stale_for(&self, chain: ChainId) -> Option<Duration> {
        let age = self.moved.load().get(&chain).map(Instant::elapsed)?;
        (age > Duration::from_millis(self.max_age_millis.load(Ordering::Relaxed))).then_some(age)
    }

    /// Halts a chain that contradicted a final block: its orders stay as they are until an operator intervenes.
    pub fn halt(&self, chain: ChainId) {
        update(&self.halted, |halted| {
            halted.insert(chain);
        });
    }

    pub fn is_halted(&self, chain: ChainId) -> bool {
        self.halted.load().contains(&chain)
    }

    /// Sets whether our contracts on the chain still have to be checked.
    pub fn set_unchecked(&self, chain: ChainId, unchecked: bool) {
        update(&self.unchecked, |chains| {
            if unchecked {
                chains.insert(chain);
            } else {
                chains.remove(&chain);
            }
        });
    }

    /// Whether the chain opens and fills nothing: it is halted, or its contracts are unchecked.
    pub fn holds(&self, chain: ChainId) -> bool {
        self.is_halted(chain) || self.unchecked.load().contains(&chain)
    }

    /// Why nothing new begins with one of these chains.
    pub fn closed(&self, chains: impl IntoIterator<Item = ChainId>) -> Option<ClosedChain> {
        chains.into_iter().find_map(|chain| {
            if self.is_halted(chain) {
                Some(ClosedChain::Halted(chain))
            } else if self.holds(chain) {
                Some(ClosedChain::Unchecked(chain))
            } else {
                self.stale_for(chain).map(|age| ClosedChain::Unread(chain, age))
            }
        })
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

fn update<T: Clone>(value: &ArcSwap<T>, change: impl Fn(&mut T)) {
    value.rcu(|known| {
        let mut changed = T::clone(known);
        change(&mut changed);
        changed
    });
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

    #[tokio::test(start_paused = true)]
    async fn a_chain_that_is_followed_and_never_read_becomes_stale_too() {
        let (cursors, chain) = (ChainCursors::default(), ChainId::new(1).unwrap());
        cursors.begin(chain);
        assert_eq!(cursors.closed([chain]), None);
        tokio::time::advance(MAX_CURSOR_AGE + Duration::from_secs(1)).await;
        assert!(matches!(cursors.closed([chain]), Some(ClosedChain::Unread(..))));
    }

    #[test]
    fn a_chain_with_unchecked_contracts_opens_and_fills_nothing() {
        let (cursors, chain) = (ChainCursors::default(), ChainId::new(1).unwrap());
        cursors.set_unchecked(chain, true);
        assert!(cursors.holds(chain) && !cursors.is_halted(chain));
        assert_eq!(cursors.closed([chain]), Some(ClosedChain::Unchecked(chain)));
        cursors.set_unchecked(chain, false);
        assert!(!cursors.holds(chain));
        cursors.halt(chain);
        cursors.set_unchecked(chain, true);
        assert_eq!(cursors.closed([chain]), Some(ClosedChain::Halted(chain)));
    }
}
