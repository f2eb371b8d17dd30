use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use alloy_primitives::B256;
use causeway_domain::ChainId;
use tokio::sync::{Notify, Semaphore};

use super::clock::Clock;
use super::faults::{Faults, NodeFaults};
use super::filters::Filters;
use super::genesis::Genesis;
use super::journal::{self, Journal, OpenError, Record};
use super::ledger::{Ledger, Recent};
use super::options::Options;
use super::pending::PendingCache;
use super::pool::Pool;
use super::sending::Interference;
use crate::jsonrpc::{self, FIRST_NODE};

/// How many calls of one chain run at once.
const CALLS_AT_ONCE: usize = 4;

/// A node that nobody can give faults to, for what is part of the sandbox.
pub(crate) const OWN_NODE: u8 = 0;

/// One EVM chain: its state, blocks and waiting transactions, and the JSON-RPC of a node over them.
///
/// Clones are the same chain. [`EvmChain::run`] makes its blocks for as long as it is polled.
#[derive(Clone)]
pub struct EvmChain {
    pub(crate) inner: Arc<Inner>,
}

impl fmt::Debug for EvmChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvmChain").field("chain_id", &self.chain_id()).finish_non_exhaustive()
    }
}

/// The chain as one of its nodes shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvmNode<'a> {
    pub(crate) chain: &'a EvmChain,
    pub(crate) node: u8,
}

pub(crate) struct Inner {
    id: ChainId,
    pub(crate) chain_id: u64,
    pub(crate) options: Options,
    ledger: RwLock<Ledger>,
    pool: Mutex<Pool>,
    /// Whoever holds this may make blocks.
    maker: Mutex<Maker>,
    clock: Mutex<Clock>,
    filters: Mutex<Filters>,
    interference: Mutex<Interference>,
    pub(crate) faults: Mutex<NodeFaults>,
    pub(crate) pending: Mutex<PendingCache>,
    /// Told when the next block may be due sooner than it was.
    pub(crate) wake: Notify,
    pub(crate) calls: Arc<Semaphore>,
}

/// What making blocks needs besides the ledger.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) journal: Option<(Journal, Record)>,
}

impl EvmChain {
    /// Opens the chain kept in the options' folder, or begins it from its genesis.
    pub fn open(genesis: &Genesis, options: Options) -> Result<Self, OpenError> {
        let path =
            options.data_dir.as_ref().map(|folder| folder.join(format!("evm-{}.journal", genesis.chain_id)));
        let opened = journal::open(genesis, path.as_deref(), options.fresh)?;
        let clock = Clock::new(opened.ledger.head().block.header.timestamp);
        let inner = Inner {
            id: genesis.chain_id,
            chain_id: genesis.chain_id.get(),
            options,
            ledger: RwLock::new(opened.ledger),
            pool: Mutex::default(),
            maker: Mutex::new(Maker { journal: opened.journal }),
            clock: Mutex::new(clock),
            filters: Mutex::default(),
            interference: Mutex::default(),
            faults: Mutex::default(),
            pending: Mutex::default(),
            wake: Notify::new(),
            calls: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub fn chain_id(&self) -> ChainId {
        self.inner.id
    }

    /// The newest block's number.
    pub fn block_number(&self) -> u64 {
        self.inner.ledger().head().block.number()
    }

    /// Answers one JSON-RPC body, single or batch.
    pub async fn rpc(&self, body: &[u8]) -> Vec<u8> {
        jsonrpc::answer(self, body).await
    }

    /// The same through one of the chain's nodes, which has faults of its own.
    pub async fn rpc_at(&self, node: u8, body: &[u8]) -> Vec<u8> {
        jsonrpc::answer(&EvmNode { chain: self, node }, body).await
    }

    /// Makes answers slow, failing or stale from now on; the default makes them good again.
    pub fn set_faults(&self, faults: Faults) {
        self.set_faults_at(FIRST_NODE, faults);
    }

    /// The same for the answers of one node.
    pub fn set_faults_at(&self, node: u8, faults: Faults) {
        let now = faults.frozen.then(|| Arc::new(self.inner.ledger().clone()));
        lock(&self.inner.faults).set(node, faults, now);
    }
}

impl Inner {
    pub(crate) fn ledger(&self) -> RwLockReadGuard<'_, Ledger> {
        self.ledger.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ledger_mut(&self) -> RwLockWriteGuard<'_, Ledger> {
        self.ledger.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn pool(&self) -> MutexGuard<'_, Pool> {
        lock(&self.pool)
    }

    pub(crate) fn maker(&self) -> MutexGuard<'_, Maker> {
        lock(&self.maker)
    }

    pub(crate) fn clock(&self) -> MutexGuard<'_, Clock> {
        lock(&self.clock)
    }

    pub(crate) fn filters(&self) -> MutexGuard<'_, Filters> {
        lock(&self.filters)
    }

    pub(crate) fn interference(&self) -> MutexGuard<'_, Interference> {
        lock(&self.interference)
    }

    /// The newest block with its state; cheap, and no lock stays held.
    pub(crate) fn head(&self) -> Recent {
        self.ledger().head().clone()
    }

    /// The hash of a past block, for the interpreter.
    pub(crate) fn block_hash(&self, number: u64) -> B256 {
        self.ledger().block(number).map(|block| block.hash).unwrap_or_default()
    }

    /// Something happened: empty blocks come quickly for a while, and the next block may be due.
    pub(crate) fn stir(&self) {
        self.clock().stir(Instant::now());
        self.wake.notify_one();
    }
}

/// Locks, and goes on after a panic elsewhere: what is guarded is never left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
