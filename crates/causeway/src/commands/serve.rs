use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use causeway_catalog::{Catalog, CatalogOptions, OwnToken};
use causeway_domain::RowKeys;
use causeway_engine::{CountFills, Fillers, ReadBalances, RequestQuote, WatchOrders, keep_retention};
use causeway_http::{App, AttestationDesk, ForceLimit, Metrics, OperatorDesk, OperatorToken, Options};
use causeway_prices::{FixedPrices, sandbox_price};
use causeway_sandbox::genesis::Roles;
use causeway_store::Store;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::attesters::Attesters;
use crate::chains::Clients;
use crate::commands::operator::token::make_token;
use crate::config::{Config, Mode};
use crate::deployments::{Contracts, Deployments, Records};
use crate::fiat::Fiat;
use crate::makers::{Maker, makers};
use crate::market::{Market, MarketParts};
use crate::onramps::PlayRamps;
use crate::operating::{Operating, open_pauses};
use crate::orders::{Orders, Surroundings};
use crate::prices::watch_sources;
use crate::sandbox::{self, Play};
use crate::screening::screening;
use crate::service_keys::ServiceKeys;
use crate::webhooks::Webhooks;
use crate::{hub, logging, signals};

/// How long open requests may take to finish once the service stops; exit follows within 10 s.
pub(crate) const DRAIN: Duration = Duration::from_secs(8);

/// How long a chain may take to tell balances before it is left out.
const BALANCES_DEADLINE: Duration = Duration::from_secs(5);

/// How long the store may take to write what waits, after that.
const CLOSE: Duration = Duration::from_millis(1_500);

/// Starts everything and returns when it has been stopped.
pub(crate) async fn serve(config: &Config) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    let _lock = lock(&config.data_dir)?;
    let listener = listen(config.server.listen).await?;
    let bound = listener.local_addr()?;
    let public_url = config.server.public_url(bound);

    let store = Arc::new(open_store(config).await?);
    let catalog = Arc::new(load_catalog(config)?);
    let fixed = Arc::new(fixed_prices(config, &catalog)?);
    let Chains { play, sandbox_rpc, clients, deployments } =
        Chains::open(config, &catalog, &fixed, &store, &public_url).await?;
    let makers = own_makers(config, &deployments)?;
    let service_keys = service_keys(config, &deployments, &makers)?;
    let stop = CancellationToken::new();
    signals::stop_on_signal(stop.clone())?;
    let attesters = attesters(config, &clients, &deployments)?;
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
    let fillers =
        Fillers::under(Arc::clone(pauses.pauses()), market.fillers.clone(), &config.quotes.options())?;
    let keys = Arc::new(RowKeys::new(config.server.replica));
    let around = Surroundings {
        config,
        catalog: &catalog,
        clients: &clients,
        deployments: &deployments,
        market: &market,
        attestations: attesters.panel.clone(),
        keys: service_keys.as_ref(),
        store: &store,
        row_keys: &keys,
        screening: screening(&config.screening, &store, &keys)?,
    };
    let mut orders = Orders::open(&around)?;
    orders.start(&around, &stop).await?;
    let mut operating = Operating::open(&around, &orders, &fillers, pauses, &public_url).await?;
    operating.start(&stop);
    let mut ramps = PlayRamps::open(&around, bound).await?;
    ramps.start(&stop);
    let request_quote = RequestQuote::new(Arc::clone(&catalog), store.clone(), Arc::clone(&keys), fillers);
    let (mut fiat, fiat_desk) = Fiat::open(&around, &orders, &ramps, &request_quote)?;
    fiat.start(&stop);
    let watch_orders = Arc::new(WatchOrders::new(store.clone()));
    let mut webhooks = Webhooks::open(config, &catalog, &store, &keys).await?;
    webhooks.start(&stop);
    let heeded = Arc::clone(operating.pauses.pauses());
    let build_deposit = orders.build_deposit(&market).heeding(heeded).screened_by(around.screening.clone());
    let metrics = Arc::new(Metrics::default());
    watch_store(&metrics, &store);
    watch_sources(&metrics, &market.price_sources);
    let app = App {
        catalog: Arc::clone(&catalog),
        prices: Arc::clone(&market.prices),
        store: store.clone(),
        read_balances: ReadBalances::new(Arc::clone(&catalog), clients.readers(), BALANCES_DEADLINE),
        request_quote,
        build_deposit,
        submit_deposit: orders.submit_deposit(),
        quotes: store.clone(),
        orders: store.clone(),
        facts: store.clone(),
        attestations: AttestationDesk::new(attesters.panel.clone()),
        watch_orders: Arc::clone(&watch_orders),
        count_fills: CountFills::new(store.clone()),
        fiat: fiat_desk,
        force_limit: ForceLimit::default(),
        operator: operator_desk(config, &store, &webhooks, &operating)?,
        metrics,
        deployments: deployments.evm,
        options: options(config, &public_url, sandbox_rpc),
    };
    let beside = play.as_ref().map(|play| causeway_sandbox::routes(Arc::clone(&play.chains)));
    let beside = beside.unwrap_or_default().merge(attesters.routes.clone());
    let router = causeway_http::router(app, beside);

    let lists = tokio::spawn(Arc::clone(&catalog).keep_fresh());
    let retention = tokio::spawn(keep_retention(store.clone(), config.retention.policy(), stop.clone()));
    let watching = tokio::spawn(watch(watch_orders, stop.clone()));
    let probing = tokio::spawn(clients.keep_probing(stop.clone()));
    market.ready().await;
    greet(config, &public_url, &catalog)?;
    causeway_http::serve(listener, router, stop, DRAIN).await;
    retention.await.context("the retention task ended badly")?;
    [lists, probing, watching].iter().for_each(JoinHandle::abort);
    webhooks.stopped().await;
    fiat.stopped().await;
    operating.stopped().await;
    orders.stopped().await;
    ramps.stopped().await;
    attesters.stop().await;
    close(play, &store).await;
    Ok(())
}

