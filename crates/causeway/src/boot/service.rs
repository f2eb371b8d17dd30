use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use axum::Router;
use causeway_catalog::Catalog;
use causeway_domain::RowKeys;
use causeway_engine::{
    AttestationCache, CountFills, Fillers, ReadBalances, RequestQuote, WatchOrders, enforce_retention,
};
use causeway_http::{
    App, ConnectionLimits, EventStreams, ForceRefreshLimit, KnownOrders, Metrics, OperatorServices, Options,
    Readiness,
};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode, ServerConfig};
use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::attesters::Attesters;
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_access::ChainAccess;
use crate::boot::parts::chain_clients::{ChainClients, watch_endpoints};
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::data_dir::lock_data_dir;
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::fiat::{Fiat, watch_ramps};
use crate::boot::parts::forwarding::{joined_routes, open_forwarding};
use crate::boot::parts::gas_metrics::watch_gas;
use crate::boot::parts::http_server::{DRAIN_TIMEOUT, listen};
use crate::boot::parts::liquidity::open_liquidity;
use crate::boot::parts::market::{Market, MarketParts, watch_breakers, watch_halted, watch_inventory};
use crate::boot::parts::market_makers::{MarketMakerSpec, load_market_makers};
use crate::boot::parts::operator_controls::{OperatorControls, open_pauses};
use crate::boot::parts::operator_token;
use crate::boot::parts::orders::Orders;
use crate::boot::parts::prices::{fixed_prices, watch_sources};
use crate::boot::parts::replica::Replica;
use crate::boot::parts::sandbox::SandboxChains;
use crate::boot::parts::sandbox_fillers;
use crate::boot::parts::sandbox_onramps::SandboxOnRamps;
use crate::boot::parts::screening::screening;
use crate::boot::parts::service_keys::{ServiceKeys, account_keys};
use crate::boot::parts::shared_keys::{claim_keys, shared_keys};
use crate::boot::parts::signers::{report_silent_keys, watch_signers};
use crate::boot::parts::store::{CLOSE_TIMEOUT, open_store, watch_store};
use crate::boot::parts::warnings::warnings;
use crate::boot::parts::webhooks::Webhooks;
use crate::boot::signals;

/// How long a chain may take to report balances.
const BALANCES_DEADLINE: Duration = Duration::from_secs(5);

/// Open connections to the listener of the metrics; they come out of the reserved file descriptors.
const METRICS_CONNECTIONS: usize = 32;

/// All parts of the service, assembled and started.
pub(crate) struct Service {
    pub(crate) public_url: String,
    pub(crate) catalog: Arc<Catalog>,
    listener: TcpListener,
    router: Router,
    /// The listener of the metrics, if they have one of their own.
    metrics: Option<(TcpListener, Router)>,
    limits: ConnectionLimits,
    stop: CancellationToken,
    retention: JoinHandle<()>,
    /// Tasks that hold nothing and end with the service.
    background: [JoinHandle<()>; 4],
    webhooks: Webhooks,
    fiat: Fiat,
    operator_controls: OperatorControls,
    orders: Orders,
    ramps: SandboxOnRamps,
    attesters: Attesters,
    sandbox: Option<SandboxChains>,
    store: Arc<Store>,
    replica: Replica,
    /// Held until the store is closed.
    _lock: File,
}

