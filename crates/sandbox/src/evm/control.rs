use std::io;
use std::sync::Arc;
use std::time::Duration;

use alloy_consensus::Transaction as _;
use alloy_primitives::{Address, B256, Bytes, U256};

use super::chain::{EvmChain, Inner};
use super::ledger::KEPT_STATES;
use super::write::Write;

/// The maximum number of blocks per request.
const MAX_MINE: u64 = 10_000;
/// The deepest reorganisation.
const MAX_REORG: u64 = KEPT_STATES as u64 - 1;

/// Why a control request failed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("{requested} blocks are too many at once: at most {MAX_MINE}")]
    TooMany { requested: u64 },
    #[error("cannot replace {requested} blocks: only the newest {kept} can be")]
    TooDeep { requested: u64, kept: u64 },
    #[error("the next block cannot be at {requested}: the newest is at {newest}")]
    Past { requested: u64, newest: u64 },
    #[error("cannot store the block: {0}")]
    Keep(#[from] io::Error),
}

/// What happens to the transactions of replaced blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reorged {
    /// They return to the pool.
    Return,
    /// They are dropped, as if they were never sent.
    Drop,
}

impl EvmChain {
    /// Makes blocks now, even while paused, each `interval` seconds after the previous; returns the newest number.
    pub async fn mine(&self, blocks: u64, interval: u64) -> Result<u64, ControlError> {
        self.blocking(move |inner| inner.mine(blocks, interval)).await
    }

    /// Changes the state in a block of its own, made at once; while paused, without transactions.
    pub async fn write(&self, writes: Vec<Write>) -> Result<u64, ControlError> {
        self.blocking(move |inner| inner.write(writes)).await
    }

    pub async fn set_balance(&self, address: Address, balance: U256) -> Result<u64, ControlError> {
        self.write(vec![Write::Balance { address, balance }]).await
    }

    pub async fn set_code(&self, address: Address, code: Bytes) -> Result<u64, ControlError> {
        self.write(vec![Write::Code { address, code }]).await
    }

    pub async fn set_storage(&self, address: Address, key: U256, value: U256) -> Result<u64, ControlError> {
        self.write(vec![Write::Storage { address, key, value }]).await
    }

    /// Replaces the newest blocks by as many without their transactions, which return or are dropped; returns
    /// their hashes. Writes stay.
    pub async fn reorg(&self, blocks: u64, transactions: Reorged) -> Result<Vec<B256>, ControlError> {
        self.blocking(move |inner| inner.reorg(blocks, transactions)).await
    }

    /// Stops block production.
    pub fn pause(&self) {
        self.inner.clock.lock().pause(true);
        self.inner.wake.notify_one();
    }

    /// Resumes block production.
    pub fn resume(&self) {
        self.inner.clock.lock().pause(false);
        self.inner.mark_active();
    }

    pub fn is_paused(&self) -> bool {
        self.inner.clock.lock().is_paused()
    }

    /// Sets the timestamp of the next block; time continues from there.
    pub fn set_next_timestamp(&self, timestamp: u64) -> Result<(), ControlError> {
        let newest = self.inner.head().block.header.timestamp;
        if timestamp < newest {
            return Err(ControlError::Past { requested: timestamp, newest });
        }
        self.inner.clock.lock().set_next(timestamp);
        Ok(())
    }

    /// Moves the chain's time ahead.
    pub fn increase_time(&self, seconds: u64) {
        self.inner.clock.lock().increase(seconds);
    }

    /// Accepts the next transactions and drops them.
    pub fn drop_next(&self, transactions: u64) {
        self.inner.tx_faults.lock().drop_next = transactions;
    }

    /// Delays the next transactions before a block may include them.
    pub fn delay_next(&self, transactions: u64, delay: Duration) {
        let mut tx_faults = self.inner.tx_faults.lock();
        tx_faults.delay_next = transactions;
        tx_faults.delay = delay;
    }

    async fn blocking<T, F>(&self, operation: F) -> Result<T, ControlError>
    where
        T: Send + 'static,
        F: FnOnce(&Inner) -> Result<T, ControlError> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || operation(&inner)).await.map_err(io::Error::other)?
    }
}

impl Inner {
    pub(crate) fn mine(&self, blocks: u64, interval: u64) -> Result<u64, ControlError> {
        if blocks > MAX_MINE {
            return Err(ControlError::TooMany { requested: blocks });
        }
        for made in 0..blocks {
            if made > 0 {
                self.clock.lock().increase(interval);
            }
            self.make_block(Vec::new(), true)?;
        }
        self.mark_active();
        Ok(self.head().block.number())
    }

    pub(crate) fn write(&self, writes: Vec<Write>) -> Result<u64, ControlError> {
        let take_pool = !self.clock.lock().is_paused();
        let block = self.make_block(writes, take_pool)?;
        self.mark_active();
        Ok(block.number())
    }

    pub(crate) fn reorg(&self, blocks: u64, transactions: Reorged) -> Result<Vec<B256>, ControlError> {
        let head = self.head().block.number();
        let kept = head.saturating_sub(self.ledger.read().base().block.number()).min(MAX_REORG);
        if blocks > kept {
            return Err(ControlError::TooDeep { requested: blocks, kept });
        }
        let replaced = self.replace_blocks(blocks)?;
        let mined = replaced.iter().flat_map(|recent| &recent.block.body);
        let hashes = mined.clone().map(super::block::Mined::hash).collect();
        if transactions == Reorged::Return {
            let now = std::time::Instant::now();
            let mut pool = self.pool.lock();
            for mined in mined {
                // Skip a transaction that is already in the pool or was replaced meanwhile.
                if pool.at(mined.tx.signer(), mined.tx.nonce()).is_none() {
                    let _ = pool.insert(mined.tx.clone(), now, now);
                }
            }
        }
        self.wake.notify_one();
        Ok(hashes)
    }
}
