use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::ports::{Attestations, CollectError};
use causeway_domain::{CollectedAttestation, IntentTerms};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

/// Orders whose signatures are cached; enough for the last hours.
const MAX_SIGNED: usize = 4_096;

/// Orders that are collected for concurrently.
const MAX_CONCURRENT_CALLS: usize = 16;

/// Limit of one collect call. Attesters keep signing in the background, so a later call finds their signatures.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Limit of one request, including the wait for a free call slot.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a negative answer is cached.
const UNSIGNED_TTL: Duration = Duration::from_secs(1);

/// Negative answers that are cached.
const MAX_UNSIGNED: usize = 1_024;

/// The signatures, or why there are none.
pub type CollectedResult = Result<Arc<CollectedAttestation>, AttestationError>;

type Call = Shared<BoxFuture<'static, CollectedResult>>;

/// Why no signatures are available.
#[derive(Clone, Debug)]
pub enum AttestationError {
    Unsigned(Arc<CollectError>),
    /// The attesters are slow, or all call slots are taken.
    Busy,
}

/// Collects attestations and caches them. Concurrent requests for one order share a single call with a timeout, so that
/// requests for one order cannot block those for others.
#[derive(Clone, Default)]
pub struct AttestationCache(Option<Arc<Inner>>);

struct Inner {
    attesters: Arc<dyn Attestations>,
    state: Mutex<State>,
    call_slots: Semaphore,
}

#[derive(Default)]
struct State {
    signed: HashMap<B256, Arc<CollectedAttestation>>,
    /// Oldest first.
    eviction_queue: VecDeque<B256>,
    /// Alive for as long as a request waits for them.
    calls: HashMap<B256, WeakShared<BoxFuture<'static, CollectedResult>>>,
    /// Recent negative answers.
    unsigned: HashMap<B256, (Instant, Arc<CollectError>)>,
}

impl fmt::Debug for AttestationCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AttestationCache").field(&self.0.is_some()).finish()
    }
}

impl AttestationCache {
    pub fn new(attesters: Option<Arc<dyn Attestations>>) -> Self {
        let inner = |attesters| Inner {
            attesters,
            state: Mutex::default(),
            call_slots: Semaphore::new(MAX_CONCURRENT_CALLS),
        };
        Self(attesters.map(|attesters| Arc::new(inner(attesters))))
    }

    /// What a threshold of attesters has signed for an order; `None` if no attesters are configured.
    pub async fn get(&self, terms: &IntentTerms) -> Option<CollectedResult> {
        let inner = self.0.as_ref()?;
        let call = match inner.cached_or_call(terms) {
            Ok(known) => return Some(known),
            Err(call) => call,
        };
        Some(timeout(WAIT_TIMEOUT, call).await.unwrap_or(Err(AttestationError::Busy)))
    }
}

impl Inner {
    /// The cached answer, or the call that all requests for this order share.
    fn cached_or_call(self: &Arc<Self>, terms: &IntentTerms) -> Result<CollectedResult, Call> {
        let order = terms.id();
        let mut state = self.state.lock();
        if let Some(known) = state.signed.get(&order) {
            return Ok(Ok(Arc::clone(known)));
        }
        if let Some((at, error)) = state.unsigned.get(&order)
            && at.elapsed() < UNSIGNED_TTL
        {
            return Ok(Err(AttestationError::Unsigned(Arc::clone(error))));
        }
        if let Some(call) = state.calls.get(&order).and_then(WeakShared::upgrade) {
            return Err(call);
        }
        state.calls.retain(|_, call| call.upgrade().is_some());
        let (inner, terms) = (Arc::clone(self), *terms);
        let call = async move { inner.call(&terms).await }.boxed().shared();
        if let Some(weak) = call.downgrade() {
            state.calls.insert(order, weak);
        }
        Err(call)
    }

    async fn call(&self, terms: &IntentTerms) -> CollectedResult {
        // The semaphore is never closed.
        let Ok(_slot) = self.call_slots.acquire().await else { return Err(AttestationError::Busy) };
        match timeout(CALL_TIMEOUT, self.attesters.collect(terms)).await {
            Ok(Ok(collected)) => Ok(self.store_signed(terms.id(), collected)),
            Ok(Err(error)) => Err(AttestationError::Unsigned(self.store_unsigned(terms.id(), error))),
            Err(_) => Err(AttestationError::Busy),
        }
    }

    fn store_unsigned(&self, order: B256, error: CollectError) -> Arc<CollectError> {
        let error = Arc::new(error);
        let mut state = self.state.lock();
        if state.unsigned.len() >= MAX_UNSIGNED {
            state.unsigned.retain(|_, (at, _)| at.elapsed() < UNSIGNED_TTL);
        }
        if state.unsigned.len() < MAX_UNSIGNED {
            state.unsigned.insert(order, (Instant::now(), Arc::clone(&error)));
        }
        error
    }

    fn store_signed(&self, order: B256, collected: CollectedAttestation) -> Arc<CollectedAttestation> {
        let collected = Arc::new(collected);
        let mut state = self.state.lock();
        state.unsigned.remove(&order);
        if state.signed.insert(order, Arc::clone(&collected)).is_none() {
            state.eviction_queue.push_back(order);
        }
        if state.eviction_queue.len() > MAX_SIGNED
            && let Some(oldest) = state.eviction_queue.pop_front()
        {
            state.signed.remove(&oldest);
        }
        collected
    }
}
