use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use alloy_primitives::Address as EvmAddress;
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Attestations, ChainAction, CollectError, GasFeed, OrderExecutor, OrderStore as _, PriceFeed,
    Progress, TxSender,
};
use causeway_domain::{
    Address, Attestation, ChainId, CollectedAttestation, Decision, IntentTerms, Order, RawAmount, TokenId,
    UsdPrice,
};
use causeway_store::Store;
use futures::future::BoxFuture;
use jiff::Timestamp;

/// A filler's decision and its reason.
type Decided = (Decision, Option<String>);

/// An executor with scripted answers that remembers each call with the order's status at that time.
pub(crate) struct FakeExecutor {
    store: Arc<Store>,
    pub(crate) calls: Mutex<Vec<String>>,
    /// Its decisions in sequence; afterwards it decides to fill.
    pub(crate) decisions: Mutex<VecDeque<Result<Decided, ActionError>>>,
    pub(crate) fill: Mutex<Progress>,
    /// Why the recipient cannot be paid.
    pub(crate) unpayable: Mutex<Option<&'static str>>,
    pub(crate) refuses_to: Mutex<Option<&'static str>>,
    /// Runs during the next call with that name.
    meanwhile: Mutex<Option<(&'static str, BoxFuture<'static, ()>)>>,
}

impl FakeExecutor {
    pub(crate) fn new(store: Arc<Store>) -> Arc<Self> {
        Arc::new(Self {
            store,
            calls: Mutex::default(),
            decisions: Mutex::default(),
            fill: Mutex::new(Progress::Sent("0xf1".to_owned())),
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

    /// Records the call with the order's stored state.
    async fn record(&self, call: &'static str, order: &Order) -> Result<(), ActionError> {
        let stored = self.store.order(&order.id).await?.unwrap();
        let decision = stored.decision.map_or("undecided", Decision::as_str);
        self.calls.lock().unwrap().push(format!("{call} ({} {decision})", stored.status));
        let meanwhile = self.meanwhile.lock().unwrap().take_if(|(during, _)| *during == call);
        if let Some((_, what)) = meanwhile {
            what.await;
        }
        match *self.refuses_to.lock().unwrap() {
            Some(refused) if refused == call => Err(ActionError::Temporary("not now".to_owned())),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl OrderExecutor for FakeExecutor {
    fn name(&self) -> &'static str {
        "house"
    }

    async fn hold(&self, order: &Order, _: Timestamp) -> Result<(), ActionError> {
        self.record("hold", order).await
    }

    async fn reserve(&self, order: &Order, _: Timestamp) -> Result<(), ActionError> {
        self.record("reserve", order).await
    }

    async fn decide(&self, order: &Order, _: Timestamp) -> Result<Decided, ActionError> {
        self.record("decide", order).await?;
        self.decisions.lock().unwrap().pop_front().unwrap_or(Ok((Decision::Fill, None)))
    }

    async fn fill(&self, order: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        self.record("fill", order).await?;
        if let Some(reason) = *self.unpayable.lock().unwrap() {
            return Err(ActionError::Unpayable(reason.to_owned()));
        }
        Ok(self.fill.lock().unwrap().clone())
    }

    async fn waive(&self, order: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        self.record("waive", order).await?;
        Ok(Progress::Sent("0xf2".to_owned()))
    }

    async fn claim(&self, order: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        self.record("claim", order).await?;
        Ok(Progress::Sent("0xf3".to_owned()))
    }

    async fn release(&self, order: &Order) -> Result<(), ActionError> {
        self.record("release", order).await
    }
}

/// A relayer that remembers what it sent, with scripted progress per purpose.
pub(crate) struct FakeTxSender {
    chain: ChainId,
    pub(crate) sent_actions: Mutex<Vec<(String, ChainAction)>>,
    pub(crate) progress: Mutex<HashMap<String, Progress>>,
    pub(crate) polls: Mutex<u32>,
}

impl FakeTxSender {
    pub(crate) fn new(chain: ChainId) -> Arc<Self> {
        let (sent_actions, progress, polls) = Default::default();
        Arc::new(Self { chain, sent_actions, progress, polls })
    }

    pub(crate) fn purposes(&self) -> Vec<String> {
        self.sent_actions.lock().unwrap().iter().map(|(purpose, _)| purpose.clone()).collect()
    }

    pub(crate) fn ends(&self, purpose: &str, progress: Progress) {
        self.progress.lock().unwrap().insert(purpose.to_owned(), progress);
    }
}

#[async_trait]
impl TxSender for FakeTxSender {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        Address::Evm(EvmAddress::repeat_byte(0x99))
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        self.sent_actions.lock().unwrap().push((purpose.to_owned(), action.clone()));
        let progress = self.progress.lock().unwrap().get(purpose).cloned();
        Ok(progress.unwrap_or_else(|| Progress::Sent("0x77".to_owned())))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        Ok(self.progress.lock().unwrap().get(purpose).cloned())
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
        *self.polls.lock().unwrap() += 1;
        Err(ActionError::Temporary("the chain is unreachable".to_owned()))
    }
}

/// Attesters that report an order as filled or unfilled.
pub(crate) struct FakeAttesters {
    pub(crate) filled: bool,
}

#[async_trait]
impl Attestations for FakeAttesters {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError> {
        let order = terms.id();
        let attestation = if self.filled {
            Attestation::Filled { order, filled_at: 1, fill_ref: order }
        } else {
            Attestation::Unfilled { order, destination_time: terms.fill_deadline + 1 }
        };
        Ok(CollectedAttestation { attestation, signatures: Vec::new() })
    }

    async fn is_available(&self, _: &IntentTerms) -> bool {
        true
    }
}

/// No prices and no gas: every balance is then worth returning.
pub(crate) struct NoPrices;

impl PriceFeed for NoPrices {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        None
    }
}

impl GasFeed for NoPrices {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}

/// A market where only the native coin has a price, and gas costs more than dust is worth.
pub(crate) struct DearGas;

impl PriceFeed for DearGas {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        token.is_native().then(|| "3500".parse().unwrap())
    }
}

impl GasFeed for DearGas {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        "1000000000".parse().ok()
    }
}
