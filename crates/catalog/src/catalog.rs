use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use causeway_domain::ChainId;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::chains::{self, ChainOverride, Icons};
use crate::lists::{Fetcher, Incoming, List, ListError, Refreshed, TokenListConfig, Tokens};
use crate::snapshot::{Base, Snapshot};
use crate::tokens::OwnToken;
use crate::{CatalogError, data, tokens};

/// Catalog settings.
#[derive(Clone, Debug, Default)]
pub struct CatalogOptions {
    pub chains: Vec<ChainOverride>,
    /// The chains among those that swaps only begin on, such as Bitcoin, for which there is a provider. The others are not
    /// in the catalog.
    pub sources: Vec<ChainId>,
    pub lists: Vec<TokenListConfig>,
    /// Tokens of the service's own deployment, which rank as well known.
    pub own: Vec<OwnToken>,
    /// Where the last valid copies of lists are stored; `None` disables the cache.
    pub cache_dir: Option<PathBuf>,
}

/// The chains and tokens of the service; readers take a snapshot without blocking.
#[derive(Debug)]
pub struct Catalog {
    current: ArcSwap<Snapshot>,
    lists: Mutex<Vec<List>>,
    base: Arc<Base>,
}

/// Retry interval after a failure, unless the list's own interval is shorter.
const RETRY_AFTER: Duration = Duration::from_mins(5);

impl Catalog {
    /// The bundled catalog.
    pub fn bundled() -> Result<Self, CatalogError> {
        Self::load(&CatalogOptions::default())
    }

    /// The bundled catalog with the configured changes. Reads files, but makes no requests.
    pub fn load(options: &CatalogOptions) -> Result<Self, CatalogError> {
        let chains = chains::load_with_sources(&options.chains, &options.sources)?;
        let icons = Icons::load(&chains, &options.chains)?;
        let mut assets = tokens::parse_assets(data::TOP)?;
        assets.keep_chains(&chains);
        for own in &options.own {
            assets.add(own)?;
        }
        let own = options.own.iter().map(|own| own.token.clone()).collect();
        let base = Arc::new(Base { chains, icons, assets, own });
        let lists = open_lists(options)?;
        let snapshot = build(&base, &lists)?;
        Ok(Self { current: ArcSwap::from_pointee(snapshot), lists: Mutex::new(lists), base })
    }

    /// The current snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// A short-lived guard of the current snapshot without reference counting, for hot paths.
    pub fn snapshot_guard(&self) -> impl Deref<Target = Arc<Snapshot>> {
        self.current.load()
    }

    /// Fetches one list and applies it.
    pub async fn refresh(self: &Arc<Self>, name: &str) -> Result<Refreshed, ListError> {
        self.refresh_with(&Fetcher::new()?, name).await
    }

    /// Refreshes every list at its interval until the future is dropped. Without lists it returns at once.
    pub async fn refresh_loop(self: Arc<Self>) {
        let mut due: Vec<(Instant, String)> =
            self.lists.lock().iter().map(|list| (Instant::now(), list.name.clone())).collect();
        let mut fetcher = None;
        while let Some((when, name)) = due.iter_mut().min_by_key(|(when, _)| *when) {
            sleep_until(*when).await;
            let interval = self.interval(name);
            *when = Instant::now()
                + match self.refresh_or_warn(&mut fetcher, name).await {
                    Ok(()) => interval,
                    Err(()) => interval.min(RETRY_AFTER),
                };
        }
    }

    async fn refresh_or_warn(self: &Arc<Self>, fetcher: &mut Option<Fetcher>, name: &str) -> Result<(), ()> {
        let ready = match fetcher.take() {
            Some(ready) => Ok(ready),
            None => Fetcher::new(),
        };
        let outcome = match ready {
            Ok(ready) => self.refresh_with(fetcher.insert(ready), name).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(Refreshed::Updated { tokens, skipped }) => {
                tracing::info!(list = name, tokens, skipped, "token list refreshed");
                Ok(())
            }
            Ok(Refreshed::Unchanged) => Ok(()),
            Err(error) => {
                tracing::warn!(list = name, %error, "token list refresh failed, last valid copy stays in use");
                Err(())
            }
        }
    }

    async fn refresh_with(self: &Arc<Self>, fetcher: &Fetcher, name: &str) -> Result<Refreshed, ListError> {
        let request = self
            .lists
            .lock()
            .iter()
            .find(|list| list.name == name)
            .map(|list| list.request(fetcher.clone()))
            .ok_or(ListError::Unknown)?;
        let incoming = request.await?;
        let (catalog, name) = (Arc::clone(self), name.to_owned());
        // Validation and indexing are slow and must not block requests.
        tokio::task::spawn_blocking(move || catalog.apply_update(&name, incoming))
            .await
            .unwrap_or_else(|error| Err(ListError::Malformed(error.to_string())))
    }

    fn apply_update(&self, name: &str, incoming: Incoming) -> Result<Refreshed, ListError> {
        let mut lists = self.lists.lock();
        let list = lists.iter_mut().find(|list| list.name == name).ok_or(ListError::Unknown)?;
        let Some(change) = list.check(incoming)? else { return Ok(Refreshed::Unchanged) };
        let outcome = change.outcome;
        list.accept(change);
        if outcome != Refreshed::Unchanged {
            let snapshot =
                build(&self.base, &lists).map_err(|error| ListError::Malformed(error.to_string()))?;
            self.current.store(Arc::new(snapshot));
        }
        Ok(outcome)
    }

    fn interval(&self, name: &str) -> Duration {
        self.lists.lock().iter().find(|list| list.name == name).map_or(RETRY_AFTER, |list| list.interval)
    }
}

fn open_lists(options: &CatalogOptions) -> Result<Vec<List>, CatalogError> {
    let mut lists: Vec<List> = Vec::with_capacity(options.lists.len());
    for config in &options.lists {
        let invalid = |source| CatalogError::List { name: config.name.clone(), source };
        if lists.iter().any(|list| list.name == config.name) {
            return Err(invalid(ListError::Name));
        }
        lists.push(List::open(config, options.cache_dir.as_deref()).map_err(invalid)?);
    }
    Ok(lists)
}

/// Parses the bundled tokens each time, which is fast and keeps no second copy in memory.
fn build(base: &Arc<Base>, lists: &[List]) -> Result<Snapshot, CatalogError> {
    let mut bundled = base.own.clone();
    bundled.append(&mut tokens::parse_bundled(data::TOKENS)?);
    let lists: Vec<Tokens> = lists.iter().map(List::tokens).collect();
    Ok(Snapshot::build(Arc::clone(base), bundled, &lists))
}
