use std::io;
use std::sync::Arc;
use std::time::Duration;

use alloy_consensus::Transaction as _;
use alloy_primitives::{Address, B256, Bytes, U256};

use super::chain::{EvmChain, Inner};
use super::ledger::STATES;
use super::write::Write;

/// The most blocks that one request makes.
const MAX_MINE: u64 = 10_000;
/// The deepest reorganisation.
const MAX_REORG: u64 = STATES as u64 - 1;

/// Why a chain would not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("{asked} blocks are too many at once: at most {MAX_MINE}")]
    TooMany { asked: u64 },
    #[error("cannot replace {asked} blocks: only the newest {kept} can be")]
    TooDeep { asked: u64, kept: u64 },
    #[error("the next block cannot be at {asked}: the newest is at {newest}")]
    Past { asked: u64, newest: u64 },
    #[error("cannot keep the block: {0}")]
    Keep(#[from] io::Error),
}

/// What becomes of the transactions of blocks that are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reorged {
    /// They wait for a block again.
    Return,
    /// They are gone, as if nobody had sent them.
    Drop,
}

impl EvmChain {
    /// Makes blocks now, even while paused, each `interval` seconds after the one before; tells the newest.
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

    /// Replaces the newest blocks by as many without their transactions, which return or are dropped; tells
    /// their hashes. Writes stay.
    pub async fn reorg(&self, blocks: u64, transactions: Reorged) -> Result<Vec<B256>, ControlError> {
        self.blocking(move |inner| inner.reorg(blocks, transactions)).await
    }

    /// Makes no more blocks by itself.
    pub fn pause(&self) {
        self.inner.clock().pause(true);
        self.inner.wake.notify_one();
    }

    /// Makes blocks by itself again.
    pub fn resume(&self) {
        self.inner.clock().pause(false);
        self.inner.stir();
    }

    pub fn is_paused(&self) -> bool {
        self.inner.clock().is_paused()
    }

    /// The next block has this timestamp, and time goes on from there.
    pub fn set_next_timestamp(&self, timestamp: u64) -> Result<(), ControlError> {
        let newest = self.inner.head().block.header.timestamp;
        if timestamp < newest {
            return Err(ControlError::Past { asked: timestamp, newest });
        }
        self.inner.clock().set_next(timestamp);
        Ok(())
    }

    /// The chain's time jumps ahead.
    pub fn increase_time(&self, seconds: u64) {
        self.inner.clock().increase(seconds);
    }

    /// The next transactions are answered as if taken, and vanish.
    pub fn drop_next(&self, transactions: u64) {
        self.inner.interference().drop_next = transactions;
    }

    /// The next transactions wait this long before a block may take them.
    pub fn delay_next(&self, transactions: u64, delay: Duration) {
        let mut interference = self.inner.interference();
        interference.delay_next = transactions;
        interference.delay = delay;
    }

    async fn blocking<T, F>(&self, deed: F) -> Result<T, ControlError>
    where
        T: Send + 'static,
        F: FnOnce(&Inner) -> Result<T, ControlError> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || deed(&inner)).await.map_err(io::Error::other)?
    }
}

impl Inner {
    pub(crate) fn mine(&self, blocks: u64, interval: u64) -> Result<u64, ControlError> {
        if blocks > MAX_MINE {
            return Err(ControlError::TooMany { asked: blocks });
        }
        for made in 0..blocks {
            if made > 0 {
                self.clock().increase(interval);
            }
            self.make_block(Vec::new(), true)?;
        }
        self.stir();
        Ok(self.head().block.number())
    }

    pub(crate) fn write(&self, writes: Vec<Write>) -> Result<u64, ControlError> {
        let take_pool = !self.clock().is_paused();
        let block = self.make_block(writes, take_pool)?;
        self.stir();
        Ok(block.number())
    }

    pub(crate) fn reorg(&self, blocks: u64, transactions: Reorged) -> Result<Vec<B256>, ControlError> {
        let head = self.head().block.number();
        let kept = head.saturating_sub(self.ledger().base().block.number()).min(MAX_REORG);
        if blocks > kept {
            return Err(ControlError::TooDeep { asked: blocks, kept });
        }
        let replaced = self.replace_blocks(blocks)?;
        let mined = replaced.iter().flat_map(|recent| &recent.block.body);
        let hashes = mined.clone().map(super::block::Mined::hash).collect();
        if transactions == Reorged::Return {
            let now = std::time::Instant::now();
            let mut pool = self.pool();
            for mined in mined {
                // One that waits already, or was replaced meanwhile, need not return.
                if pool.at(mined.tx.signer(), mined.tx.nonce()).is_none() {
                    let _ = pool.insert(mined.tx.clone(), now, now);
                }
            }
        }
        self.wake.notify_one();
        Ok(hashes)
    }
}