impl Service {
    /// Starts every part; returns when quotes can be answered.
    #[expect(
        clippy::too_many_lines,
        reason = "one statement per part, in the order in which they need each other"
    )]
    pub(crate) async fn start(config: &Config) -> anyhow::Result<Self> {
        let lock = lock_data_dir(&config.data_dir)?;
        let listener = listen(config.server.listen).await?;
        let bound = listener.local_addr()?;
        let metrics_listener = match config.server.metrics_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let public_url = config.server.public_url(bound);

        if let Some(problem) = config.server.shared_limit(config.mode) {
            tracing::warn!("{problem}");
        }
        if config.server.replica.is_some() {
            tracing::warn!(
                "server.replica is not needed any more: the database gives each process its number"
            );
        }
        tracing::info!("opening the store");
        let store = Arc::new(open_store(config).await?);
        let catalog = Arc::new(load_catalog(config)?);
        let fixed = Arc::new(fixed_prices(config, &catalog)?);
        tracing::info!(
            chains = catalog.snapshot().chains().len(),
            "starting chains and checking contracts; the first start in a data folder deploys them"
        );
        let ChainAccess { sandbox, sandbox_rpc, clients, attester_clients, deployments, unchecked } =
            ChainAccess::open(config, &catalog, &fixed, &store, &public_url).await?;
        let makers = configured_market_makers(config, &deployments)?;
        let service_keys = service_keys(config, &deployments, &makers)?;
        claim_keys(&store, shared_keys(config, service_keys.as_ref(), &makers)?).await?;
        let stop = CancellationToken::new();
        let keys_that_sign = report_silent_keys(account_keys(service_keys.as_ref(), &makers));
        tokio::spawn(stop.clone().run_until_cancelled_owned(keys_that_sign));
        signals::stop_on_signal(stop.clone())?;
        let attesters = attesters(config, &clients, attester_clients.as_ref(), &deployments)?;
        let parts = MarketParts {
            config,
            catalog: &catalog,
            fixed,
            clients: &clients,
            deployments: &deployments,
            store: &store,
        };
        let market = Market::open(&parts, makers, &stop)?;
        let pauses = open_pauses(&store).await?;
        let fillers = Fillers::with_pauses(
            Arc::clone(pauses.pauses()),
            market.fillers.clone(),
            &config.quotes.options(),
        )?;
        let policies = ChainPolicies::of(config.mode, &catalog);
        let liquidity = open_liquidity(&config.liquidity, &clients, &policies, &fillers, &store)?;
        let replica = Replica::lease(&store).await?;
        let keys = Arc::clone(&replica.keys);
        let context = AppContext {
            config,
            catalog: &catalog,
            clients: &clients,
            deployments: &deployments,
            unchecked: unchecked.as_ref(),
            market: &market,
            liquidity,
            attestations: attesters.panel.clone(),
            keys: service_keys.as_ref(),
            store: &store,
            row_keys: &keys,
            screening: screening(&config.screening, &store, &keys)?,
        };
        let mut orders = Orders::open(&context)?;
        let warnings = Arc::new(warnings(&context, &orders));
        let single = RequestQuote::new(Arc::clone(&catalog), Arc::clone(&orders.seal), fillers.clone())
            .with_cursors(Arc::clone(&orders.cursors))
            .with_recipient_checks(orders.deposit_builders.clone());
        let forwarding = open_forwarding(&context, &orders, &single);
        orders.start(&context, &forwarding, &stop).await?;
        let mut operator_controls =
            OperatorControls::open(&context, &orders, &fillers, pauses, &public_url).await?;
        operator_controls.start(&stop);
        let mut ramps = SandboxOnRamps::open(&context, bound).await?;
        ramps.start(&stop);
        let joined = joined_routes(&context, &orders, &single);
        let single = single.with_warnings(Arc::clone(&warnings));
        let (mut fiat, fiat_services) = Fiat::open(&context, &orders, &ramps, &single, forwarding)?;
        let request_quote = single.with_joined_routes(joined);
        fiat.start(&stop);
        let watch_orders = Arc::new(WatchOrders::new(store.clone()));
        let mut webhooks = Webhooks::open(config, &catalog, &store, &keys, deployments.evm.clone()).await?;
        webhooks.start(&stop);
        let shared_pauses = Arc::clone(operator_controls.pauses.pauses());
        let build_deposit = orders
            .build_deposit(&market)
            .with_unpaid_limits(config.orders.unpaid())
            .with_pauses(shared_pauses)
            .with_warnings(warnings)
            .with_screening(context.screening.clone());
        let metrics = Arc::new(Metrics::default());
        watch_store(&metrics, &store);
        watch_sources(&metrics, &market.price_sources);
        watch_breakers(&metrics, &market);
        watch_halted(&metrics, &catalog, &orders.cursors);
        watch_inventory(&metrics, &market);
        attesters.watch(&metrics, &stop);
        watch_endpoints(&metrics, &clients);
        watch_gas(&metrics, &orders.compare_gas);
        watch_signers(&metrics);
        watch_ramps(&metrics, &fiat_services.ramps);
        let app = App {
            catalog: Arc::clone(&catalog),
            prices: Arc::clone(&market.prices),
            store: store.clone(),
            read_balances: ReadBalances::new(Arc::clone(&catalog), clients.readers(), BALANCES_DEADLINE),
            request_quote,
            build_deposit,
            submit_deposit: orders.submit_deposit(),
            orders: store.clone(),
            facts: store.clone(),
            idempotency: store.clone(),
            attestations: AttestationCache::new(attesters.panel.clone()),
            watch_orders: Arc::clone(&watch_orders),
            event_streams: EventStreams::new(config.server.stream_limits()),
            count_fills: CountFills::new(store.clone()),
            fiat: fiat_services,
            known_orders: KnownOrders::new(store.clone()),
            force_refresh_limit: ForceRefreshLimit::default(),
            operator: operator_services(config, &store, &webhooks, &operator_controls, &keys)?,
            readiness: Readiness::default(),
            metrics,
            deployments: deployments.evm,
            options: options(config, &public_url, sandbox_rpc),
        };
        let extra_routes =
            sandbox.as_ref().map(|sandbox| causeway_sandbox::routes(Arc::clone(&sandbox.chains)));
        let extra_routes = extra_routes
            .unwrap_or_default()
            .merge(attesters.routes.clone())
            .merge(sandbox_fillers::routes(config.mode, &market));
        let app = Arc::new(app);
        let metrics = metrics_listener.map(|listener| (listener, causeway_http::metrics_router(app.clone())));
        let router = causeway_http::router(app, extra_routes);

        let lists = tokio::spawn(Arc::clone(&catalog).refresh_loop());
        let retention = tokio::spawn(enforce_retention(
            store.clone(),
            store.clone(),
            config.retention.policy(),
            stop.clone(),
        ));
        let watching = tokio::spawn(watch(watch_orders, stop.clone()));
        let renewing = replica.keep(&stop);
        let probing = tokio::spawn(clients.probe_endpoints(stop.clone()));
        tracing::info!("waiting for prices and balances");
        market.ready().await;
        Ok(Self {
            public_url,
            catalog,
            listener,
            router,
            metrics,
            limits: config.server.connection_limits(),
            stop,
            retention,
            background: [lists, probing, watching, renewing],
            webhooks,
            fiat,
            operator_controls,
            orders,
            ramps,
            attesters,
            sandbox,
            store,
            replica,
            _lock: lock,
        })
    }

    /// The address on this machine, which a proxy forwards to.
    pub(crate) fn local_url(&self) -> anyhow::Result<String> {
        Ok(ServerConfig::local_url(self.listener.local_addr()?))
    }

    /// Answers requests until a signal stops the service, then stops the parts in order.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let metrics = self.metrics.map(|(listener, router)| {
            let limits = ConnectionLimits {
                total: METRICS_CONNECTIONS,
                per_address: METRICS_CONNECTIONS,
                ..self.limits
            };
            tokio::spawn(causeway_http::serve(listener, router, limits, self.stop.clone(), DRAIN_TIMEOUT))
        });
        causeway_http::serve(self.listener, self.router, self.limits, self.stop, DRAIN_TIMEOUT).await;
        if let Some(metrics) = metrics {
            metrics.await.context("the listener of the metrics failed")?;
        }
        self.retention.await.context("the retention task failed")?;
        self.background.iter().for_each(JoinHandle::abort);
        self.webhooks.wait_stopped().await;
        self.fiat.wait_stopped().await;
        self.operator_controls.wait_stopped().await;
        self.orders.wait_stopped().await;
        self.ramps.wait_stopped().await;
        self.attesters.stop().await;
        self.replica.release().await;
        close(self.sandbox, &self.store).await;
        Ok(())
    }
}

