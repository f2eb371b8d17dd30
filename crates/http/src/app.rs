use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::Deployment;
use causeway_domain::ports::{ChainStore, Health, IdempotencyStore, OrderStore, PriceFeed};
use causeway_engine::fiat::FiatServices;
use causeway_engine::{
    AttestationCache, BuildDeposit, CountFills, ReadBalances, RequestQuote, SubmitDeposit, WatchOrders,
};
use jiff::Timestamp;

use crate::{EventStreams, ForceRefreshLimit, KnownOrders, Metrics, OperatorServices, RateLimits, Readiness};

/// Everything that the routes need, wired by the binary.
pub struct App {
    pub catalog: Arc<Catalog>,
    pub prices: Arc<dyn PriceFeed>,
    pub store: Arc<dyn Health>,
    pub read_balances: ReadBalances,
    pub request_quote: RequestQuote,
    pub build_deposit: BuildDeposit,
    pub submit_deposit: SubmitDeposit,
    pub orders: Arc<dyn OrderStore>,
    /// What was last answered of them.
    pub known_orders: KnownOrders,
    pub facts: Arc<dyn ChainStore>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub attestations: AttestationCache,
    pub watch_orders: Arc<WatchOrders>,
    pub event_streams: EventStreams,
    pub count_fills: CountFills,
    pub fiat: FiatServices,
    pub force_refresh_limit: ForceRefreshLimit,
    pub operator: OperatorServices,
    pub readiness: Readiness,
    pub metrics: Arc<Metrics>,
    /// Our contracts, by chain.
    pub deployments: Vec<Deployment>,
    pub options: Options,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Whether requests may, or must, carry an API key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiKeys {
    /// The header is ignored.
    #[default]
    Off,
    Optional,
    /// For quotes, builds and the fiat API.
    Required,
}

/// Options of the HTTP server, and what it reports about the service.
#[derive(Clone, Debug)]
pub struct Options {
    /// Base of all absolute URLs in responses, without a trailing slash.
    pub public_url: String,
    /// Time limit until the response starts.
    pub timeout: Duration,
    pub rate_limits: Option<RateLimits>,
    pub api_keys: ApiKeys,
    /// How many requests of clients may be in work at a time; more are refused.
    pub max_in_work: usize,
    /// Whether the metrics are served by [`metrics_router`](crate::metrics_router) alone.
    pub has_metrics_listener: bool,
    /// Base URL of the sandbox chains' JSON-RPC, if a sandbox runs; the chain id is appended.
    pub sandbox_rpc: Option<String>,
    /// Web origins that may embed the checkout page, in addition to our own.
    pub embed_origins: Vec<String>,
    /// `sandbox` or `production`.
    pub mode: &'static str,
    /// `sqlite` or `postgres`.
    pub store_engine: &'static str,
    pub started_at: Timestamp,
}