async fn close(play: Option<Play>, store: &Store) {
    if let Some(play) = play {
        play.stop().await;
    }
    if tokio::time::timeout(CLOSE, store.close()).await.is_err() {
        tracing::warn!("the store did not close in time; what it has acknowledged is safe");
    }
}

/// The chains: those inside the process, how all are reached, and where our contracts lie on them.
struct Chains {
    play: Option<Play>,
    /// Where everybody reaches the play chains.
    sandbox_rpc: Option<String>,
    clients: Clients,
    deployments: Deployments,
}

impl Chains {
    async fn open(
        config: &Config,
        catalog: &Catalog,
        prices: &FixedPrices,
        store: &Store,
        public_url: &str,
    ) -> anyhow::Result<Self> {
        let play = open_sandbox(config, catalog, prices, store).await?;
        let sandbox_rpc = sandbox_rpc(config, public_url);
        // Chains inside the process are reached past the door, those elsewhere by their address.
        let inner_rpc = play.as_ref().map(|play| play.rpc.clone()).or_else(|| sandbox_rpc.clone());
        let inner_rpc = inner_rpc.map(|first| config.sandbox.all_nodes(&first));
        let deployments = deployments(config, catalog, play.as_ref(), inner_rpc.as_deref()).await?;
        let clients = Clients::connect(catalog, inner_rpc.as_deref(), &config.endpoints)?;
        let deployments = match config.mode {
            Mode::Sandbox => deployments,
            Mode::Production => deployments.checked(&clients).await?,
        };
        Ok(Self { play, sandbox_rpc, clients, deployments })
    }
}

async fn watch(orders: Arc<WatchOrders>, stop: CancellationToken) {
    orders.run(stop).await;
}

