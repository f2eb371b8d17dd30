//! Price sources: a drifting table in the sandbox, otherwise the median of the configured sources.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{ContractReader, PriceFeed};
use causeway_domain::{TokenId, UsdPrice};
use causeway_http::Metrics;
use causeway_prices::chainlink::ChainlinkReader;
use causeway_prices::coingecko::{CoinGeckoConfig, CoinGeckoReader};
use causeway_prices::pyth::{PythConfig, PythReader};
use causeway_prices::{
    ApiKey, DriftingPrices, FixedPrices, FixedSource, KnownFeeds, MedianPrices, PolledSource, PriceSource,
    sandbox_price, sandbox_volatility, underlying_asset,
};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode, Secret};
use crate::boot::parts::chain_clients::ChainClients;

/// How often coins that gained or lost their price are logged.
const PRICE_LOG_INTERVAL: Duration = Duration::from_secs(30);

/// The price feed and its sources.
pub(crate) struct Prices {
    pub(crate) feed: Arc<dyn PriceFeed>,
    /// The polled sources, for health metrics.
    pub(crate) sources: Vec<Arc<PolledSource>>,
}

impl Prices {
    /// Polls the configured sources until `stop`.
    pub(crate) fn open(
        config: &Config,
        catalog: &Catalog,
        fixed: Arc<FixedPrices>,
        clients: &ChainClients,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        if config.mode == Mode::Sandbox && !config.prices.has_sources() {
            let feed = if config.sandbox.drifting_prices { drifting(catalog, fixed) } else { fixed };
            return Ok(Self { feed, sources: Vec::new() });
        }
        let coins = Coins::of(catalog);
        let kept = sources(config, &coins, clients)?;
        let mut all: Vec<Arc<dyn PriceSource>> =
            kept.iter().map(|source| Arc::clone(source) as Arc<dyn PriceSource>).collect();
        all.extend(own_source(config)?);
        let rules = config.prices.rules(config.mode);
        if config.mode == Mode::Production && rules.min_sources < 2 {
            tracing::warn!("prices.median.least_sources is 1: a single source sets the price");
        }
        let median = Arc::new(MedianPrices::new(all, coins.tokens, rules));
        for source in &kept {
            let (source, stop) = (Arc::clone(source), stop.clone());
            tokio::spawn(async move { stop.run_until_cancelled(source.run()).await });
        }
        if !kept.is_empty() {
            tokio::spawn(watch_coins(Arc::clone(&median), coins.names, stop.clone()));
        }
        Ok(Self { feed: median, sources: kept })
    }
}

/// The genuine assets of the catalog.
struct Coins {
    names: Vec<Arc<str>>,
    tokens: HashMap<TokenId, Arc<str>>,
    /// The names, and the assets they represent.
    wanted: HashSet<String>,
}

impl Coins {
    fn of(catalog: &Catalog) -> Self {
        let snapshot = catalog.snapshot();
        let (mut names, mut tokens, mut wanted) = (Vec::new(), HashMap::new(), HashSet::new());
        for asset in snapshot.assets() {
            let name: Arc<str> = asset.coin.as_str().into();
            wanted.extend([name.to_string(), underlying_asset(&name).to_owned()]);
            tokens.extend(asset.tokens.iter().map(|token| (*token, Arc::clone(&name))));
            names.push(name);
        }
        Self { names, tokens, wanted }
    }

    fn retain(&self, mut ids: BTreeMap<String, String>) -> BTreeMap<String, String> {
        ids.retain(|coin, _| self.wanted.contains(coin));
        ids
    }
}

fn sources(config: &Config, coins: &Coins, clients: &ChainClients) -> anyhow::Result<Vec<Arc<PolledSource>>> {
    let mut sources = Vec::new();
    let prices = &config.prices;
    if let Some(chainlink) = &prices.chainlink {
        let mut source = chainlink.source(config.mode)?;
        source.feeds.retain(|feed| coins.wanted.contains(&feed.coin));
        let readers = clients.evm.iter().map(|client| Arc::new(client.clone()) as Arc<dyn ContractReader>);
        let reader = ChainlinkReader::new(source, readers.collect());
        sources.push(PolledSource::new(reader, Duration::from_secs(chainlink.every_seconds)));
    }
    let key = |key: &Option<Secret>| key.as_ref().map(|key| ApiKey::new(key.reveal().to_owned()));
    if let Some(pyth) = &prices.pyth {
        let mut ids = KnownFeeds::load()?.pyth;
        ids.extend(pyth.ids.clone());
        let usual = PythConfig::default();
        let reader = PythReader::new(PythConfig {
            url: pyth.url.as_ref().map_or(usual.url, |url| url.expose().to_owned()),
            api_key: key(&pyth.api_key),
            ids: coins.retain(ids),
            max_age: Duration::from_secs(pyth.max_age_seconds),
            max_confidence: pyth.max_confidence_bps.saturating_mul(100),
        })?;
        sources.push(PolledSource::new(reader, Duration::from_secs(pyth.every_seconds)));
    }
    if let Some(coingecko) = &prices.coingecko {
        let mut ids: BTreeMap<String, String> =
            coins.names.iter().map(|name| (name.to_string(), name.to_string())).collect();
        ids.extend(coins.retain(KnownFeeds::load()?.coingecko));
        ids.extend(coins.retain(coingecko.ids.clone()));
        let reader = CoinGeckoReader::new(CoinGeckoConfig {
            url: coingecko.url.as_ref().map(|url| url.expose().to_owned()),
            api_key: key(&coingecko.api_key),
            plan: coingecko.plan.into(),
            ids,
            max_age: Duration::from_secs(coingecko.max_age_seconds),
        })?;
        sources.push(PolledSource::new(reader, Duration::from_secs(coingecko.every_seconds)));
    }
    Ok(sources.into_iter().map(Arc::new).collect())
}

