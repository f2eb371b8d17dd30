use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use alloy_primitives::B256;
use causeway_domain::ChainId;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, Semaphore};

use super::clock::Clock;
use super::faults::{Faults, NodeFaults};
use super::filters::Filters;
use super::genesis::Genesis;
use super::journal::{self, Journal, OpenError, Record};
use super::ledger::{Ledger, RecentBlock};
use super::options::Options;
use super::pending::PendingCache;
use super::pool::Pool;
use super::submit::TxFaults;
use crate::jsonrpc::{self, FIRST_NODE};

/// The maximum number of concurrent calls per chain.
const MAX_CONCURRENT_CALLS: usize = 4;

/// The node for internal use, which has no faults.
pub(crate) const OWN_NODE: u8 = 0;

/// One EVM chain: its state, blocks and pending transactions, and the JSON-RPC of a node.
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

/// The chain as seen by one of its nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvmNode<'a> {
    pub(crate) chain: &'a EvmChain,
    pub(crate) node: u8,
}

pub(crate) struct Inner {
    id: ChainId,
    pub(crate) chain_id: u64,
    pub(crate) options: Options,
    pub(crate) ledger: RwLock<Ledger>,
    pub(crate) pool: Mutex<Pool>,
    /// Held while producing a block.
    pub(crate) producer: Mutex<BlockProducer>,
    pub(crate) clock: Mutex<Clock>,
    pub(crate) filters: Mutex<Filters>,
    pub(crate) tx_faults: Mutex<TxFaults>,
    pub(crate) faults: Mutex<NodeFaults>,
    pub(crate) pending: Mutex<PendingCache>,
    /// Notified when the next block may be due sooner.
    pub(crate) wake: Notify,
    pub(crate) calls: Arc<Semaphore>,
}

/// What block production needs besides the ledger.
#[derive(Debug)]
pub(crate) struct BlockProducer {
    pub(crate) journal: Option<(Journal, Record)>,
}

impl EvmChain {
    /// Opens the chain stored in the options' folder, or starts it from its genesis.
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
            producer: Mutex::new(BlockProducer { journal: opened.journal }),
            clock: Mutex::new(clock),
            filters: Mutex::default(),
            tx_faults: Mutex::default(),
            faults: Mutex::default(),
            pending: Mutex::default(),
            wake: Notify::new(),
            calls: Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS)),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub fn chain_id(&self) -> ChainId {
        self.inner.id
    }

    /// The newest block's number.
    pub fn block_number(&self) -> u64 {
        self.inner.ledger.read().head().block.number()
    }

    /// Answers one JSON-RPC request body, single or batch.
    pub async fn rpc(&self, body: &[u8]) -> Vec<u8> {
        jsonrpc::answer(self, body).await
    }

    /// Like [`EvmChain::rpc`], at one of the chain's nodes, which has its own faults.
    pub async fn rpc_at(&self, node: u8, body: &[u8]) -> Vec<u8> {
        jsonrpc::answer(&EvmNode { chain: self, node }, body).await
    }

    /// Makes answers slow, failing or stale from now on; the default restores normal answers.
    pub fn set_faults(&self, faults: Faults) {
        self.set_faults_at(FIRST_NODE, faults);
    }

    /// The same for the answers of one node.
    pub fn set_faults_at(&self, node: u8, faults: Faults) {
        let now = faults.frozen.then(|| Arc::new(self.inner.ledger.read().clone()));
        self.inner.faults.lock().set(node, faults, now);
    }

    /// The faults of one node.
    pub fn faults_at(&self, node: u8) -> Faults {
        self.inner.faults.lock().get(node)
    }
}

impl Inner {
    /// The newest block with its state; cheap, and holds no lock.
    pub(crate) fn head(&self) -> RecentBlock {
        self.ledger.read().head().clone()
    }

    /// The hash of a past block, for the interpreter.
    pub(crate) fn block_hash(&self, number: u64) -> B256 {
        self.ledger.read().block(number).map(|block| block.hash).unwrap_or_default()
    }

    /// Records activity: empty blocks come faster for a while, and the next block may be due.
    pub(crate) fn mark_active(&self) {
        self.clock.lock().mark_active(Instant::now());
        self.wake.notify_one();
    }
}
