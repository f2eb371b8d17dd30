use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::ports::{ActionError, ChainAction, OrderExecutor, PriceFeed, Progress, TxSender};
use causeway_domain::{Address, ChainId, Decision, Order, OrderId, TokenId, UsdPrice};
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::evm;

/// An executor that remembers which orders it was asked to hold.
#[derive(Default)]
pub(crate) struct FakeExecutor {
    pub(crate) held: Mutex<Vec<OrderId>>,
    pub(crate) is_away: AtomicBool,
}

fn later<T>() -> Result<T, ActionError> {
    Err(ActionError::Temporary("the book is unavailable".to_owned()))
}

#[async_trait]
impl OrderExecutor for FakeExecutor {
    fn name(&self) -> &'static str {
        "house"
    }

    async fn hold(&self, order: &Order, _: Timestamp) -> Result<(), ActionError> {
        self.held.lock().unwrap().push(order.id.clone());
        if self.is_away.load(Ordering::Relaxed) { later() } else { Ok(()) }
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        later()
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        later()
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        later()
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        later()
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        later()
    }

    async fn release(&self, _: &Order) -> Result<(), ActionError> {
        later()
    }
}

/// A relayer with scripted answers that remembers each purpose and action.
pub(crate) struct FakeTxSender {
    chain: ChainId,
    pub(crate) answer: Mutex<Option<Result<Progress, ActionError>>>,
    pub(crate) sent_actions: Mutex<Vec<(String, ChainAction)>>,
    /// Runs during the next call.
    pub(crate) meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl FakeTxSender {
    pub(crate) fn new(chain: ChainId) -> Arc<Self> {
        let (answer, sent_actions, meanwhile) = Default::default();
        Arc::new(Self { chain, answer, sent_actions, meanwhile })
    }

    pub(crate) fn answers(&self, answer: Result<Progress, ActionError>) {
        *self.answer.lock().unwrap() = Some(answer);
    }

    pub(crate) fn times(&self) -> usize {
        self.sent_actions.lock().unwrap().len()
    }
}

#[async_trait]
impl TxSender for FakeTxSender {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        evm(0x99)
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        self.sent_actions.lock().unwrap().push((purpose.to_owned(), action.clone()));
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        let answer = self.answer.lock().unwrap().take();
        answer.unwrap_or_else(|| Ok(Progress::Sent(format!("0x{}", "77".repeat(32)))))
    }

    async fn progress(&self, _: &str) -> Result<Option<Progress>, ActionError> {
        Ok(None)
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
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
