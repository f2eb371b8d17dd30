use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::B256;
use causeway_domain::ports::{Attestations, CollectError};
use causeway_domain::{Collected, Terms};
use tokio::sync::Semaphore;

/// How many orders' signatures are remembered: those of the last hours, for whoever claims or asks twice.
const KEPT: usize = 4_096;

/// How many orders the attesters are asked about at once.
const AT_ONCE: usize = 16;

/// Asks the attesters for whoever needs their word, and remembers what they have signed.
#[derive(Clone, Default)]
pub struct AttestationDesk(Option<Arc<Inner>>);

struct Inner {
    attesters: Arc<dyn Attestations>,
    kept: Mutex<Kept>,
    asking: Semaphore,
}

#[derive(Default)]
struct Kept {
    by_order: HashMap<B256, Arc<Collected>>,
    oldest_first: VecDeque<B256>,
}

impl fmt::Debug for AttestationDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AttestationDesk").field(&self.0.is_some()).finish()
    }
}

impl AttestationDesk {
    pub fn new(attesters: Option<Arc<dyn Attestations>>) -> Self {
        let inner = |attesters| Inner { attesters, kept: Mutex::default(), asking: Semaphore::new(AT_ONCE) };
        Self(attesters.map(|attesters| Arc::new(inner(attesters))))
    }

    /// What a threshold has signed of an order; `None` where there are no attesters.
    pub(super) async fn ask(&self, terms: &Terms) -> Option<Result<Arc<Collected>, CollectError>> {
        let inner = self.0.as_ref()?;
        let order = terms.id();
        if let Some(known) = inner.find(&order) {
            return Some(Ok(known));
        }
        // It is never closed.
        let _turn = inner.asking.acquire().await.ok()?;
        // Somebody may have asked the same meanwhile.
        if let Some(known) = inner.find(&order) {
            return Some(Ok(known));
        }
        Some(inner.attesters.collect(terms).await.map(|collected| inner.keep(order, collected)))
    }
}

impl Inner {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, order: &B256) -> Option<Arc<Collected>> {
        self.kept().by_order.get(order).cloned()
    }

    fn keep(&self, order: B256, collected: Collected) -> Arc<Collected> {
        let collected = Arc::new(collected);
        let mut kept = self.kept();
        if kept.by_order.insert(order, Arc::clone(&collected)).is_none() {
            kept.oldest_first.push_back(order);
        }
        if kept.oldest_first.len() > KEPT
            && let Some(oldest) = kept.oldest_first.pop_front()
        {
            kept.by_order.remove(&oldest);
        }
        collected
    }
}
