use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_catalog::Catalog;
use causeway_domain::RowKeys;
use causeway_domain::ports::{FillerRecord, WebhookTransport};
use causeway_engine::{
    AttestationCache, ChainCursors, CountFills, ExecutorRegistry, Fillers, MadeFiller, MakeFiller,
    OperateIntegrators, OperatePauses, Pauses, QuoteOptions, ReadBalances, Registry, RegistryParts,
    RequestQuote, ReviewOrders, ReviewParts, WatchOrders, WebhookAdmin,
};
use causeway_http::{
    ApiKeys, App, EventStreams, ForceRefreshLimit, KnownOrders, Metrics, OperatorServices, OperatorTokens,
    Options, Readiness, StreamLimits,
};
use causeway_prices::FixedPrices;
use causeway_store::Store;
use jiff::Timestamp;

use crate::{no_deposits, no_fiat, seal};

/// Creates no fillers.
struct NoFillerFactory;

impl MakeFiller for NoFillerFactory {
    fn make(&self, _: &FillerRecord) -> Result<MadeFiller, String> {
        Err("fillers cannot be added in a benchmark".to_owned())
    }
}

/// Delivers no webhooks.
struct NoWebhooks;

#[async_trait]
impl WebhookTransport for NoWebhooks {
    fn check(&self, _: &str) -> Result<(), String> {
        Err("webhooks are not delivered in a benchmark".to_owned())
    }

    async fn post(&self, _: &str, _: &[(&'static str, String)], _: Vec<u8>) -> Result<u16, String> {
        Err("webhooks are not delivered in a benchmark".to_owned())
    }
}

/// Operator services without use.
pub async fn no_operator(store: &Arc<Store>, fillers: &Fillers) -> OperatorServices {
    let pauses =
        OperatePauses::open(Arc::<Pauses>::default(), store.clone()).await.expect("the store answers");
    let registry = RegistryParts {
        records: store.clone(),
        make: Arc::new(NoFillerFactory),
        fillers: fillers.clone(),
        executors: ExecutorRegistry::default(),
        configured: Vec::new(),
    };
    let review = ReviewParts {
        orders: store.clone(),
        facts: store.clone(),
        outbox: store.clone(),
        fiat: store.clone(),
        cursors: Arc::<ChainCursors>::default(),
        executors: ExecutorRegistry::default(),
        pauses: Arc::clone(pauses.pauses()),
        stale_after: Duration::from_mins(1),
    };
    let integrators = OperateIntegrators::open(store.clone()).await;
    OperatorServices {
        integrators: Arc::new(integrators.expect("the store answers")),
        tokens: OperatorTokens::new(Vec::new()),
        row_keys: Arc::new(RowKeys::new(0)),
        audit: store.clone(),
        fiat: store.clone(),
        webhooks: WebhookAdmin::new(store.clone(), Arc::new(NoWebhooks), Arc::default()),
        pauses: Arc::new(pauses),
        registry: Arc::new(Registry::open(registry).await.expect("the store answers")),
        review: Arc::new(ReviewOrders::new(review)),
    }
}

/// The service without chains, fillers and providers.
pub async fn plain_service(store: Arc<Store>, watch_orders: Arc<WatchOrders>) -> App {
    let catalog = Arc::new(Catalog::bundled().expect("the bundled catalog"));
    let keys = Arc::new(RowKeys::new(0));
    let fillers = Fillers::new(Vec::new(), &QuoteOptions::default()).expect("no names");
    let operator = no_operator(&store, &fillers).await;
    let (build_deposit, submit_deposit) = no_deposits(catalog.clone(), store.clone(), keys.clone());
    let request_quote = RequestQuote::new(catalog.clone(), seal(), fillers);
    let fiat = no_fiat(catalog.clone(), store.clone(), keys, request_quote.clone());
    App {
        catalog: Arc::clone(&catalog),
        prices: Arc::new(FixedPrices::default()),
        store: store.clone(),
        read_balances: ReadBalances::new(catalog, Vec::new(), Duration::from_secs(1)),
        request_quote,
        build_deposit,
        submit_deposit,
        orders: store.clone(),
        fiat,
        known_orders: KnownOrders::new(store.clone()),
        force_refresh_limit: ForceRefreshLimit::default(),
        facts: store.clone(),
        idempotency: store.clone(),
        attestations: AttestationCache::default(),
        watch_orders,
        event_streams: EventStreams::new(StreamLimits {
            total: usize::MAX,
            per_address: usize::MAX,
            trusted_proxies: 0,
        }),
        count_fills: CountFills::new(store),
        operator,
        readiness: Readiness::default(),
        metrics: Arc::new(Metrics::default()),
        deployments: Vec::new(),
        options: Options {
            public_url: "http://127.0.0.1".to_owned(),
            timeout: Duration::from_secs(30),
            rate_limits: None,
            api_keys: ApiKeys::Off,
            max_in_work: usize::MAX,
            has_metrics_listener: false,
            sandbox_rpc: None,
            embed_origins: Vec::new(),
            mode: "sandbox",
            store_engine: "sqlite",
            started_at: Timestamp::now(),
        },
    }
}
