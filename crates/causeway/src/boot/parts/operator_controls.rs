use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::FillerRecord;
use causeway_domain::{Address, ChainId, Deployment};
use causeway_engine::{
    Fillers, OperateIntegrators, OperatePauses, Pauses, Registry, RegistryParts, ReviewOrders, ReviewParts,
    UpdateReputation,
};
use causeway_fillers::oif::OifContracts;
use causeway_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, FillerConfig, Mode};
use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::filler_factory::FillerFactory;
use crate::boot::parts::market::deposit_methods;
use crate::boot::parts::orders::Orders;

/// How long the background tasks may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// A chain whose newest final block is older than this is stalled. Real chains take minutes until a block is final.
const STALE: Duration = Duration::from_mins(30);
const SANDBOX_STALE_AFTER: Duration = Duration::from_secs(30);

/// What operators control: pauses, registered fillers, API keys, and the review of orders.
pub(crate) struct OperatorControls {
    pub(crate) pauses: Arc<OperatePauses>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) integrators: Arc<OperateIntegrators>,
    pub(crate) review: Arc<ReviewOrders>,
    reputation: UpdateReputation,
    tasks: JoinSet<()>,
}

/// Loads the stored pauses.
pub(crate) async fn open_pauses(store: &Arc<Store>) -> anyhow::Result<Arc<OperatePauses>> {
    Ok(Arc::new(OperatePauses::open(Arc::<Pauses>::default(), store.clone()).await?))
}

impl OperatorControls {
    /// Registers the fillers of the configuration and of the store.
    pub(crate) async fn open(
        context: &AppContext<'_>,
        orders: &Orders,
        fillers: &Fillers,
        pauses: Arc<OperatePauses>,
        public_url: &str,
    ) -> anyhow::Result<Self> {
        let AppContext { config, store, deployments, .. } = *context;
        let configured = configured(config)?;
        let make = FillerFactory {
            contracts: oif_contracts(deployments),
            methods: deposit_methods(deployments),
            public_url: public_url.to_owned(),
            quote_keys: orders.quote_keys.clone(),
            deadline: config.quotes.options().deadline,
            mode: config.mode,
            configured: configured.iter().map(|record| record.name.clone()).collect(),
        };
        let registry = Registry::open(RegistryParts {
            records: store.clone(),
            make: Arc::new(make),
            fillers: fillers.clone(),
            executors: orders.executors.clone(),
            configured,
        });
        let review = ReviewOrders::new(ReviewParts {
            orders: store.clone(),
            facts: store.clone(),
            outbox: store.clone(),
            fiat: store.clone(),
            cursors: Arc::clone(&orders.cursors),
            executors: orders.executors.clone(),
            pauses: Arc::clone(pauses.pauses()),
            stale_after: if config.mode == Mode::Sandbox { SANDBOX_STALE_AFTER } else { STALE },
        });
        Ok(Self {
            pauses,
            review: Arc::new(review),
            registry: Arc::new(registry.await?),
            integrators: Arc::new(OperateIntegrators::open(store.clone()).await?),
            reputation: UpdateReputation::new(store.clone(), fillers.clone()),
            tasks: JoinSet::new(),
        })
    }

    /// Synchronizes pauses, fillers and API keys with other replicas and keeps reputations, until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        let (pauses, until) = (Arc::clone(&self.pauses), stop.clone());
        self.tasks.spawn(async move { pauses.run(until).await });
        let (registry, until) = (Arc::clone(&self.registry), stop.clone());
        self.tasks.spawn(async move { registry.run(until).await });
        let (integrators, until) = (Arc::clone(&self.integrators), stop.clone());
        self.tasks.spawn(async move { integrators.run(until).await });
        let (reputation, until) = (self.reputation.clone(), stop.clone());
        self.tasks.spawn(async move { reputation.run(until).await });
    }

    /// Waits until all tasks have stopped.
    pub(crate) async fn wait_stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("synchronization of pauses and fillers did not stop in time; nothing is lost");
        }
    }
}

/// Our contracts as OIF solvers address them.
fn oif_contracts(deployments: &Deployments) -> HashMap<ChainId, OifContracts> {
    let methods = deposit_methods(deployments);
    let contracts = |deployment: &Deployment| {
        let methods = methods.get(&deployment.chain).cloned().unwrap_or_default();
        let (escrow, settler) = (Address::Evm(deployment.escrow), Address::Evm(deployment.settler));
        (deployment.chain, OifContracts { escrow, settler, methods })
    };
    deployments.evm.iter().map(contracts).collect()
}

fn configured(config: &Config) -> anyhow::Result<Vec<FillerRecord>> {
    config.fillers.iter().map(FillerConfig::record).collect()
}
