use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::ports::{Attestations, CollectError};
use causeway_domain::{Collected, Terms};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

/// How many orders' signatures are remembered: those of the last hours, for whoever claims or asks twice.
const KEPT: usize = 4_096;

/// How many orders the attesters are asked about at once.
const AT_ONCE: usize = 16;

/// How long one order may take of that. Attesters sign by themselves, and who asks again soon finds what they did meanwhile.
const LONGEST: Duration = Duration::from_secs(5);

/// How long anybody waits for an answer, with the time until there is room.
const PATIENCE: Duration = Duration::from_secs(10);

/// For so long attesters who have not signed are not asked about the same order again.
const AGAIN: Duration = Duration::from_secs(1);

/// Of so many orders it is remembered that they were not signed.
const MOST_UNSIGNED: usize = 1_024;

/// What the attesters say of an order.
type Word = Result<Arc<Collected>, NoWord>;

type Call = Shared<BoxFuture<'static, Word>>;

/// Why there are no signatures.
#[derive(Clone, Debug)]
pub(super) enum NoWord {
    Unsigned(Arc<CollectError>),
    /// They take long, or many are asked about.
    Busy,
}

/// Asks the attesters for whoever needs their word, and remembers what they have signed. However often one order is asked
/// about, the attesters hear of it once at a time and not for long, so that nobody keeps others from being answered.
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
    /// Under way, for as long as anybody waits.
    calls: HashMap<B256, WeakShared<BoxFuture<'static, Word>>>,
    /// Not signed a moment ago.
    unsigned: HashMap<B256, (Instant, Arc<CollectError>)>,
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
    pub(super) async fn ask(&self, terms: &Terms) -> Option<Word> {
        let inner = self.0.as_ref()?;
        let call = match inner.find_or_begin(terms) {
            Ok(known) => return Some(known),
            Err(call) => call,
        };
        Some(timeout(PATIENCE, call).await.unwrap_or(Err(NoWord::Busy)))
    }
}

impl Inner {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known already, or the call that everybody waits for who asks about the order.
    fn find_or_begin(self: &Arc<Self>, terms: &Terms) -> Result<Word, Call> {
        let order = terms.id();
        let mut kept = self.kept();
        if let Some(known) = kept.by_order.get(&order) {
            return Ok(Ok(Arc::clone(known)));
        }
        if let Some((at, error)) = kept.unsigned.get(&order)
            && at.elapsed() < AGAIN
        {
            return Ok(Err(NoWord::Unsigned(Arc::clone(error))));
        }
        if let Some(call) = kept.calls.get(&order).and_then(WeakShared::upgrade) {
            return Err(call);
        }
        kept.calls.retain(|_, call| call.upgrade().is_some());
        let (inner, terms) = (Arc::clone(self), *terms);
        let call = async move { inner.call(&terms).await }.boxed().shared();
        if let Some(weak) = call.downgrade() {
            kept.calls.insert(order, weak);
        }
        Err(call)
    }

    async fn call(&self, terms: &Terms) -> Word {
        // It is never closed.
        let Ok(_turn) = self.asking.acquire().await else { return Err(NoWord::Busy) };
        match timeout(LONGEST, self.attesters.collect(terms)).await {
            Ok(Ok(collected)) => Ok(self.keep(terms.id(), collected)),
            Ok(Err(error)) => Err(NoWord::Unsigned(self.note_unsigned(terms.id(), error))),
            Err(_) => Err(NoWord::Busy),
        }
    }

    fn note_unsigned(&self, order: B256, error: CollectError) -> Arc<CollectError> {
        let error = Arc::new(error);
        let mut kept = self.kept();
        if kept.unsigned.len() >= MOST_UNSIGNED {
            kept.unsigned.retain(|_, (at, _)| at.elapsed() < AGAIN);
        }
        if kept.unsigned.len() < MOST_UNSIGNED {
            kept.unsigned.insert(order, (Instant::now(), Arc::clone(&error)));
        }
        error
    }

    fn keep(&self, order: B256, collected: Collected) -> Arc<Collected> {
        let collected = Arc::new(collected);
        let mut kept = self.kept();
        kept.unsigned.remove(&order);
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
