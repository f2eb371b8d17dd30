use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    AddressWatch, Arrival, BlockMark, Care, ChainError, FactStore, Follow, News, StoreError,
};
use causeway_domain::{Address, ChainId, Fact, RawAmount, TokenId};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::sync::mpsc;

use crate::scene::{ORIGIN, chain, raw};

/// A chain whose news the test tells.
pub(crate) struct FakeFollow {
    pub(crate) chain: ChainId,
    pub(crate) news: mpsc::UnboundedReceiver<Result<News, ChainError>>,
    /// How often it was asked for the next one.
    pub(crate) asked: Arc<AtomicUsize>,
}

#[async_trait]
impl Follow for FakeFollow {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn next(&mut self) -> Result<News, ChainError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match self.news.recv().await {
            Some(news) => news,
            None => std::future::pending().await,
        }
    }
}

/// A store of facts that is away for a while.
pub(crate) struct Shaky {
    pub(crate) store: Arc<Store>,
    pub(crate) failures: Mutex<u32>,
    pub(crate) writes: Mutex<u32>,
}

#[async_trait]
impl FactStore for Shaky {
    async fn record_facts(
        &self,
        chain: ChainId,
        care: Care,
        mark: BlockMark,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        *self.writes.lock().unwrap() += 1;
        {
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(StoreError::Unavailable("the disk is full".into()));
            }
        }
        self.store.record_facts(chain, care, mark, facts, now).await
    }

    async fn facts(&self, intent: B256) -> Result<Vec<(Fact, Care)>, StoreError> {
        self.store.facts(intent).await
    }

    async fn mark(&self, chain: ChainId, care: Care) -> Result<Option<BlockMark>, StoreError> {
        self.store.mark(chain, care).await
    }

    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError> {
        self.store.record_arrival(arrival, now).await
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        self.store.arrivals(address).await
    }
}

/// Addresses at which lies what the test put there.
#[derive(Default)]
pub(crate) struct FakeWatch {
    pub(crate) balances: Mutex<HashMap<(Address, TokenId), u64>>,
    /// What brought something, and in which block.
    pub(crate) brought: Mutex<Vec<(Address, TokenId, u64, String)>>,
    /// Where the chain cannot be asked what lies.
    pub(crate) broken: Mutex<Option<Address>>,
}

impl FakeWatch {
    pub(crate) fn put(&self, address: Address, token: TokenId, units: u64) {
        self.balances.lock().unwrap().insert((address, token), units);
    }

    /// Adds what a transaction brought in that block.
    pub(crate) fn bring(&self, address: Address, token: TokenId, units: u64, block: u64) {
        *self.balances.lock().unwrap().entry((address, token)).or_default() += units;
        self.brought.lock().unwrap().push((address, token, block, format!("0xb{block}")));
    }
}

#[async_trait]
impl AddressWatch for FakeWatch {
    fn chain(&self) -> ChainId {
        chain(ORIGIN)
    }

    async fn balances_at(&self, wanted: &[(Address, TokenId)], _: u64) -> Result<Vec<RawAmount>, ChainError> {
        if wanted.iter().any(|(address, _)| *self.broken.lock().unwrap() == Some(*address)) {
            return Err(ChainError::Unavailable(chain(ORIGIN)));
        }
        let balances = self.balances.lock().unwrap();
        let held = |place: &(Address, TokenId)| balances.get(place).copied().unwrap_or_default();
        Ok(wanted.iter().map(|place| raw(held(place))).collect())
    }

    async fn brought_by(
        &self,
        address: Address,
        token: TokenId,
        from: u64,
        to: u64,
    ) -> Result<Option<String>, ChainError> {
        let brought = self.brought.lock().unwrap();
        let fits = |(at, what, block, _): &&(Address, TokenId, u64, String)| {
            *at == address && *what == token && (from..=to).contains(block)
        };
        Ok(brought.iter().rev().find(fits).map(|(_, _, _, tx)| tx.clone()))
    }
}