/// How long the sources may take for one reading.
const READ_TIMEOUT: Duration = Duration::from_secs(15);

/// What each source and each coin gave.
pub(crate) struct PriceReading {
    pub(crate) sources: Vec<(String, Result<(), String>)>,
    pub(crate) coins: Vec<(String, Result<UsdPrice, String>)>,
}

/// Reads every configured source once.
pub(crate) async fn read_once(
    config: &Config,
    catalog: &Catalog,
    clients: &ChainClients,
    coins: impl IntoIterator<Item = String>,
) -> anyhow::Result<PriceReading> {
    let known = Coins::of(catalog);
    let polled = sources(config, &known, clients)?;
    let reading = futures::future::join_all(polled.iter().map(async |source| {
        let outcome = match tokio::time::timeout(READ_TIMEOUT, source.poll()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("it did not answer within {} s", READ_TIMEOUT.as_secs())),
        };
        (source.name().to_owned(), outcome)
    }));
    let sources = reading.await;
    let mut all: Vec<Arc<dyn PriceSource>> =
        polled.into_iter().map(|source| source as Arc<dyn PriceSource>).collect();
    all.extend(own_source(config)?);
    let median = MedianPrices::new(all, known.tokens, config.prices.rules(config.mode));
    let now = Timestamp::now();
    let price = |coin: String| {
        let price = median.price_of(&coin, now);
        (coin, price)
    };
    Ok(PriceReading { sources, coins: coins.into_iter().map(price).collect() })
}

/// The prices that the configuration itself has.
fn own_source(config: &Config) -> anyhow::Result<Option<Arc<dyn PriceSource>>> {
    let own = config.prices.fixed()?;
    if own.is_empty() {
        return Ok(None);
    }
    let own = own.into_iter().map(|(coin, price)| (coin.to_owned(), price));
    Ok(Some(Arc::new(FixedSource::new(own))))
}

/// The sandbox's prices and the configured ones, for genuine assets only.
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

/// Sandbox prices that drift slightly over time.
fn drifting(catalog: &Catalog, fixed: Arc<FixedPrices>) -> Arc<dyn PriceFeed> {
    let snapshot = catalog.snapshot();
    let swings = snapshot.assets().iter().flat_map(|asset| {
        let swing = sandbox_volatility(&asset.coin);
        asset.tokens.iter().map(move |token| (*token, swing))
    });
    Arc::new(DriftingPrices::new(fixed, swings.collect::<Vec<_>>(), 0))
}

/// Logs coins that gain or lose their price.
async fn watch_coins(median: Arc<MedianPrices>, coins: Vec<Arc<str>>, stop: CancellationToken) {
    let mut priced: HashSet<Arc<str>> = HashSet::new();
    while stop.run_until_cancelled(tokio::time::sleep(PRICE_LOG_INTERVAL)).await.is_some() {
        let now = Timestamp::now();
        for coin in &coins {
            match median.price_of(coin, now) {
                Ok(price) if priced.insert(Arc::clone(coin)) => {
                    tracing::info!(%coin, %price, "coin priced");
                }
                Err(reason) if priced.remove(coin) => {
                    tracing::warn!(%coin, %reason, "coin no longer priced, not traded");
                }
                _ => {}
            }
        }
    }
}

/// Registers metrics of the sources.
pub(crate) fn watch_sources(metrics: &Metrics, sources: &[Arc<PolledSource>]) {
    let counters = |read: fn(&PolledSource) -> u64| {
        let sources = sources.to_vec();
        move || sources.iter().map(|source| ([source.name().to_owned()], read(source))).collect()
    };
    let reads = counters(|source| source.report().reads);
    metrics.register_counters("price_reads", "Reads of a price source", ["source"], reads);
    let faults = counters(|source| source.report().errors);
    metrics.register_counters("price_faults", "Reads of a price source that failed", ["source"], faults);
}
