use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    AddressWatch, Arrival, ChainCursor, ChainError, ChainFollower, ChainStore, ChainUpdate, FinalityTier,
    KnownPayers, Rent, StoreError,
};
use causeway_domain::{
    Address, ChainId, Fact, FactPlace, IntentState, Order, OrderId, RawAmount, RentedAccount, TokenId,
};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::sync::mpsc;

use crate::scene::{ORIGIN, chain, raw};

/// A follower whose updates come from the test.
pub(crate) struct FakeFollow {
    pub(crate) chain: ChainId,
    pub(crate) updates: mpsc::UnboundedReceiver<Result<ChainUpdate, ChainError>>,
    /// How often it was asked for the next update.
    pub(crate) asked: Arc<AtomicUsize>,
}

#[async_trait]
impl ChainFollower for FakeFollow {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn next(&mut self) -> Result<ChainUpdate, ChainError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match self.updates.recv().await {
            Some(update) => update,
            None => std::future::pending().await,
        }
    }
}

/// The store, whose first writes of facts fail, and which counts them and the rounds of `return_rent`.
pub(crate) struct FlakyChainStore {
    store: Arc<Store>,
    failures: Mutex<u32>,
    writes: AtomicUsize,
    rounds: AtomicUsize,
}

impl FlakyChainStore {
    pub(crate) fn new(store: &Arc<Store>, failures: u32) -> Arc<Self> {
        let (writes, rounds) = Default::default();
        Arc::new(Self { store: Arc::clone(store), failures: Mutex::new(failures), writes, rounds })
    }

    /// How often facts were to be written.
    pub(crate) fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    /// How often due rents were claimed.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ChainStore for FlakyChainStore {
    async fn record_facts(
        &self,
        chain: ChainId,
        tier: FinalityTier,
        cursor: ChainCursor,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        {
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(StoreError::Unavailable("the disk is full".into()));
            }
        }
        self.store.record_facts(chain, tier, cursor, facts, now).await
    }

    async fn facts(&self, intent: B256) -> Result<Vec<(Fact, FinalityTier)>, StoreError> {
        self.store.facts(intent).await
    }

    async fn cursor(&self, chain: ChainId, tier: FinalityTier) -> Result<Option<ChainCursor>, StoreError> {
        self.store.cursor(chain, tier).await
    }

    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError> {
        self.store.record_arrival(arrival, now).await
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        self.store.arrivals(address).await
    }

    async fn openings(&self, after: Option<&FactPlace>, limit: u32) -> Result<Vec<Fact>, StoreError> {
        self.store.openings(after, limit).await
    }

    async fn unrecorded(&self, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.store.unrecorded(limit).await
    }

    async fn mark_recorded(&self, recorded: &[(OrderId, IntentState)]) -> Result<(), StoreError> {
        self.store.mark_recorded(recorded).await
    }

    async fn claim_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError> {
        self.rounds.fetch_add(1, Ordering::SeqCst);
        self.store.claim_rents(chain, time, again, limit).await
    }

    async fn postpone_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError> {
        self.store.postpone_rent(order, account, until).await
    }

    async fn remove_rent(&self, order: &OrderId, account: RentedAccount) -> Result<(), StoreError> {
        self.store.remove_rent(order, account).await
    }
}

/// Addresses with balances that the test sets.
#[derive(Default)]
pub(crate) struct FakeWatch {
    pub(crate) balances: Mutex<HashMap<(Address, TokenId), u64>>,
    /// The funding transactions and their blocks.
    pub(crate) funding: Mutex<Vec<(Address, TokenId, u64, String)>>,
    /// Who sent a funding transaction.
    pub(crate) senders: Mutex<HashMap<String, Address>>,
    /// The address whose balance cannot be read.
    pub(crate) broken: Mutex<Option<Address>>,
    /// Its balance can be read, its transactions cannot.
    pub(crate) without_history: Mutex<Option<Address>>,
}

impl FakeWatch {
    pub(crate) fn put(&self, address: Address, token: TokenId, units: u64) {
        self.balances.lock().unwrap().insert((address, token), units);
    }

    /// Adds a payment in that block.
    pub(crate) fn pay(&self, address: Address, token: TokenId, units: u64, block: u64) {
        *self.balances.lock().unwrap().entry((address, token)).or_default() += units;
        self.funding.lock().unwrap().push((address, token, block, format!("0xb{block}")));
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

    async fn funding_tx(
        &self,
        address: Address,
        token: TokenId,
        from: u64,
        to: u64,
    ) -> Result<Option<String>, ChainError> {
        if *self.without_history.lock().unwrap() == Some(address) {
            return Err(ChainError::Unavailable(chain(ORIGIN)));
        }
        let funding = self.funding.lock().unwrap();
        let matches = |(at, what, block, _): &&(Address, TokenId, u64, String)| {
            *at == address && *what == token && (from..=to).contains(block)
        };
        Ok(funding.iter().rev().find(matches).map(|(_, _, _, tx)| tx.clone()))
    }

    /// Payments whose senders the test names are known.
    async fn payers(
        &self,
        address: Address,
        token: TokenId,
        until: u64,
        amount: RawAmount,
    ) -> Result<KnownPayers, ChainError> {
        let funding = self.funding.lock().unwrap();
        let paid =
            funding.iter().filter(|(at, what, block, _)| *at == address && *what == token && *block <= until);
        let senders = self.senders.lock().unwrap();
        let found: Vec<Option<Address>> = paid.map(|(_, _, _, tx)| senders.get(tx).copied()).collect();
        let is_known = !found.is_empty() && found.iter().all(Option::is_some);
        let wallets = found.into_iter().flatten().collect();
        Ok(KnownPayers { wallets, amount: if is_known { amount } else { RawAmount::ZERO } })
    }
}
