use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::Deployment;
use causeway_domain::ports::{FactStore, Health, OrderStore, PriceFeed, QuoteStore};
use causeway_engine::fiat::FiatDesk;
use causeway_engine::{BuildDeposit, CountFills, ReadBalances, RequestQuote, SubmitDeposit, WatchOrders};
use jiff::Timestamp;

use crate::{AttestationDesk, ForceLimit, Metrics, OperatorDesk, RateLimit};

/// Everything that the routes need, put together by the binary.
pub struct App {
    pub catalog: Arc<Catalog>,
    pub prices: Arc<dyn PriceFeed>,
    pub store: Arc<dyn Health>,
    pub read_balances: ReadBalances,
    pub request_quote: RequestQuote,
    pub build_deposit: BuildDeposit,
    pub submit_deposit: SubmitDeposit,
    pub quotes: Arc<dyn QuoteStore>,
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn FactStore>,
    pub attestations: AttestationDesk,
    pub watch_orders: Arc<WatchOrders>,
    pub count_fills: CountFills,
    pub fiat: FiatDesk,
    pub force_limit: ForceLimit,
    pub operator: OperatorDesk,
    pub metrics: Arc<Metrics>,
    /// Where our contracts lie, by chain.
    pub deployments: Vec<Deployment>,
    pub options: Options,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("options", &self.options).finish_non_exhaustive()
    }
}

/// How the door behaves, and what it says of itself.
#[derive(Clone, Debug)]
pub struct Options {
    /// Forms every absolute URL that is handed out; without a trailing slash.
    pub public_url: String,
    /// How long a request may take until its answer begins.
    pub timeout: Duration,
    pub rate_limit: Option<RateLimit>,
    /// Where the chains of a sandbox answer JSON-RPC, if one runs; a chain's address is this and its id.
    pub sandbox_rpc: Option<String>,
    /// The web origins that may show the page around a checkout, besides our own.
    pub embed_origins: Vec<String>,
    /// `sandbox` or `production`.
    pub mode: &'static str,
    /// `sqlite` or `postgres`.
    pub store_engine: &'static str,
    pub started_at: Timestamp,
}
