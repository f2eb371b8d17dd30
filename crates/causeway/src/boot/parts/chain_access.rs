use anyhow::Context as _;
use causeway_catalog::Catalog;
use causeway_prices::FixedPrices;
use causeway_store::Store;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::{ContractChecks, Deployments, Records, UncheckedContracts};
use crate::boot::parts::sandbox::{self, SandboxChains};

/// The sandbox chains inside the process, the clients of all chains, and the deployed contracts.
pub(crate) struct ChainAccess {
    pub(crate) sandbox: Option<SandboxChains>,
    /// The public JSON-RPC address of the sandbox chains.
    pub(crate) sandbox_rpc: Option<String>,
    pub(crate) clients: ChainClients,
    /// What the sandbox's attesters read through, if that is not the service's own.
    pub(crate) attester_clients: Option<ChainClients>,
    pub(crate) deployments: Deployments,
    /// In production, the contracts that could not be checked yet.
    pub(crate) unchecked: Option<UncheckedContracts>,
}

impl ChainAccess {
    pub(crate) async fn open(
        config: &Config,
        catalog: &Catalog,
        prices: &FixedPrices,
        store: &Store,
        public_url: &str,
    ) -> anyhow::Result<Self> {
        let sandbox = open_sandbox(config, catalog, prices, store).await?;
        let sandbox_rpc = sandbox_rpc(config, public_url);
        // Chains inside the process are called directly, without the public HTTP server and its limits.
        let inner_rpc = sandbox.as_ref().map(|sandbox| sandbox.rpc.clone()).or_else(|| sandbox_rpc.clone());
        let attester_node = inner_rpc.as_deref().and_then(|first| config.sandbox.attester_node(first));
        let inner_rpc = inner_rpc.map(|first| config.sandbox.all_nodes(&first));
        let deployments = deployments(config, catalog, sandbox.as_ref(), inner_rpc.as_deref()).await?;
        let fees = config.sandbox.fees.model();
        let clients = ChainClients::connect(catalog, inner_rpc.as_deref(), fees, &config.endpoints)?;
        let attester_clients =
            attester_node.map(|node| ChainClients::connect(catalog, Some(&node), fees, &[])).transpose()?;
        let (deployments, unchecked) = check_records(config, catalog, deployments, &clients).await?;
        Ok(Self { sandbox, sandbox_rpc, clients, attester_clients, deployments, unchecked })
    }
}

/// Checks the records in production. The sandbox has just deployed its contracts, or found them where its plan puts them.
pub(crate) async fn check_records(
    config: &Config,
    catalog: &Catalog,
    deployments: Deployments,
    clients: &ChainClients,
) -> anyhow::Result<(Deployments, Option<UncheckedContracts>)> {
    if config.mode == Mode::Sandbox || deployments.is_empty() {
        return Ok((deployments, None));
    }
    let checks = ContractChecks::new(config, catalog)?;
    let (deployments, unchecked) = deployments.checked(checks, clients).await?;
    Ok((deployments, Some(unchecked)))
}

/// Opens the sandbox chains inside the process, unless they are disabled or run in another process.
pub(crate) async fn open_sandbox(
    config: &Config,
    catalog: &Catalog,
    prices: &FixedPrices,
    store: &Store,
) -> anyhow::Result<Option<SandboxChains>> {
    if config.mode != Mode::Sandbox || !config.sandbox.enabled {
        return Ok(None);
    }
    if config.sandbox.fresh {
        // Stored nonces of deleted chains would block every later transaction.
        store.forget_chains().await.context("cannot delete the stored state of the sandbox chains")?;
    }
    let inside = config.sandbox.rpc.is_none();
    Ok(if inside { Some(SandboxChains::open(config, catalog, prices).await?) } else { None })
}

/// Our contracts: deployed now, found on the chains of another process, or read from the records.
pub(crate) async fn deployments(
    config: &Config,
    catalog: &Catalog,
    sandbox: Option<&SandboxChains>,
    rpc: Option<&str>,
) -> anyhow::Result<Deployments> {
    match (sandbox, rpc) {
        (Some(sandbox), _) => sandbox.deploy(config, catalog).await,
        (None, Some(rpc)) => sandbox::find_contracts(catalog, rpc).await,
        (None, None) if config.mode == Mode::Production => Records::of(config).read(),
        (None, None) => Ok(Deployments::default()),
    }
}

/// The public JSON-RPC address of the sandbox chains, if they are enabled.
pub(crate) fn sandbox_rpc(config: &Config, public_url: &str) -> Option<String> {
    let runs = config.mode == Mode::Sandbox && config.sandbox.enabled;
    let base = config.sandbox.rpc.as_deref().unwrap_or(public_url).trim_end_matches('/');
    runs.then(|| format!("{base}/sandbox/rpc"))
}
