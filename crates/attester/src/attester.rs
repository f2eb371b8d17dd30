use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    AttestationRefusal, AttestationSigner, BatchRefusal, ChainContracts, ChainView, EscrowState, FinalityTier,
};
use causeway_domain::{ChainId, IntentTerms, SignedAttestation, SignedBatch};
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contracts::known_chains;
use crate::decide::{Facts, decide};
use crate::health::ChainHealth;
use crate::health::HealthTracker;
use crate::journal::{Journal, JournalError};
use crate::ledger::Ledger;
use crate::panel::Attest;

/// How long reading both chains may take while a request holds its slot.
const OBSERVE_TIMEOUT: Duration = Duration::from_secs(15);

/// An amount of a token up to which a chain's usual finality is enough, where it has a stronger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallAmount {
    pub chain: ChainId,
    /// As the terms write it; zero is the chain's own coin.
    pub token: B256,
    pub up_to: U256,
}

/// An attester's own configuration.
#[derive(Clone, Debug)]
pub struct AttesterConfig {
    /// The escrows and settlers that it attests for.
    pub contracts: BTreeMap<ChainId, ChainContracts>,
    /// Amounts of tokens that are not listed count as large.
    pub small: Vec<SmallAmount>,
    /// How often each chain is polled.
    pub poll: Duration,
    /// How many requests run at once: this many for orders whose deposits were observed, and as many again for all other
    /// orders, which anybody can make up.
    pub max_concurrent_requests: NonZeroUsize,
}

impl AttesterConfig {
    /// The default configuration for these contracts; every amount counts as large.
    pub fn new(contracts: BTreeMap<ChainId, ChainContracts>) -> Self {
        Self {
            contracts,
            small: Vec::new(),
            poll: Duration::from_secs(1),
            max_concurrent_requests: NonZeroUsize::MIN.saturating_add(31),
        }
    }
}

/// Why an attester cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("chain {0} has contracts but no RPC endpoints: configure them")]
    NoView(ChainId),
    #[error("the attester has no contracts to attest for: configure deployment records")]
    NoContracts,
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// An attester: its key, its view of the chains, and its journal. Clones share one attester.
#[derive(Clone)]
pub struct Attester(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) config: AttesterConfig,
    small: HashMap<(ChainId, B256), U256>,
    pub(crate) views: BTreeMap<ChainId, Arc<dyn ChainView>>,
    pub(crate) signer: Arc<dyn AttestationSigner>,
    pub(crate) ledger: Arc<Ledger>,
    known_order_slots: Semaphore,
    unknown_order_slots: Semaphore,
    /// The intents whose requests are running.
    in_flight: Mutex<HashSet<B256>>,
    pub(crate) health_tracker: HealthTracker,
}

impl fmt::Debug for Attester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attester({})", self.address())
    }
}

impl Attester {
    /// Opens the attester whose journal is in `folder`; no other attester may use that folder.
    pub fn open(
        config: AttesterConfig,
        signer: Arc<dyn AttestationSigner>,
        views: impl IntoIterator<Item = Arc<dyn ChainView>>,
        folder: &Path,
    ) -> Result<Self, StartError> {
        let views: BTreeMap<_, _> = views.into_iter().map(|view| (view.chain(), view)).collect();
        if config.contracts.is_empty() {
            return Err(StartError::NoContracts);
        }
        if let Some(chain) = config.contracts.keys().find(|chain| !views.contains_key(chain)) {
            return Err(StartError::NoView(*chain));
        }
        let (journal, journal_state) = Journal::open(folder, signer.address())?;
        let small = config.small.iter().map(|small| ((small.chain, small.token), small.up_to)).collect();
        let semaphore = || Semaphore::new(config.max_concurrent_requests.get().min(Semaphore::MAX_PERMITS));
        let (known_order_slots, unknown_order_slots) = (semaphore(), semaphore());
        Ok(Self(Arc::new(Inner {
            small,
            views,
            signer,
            ledger: Arc::new(Ledger::new(journal, journal_state)),
            known_order_slots,
            unknown_order_slots,
            in_flight: Mutex::default(),
            health_tracker: HealthTracker::default(),
            config,
        })))
    }

