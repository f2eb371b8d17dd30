use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use alloy_primitives::Address as EvmAddress;
use async_trait::async_trait;
use causeway_domain::ports::{
    Attestations, Carrier, CollectError, Deed, DeedError, GasFeed, Hand, OrderStore as _, PriceFeed, Progress,
};
use causeway_domain::{
    Address, Attestation, ChainId, Collected, Decision, Order, RawAmount, Terms, TokenId, UsdPrice,
};
use causeway_store::Store;
use futures::future::BoxFuture;
use jiff::Timestamp;

/// What a filler decides, and why.
type Word = (Decision, Option<String>);

/// A filler's hand that answers as it was told to, and remembers each call with the status under which it came.
pub(crate) struct FakeHand {
    store: Arc<Store>,
    pub(crate) calls: Mutex<Vec<String>>,
    /// What it decides, one after the other, and after these to deliver.
    pub(crate) decisions: Mutex<VecDeque<Result<Word, DeedError>>>,
    pub(crate) fill: Mutex<Progress>,
    /// Why the recipient cannot be paid.
    pub(crate) unpayable: Mutex<Option<&'static str>>,
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
            unpayable: Mutex::default(),
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

    async fn decide(&self, order: &Order, _: Timestamp) -> Result<Word, DeedError> {
        self.note("decide", order).await?;
        self.decisions.lock().unwrap().pop_front().unwrap_or(Ok((Decision::Fill, None)))
    }

    async fn fill(&self, order: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        self.note("fill", order).await?;
        if let Some(words) = *self.unpayable.lock().unwrap() {
            return Err(DeedError::Unpayable(words.to_owned()));
        }
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

/// Attesters who say that nobody delivered, or that somebody did.
pub(crate) struct FakeAttesters {
    pub(crate) filled: bool,
}

#[async_trait]
impl Attestations for FakeAttesters {
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError> {
        let order = terms.id();
        let attestation = if self.filled {
            Attestation::Filled { order, filled_at: 1, fill_ref: order }
        } else {
            Attestation::Unfilled { order, destination_time: terms.fill_deadline + 1 }
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
