use std::fs::File;
use std::sync::Arc;

use anyhow::Context as _;
use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Chain, TokenId};
use causeway_evm::Signer;
use causeway_http::ConnectionLimits;
use causeway_sandbox::genesis::Roles;
use causeway_sandbox::{ChainSpec, FeeModel, Sandbox, SandboxOptions, TokenSpec};
use causeway_solana::orders::find_program;
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::data_dir::lock_data_dir;
use crate::boot::parts::deployments::{Contracts, Deployments, Records, start_sandbox_program};
use crate::boot::parts::http_server::DRAIN_TIMEOUT;
use crate::boot::parts::hub;

/// The sandbox chains inside the process.
#[derive(Debug)]
pub(crate) struct SandboxChains {
    pub(crate) chains: Arc<Sandbox>,
    /// The internal JSON-RPC address, without the public server's limits.
    pub(crate) rpc: String,
    stop: CancellationToken,
    server: JoinHandle<()>,
    _lock: File,
}

impl SandboxChains {
    /// Opens every enabled chain of the catalog with its well-known tokens.
    pub(crate) async fn open(
        config: &Config,
        catalog: &Catalog,
        prices: &dyn PriceFeed,
    ) -> anyhow::Result<Self> {
        let folder = config.data_dir.join("sandbox");
        let lock = lock_data_dir(&folder)?;
        // Vault shares are deployed by their factory, not at genesis.
        let shares = hub::share_tokens(&contracts(&Roles::new()?, catalog)?.hub()?);
        let shares: Vec<TokenId> = shares.iter().map(|own| own.token.id).collect();
        let snapshot = catalog.snapshot();
        let chains = snapshot.chains().iter().filter(|chain| chain.is_read());
        let chains: Vec<ChainSpec> = chains.map(|chain| spec(&snapshot, chain, prices, &shares)).collect();
        let options = SandboxOptions {
            data_dir: Some(folder),
            fresh: config.sandbox.fresh,
            fees: config.sandbox.fees.model(),
        };
        let chains = Arc::new(Sandbox::open(&chains, &options)?);

        let listener = TcpListener::bind("127.0.0.1:0").await.context("no port is free on 127.0.0.1")?;
        let rpc = format!("http://{}/sandbox/rpc", listener.local_addr()?);
        let stop = CancellationToken::new();
        let routes = causeway_sandbox::routes(Arc::clone(&chains));
        let server = tokio::spawn(causeway_http::serve(
            listener,
            routes,
            ConnectionLimits::NONE,
            stop.clone(),
            DRAIN_TIMEOUT,
        ));
        Ok(Self { chains, rpc, stop, server, _lock: lock })
    }

    /// Deploys the contracts as `causeway deploy` does, and writes the deployment records.
    pub(crate) async fn deploy(&self, config: &Config, catalog: &Catalog) -> anyhow::Result<Deployments> {
        let roles = Roles::new()?;
        let clients = ChainClients::connect(catalog, Some(&self.rpc), config.sandbox.fees.model(), &[])?;
        let signer = Signer::from_bytes(&roles.deployer.key.0)?;
        let contracts = contracts(&roles, catalog)?;
        let program = async {
            match &clients.solana {
                Some(rpc) => start_sandbox_program(rpc, &roles).await.map(Some),
                None => Ok(None),
            }
        };
        let (evm, solana) = tokio::try_join!(contracts.deploy_everywhere(&clients, &signer), program)?;
        let records = Records::of(config);
        for deployment in &evm {
            records.write(deployment)?;
        }
        Ok(Deployments { evm, solana })
    }

    /// Flushes the chains to disk and stops them.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.server.abort();
        self.chains.stop().await;
    }
}

/// The contracts on sandbox chains of another process.
pub(crate) async fn find_contracts(catalog: &Catalog, rpc: &str) -> anyhow::Result<Deployments> {
    let roles = Roles::new()?;
    let clients = ChainClients::connect(catalog, Some(rpc), FeeModel::default(), &[])?;
    let evm = contracts(&roles, catalog)?.find_everywhere(&clients, roles.deployer.address).await?;
    let solana = match &clients.solana {
        Some(rpc) => find_program(rpc, EscrowProgram::new(SANDBOX_PROGRAM)).await?,
        None => None,
    };
    Ok(Deployments { evm, solana })
}

fn contracts(roles: &Roles, catalog: &Catalog) -> anyhow::Result<Contracts> {
    Contracts::sandbox(roles, ChainPolicies::of(Mode::Sandbox, catalog))
}

fn spec(snapshot: &Snapshot, chain: &Chain, prices: &dyn PriceFeed, shares: &[TokenId]) -> ChainSpec {
    let top = snapshot.top(&[chain.id]);
    let tokens = top.into_iter().map(|listed| listed.token);
    let tokens = tokens.filter(|token| !token.id.is_native() && !shares.contains(&token.id));
    let tokens = tokens.map(|token| TokenSpec {
        address: token.id.address(),
        symbol: token.symbol.clone(),
        name: token.name.clone(),
        decimals: token.decimals,
        is_wrapped_native: chain.wrapped_native == Some(token.id.address()),
        usd_price: prices.usd_price(&token.id),
    });
    ChainSpec { id: chain.id, tokens: tokens.collect() }
}
