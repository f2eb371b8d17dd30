use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alloy_primitives::{Address, B256, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    AttestationSigner, Care, ChainContracts, ChainView, EscrowState, NoAttestation,
};
use causeway_domain::{ChainId, SignedAttestation, Terms};
use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contracts::admit;
use crate::decide::{Facts, decide};
use crate::health::Pulse;
use crate::journal::{Journal, JournalError};
use crate::ledger::Ledger;
use crate::panel::Attest;

/// How long a question may take of the room that there is.
const LONGEST_LOOK: Duration = Duration::from_secs(15);

/// An amount of a token up to which a chain's usual finality is enough, where it has a stronger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallAmount {
    pub chain: ChainId,
    /// As the terms write it; zero is the chain's own coin.
    pub token: B256,
    pub up_to: U256,
}

/// What an attester knows of its own.
#[derive(Clone, Debug)]
pub struct AttesterConfig {
    /// The escrows and settlers that it speaks of.
    pub contracts: BTreeMap<ChainId, ChainContracts>,
    /// What is not listed counts as large.
    pub small: Vec<SmallAmount>,
    /// How often each chain is looked at.
    pub poll: Duration,
    /// How many questions may be under way at once: so many about orders whose deposits were seen, and as many about others,
    /// which anybody can make up.
    pub questions: NonZeroUsize,
}

impl AttesterConfig {
    /// The usual pace for these contracts; every amount is large.
    pub fn new(contracts: BTreeMap<ChainId, ChainContracts>) -> Self {
        Self {
            contracts,
            small: Vec::new(),
            poll: Duration::from_secs(1),
            questions: NonZeroUsize::MIN.saturating_add(31),
        }
    }
}

/// Why an attester cannot begin.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("there are contracts on chain {0} and no way to look at it: name its RPC addresses")]
    NoView(ChainId),
    #[error("an attester of no contracts has nothing to say: give it deployment records")]
    NoContracts,
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// An attester: its key, its view of the chains, and its memory. Clones are the same attester.
#[derive(Clone)]
pub struct Attester(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) config: AttesterConfig,
    small: HashMap<(ChainId, B256), U256>,
    pub(crate) views: BTreeMap<ChainId, Arc<dyn ChainView>>,
    signer: Arc<dyn AttestationSigner>,
    pub(crate) ledger: Arc<Ledger>,
    known: Semaphore,
    strange: Semaphore,
    /// About these somebody asks now.
    asked: Mutex<HashSet<B256>>,
    pub(crate) pulse: Pulse,
}

impl fmt::Debug for Attester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attester({})", self.address())
    }
}

impl Attester {
    /// An attester that remembers what lies in `folder`, which is its alone.
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
        let (journal, kept) = Journal::open(folder, signer.address())?;
        let small = config.small.iter().map(|small| ((small.chain, small.token), small.up_to)).collect();
        let questions = || Semaphore::new(config.questions.get().min(Semaphore::MAX_PERMITS));
        let (known, strange) = (questions(), questions());
        Ok(Self(Arc::new(Inner {
            small,
            views,
            signer,
            ledger: Arc::new(Ledger::new(journal, kept)),
            known,
            strange,
            asked: Mutex::default(),
            pulse: Pulse::default(),
            config,
        })))
    }

    pub fn address(&self) -> Address {
        self.0.signer.address()
    }

    /// What was signed about an order, if anything was.
    pub fn attestation(&self, order: &B256) -> Option<SignedAttestation> {
        self.0.ledger.signed(order)
    }

    /// Looks at both chains and signs what stands there. What was signed before is given again.
    pub async fn attest(&self, terms: &Terms) -> Result<SignedAttestation, NoAttestation> {
        let (origin, destination) = admit(&self.0.config.contracts, terms)?;
        if let Some(signed) = self.attestation(&terms.id()) {
            return Ok(signed);
        }
        let _question = self.0.begin(terms.id()).ok_or(NoAttestation::Busy)?;
        let look = tokio::time::timeout(LONGEST_LOOK, self.look(terms, origin, destination));
        let facts = look.await.unwrap_or(Err(NoAttestation::Busy))?;
        let attestation = decide(terms, &facts)?;
        let signature = self
            .0
            .signer
            .sign(terms, &attestation)
            .map_err(|error| NoAttestation::Unsignable(error.to_string()))?;
        let signed =
            SignedAttestation { attestation, epoch: terms.epoch, attester: self.address(), signature };
        Ledger::commit(&self.0.ledger, signed).await
    }

    async fn look(
        &self,
        terms: &Terms,
        origin: ChainId,
        destination: ChainId,
    ) -> Result<Facts, NoAttestation> {
        let id = terms.id();
        let view = self.view(origin)?;
        let care = self.care(origin, terms.input_token, terms.amount_in);
        let state = view.escrow_state(terms.escrow, id, &view.final_block(care).await?).await?;
        if state != EscrowState::Open {
            // Anybody may ask about orders that do not exist; they cost one look and not two.
            return Ok(Facts { state, destination_time: 0, fill: None });
        }
        let view = self.view(destination)?;
        let care = self.care(destination, terms.output_token, terms.amount_out);
        let block = view.final_block(care).await?;
        let fill = view.fill_record(terms.settler, id, &block).await?;
        Ok(Facts { state, destination_time: block.time, fill })
    }

    fn view(&self, chain: ChainId) -> Result<&Arc<dyn ChainView>, NoAttestation> {
        self.0.views.get(&chain).ok_or(NoAttestation::Unavailable(chain.get()))
    }

    fn care(&self, chain: ChainId, token: B256, amount: U256) -> Care {
        match self.0.small.get(&(chain, token)) {
            Some(up_to) if amount <= *up_to => Care::Usual,
            _ => Care::Large,
        }
    }
}

/// One question under way.
struct Question<'a> {
    order: B256,
    among: &'a Inner,
    _turn: SemaphorePermit<'a>,
}

impl Inner {
    fn asked(&self) -> MutexGuard<'_, HashSet<B256>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a question where there is room for it. An order is looked at once at a time, and made-up orders take no room from
    /// those that were seen.
    fn begin(&self, order: B256) -> Option<Question<'_>> {
        let room = if self.ledger.is_open(&order) { &self.known } else { &self.strange };
        let turn = room.try_acquire().ok()?;
        let is_first = self.asked().insert(order);
        is_first.then(|| Question { order, among: self, _turn: turn })
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.among.asked().remove(&self.order);
    }
}

#[async_trait]
impl Attest for Attester {
    async fn attest(&self, terms: &Terms) -> Result<SignedAttestation, NoAttestation> {
        Self::attest(self, terms).await
    }
}
