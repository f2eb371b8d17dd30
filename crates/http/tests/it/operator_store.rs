use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Answer, Attempt, AuditEvent, AuditLog, Delivery, DeliveryAttempt, DeliveryCount,
    DeliveryEnd, EndpointName, Filler, FillerAsk, FillerError, FillerRecord, FillerRecords, OrderExecutor,
    OrderReview, Outbox, OutboxPut, Outgoing, OutgoingEnd, Pausable, Pause, PauseStore, Progress, Refusal,
    StoreError, StuckReason, WebhookEndpoint, WebhookStore, WebhookTransport,
};
use causeway_domain::{Address, ChainId, Decision, Order, OrderId, RowKey};
use causeway_engine::{
    ChainCursors, ExecutorRegistry, Fillers, MadeFiller, MakeFiller, OperatePauses, Pauses, Registry,
    RegistryParts, ReviewOrders, ReviewParts, WebhookAdmin,
};
use causeway_http::{OperatorServices, OperatorToken};
use futures::FutureExt as _;
use jiff::Timestamp;

use crate::ledger::FakeLedger;

/// The operator token of the tests.
pub(crate) const TOKEN: &str = "an operator's token";

/// The stores of the operator API in memory. Webhook delivery is tested in the engine.
#[derive(Debug, Default)]
pub(crate) struct FakeOperatorStore {
    pauses: Mutex<Vec<Pause>>,
    fillers: Mutex<BTreeMap<String, FillerRecord>>,
    pub(crate) unmoved: Mutex<Vec<Order>>,
    pub(crate) stuck_reason: Mutex<Option<StuckReason>>,
    pub(crate) sent: Mutex<Vec<Outgoing>>,
}

impl FakeOperatorStore {
    pub(crate) fn pauses(self: &Arc<Self>) -> Arc<OperatePauses> {
        let open = OperatePauses::open(Arc::<Pauses>::default(), self.clone());
        Arc::new(open.now_or_never().expect("in-memory futures are ready").unwrap())
    }

    pub(crate) fn services(
        self: &Arc<Self>,
        pauses: Arc<OperatePauses>,
        fillers: &Fillers,
        ledger: &Arc<FakeLedger>,
    ) -> OperatorServices {
        let registry = Registry::open(RegistryParts {
            records: self.clone(),
            make: Arc::new(FakeFillerFactory),
            fillers: fillers.clone(),
            executors: ExecutorRegistry::default(),
            configured: Vec::new(),
        });
        let review = ReviewOrders::new(ReviewParts {
            orders: ledger.clone(),
            review: self.clone(),
            facts: ledger.clone(),
            outbox: self.clone(),
            cursors: Arc::<ChainCursors>::default(),
            executors: ExecutorRegistry::default(),
            pauses: Arc::clone(pauses.pauses()),
            stale_after: Duration::from_mins(1),
        });
        OperatorServices {
            token: OperatorToken::new(TOKEN.to_owned()),
            audit: self.clone(),
            webhooks: WebhookAdmin::new(self.clone(), self.clone(), Arc::default()),
            pauses,
            registry: Arc::new(registry.now_or_never().expect("in-memory futures are ready").unwrap()),
            review: Arc::new(review),
        }
    }
}

/// Creates fillers for every https URL.
struct FakeFillerFactory;

impl MakeFiller for FakeFillerFactory {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its address must begin with https://".to_owned());
        }
        let filler = Arc::new(FakeRemoteFiller(record.name.clone()));
        Ok(MadeFiller { filler: filler.clone(), executor: filler })
    }
}

struct FakeRemoteFiller(String);

#[async_trait]
impl Filler for FakeRemoteFiller {
    fn name(&self) -> &str {
        &self.0
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, _: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(Answer::Refused(Refusal::PairNotServed))
    }
}

#[async_trait]
impl OrderExecutor for FakeRemoteFiller {
    fn name(&self) -> &str {
        &self.0
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        Ok((Decision::Fill, None))
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), ActionError> {
        Ok(())
    }
}

#[async_trait]
impl PauseStore for FakeOperatorStore {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        Ok(self.pauses.lock().unwrap().clone())
    }

    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        self.pauses.lock().unwrap().push(pause.clone());
        Ok(())
    }

    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        let mut pauses = self.pauses.lock().unwrap();
        let before = pauses.len();
        pauses.retain(|pause| pause.what != *what);
        Ok(pauses.len() < before)
    }
}

