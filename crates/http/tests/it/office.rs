use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, Attempt, AuditEvent, AuditLog, DeedError, Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd,
    EndpointName, Filler, FillerAsk, FillerError, FillerRecord, FillerRecords, Hand, OrderReview, Outbox,
    OutboxPut, Outgoing, OutgoingEnd, Pausable, Pause, PauseStore, Post, Progress, Refusal, StoreError,
    Trouble, WebhookEndpoint, WebhookStore,
};
use causeway_domain::{Address, ChainId, Decision, Order, OrderId, RowKey};
use causeway_engine::{
    Fillers, Hands, MadeFiller, MakeFiller, Marks, OperatePauses, Pauses, Registry, RegistryParts,
    ReviewOrders, ReviewParts, WebhookDesk,
};
use causeway_http::{OperatorDesk, OperatorToken};
use futures::FutureExt as _;
use jiff::Timestamp;

use crate::ledger::FakeLedger;

/// What lets operators in.
pub(crate) const TOKEN: &str = "an operator's token";

/// What operators keep, in memory. Webhooks are tested where they really run.
#[derive(Debug, Default)]
pub(crate) struct Office {
    pauses: Mutex<Vec<Pause>>,
    fillers: Mutex<BTreeMap<String, FillerRecord>>,
    pub(crate) unmoved: Mutex<Vec<Order>>,
    pub(crate) trouble: Mutex<Option<Trouble>>,
    pub(crate) sent: Mutex<Vec<Outgoing>>,
}

impl Office {
    /// What is paused, for those who begin something.
    pub(crate) fn pauses(self: &Arc<Self>) -> Arc<OperatePauses> {
        let open = OperatePauses::open(Arc::<Pauses>::default(), self.clone());
        Arc::new(open.now_or_never().expect("it is in memory").unwrap())
    }

    pub(crate) fn desk(
        self: &Arc<Self>,
        pauses: Arc<OperatePauses>,
        fillers: &Fillers,
        ledger: &Arc<FakeLedger>,
    ) -> OperatorDesk {
        let registry = Registry::open(RegistryParts {
            records: self.clone(),
            make: Arc::new(Maker),
            fillers: fillers.clone(),
            hands: Hands::default(),
            configured: Vec::new(),
        });
        let review = ReviewOrders::new(ReviewParts {
            orders: ledger.clone(),
            review: self.clone(),
            facts: ledger.clone(),
            outbox: self.clone(),
            marks: Arc::<Marks>::default(),
            hands: Hands::default(),
            pauses: Arc::clone(pauses.pauses()),
            stale_after: Duration::from_mins(1),
        });
        OperatorDesk {
            token: OperatorToken::new(TOKEN.to_owned()),
            audit: self.clone(),
            webhooks: WebhookDesk::new(self.clone(), self.clone(), Arc::default()),
            pauses,
            registry: Arc::new(registry.now_or_never().expect("it is in memory").unwrap()),
            review: Arc::new(review),
        }
    }
}

/// Makes whatever is at https.
struct Maker;

impl MakeFiller for Maker {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its address must begin with https://".to_owned());
        }
        let far = Arc::new(Far(record.name.clone()));
        Ok(MadeFiller { filler: far.clone(), hand: far })
    }
}

struct Far(String);

#[async_trait]
impl Filler for Far {
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
impl Hand for Far {
    fn name(&self) -> &str {
        &self.0
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        Ok((Decision::Fill, None))
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), DeedError> {
        Ok(())
    }
}

#[async_trait]
impl PauseStore for Office {
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
impl FillerRecords for Office {
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
impl OrderReview for Office {
    async fn unmoved(&self, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        Ok(self.unmoved.lock().unwrap().clone())
    }

    async fn ended(&self, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        Ok(Vec::new())
    }

    async fn note_trouble(&self, _: &OrderId, _: Option<&Trouble>) -> Result<(), StoreError> {
        Ok(())
    }

    async fn trouble(&self, _: &OrderId) -> Result<Option<Trouble>, StoreError> {
        Ok(self.trouble.lock().unwrap().clone())
    }
}

#[async_trait]
impl Outbox for Office {
    async fn put(&self, _: &Outgoing) -> Result<OutboxPut, StoreError> {
        Err(away())
    }

    async fn add_attempt(&self, _: ChainId, _: Address, _: u64, _: &Attempt) -> Result<(), StoreError> {
        Err(away())
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
        Err(away())
    }
}

#[async_trait]
impl AuditLog for Office {
    async fn record_audit(&self, _: &AuditEvent) -> Result<(), StoreError> {
        Err(away())
    }

    async fn audit(&self, _: Option<RowKey>, _: u32) -> Result<Vec<AuditEvent>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl WebhookStore for Office {
    async fn add_endpoint(&self, _: &WebhookEndpoint) -> Result<bool, StoreError> {
        Err(away())
    }

    async fn change_endpoint(&self, _: &WebhookEndpoint) -> Result<bool, StoreError> {
        Err(away())
    }

    async fn remove_endpoint(&self, _: &EndpointName) -> Result<bool, StoreError> {
        Err(away())
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
        Err(away())
    }

    async fn claim_deliveries(
        &self,
        _: &EndpointName,
        _: Timestamp,
        _: Timestamp,
        _: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        Err(away())
    }

    async fn end_delivery(
        &self,
        _: &Delivery,
        _: &DeliveryAttempt,
        _: DeliveryEnd,
        _: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        Err(away())
    }

    async fn replay_deliveries(
        &self,
        _: &EndpointName,
        _: RowKey,
        _: u32,
        _: Timestamp,
    ) -> Result<(u64, Option<RowKey>), StoreError> {
        Err(away())
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
impl Post for Office {
    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    async fn post(&self, _: &str, _: &[(&'static str, String)], _: Vec<u8>) -> Result<u16, String> {
        Err("nobody is told anything here".to_owned())
    }
}

fn away() -> StoreError {
    StoreError::Unavailable("this part is not kept here".into())
}
