use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::FillerRecord;
use causeway_domain::{Address, ChainId, Deployment};
use causeway_engine::{
    Fillers, KeepReputation, OperatePauses, Pauses, Registry, RegistryParts, ReviewOrders, ReviewParts,
};
use causeway_fillers::oif::OifPlace;
use causeway_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, FillerConfig, Mode};
use crate::deployments::Deployments;
use crate::make_filler::Makers;
use crate::market::deposit_methods;
use crate::orders::{Orders, Surroundings};

/// How long what runs here may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(2);

/// A chain whose newest block that stands is older than this does not move. Real ones take minutes to stand for any amount.
const STALE: Duration = Duration::from_mins(30);
const PLAY_STALE: Duration = Duration::from_secs(30);

/// What those who run the service work with: pauses, and the fillers that come and go.
pub(crate) struct Operating {
    pub(crate) pauses: Arc<OperatePauses>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) review: Arc<ReviewOrders>,
    reputation: KeepReputation,
    tasks: JoinSet<()>,
}

/// What is paused already, before anything is asked of anybody.
pub(crate) async fn open_pauses(store: &Arc<Store>) -> anyhow::Result<Arc<OperatePauses>> {
    Ok(Arc::new(OperatePauses::open(Arc::<Pauses>::default(), store.clone()).await?))
}

impl Operating {
    /// Lets the fillers join that the configuration and the store name.
    pub(crate) async fn open(
        around: &Surroundings<'_>,
        orders: &Orders,
        fillers: &Fillers,
        pauses: Arc<OperatePauses>,
        public_url: &str,
    ) -> anyhow::Result<Self> {
        let Surroundings { config, store, deployments, .. } = *around;
        let make = Makers {
            places: places(deployments),
            methods: deposit_methods(deployments),
            public_url: public_url.to_owned(),
            quote_keys: orders.quote_keys.clone(),
            deadline: config.quotes.options().deadline,
        };
        let registry = Registry::open(RegistryParts {
            records: store.clone(),
            make: Arc::new(make),
            fillers: fillers.clone(),
            hands: orders.hands.clone(),
            configured: configured(config)?,
        });
        let review = ReviewOrders::new(ReviewParts {
            orders: store.clone(),
            review: store.clone(),
            facts: store.clone(),
            outbox: store.clone(),
            marks: Arc::clone(&orders.marks),
            hands: orders.hands.clone(),
            pauses: Arc::clone(pauses.pauses()),
            stale_after: if config.mode == Mode::Sandbox { PLAY_STALE } else { STALE },
        });
        Ok(Self {
            pauses,
            review: Arc::new(review),
            registry: Arc::new(registry.await?),
            reputation: KeepReputation::new(store.clone(), store.clone(), fillers.clone()),
            tasks: JoinSet::new(),
        })
    }

    /// Begins to follow what other replicas were told, and to judge the fillers, until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        let (pauses, until) = (Arc::clone(&self.pauses), stop.clone());
        self.tasks.spawn(async move { pauses.keep(until).await });
        let (registry, until) = (Arc::clone(&self.registry), stop.clone());
        self.tasks.spawn(async move { registry.keep(until).await });
        let (reputation, until) = (self.reputation.clone(), stop.clone());
        self.tasks.spawn(async move { reputation.keep(until).await });
    }

    /// Waits until all of it has stopped.
    pub(crate) async fn stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, all).await.is_err() {
            tracing::warn!("what follows pauses and fillers did not stop in time; nothing of it is lost");
        }
    }
}

/// Our contracts, for those who speak of them by their addresses.
fn places(deployments: &Deployments) -> HashMap<ChainId, OifPlace> {
    let methods = deposit_methods(deployments);
    let place = |there: &Deployment| {
        let methods = methods.get(&there.chain).cloned().unwrap_or_default();
        let (escrow, settler) = (Address::Evm(there.escrow), Address::Evm(there.settler));
        (there.chain, OifPlace { escrow, settler, methods })
    };
    deployments.evm.iter().map(place).collect()
}

fn configured(config: &Config) -> anyhow::Result<Vec<FillerRecord>> {
    config.fillers.iter().map(FillerConfig::record).collect()
}