/// The play attesters; in production they are processes of their own.
fn attesters(config: &Config, clients: &Clients, deployments: &Deployments) -> anyhow::Result<Attesters> {
    match config.mode {
        _ if deployments.is_empty() => Ok(Attesters::default()),
        Mode::Production => Attesters::elsewhere(&config.contracts),
        Mode::Sandbox => Attesters::play(&config.data_dir, clients, deployments, config.sandbox.fresh),
    }
}

/// The market makers of our own, who need contracts to trade over.
fn own_makers(config: &Config, deployments: &Deployments) -> anyhow::Result<Vec<Maker>> {
    if !deployments.is_empty() {
        return makers(config);
    }
    ensure!(
        config.mode == Mode::Sandbox || config.market_makers.is_empty(),
        "market makers are configured, and no contracts are known: put them on the chains with `causeway deploy`, which \
         records them in {}/deployments",
        config.data_dir.display()
    );
    Ok(Vec::new())
}

/// The keys that orders need, where there can be orders.
fn service_keys(
    config: &Config,
    deployments: &Deployments,
    makers: &[Maker],
) -> anyhow::Result<Option<ServiceKeys>> {
    let orders = config.mode == Mode::Sandbox || config.contracts.has_panel();
    let needed = orders && !deployments.is_empty();
    needed.then(|| ServiceKeys::open(config, deployments, makers)).transpose()
}

fn operator_desk(
    config: &Config,
    store: &Arc<Store>,
    webhooks: &Webhooks,
    operating: &Operating,
) -> anyhow::Result<OperatorDesk> {
    Ok(OperatorDesk {
        token: OperatorToken::new(make_token(config)?),
        audit: store.clone(),
        webhooks: webhooks.desk.clone(),
        pauses: Arc::clone(&operating.pauses),
        registry: Arc::clone(&operating.registry),
        review: Arc::clone(&operating.review),
    })
}

fn options(config: &Config, public_url: &str, sandbox_rpc: Option<String>) -> Options {
    Options {
        public_url: public_url.to_owned(),
        timeout: config.server.timeout(),
        rate_limit: config.server.rate_limit(),
        sandbox_rpc,
        embed_origins: config.fiat.embed_origins.clone(),
        mode: config.mode.as_str(),
        store_engine: config.database.engine(),
        started_at: Timestamp::now(),
    }
}

/// One service per data folder; the lock ends with the process, however it ends.
pub(crate) fn lock(data_dir: &Path) -> anyhow::Result<File> {
    std::fs::create_dir_all(data_dir).with_context(|| format!("cannot create {}", data_dir.display()))?;
    let path = data_dir.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another causeway is running on the data folder {}: stop it, or choose another folder with --data-dir",
            data_dir.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

pub(crate) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}: stop what uses it, or choose another address with --listen")
    })
}

pub(crate) async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let location = config.database.location(&config.data_dir)?;
    Ok(Store::open(&location).await?)
}

/// The bundled catalog with the configured chains and token lists.
pub(crate) fn load_catalog(config: &Config) -> anyhow::Result<Catalog> {
    Ok(Catalog::load(&CatalogOptions {
        chains: config.chains.clone(),
        lists: config.tokens.lists.clone(),
        own: own_tokens(config)?,
        cache_dir: Some(config.data_dir.join("token-lists")),
    })?)
}

/// The tokens that come with our own contracts, and in the sandbox those that the hub's vaults are over.
fn own_tokens(config: &Config) -> anyhow::Result<Vec<OwnToken>> {
    match config.mode {
        Mode::Sandbox => {
            let mut own = hub::play_tokens();
            own.extend(hub::share_tokens(&Contracts::play(&Roles::new()?)?.hub()?));
            Ok(own)
        }
        Mode::Production => {
            let deployments = Records::under(&config.data_dir).read()?;
            Ok(deployments.evm.iter().flat_map(hub::share_tokens).collect())
        }
    }
}

