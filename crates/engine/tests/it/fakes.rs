use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::Address as EvmAddress;
use async_trait::async_trait;
use causeway_domain::ports::{
    AddressWatch, Arrival, Attestations, BlockMark, Care, Carrier, ChainError, CollectError, Deed, DeedError,
    FactStore, Follow, GasFeed, Hand, News, OrderStore as _, PriceFeed, Progress, StoreError,
};
use causeway_domain::{
    Address, Attestation, ChainId, Collected, Decision, Fact, Order, RawAmount, Terms, TokenId, UsdPrice,
};
use causeway_store::Store;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::mpsc;

/// A filler's hand that answers as it was told to, and remembers each call with the status under which it came.
pub(crate) struct FakeHand {
    store: Arc<Store>,
    pub(crate) calls: Mutex<Vec<String>>,
    /// What it decides, one after the other, and after these to deliver.
    pub(crate) decisions: Mutex<VecDeque<Result<(Decision, Option<String>), DeedError>>>,
    pub(crate) fill: Mutex<Progress>,
    pub(crate) refuses_to: Mutex<Option<&'static str>>,
    /// What happens elsewhere during the next call of that name.
    meanwhile: Mutex<Option<(&'static str, BoxFuture<'static, ()>)>>,
}

impl FakeHand {
    pub(crate) fn new(store: Arc<Store>) -> Arc<Self> {
        Arc::new(Self {
            store,
            calls: Mutex::default(),
            decisions: Mutex::default(),
            fill: Mutex::new(Progress::OnItsWay("0xf1".to_owned())),
            refuses_to: Mutex::default(),
            meanwhile: Mutex::default(),
        })
    }

    pub(crate) fn during(&self, call: &'static str, what: impl Future<Output = ()> + Send + 'static) {
        *self.meanwhile.lock().unwrap() = Some((call, Box::pin(what)));
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    /// Notes the call beside what the store holds of the order at that moment.
    async fn note(&self, call: &'static str, order: &Order) -> Result<(), DeedError> {
        let stored = self.store.order(&order.id).await?.unwrap();
        let decision = stored.decision.map_or("undecided", Decision::as_str);
        self.calls.lock().unwrap().push(format!("{call} ({} {decision})", stored.status));
        let meanwhile = self.meanwhile.lock().unwrap().take_if(|(during, _)| *during == call);
        if let Some((_, what)) = meanwhile {
            what.await;
        }
        match *self.refuses_to.lock().unwrap() {
            Some(refused) if refused == call => Err(DeedError::Later("not now".to_owned())),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Hand for FakeHand {
    fn name(&self) -> &'static str {
        "house"
    }

    async fn hold(&self, order: &Order, _: Timestamp) -> Result<(), DeedError> {
        self.note("hold", order).await
    }

    async fn reserve(&self, order: &Order, _: Timestamp) -> Result<(), DeedError> {
        self.note("reserve", order).await
    }

    async fn decide(&self, order: &Order, _: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        self.note("decide", order).await?;
        self.decisions.lock().unwrap().pop_front().unwrap_or(Ok((Decision::Fill, None)))
    }

    async fn fill(&self, order: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        self.note("fill", order).await?;
        Ok(self.fill.lock().unwrap().clone())
    }

    async fn waive(&self, order: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        self.note("waive", order).await?;
        Ok(Progress::OnItsWay("0xf2".to_owned()))
    }

    async fn claim(&self, order: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        self.note("claim", order).await?;
        Ok(Progress::OnItsWay("0xf3".to_owned()))
    }

    async fn release(&self, order: &Order) -> Result<(), DeedError> {
        self.note("release", order).await
    }
}

/// A relayer that remembers what it carried; purposes that were told to fail in a block do.
pub(crate) struct FakeCarrier {
    chain: ChainId,
    pub(crate) carried: Mutex<Vec<(String, Deed)>>,
    pub(crate) progress: Mutex<HashMap<String, Progress>>,
    pub(crate) tended: Mutex<u32>,
}

impl FakeCarrier {
    pub(crate) fn new(chain: ChainId) -> Arc<Self> {
        let (carried, progress, tended) = Default::default();
        Arc::new(Self { chain, carried, progress, tended })
    }

    pub(crate) fn purposes(&self) -> Vec<String> {
        self.carried.lock().unwrap().iter().map(|(purpose, _)| purpose.clone()).collect()
    }

    pub(crate) fn ends(&self, purpose: &str, progress: Progress) {
        self.progress.lock().unwrap().insert(purpose.to_owned(), progress);
    }
}

#[async_trait]
impl Carrier for FakeCarrier {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        Address::Evm(EvmAddress::repeat_byte(0x99))
    }

    async fn carry(&self, purpose: &str, deed: &Deed, _: Timestamp) -> Result<Progress, DeedError> {
        self.carried.lock().unwrap().push((purpose.to_owned(), deed.clone()));
        let told = self.progress.lock().unwrap().get(purpose).cloned();
        Ok(told.unwrap_or_else(|| Progress::OnItsWay("0x77".to_owned())))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError> {
        Ok(self.progress.lock().unwrap().get(purpose).cloned())
    }

    async fn tend(&self, _: Timestamp) -> Result<(), DeedError> {
        *self.tended.lock().unwrap() += 1;
        Err(DeedError::Later("the chain is away".to_owned()))
    }
}

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

    async fn facts(&self, intent: alloy_primitives::B256) -> Result<Vec<(Fact, Care)>, StoreError> {
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
        crate::scene::chain(crate::scene::ORIGIN)
    }

    async fn balances_at(&self, wanted: &[(Address, TokenId)], _: u64) -> Result<Vec<RawAmount>, ChainError> {
        let balances = self.balances.lock().unwrap();
        let held = |place: &(Address, TokenId)| balances.get(place).copied().unwrap_or_default();
        Ok(wanted.iter().map(|place| crate::scene::raw(held(place))).collect())
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

/// Attesters who say that nobody delivered, or that somebody did.
pub(crate) struct FakeAttesters {
    pub(crate) filled: bool,
}

#[async_trait]
impl Attestations for FakeAttesters {
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError> {
        let order = terms.id();
        let attestation = match self.filled {
            true => Attestation::Filled { order, filled_at: 1, fill_ref: order },
            false => Attestation::Unfilled { order, destination_time: terms.fill_deadline + 1 },
        };
        Ok(Collected { attestation, signatures: Vec::new() })
    }
}

/// No prices and no gas: what comes to an address is then always worth returning.
pub(crate) struct Nothing;

impl PriceFeed for Nothing {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        None
    }
}

impl GasFeed for Nothing {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}