#[async_trait]
impl FillerRecords for FakeOperatorStore {
    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError> {
        Ok(self.fillers.lock().unwrap().values().cloned().collect())
    }

    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError> {
        self.fillers.lock().unwrap().insert(record.name.clone(), record.clone());
        Ok(())
    }

    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.fillers.lock().unwrap().remove(name).is_some())
    }
}

#[async_trait]
impl OrderReview for FakeOperatorStore {
    async fn unmoved(&self, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        Ok(self.unmoved.lock().unwrap().clone())
    }

    async fn ended(&self, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        Ok(Vec::new())
    }

    async fn record_stuck_reason(&self, _: &OrderId, _: Option<&StuckReason>) -> Result<(), StoreError> {
        Ok(())
    }

    async fn stuck_reason(&self, _: &OrderId) -> Result<Option<StuckReason>, StoreError> {
        Ok(self.stuck_reason.lock().unwrap().clone())
    }
}

#[async_trait]
impl Outbox for FakeOperatorStore {
    async fn put(&self, _: &Outgoing) -> Result<OutboxPut, StoreError> {
        Err(unavailable())
    }

    async fn add_attempt(&self, _: ChainId, _: Address, _: u64, _: &Attempt) -> Result<(), StoreError> {
        Err(unavailable())
    }

    async fn for_purpose(&self, chain: ChainId, purpose: &str) -> Result<Option<Outgoing>, StoreError> {
        let sent = self.sent.lock().unwrap();
        Ok(sent.iter().find(|sent| sent.chain == chain && sent.purpose == purpose).cloned())
    }

    async fn open(&self, _: ChainId, _: Address) -> Result<Vec<Outgoing>, StoreError> {
        Ok(Vec::new())
    }

    async fn highest_nonce(&self, _: ChainId, _: Address) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    async fn end(&self, _: ChainId, _: Address, _: u64, _: OutgoingEnd) -> Result<(), StoreError> {
        Err(unavailable())
    }
}

#[async_trait]
impl AuditLog for FakeOperatorStore {
    async fn record_audit(&self, _: &AuditEvent) -> Result<(), StoreError> {
        Err(unavailable())
    }

    async fn audit(&self, _: Option<RowKey>, _: u32) -> Result<Vec<AuditEvent>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl WebhookStore for FakeOperatorStore {
    async fn add_endpoint(&self, _: &WebhookEndpoint) -> Result<bool, StoreError> {
        Err(unavailable())
    }

    async fn change_endpoint(&self, _: &WebhookEndpoint) -> Result<bool, StoreError> {
        Err(unavailable())
    }

    async fn remove_endpoint(&self, _: &EndpointName) -> Result<bool, StoreError> {
        Err(unavailable())
    }

    async fn endpoints(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        Ok(Vec::new())
    }

    async fn webhook_cursor(&self) -> Result<Option<RowKey>, StoreError> {
        Ok(None)
    }

    async fn enqueue_deliveries(
        &self,
        _: &[OrderId],
        _: (RowKey, RowKey),
        _: Timestamp,
    ) -> Result<u64, StoreError> {
        Err(unavailable())
    }

    async fn claim_deliveries(
        &self,
        _: &EndpointName,
        _: Timestamp,
        _: Timestamp,
        _: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        Err(unavailable())
    }

    async fn end_delivery(
        &self,
        _: &Delivery,
        _: &DeliveryAttempt,
        _: DeliveryEnd,
        _: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        Err(unavailable())
    }

    async fn replay_deliveries(
        &self,
        _: &EndpointName,
        _: RowKey,
        _: u32,
        _: Timestamp,
    ) -> Result<(u64, Option<RowKey>), StoreError> {
        Err(unavailable())
    }

    async fn delivery_log(
        &self,
        _: &EndpointName,
        _: Option<RowKey>,
        _: u32,
    ) -> Result<Vec<DeliveryAttempt>, StoreError> {
        Ok(Vec::new())
    }

    async fn delivery_counts(&self) -> Result<Vec<DeliveryCount>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl WebhookTransport for FakeOperatorStore {
    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    async fn post(&self, _: &str, _: &[(&'static str, String)], _: Vec<u8>) -> Result<u16, String> {
        Err("webhooks are not delivered here".to_owned())
    }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("not part of this fake".into())
}
