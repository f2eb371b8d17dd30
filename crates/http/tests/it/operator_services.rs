use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{
    Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd, EndpointName, FillerRecord, StoreError,
    SubjectKind, WebhookEndpoint, WebhookStore, WebhookTransport,
};
use causeway_domain::{FiatOrderId, OrderId, RowKey, RowKeys};
use causeway_engine::{
    ChainCursors, ExecutorRegistry, Fillers, MadeFiller, MakeFiller, OperateIntegrators, OperatePauses,
    Pauses, Registry, RegistryParts, ReviewOrders, ReviewParts, WebhookAdmin,
};
use causeway_http::{OperatorRole, OperatorServices, OperatorToken, OperatorTokens};
use causeway_testing::{IdleFiller, MemoryStore};
use futures::FutureExt as _;
use jiff::Timestamp;

/// The operator token of the tests.
pub(crate) const TOKEN: &str = "an operator's token";
pub(crate) const READ_TOKEN: &str = "a token that may read";
pub(crate) const PAUSE_TOKEN: &str = "a token that may pause";

pub(crate) fn pauses(store: &Arc<MemoryStore>) -> Arc<OperatePauses> {
    let open = OperatePauses::open(Arc::<Pauses>::default(), store.clone());
    Arc::new(open.now_or_never().expect("in-memory futures are ready").unwrap())
}

pub(crate) fn services(
    pauses: Arc<OperatePauses>,
    fillers: &Fillers,
    store: &Arc<MemoryStore>,
) -> OperatorServices {
    let registry = Registry::open(RegistryParts {
        records: store.clone(),
        make: Arc::new(FakeFillerFactory),
        fillers: fillers.clone(),
        executors: ExecutorRegistry::default(),
        configured: Vec::new(),
    });
    let review = ReviewOrders::new(ReviewParts {
        orders: store.clone(),
        facts: store.clone(),
        outbox: store.clone(),
        fiat: store.clone(),
        cursors: Arc::<ChainCursors>::default(),
        executors: ExecutorRegistry::default(),
        pauses: Arc::clone(pauses.pauses()),
        stale_after: Duration::from_mins(1),
    });
    let integrators = OperateIntegrators::open(store.clone());
    OperatorServices {
        integrators: Arc::new(integrators.now_or_never().expect("in-memory futures are ready").unwrap()),
        tokens: operator_tokens(),
        row_keys: Arc::new(RowKeys::new(0)),
        audit: store.clone(),
        fiat: store.clone(),
        webhooks: WebhookAdmin::new(Arc::new(NoWebhooks), Arc::new(NoWebhooks), Arc::default()),
        pauses,
        registry: Arc::new(registry.now_or_never().expect("in-memory futures are ready").unwrap()),
        review: Arc::new(review),
    }
}

/// The token that may do everything, and one for each lesser role.
fn operator_tokens() -> OperatorTokens {
    let lesser = |name: &str, token: &str, role| OperatorToken {
        name: name.to_owned(),
        role,
        ..OperatorToken::admin(token)
    };
    OperatorTokens::new(vec![
        OperatorToken::admin(TOKEN),
        lesser("rita", READ_TOKEN, OperatorRole::Read),
        lesser("paul", PAUSE_TOKEN, OperatorRole::Pause),
    ])
}

/// Creates fillers for every https URL.
struct FakeFillerFactory;

impl MakeFiller for FakeFillerFactory {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its URL must start with https://".to_owned());
        }
        let filler = Arc::new(IdleFiller(record.name.clone()));
        Ok(MadeFiller { filler: filler.clone(), executor: filler })
    }
}

/// No webhook endpoints; their delivery is tested in the engine.
struct NoWebhooks;

#[async_trait]
impl WebhookStore for NoWebhooks {
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

    async fn webhook_cursor(&self, _: SubjectKind) -> Result<Option<RowKey>, StoreError> {
        Ok(None)
    }

    async fn purchase_events_after(
        &self,
        _: RowKey,
        _: u32,
    ) -> Result<Vec<(RowKey, FiatOrderId)>, StoreError> {
        Ok(Vec::new())
    }

    async fn enqueue_deliveries(
        &self,
        _: &[OrderId],
        _: (RowKey, RowKey),
        _: Timestamp,
    ) -> Result<u64, StoreError> {
        Err(unavailable())
    }

    async fn enqueue_purchase_deliveries(
        &self,
        _: &[FiatOrderId],
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
impl WebhookTransport for NoWebhooks {
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
