use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Attestations, DepositBuilder, Filler, Health, IdempotencyStore, PriceFeed, StoreError,
};
use causeway_domain::{ChainId, Deployment, RouteSeal, RowKeys, TokenId, UsdPrice};
use causeway_engine::{
    AttestationCache, BuildDeposit, BuildParts, CountFills, ExecutorRegistry, Fillers, OrderTiming,
    QuoteOptions, ReadBalances, RequestQuote, SubmitDeposit, SubmitParts, WatchOrders,
};
use causeway_http::{
    ApiKeys, App, EventStreams, ForceRefreshLimit, KnownOrders, Metrics, Options, RateLimits, Readiness,
    StreamLimits,
};
use causeway_testing::MemoryStore;
use causeway_testing::sample::quote_keys;
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::deposit_builder::FakeDepositBuilder;
use crate::fiat::services::{FiatParts, SharedParts};
use crate::operator_services;

/// A store that can fail.
#[derive(Debug, Default)]
pub(crate) struct FakeStore {
    pub(crate) broken: bool,
}

#[async_trait]
impl Health for FakeStore {
    async fn check(&self) -> Result<(), StoreError> {
        if self.broken { Err(StoreError::Unavailable("gone".into())) } else { Ok(()) }
    }
}

/// Shared because loading it takes longer than most tests.
static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::bundled().unwrap()));

/// Every token costs 2.5 USD.
#[derive(Debug)]
struct FlatPrice;

impl PriceFeed for FlatPrice {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        "2.5".parse().ok()
    }
}

pub(crate) fn router(store: Arc<FakeStore>) -> Router {
    router_with(store, Vec::new(), &QuoteOptions::default())
}

pub(crate) fn router_with(
    store: Arc<FakeStore>,
    fillers: Vec<Arc<dyn Filler>>,
    options: &QuoteOptions,
) -> Router {
    Service { store, fillers, options: options.clone(), ..Service::default() }.router()
}

/// The parts of a service under test.
#[derive(Default)]
pub(crate) struct Service {
    pub(crate) store: Arc<FakeStore>,
    pub(crate) ledger: Arc<MemoryStore>,
    pub(crate) deposit_builders: Vec<Arc<FakeDepositBuilder>>,
    pub(crate) deployments: Vec<Deployment>,
    pub(crate) fillers: Vec<Arc<dyn Filler>>,
    pub(crate) options: QuoteOptions,
    pub(crate) fiat: FiatParts,
    pub(crate) attesters: Option<Arc<dyn Attestations>>,
    pub(crate) streams: StreamLimits,
    pub(crate) rate_limits: Option<RateLimits>,
    pub(crate) api_keys: ApiKeys,
    /// No bound, if there is none.
    pub(crate) max_in_work: Option<usize>,
    /// The ledger, if there is none.
    pub(crate) idempotency: Option<Arc<dyn IdempotencyStore>>,
    /// Origins that may embed the checkout page; `None` runs the service in sandbox mode.
    pub(crate) embed_origins: Option<Vec<String>>,
}

impl Service {
    pub(crate) fn router(self) -> Router {
        let Self {
            store,
            ledger,
            deposit_builders,
            deployments,
            fillers,
            options,
            fiat,
            attesters,
            streams,
            rate_limits,
            api_keys,
            max_in_work,
            idempotency,
            embed_origins,
        } = self;
        let pauses = operator_services::pauses(&ledger);
        let fillers = Fillers::with_pauses(Arc::clone(pauses.pauses()), fillers, &options).unwrap();
        let operator = operator_services::services(Arc::clone(&pauses), &fillers, &ledger);
        let catalog = Arc::clone(&CATALOG);
        let row_keys = Arc::new(RowKeys::new(0));
        let deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>> = deposit_builders
            .into_iter()
            .map(|builder| (builder.chain, builder as Arc<dyn DepositBuilder>))
            .collect();
        let seal = Arc::new(RouteSeal::new(&quote_keys()));
        let build = || BuildParts {
            catalog: Arc::clone(&catalog),
            seal: Arc::clone(&seal),
            orders: ledger.clone(),
            deposit_builders: deposit_builders.clone(),
            executors: ExecutorRegistry::default(),
            prices: Arc::new(FlatPrice),
            row_keys: Arc::clone(&row_keys),
            quote_keys: quote_keys(),
            timing: OrderTiming::default(),
        };
        let request_quote = RequestQuote::new(Arc::clone(&catalog), Arc::clone(&seal), fillers);
        let fiat = fiat.services(SharedParts {
            catalog: Arc::clone(&catalog),
            request_quote: request_quote.clone(),
            build: BuildDeposit::new(build()),
            ledger: ledger.clone(),
            deposit_builders: deposit_builders.clone(),
            prices: Arc::new(FlatPrice),
            row_keys: Arc::clone(&row_keys),
        });
        let build = build();
        let submit = SubmitParts {
            seal,
            orders: ledger.clone(),
            deposit_builders,
            relayers: HashMap::new(),
            row_keys: Arc::clone(&row_keys),
        };
        causeway_http::router(
            App {
                catalog: Arc::clone(&catalog),
                prices: Arc::new(FlatPrice),
                store: store.clone(),
                read_balances: ReadBalances::new(Arc::clone(&catalog), Vec::new(), Duration::from_secs(1)),
                request_quote,
                build_deposit: BuildDeposit::new(build).with_pauses(Arc::clone(pauses.pauses())),
                submit_deposit: SubmitDeposit::new(submit),
                orders: ledger.clone(),
                watch_orders: Arc::new(WatchOrders::new(ledger.clone())),
                event_streams: EventStreams::new(streams),
                facts: ledger.clone(),
                idempotency: idempotency.unwrap_or_else(|| ledger.clone()),
                attestations: AttestationCache::new(attesters),
                known_orders: KnownOrders::new(ledger.clone()),
                count_fills: CountFills::new(ledger),
                fiat,
                force_refresh_limit: ForceRefreshLimit::default(),
                operator,
                readiness: Readiness::default(),
                metrics: Arc::new(Metrics::default()),
                deployments,
                options: Options {
                    public_url: "https://swap.example".to_owned(),
                    timeout: Duration::from_millis(500),
                    rate_limits,
                    api_keys,
                    max_in_work: max_in_work.unwrap_or(usize::MAX),
                    has_metrics_listener: false,
                    sandbox_rpc: None,
                    mode: if embed_origins.is_some() { "production" } else { "sandbox" },
                    embed_origins: embed_origins.unwrap_or_default(),
                    store_engine: "sqlite",
                    started_at: "2026-11-15T12:00:00Z".parse().unwrap(),
                },
            },
            Router::new(),
        )
    }
}

pub(crate) async fn send(router: Router, request: Request<Body>) -> Response<Body> {
    router.oneshot(request).await.unwrap()
}

pub(crate) async fn get(path: &str) -> Response<Body> {
    let request = Request::get(path).body(Body::empty()).unwrap();
    send(router(Arc::default()), request).await
}

pub(crate) async fn json(response: Response<Body>) -> Value {
    serde_json::from_slice(&bytes(response).await).unwrap()
}

pub(crate) async fn bytes(response: Response<Body>) -> Vec<u8> {
    response.into_body().collect().await.unwrap().to_bytes().to_vec()
}

pub(crate) async fn get_json(path: &str) -> Value {
    json(get(path).await).await
}