/// The chains inside the process, unless they run elsewhere or not at all.
pub(crate) async fn open_sandbox(
    config: &Config,
    catalog: &Catalog,
    prices: &FixedPrices,
    store: &Store,
) -> anyhow::Result<Option<Play>> {
    if config.mode != Mode::Sandbox || !config.sandbox.enabled {
        return Ok(None);
    }
    if config.sandbox.fresh {
        // Before the chains go: nonces of chains that are no more would keep every later transaction waiting.
        store.forget_chains().await.context("what the store keeps of the chains could not be forgotten")?;
    }
    let inside = config.sandbox.rpc.is_none();
    Ok(if inside { Some(Play::open(config, catalog, prices).await?) } else { None })
}

/// Where our contracts lie: put there now, found where another process put them, or as the records say.
pub(crate) async fn deployments(
    config: &Config,
    catalog: &Catalog,
    play: Option<&Play>,
    rpc: Option<&str>,
) -> anyhow::Result<Deployments> {
    match (play, rpc) {
        (Some(play), _) => play.deploy(config, catalog).await,
        (None, Some(rpc)) => sandbox::find_contracts(catalog, rpc).await,
        (None, None) if config.mode == Mode::Production => Records::under(&config.data_dir).read(),
        (None, None) => Ok(Deployments::default()),
    }
}

/// Where the play chains answer, whether they run inside or elsewhere.
fn sandbox_rpc(config: &Config, public_url: &str) -> Option<String> {
    let runs = config.mode == Mode::Sandbox && config.sandbox.enabled;
    let base = config.sandbox.rpc.as_deref().unwrap_or(public_url).trim_end_matches('/');
    runs.then(|| format!("{base}/sandbox/rpc"))
}

fn watch_store(metrics: &Metrics, store: &Arc<Store>) {
    let (commits, writes) = (Arc::clone(store), Arc::clone(store));
    metrics.watch("store_commits", "Transactions committed", move || commits.commits());
    metrics.watch("store_writes", "Writes that those transactions held", move || writes.writes());
}

/// The sandbox's play prices and the operator's own, for the genuine assets only.
pub(crate) fn fixed_prices(config: &Config, catalog: &Catalog) -> anyhow::Result<FixedPrices> {
    let own = config.prices.fixed()?;
    let price = |coin: &str| {
        let own = own.iter().find(|(name, _)| *name == coin).map(|(_, price)| *price);
        own.or_else(|| if config.mode == Mode::Sandbox { sandbox_price(coin) } else { None })
    };
    let snapshot = catalog.snapshot();
    let assets = snapshot.assets().iter();
    let priced = assets.filter_map(|asset| price(&asset.coin).map(|price| (asset, price)));
    Ok(FixedPrices::new(
        priced.flat_map(|(asset, price)| asset.tokens.iter().map(move |token| (*token, price))),
    ))
}

/// A short summary with addresses that a terminal makes clickable.
fn greet(config: &Config, url: &str, catalog: &Catalog) -> anyhow::Result<()> {
    let snapshot = catalog.snapshot();
    let chains = snapshot.chains().iter().filter(|chain| chain.enabled).count();
    let tokens = snapshot.token_count();
    let location = config.database.location(&config.data_dir)?;
    let mode = match config.mode {
        Mode::Sandbox => "sandbox: play money only, never sign here with a real key",
        Mode::Production => "production",
    };
    let wallets = if sandbox_rpc(config, url).is_some() {
        "    Wallets        the ten accounts of \"test test test test test test test test test test test junk\"\n"
    } else {
        ""
    };
    // Nobody may be reading any more, and the service runs all the same.
    let _ = writeln!(
        std::io::stdout(),
        "\n  Causeway {version} is running ({mode})\n\n    \
         Start page     {url}/\n    \
         API reference  {url}/docs\n    \
         Chains         {url}/v1/chains ({chains} chains, {tokens} tokens)\n    \
         Store          {location}\n\
         {wallets}\n  \
         Ctrl-C stops it.\n",
        version = env!("CARGO_PKG_VERSION"),
    );
    Ok(())
}