async fn close(sandbox: Option<SandboxChains>, store: &Store) {
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    if tokio::time::timeout(CLOSE_TIMEOUT, store.close()).await.is_err() {
        tracing::warn!("store did not close in time; acknowledged writes are safe");
    }
}

async fn watch(orders: Arc<WatchOrders>, stop: CancellationToken) {
    orders.run(stop).await;
}

/// The sandbox's attesters; in production they are separate processes.
fn attesters(
    config: &Config,
    clients: &ChainClients,
    attester_clients: Option<&ChainClients>,
    deployments: &Deployments,
) -> anyhow::Result<Attesters> {
    match config.mode {
        _ if deployments.is_empty() => Ok(Attesters::default()),
        Mode::Production => Attesters::remote(&config.contracts, clients, deployments),
        Mode::Sandbox => {
            let own = attester_clients.unwrap_or(clients);
            Attesters::sandbox(&config.data_dir, (clients, own), deployments, config.sandbox.fresh)
        }
    }
}

/// Our own market makers; they need deployed contracts.
fn configured_market_makers(
    config: &Config,
    deployments: &Deployments,
) -> anyhow::Result<Vec<MarketMakerSpec>> {
    ensure!(
        config.mode == Mode::Sandbox || config.market_makers.is_empty() || config.contracts.has_panel(),
        "market makers are paid when attesters say that they delivered: name the attesters' addresses in \
         contracts.attesters and where they answer in contracts.attester_urls"
    );
    if !deployments.is_empty() {
        return load_market_makers(config);
    }
    ensure!(
        config.mode == Mode::Sandbox || config.market_makers.is_empty(),
        "market makers are configured, and no contracts are known: put them on the chains with `causeway deploy`, which \
         records them in {}/deployments",
        config.data_dir.display()
    );
    Ok(Vec::new())
}

