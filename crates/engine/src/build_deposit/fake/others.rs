use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::ports::{Carrier, Deed, DeedError, Hand, PriceFeed, Progress};
use causeway_domain::{Address, ChainId, Decision, Order, OrderId, TokenId, UsdPrice};
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::evm;

/// A filler's hand that remembers what it was asked to hold.
#[derive(Default)]
pub(crate) struct FakeHand {
    pub(crate) held: Mutex<Vec<OrderId>>,
    pub(crate) is_away: AtomicBool,
}

fn later<T>() -> Result<T, DeedError> {
    Err(DeedError::Later("the book is away".to_owned()))
}

#[async_trait]
impl Hand for FakeHand {
    fn name(&self) -> &'static str {
        "house"
    }

    async fn hold(&self, order: &Order, _: Timestamp) -> Result<(), DeedError> {
        self.held.lock().unwrap().push(order.id.clone());
        if self.is_away.load(Ordering::Relaxed) { later() } else { Ok(()) }
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        later()
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        later()
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        later()
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        later()
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        later()
    }

    async fn release(&self, _: &Order) -> Result<(), DeedError> {
        later()
    }
}

/// A relayer that answers as it was told to, and remembers each purpose and deed.
pub(crate) struct FakeCarrier {
    chain: ChainId,
    pub(crate) answer: Mutex<Option<Result<Progress, DeedError>>>,
    pub(crate) carried: Mutex<Vec<(String, Deed)>>,
    /// What happens elsewhere while it works.
    pub(crate) meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl FakeCarrier {
    pub(crate) fn new(chain: ChainId) -> Arc<Self> {
        let (answer, carried, meanwhile) = Default::default();
        Arc::new(Self { chain, answer, carried, meanwhile })
    }

    pub(crate) fn answers(&self, answer: Result<Progress, DeedError>) {
        *self.answer.lock().unwrap() = Some(answer);
    }

    pub(crate) fn times(&self) -> usize {
        self.carried.lock().unwrap().len()
    }
}

#[async_trait]
impl Carrier for FakeCarrier {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        evm(0x99)
    }

    async fn carry(&self, purpose: &str, deed: &Deed, _: Timestamp) -> Result<Progress, DeedError> {
        self.carried.lock().unwrap().push((purpose.to_owned(), deed.clone()));
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        let told = self.answer.lock().unwrap().take();
        told.unwrap_or_else(|| Ok(Progress::OnItsWay(format!("0x{}", "77".repeat(32)))))
    }

    async fn progress(&self, _: &str) -> Result<Option<Progress>, DeedError> {
        Ok(None)
    }

    async fn tend(&self, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }
}

/// Prices that the test sets.
#[derive(Default)]
pub(crate) struct FakePrices(pub(crate) Mutex<HashMap<TokenId, UsdPrice>>);

impl PriceFeed for FakePrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        self.0.lock().unwrap().get(token).copied()
    }
}
