use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Attestations, DepositDesk, Durable, FillCount, FillStatistics, Filler, Health, PriceFeed, QuoteStore,
    StoreError,
};
use causeway_domain::{
    ChainId, Deployment, OrderStatus, Quote, QuoteId, QuoteKey, QuoteKeys, Route, RowKeys, TokenId, UsdPrice,
};
use causeway_engine::{
    BuildDeposit, BuildParts, CountFills, Fillers, Hands, OrderTiming, QuoteOptions, ReadBalances,
    RequestQuote, SubmitDeposit, SubmitParts, WatchOrders,
};
use causeway_http::{App, AttestationDesk, ForceLimit, Metrics, Options};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::desk::FakeDesk;
use crate::fiat::desk::{FiatSide, Lent};
use crate::ledger::FakeLedger;
use crate::office::Office;

/// A store in memory that can be told to fail or to take its time.
#[derive(Debug, Default)]
pub(crate) struct FakeStore {
    pub(crate) quotes: Mutex<Vec<Quote>>,
    pub(crate) broken: bool,
    /// Takes the quote and no further route.
    pub(crate) breaks_later: bool,
    pub(crate) slow: Option<Duration>,
}

#[async_trait]
impl QuoteStore for FakeStore {
    fn put_quote<'a>(&'a self, quote: &Quote) -> Durable<'a> {
        let quote = quote.clone();
        Box::pin(async move {
            if let Some(time) = self.slow {
                tokio::time::sleep(time).await;
            }
            if self.broken {
                return Err(StoreError::Unavailable("disk /dev/secret is full".into()));
            }
            self.quotes.lock().unwrap().push(quote);
            Ok(())
        })
    }

    async fn add_route(&self, id: &QuoteId, route: &Route) -> Result<(), StoreError> {
        if self.breaks_later {
            return Err(StoreError::Unavailable("disk /dev/secret is full".into()));
        }
        let mut quotes = self.quotes.lock().unwrap();
        let quote = quotes.iter_mut().find(|quote| quote.id == *id).unwrap();
        quote.routes.push(route.clone());
        Ok(())
    }

    async fn quote(&self, id: &QuoteId) -> Result<Option<Quote>, StoreError> {
        Ok(self.quotes.lock().unwrap().iter().find(|quote| quote.id == *id).cloned())
    }
}

#[async_trait]
impl Health for FakeStore {
    async fn check(&self) -> Result<(), StoreError> {
        if self.broken { Err(StoreError::Unavailable("gone".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl FillStatistics for FakeStore {
    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError> {
        Ok(vec![FillCount { filler: "north".to_owned(), status: OrderStatus::Filled, orders: 7 }])
    }
}

/// Reading it takes longer than most tests.
static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::bundled().unwrap()));

/// Every token costs two dollars and a half.
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

/// What a service under test is made of.
#[derive(Default)]
pub(crate) struct Service {
    pub(crate) store: Arc<FakeStore>,
    pub(crate) ledger: Arc<FakeLedger>,
    pub(crate) desks: Vec<Arc<FakeDesk>>,
    pub(crate) deployments: Vec<Deployment>,
    pub(crate) fillers: Vec<Arc<dyn Filler>>,
    pub(crate) options: QuoteOptions,
    pub(crate) fiat: FiatSide,
    pub(crate) attesters: Option<Arc<dyn Attestations>>,
    pub(crate) office: Arc<Office>,
    /// Only these may show the page around a checkout; every page on this machine where absent, as in the sandbox.
    pub(crate) embed_origins: Option<Vec<String>>,
}

impl Service {
    pub(crate) fn router(self) -> Router {
        let Self {
            store,
            ledger,
            desks,
            deployments,
            fillers,
            options,
            fiat,
            attesters,
            office,
            embed_origins,
        } = self;
        let pauses = office.pauses();
        let fillers = Fillers::under(Arc::clone(pauses.pauses()), fillers, &options).unwrap();
        let operator = office.desk(Arc::clone(&pauses), &fillers, &ledger);
        let catalog = Arc::clone(&CATALOG);
        let row_keys = Arc::new(RowKeys::new(0));
        let desks: HashMap<ChainId, Arc<dyn DepositDesk>> =
            desks.into_iter().map(|desk| (desk.chain, desk as Arc<dyn DepositDesk>)).collect();
        let build = || BuildParts {
            catalog: Arc::clone(&catalog),
            quotes: store.clone(),
            orders: ledger.clone(),
            desks: desks.clone(),
            hands: Hands::default(),
            prices: Arc::new(FlatPrice),
            row_keys: Arc::clone(&row_keys),
            quote_keys: QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() },
            timing: OrderTiming::default(),
        };
        let request_quote =
            RequestQuote::new(Arc::clone(&catalog), store.clone(), Arc::clone(&row_keys), fillers);
        let fiat = fiat.desk(Lent {
            catalog: Arc::clone(&catalog),
            request_quote: request_quote.clone(),
            build: BuildDeposit::new(build()),
            ledger: ledger.clone(),
            desks: desks.clone(),
            prices: Arc::new(FlatPrice),
            row_keys: Arc::clone(&row_keys),
        });
        let build = build();
        let submit = SubmitParts {
            quotes: store.clone(),
            orders: ledger.clone(),
            desks,
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
                build_deposit: BuildDeposit::new(build).heeding(Arc::clone(pauses.pauses())),
                submit_deposit: SubmitDeposit::new(submit),
                quotes: store.clone(),
                orders: ledger.clone(),
                watch_orders: Arc::new(WatchOrders::new(ledger.clone())),
                facts: ledger,
                attestations: AttestationDesk::new(attesters),
                count_fills: CountFills::new(store),
                fiat,
                force_limit: ForceLimit::default(),
                operator,
                metrics: Arc::new(Metrics::default()),
                deployments,
                options: Options {
                    public_url: "https://swap.example".to_owned(),
                    timeout: Duration::from_millis(500),
                    rate_limit: None,
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