/// The service's keys, if orders are possible.
fn service_keys(
    config: &Config,
    deployments: &Deployments,
    makers: &[MarketMakerSpec],
) -> anyhow::Result<Option<ServiceKeys>> {
    let orders = config.mode == Mode::Sandbox || config.contracts.has_panel();
    let needed = orders && !deployments.is_empty();
    needed.then(|| ServiceKeys::open(config, deployments, makers)).transpose()
}

fn operator_services(
    config: &Config,
    store: &Arc<Store>,
    webhooks: &Webhooks,
    operator_controls: &OperatorControls,
    row_keys: &Arc<RowKeys>,
) -> anyhow::Result<OperatorServices> {
    Ok(OperatorServices {
        tokens: operator_token::tokens(config)?,
        audit: store.clone(),
        fiat: store.clone(),
        row_keys: Arc::clone(row_keys),
        webhooks: webhooks.admin.clone(),
        pauses: Arc::clone(&operator_controls.pauses),
        registry: Arc::clone(&operator_controls.registry),
        integrators: Arc::clone(&operator_controls.integrators),
        review: Arc::clone(&operator_controls.review),
    })
}

fn options(config: &Config, public_url: &str, sandbox_rpc: Option<String>) -> Options {
    Options {
        public_url: public_url.to_owned(),
        timeout: config.server.timeout(),
        rate_limits: config.server.rate_limit.limits(config.mode),
        api_keys: config.server.api_keys.keys(),
        max_in_work: config.server.connections.requests,
        has_metrics_listener: config.server.metrics_listen.is_some(),
        sandbox_rpc,
        embed_origins: config.fiat.embed_origins.clone(),
        mode: config.mode.as_str(),
        store_engine: config.database.engine(),
        started_at: Timestamp::now(),
    }
}
