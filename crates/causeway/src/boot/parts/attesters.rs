use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::Address;
use anyhow::Context as _;
use axum::Router;
use causeway_attester::{Attest, Attester, AttesterConfig, EpochPanels, HttpAttester, WatchTasks};
use causeway_domain::ports::{Attestations, AttesterRegistry, ChainView};
use causeway_evm::attest::{AttestFinality, EvmAttesterRegistry, EvmVerifier, EvmView, ViewConfig};
use causeway_evm::{EvmAccountKey, EvmClient, Signer};
use causeway_http::Metrics;
use causeway_sandbox::genesis::Roles;
use causeway_solana::SolanaRpc;
use causeway_solana::attest::{SolanaAttesterRegistry, SolanaView, SolanaViewConfig};
use causeway_solana::program::EscrowProgram;
use tokio_util::sync::CancellationToken;

use crate::boot::config::ContractsConfig;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::Deployments;

/// How long the head of a sandbox chain is cached.
const CACHE_TTL: Duration = Duration::from_millis(500);

/// How often each chain is polled; slow, because claims are not urgent and an idle sandbox should cost little.
const POLL: Duration = Duration::from_secs(10);

/// How often each attester is asked whether it is there.
const ASK_EVERY: Duration = Duration::from_secs(15);

/// The panel of attesters; in the sandbox also the attesters themselves.
#[derive(Default)]
pub(crate) struct Attesters {
    watching: Vec<WatchTasks>,
    /// The HTTP interface of the sandbox's attesters, under `/sandbox/attesters/1` and so on.
    pub(crate) routes: Router,
    /// Collects their signatures.
    pub(crate) panel: Option<Arc<dyn Attestations>>,
    /// Those that run as separate processes.
    remote: Vec<(Address, Arc<HttpAttester>)>,
}

impl Attesters {
    /// The configured attesters, which run as separate processes; none without URLs.
    pub(crate) fn remote(
        config: &ContractsConfig,
        clients: &ChainClients,
        deployments: &Deployments,
    ) -> anyhow::Result<Self> {
        if !config.has_panel() {
            return Ok(Self::default());
        }
        let ask = |(address, url): (&Address, &String)| -> anyhow::Result<(Address, Arc<HttpAttester>)> {
            let attester = HttpAttester::new(url).with_context(|| {
                format!("contracts.attester_urls: the attester {address} cannot be asked")
            })?;
            Ok((*address, Arc::new(attester)))
        };
        let first_epoch = config.attesters.iter().zip(&config.attester_urls);
        let members = first_epoch.chain(&config.other_attesters).map(ask);
        let remote: Vec<_> = members.collect::<anyhow::Result<_>>()?;
        let member = |(address, attester): &(Address, Arc<HttpAttester>)| {
            (*address, Arc::clone(attester) as Arc<dyn Attest>)
        };
        let panel = panels(remote.iter().map(member).collect(), clients, deployments);
        Ok(Self { panel: Some(panel), remote, ..Self::default() })
    }

    /// Registers how many chains each attester reads, and asks it now and then, also while nothing is claimed.
    pub(crate) fn watch(&self, metrics: &Metrics, stop: &CancellationToken) {
        for (_, attester) in &self.remote {
            let attester = Arc::clone(attester);
            let asking = async move {
                loop {
                    attester.readable_chains().await;
                    tokio::time::sleep(ASK_EVERY).await;
                }
            };
            tokio::spawn(stop.clone().run_until_cancelled_owned(asking));
        }
        let attesters = self.remote.clone();
        let read = move || {
            let gauge = |(address, attester): &(Address, Arc<HttpAttester>)| {
                let chains = attester.last_readable_chains()?;
                Some(([address.to_string()], i64::try_from(chains).unwrap_or(i64::MAX)))
            };
            attesters.iter().filter_map(gauge).collect()
        };
        let help = "How many chains an attester reads now; 0 while it does not answer";
        metrics.register_gauges("attester_chains", help, ["attester"], read);
    }

    /// Starts the sandbox's three attesters inside the service, two of which make a threshold. They read through the second
    /// clients. Fresh chains delete their journals.
    pub(crate) fn sandbox(
        data_dir: &Path,
        (clients, own): (&ChainClients, &ChainClients),
        deployments: &Deployments,
        fresh: bool,
    ) -> anyhow::Result<Self> {
        let folder = data_dir.join("sandbox").join("attesters");
        if fresh && folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let mut views: Vec<Arc<dyn ChainView>> = own.evm.iter().map(view).collect();
        views.extend(own.solana.iter().map(solana_view));
        let mut attesters = Self::default();
        let mut members: Vec<(Address, Arc<dyn Attest>)> = Vec::new();
        for (number, wallet) in (1..).zip(&Roles::new()?.attesters) {
            let settings = AttesterConfig { poll: POLL, ..AttesterConfig::new(deployments.contracts()) };
            let signer = Arc::new(EvmAccountKey::from(Signer::from_bytes(&wallet.key.0)?));
            let journal = folder.join(wallet.address.to_string());
            let attester = Attester::open(settings, signer, views.clone(), &journal)?;
            attesters.watching.push(attester.watch());
            members.push((wallet.address, Arc::new(attester.clone())));
            let path = format!("/sandbox/attesters/{number}");
            attesters.routes = attesters.routes.nest(&path, causeway_attester::router(attester));
        }
        attesters.panel = Some(panels(members, clients, deployments));
        Ok(attesters)
    }

    pub(crate) async fn stop(self) {
        for watching in self.watching {
            watching.stop().await;
        }
    }
}

/// Collects from the members that each chain's registry names.
fn panels(
    members: Vec<(Address, Arc<dyn Attest>)>,
    clients: &ChainClients,
    deployments: &Deployments,
) -> Arc<dyn Attestations> {
    let evm = deployments.evm.iter().filter_map(|deployment| {
        let client = clients.evm(deployment.chain)?.clone();
        Some(Arc::new(EvmAttesterRegistry::new(client, deployment.registry)) as Arc<dyn AttesterRegistry>)
    });
    let solana = deployments.solana.as_ref().zip(clients.solana.as_ref()).map(|(deployment, rpc)| {
        let program = EscrowProgram::new(deployment.program.0.into());
        Arc::new(SolanaAttesterRegistry::new(rpc.clone(), program)) as Arc<dyn AttesterRegistry>
    });
    Arc::new(EpochPanels::new(members, evm.chain(solana), Arc::new(EvmVerifier)))
}

/// All three attesters share one view per chain.
fn view(client: &EvmClient) -> Arc<dyn ChainView> {
    let config =
        ViewConfig { finality: AttestFinality::sandbox(), quorum: NonZeroUsize::MIN, fresh_for: CACHE_TTL };
    Arc::new(EvmView::new(client.clone(), config))
}

fn solana_view(rpc: &SolanaRpc) -> Arc<dyn ChainView> {
    let config = SolanaViewConfig { quorum: NonZeroUsize::MIN, fresh_for: CACHE_TTL };
    Arc::new(SolanaView::new(rpc.clone(), config))
}