    pub fn address(&self) -> Address {
        self.0.signer.address()
    }

    /// The attestation that was signed for an order, if any.
    pub fn attestation(&self, order: &B256) -> Option<SignedAttestation> {
        self.0.ledger.signed(order)
    }

    /// Reads both chains and signs the final outcome. An earlier attestation is returned unchanged.
    pub async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        let (origin, destination) = known_chains(&self.0.config.contracts, terms)?;
        if let Some(signed) = self.attestation(&terms.id()) {
            return Ok(signed);
        }
        let _request = self.0.begin_request(terms.id()).ok_or(AttestationRefusal::Busy)?;
        let observation = tokio::time::timeout(OBSERVE_TIMEOUT, self.observe(terms, origin, destination));
        let facts = observation.await.unwrap_or(Err(AttestationRefusal::Busy))?;
        let attestation = decide(terms, &facts)?;
        let signature = self.0.signer.sign(terms, &attestation).await?;
        let signed =
            SignedAttestation { attestation, epoch: terms.epoch, attester: self.address(), signature };
        Ledger::commit(&self.0.ledger, signed).await
    }

    async fn observe(
        &self,
        terms: &IntentTerms,
        origin: ChainId,
        destination: ChainId,
    ) -> Result<Facts, AttestationRefusal> {
        let id = terms.id();
        let view = self.view(origin)?;
        let tier = self.finality_tier(origin, terms.input_token, terms.amount_in);
        let state = view.escrow_state(terms.escrow, id, &view.final_block(tier).await?).await?;
        if state != EscrowState::Open {
            // Anybody may ask about orders that do not exist; they cost one chain read, not two.
            return Ok(Facts { state, destination_time: 0, fill: None });
        }
        let view = self.view(destination)?;
        let tier = self.finality_tier(destination, terms.output_token, terms.amount_out);
        let block = view.final_block(tier).await?;
        let fill = view.fill_record(terms.settler, id, &block).await?;
        Ok(Facts { state, destination_time: block.time, fill })
    }

    fn view(&self, chain: ChainId) -> Result<&Arc<dyn ChainView>, AttestationRefusal> {
        self.0.views.get(&chain).ok_or(AttestationRefusal::Unavailable(chain.get()))
    }

    fn finality_tier(&self, chain: ChainId, token: B256, amount: U256) -> FinalityTier {
        match self.0.small.get(&(chain, token)) {
            Some(up_to) if amount <= *up_to => FinalityTier::Standard,
            _ => FinalityTier::Large,
        }
    }
}

/// A running request; frees its slot when dropped.
struct InFlightRequest<'a> {
    order: B256,
    inner: &'a Inner,
    _slot: SemaphorePermit<'a>,
}

impl Inner {
    /// Starts a request if a slot is free. Each order has one running request at most, and made-up orders do not take slots
    /// from orders whose deposits were observed.
    fn begin_request(&self, order: B256) -> Option<InFlightRequest<'_>> {
        let slots =
            if self.ledger.is_open(&order) { &self.known_order_slots } else { &self.unknown_order_slots };
        let slot = slots.try_acquire().ok()?;
        let is_first = self.in_flight.lock().insert(order);
        is_first.then(|| InFlightRequest { order, inner: self, _slot: slot })
    }
}

impl Drop for InFlightRequest<'_> {
    fn drop(&mut self) {
        self.inner.in_flight.lock().remove(&self.order);
    }
}

#[async_trait]
impl Attest for Attester {
    async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        Self::attest(self, terms).await
    }

    async fn attest_batch(&self, orders: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        Self::attest_batch(self, orders).await
    }

    async fn is_ready(&self, terms: &IntentTerms) -> bool {
        let chains = self.health().chains;
        [terms.origin_chain_id, terms.destination_chain_id].into_iter().all(|chain| {
            let health = ChainId::new(chain).and_then(|chain| chains.get(&chain));
            health.is_some_and(ChainHealth::is_readable)
        })
    }
}
