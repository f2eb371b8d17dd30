//! The chains of an attester process: its own contract list and its own endpoints.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_domain::{ChainId, Family};
use causeway_evm::attest::{EvmView, ViewConfig};
use causeway_evm::{EvmClient, EvmConfig, Http, RpcUrl};
use causeway_solana::attest::{SolanaView, SolanaViewConfig};
use causeway_solana::{RpcConfig as SolanaConfig, SolanaRpc};
use futures::FutureExt as _;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::deployments::{CheckedView, ContractChecks, Deployments, Records};
use crate::boot::parts::sandbox;

/// How many endpoints of a real chain must agree.
const QUORUM: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// The attester's contract list; on sandbox chains the contracts are found without one.
pub(crate) async fn find_deployments(config: &Config) -> anyhow::Result<Deployments> {
    let recorded = Records::of(config).read()?;
    if !recorded.is_empty() {
        return Ok(recorded);
    }
    let folder = config.data_dir.join("deployments");
    ensure!(
        config.mode == Mode::Sandbox,
        "{} holds no deployment records: put those there whose contracts this attester is to speak of, after looking at \
         the contracts themselves",
        folder.display()
    );
    sandbox::find_contracts(&load_catalog(config)?, &config.sandbox.rpc_address()).await
}

/// A client of every chain that has a record, over the attester's own endpoints.
pub(crate) fn attester_clients(config: &Config, deployments: &Deployments) -> anyhow::Result<ChainClients> {
    let http = Http::new()?;
    let policies = ChainPolicies::load(config)?;
    let mut clients = ChainClients::default();
    for chain in deployments.contracts().into_keys() {
        let urls = endpoints(config, chain)?;
        let quorum = quorum(config, urls.len());
        ensure!(
            urls.len() >= quorum.get(),
            "chain {chain} needs at least {quorum} RPC addresses of different operators in attester.chains"
        );
        if chain.family() == Family::Solana {
            let urls = urls.iter().map(|url| url.expose().parse()).collect::<Result<_, _>>()?;
            clients.solana = Some(SolanaRpc::new(SolanaConfig::new(urls))?);
            continue;
        }
        let multicall = policies.evm(chain)?.multicall3;
        let config = EvmConfig { multicall, ..EvmConfig::new(urls) };
        clients.evm.push(EvmClient::with_http(chain, config, &http)?);
    }
    Ok(clients)
}

fn quorum(config: &Config, endpoints: usize) -> NonZeroUsize {
    match config.mode {
        Mode::Production => QUORUM,
        Mode::Sandbox => QUORUM.min(NonZeroUsize::new(endpoints).unwrap_or(NonZeroUsize::MIN)),
    }
}

/// Each chain as the attester's own endpoints show it, once its contracts are checked.
pub(crate) fn checked_views(
    config: &Config,
    deployments: &Deployments,
    clients: &ChainClients,
) -> anyhow::Result<Vec<Arc<CheckedView>>> {
    let policies = ChainPolicies::load(config)?;
    let fresh_for = Duration::from_millis(config.attester.poll_milliseconds / 2);
    let checks = Arc::new(ContractChecks::new(config, &load_catalog(config)?)?);
    deployments.evm.iter().try_for_each(|record| checks.compare(record))?;
    deployments.solana.iter().try_for_each(|record| checks.compare_program(record))?;
    let mut views = Vec::new();
    for client in &clients.evm {
        let (finality, quorum) =
            (policies.attest_finality(client.chain_id())?, quorum(config, client.endpoints().len()));
        let view = EvmView::new(client.clone(), ViewConfig { finality, quorum, fresh_for });
        let (checks, client) = (Arc::clone(&checks), client.clone());
        views.push(Arc::new(CheckedView::new(Arc::new(view), move || {
            let (checks, client) = (Arc::clone(&checks), client.clone());
            async move { checks.check(&client).await }.boxed()
        })));
    }
    if let (Some(rpc), Some(record)) = (&clients.solana, &deployments.solana) {
        let quorum = quorum(config, rpc.endpoints().len());
        let view = SolanaView::new(rpc.clone(), SolanaViewConfig { quorum, fresh_for });
        let (checks, rpc, record) = (checks, rpc.clone(), record.clone());
        views.push(Arc::new(CheckedView::new(Arc::new(view), move || {
            let (checks, rpc, record) = (Arc::clone(&checks), rpc.clone(), record.clone());
            async move { checks.check_program(&rpc, &record).await }.boxed()
        })));
    }
    Ok(views)
}

fn endpoints(config: &Config, chain: ChainId) -> anyhow::Result<Vec<RpcUrl>> {
    let own = config.attester.chains.iter().find(|own| own.id == chain.get());
    match (own, config.mode) {
        (Some(own), _) => Ok(own.rpc.iter().map(|rpc| rpc.0.clone()).collect()),
        (None, Mode::Sandbox) => Ok(vec![format!("{}/{chain}", config.sandbox.rpc_address()).parse()?]),
        (None, Mode::Production) => None.with_context(|| {
            format!("there is a deployment record for chain {chain}, and attester.chains does not say how to reach it")
        }),
    }
}
