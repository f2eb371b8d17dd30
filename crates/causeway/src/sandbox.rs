use std::fs::File;
use std::sync::Arc;

use anyhow::Context as _;
use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::ports::PriceFeed;
use causeway_domain::{Chain, TokenId};
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;
use causeway_sandbox::{ChainSpec, Sandbox, SandboxOptions, TokenSpec};
use causeway_solana::orders::find_program;
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::chains::Clients;
use crate::commands::serve::{DRAIN, lock};
use crate::config::Config;
use crate::deployments::{Contracts, Deployments, Records, play_program};
use crate::hub;

/// The play chains inside the process.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) chains: Arc<Sandbox>,
    /// Where the service itself reaches them, past the door and its limits.
    pub(crate) rpc: String,
    stop: CancellationToken,
    server: JoinHandle<()>,
    _lock: File,
}

impl Play {
    /// Opens every enabled chain of the catalog with its well-known tokens.
    pub(crate) async fn open(
        config: &Config,
        catalog: &Catalog,
        prices: &dyn PriceFeed,
    ) -> anyhow::Result<Self> {
        let folder = config.data_dir.join("sandbox");
        let lock = lock(&folder)?;
        // What a vault's factory will make must not lie there from the start.
        let shares = hub::share_tokens(&Contracts::play(&Roles::new()?)?.hub()?);
        let shares: Vec<TokenId> = shares.iter().map(|own| own.token.id).collect();
        let snapshot = catalog.snapshot();
        let chains = snapshot.chains().iter().filter(|chain| chain.enabled);
        let chains: Vec<ChainSpec> = chains.map(|chain| spec(&snapshot, chain, prices, &shares)).collect();
        let options = SandboxOptions { data_dir: Some(folder), fresh: config.sandbox.fresh };
        let chains = Arc::new(Sandbox::open(&chains, &options)?);

        let listener = TcpListener::bind("127.0.0.1:0").await.context("no port is free on 127.0.0.1")?;
        let rpc = format!("http://{}/sandbox/rpc", listener.local_addr()?);
        let stop = CancellationToken::new();
        let routes = causeway_sandbox::routes(Arc::clone(&chains));
        let server = tokio::spawn(causeway_http::serve(listener, routes, stop.clone(), DRAIN));
        Ok(Self { chains, rpc, stop, server, _lock: lock })
    }

    /// Puts the contracts on the chains, as `causeway deploy` does, and records where they lie.
    pub(crate) async fn deploy(&self, config: &Config, catalog: &Catalog) -> anyhow::Result<Deployments> {
        let roles = Roles::new()?;
        let clients = Clients::connect(catalog, Some(&self.rpc), &[])?;
        let signer = Signer::from_bytes(&roles.deployer.key.0)?;
        let contracts = Contracts::play(&roles)?;
        let program = async {
            match &clients.solana {
                Some(rpc) => play_program(rpc, &roles).await.map(Some),
                None => Ok(None),
            }
        };
        let (evm, solana) = tokio::try_join!(contracts.deploy_everywhere(&clients, &signer), program)?;
        let records = Records::under(&config.data_dir);
        for deployment in &evm {
            records.write(deployment)?;
        }
        Ok(Deployments { evm, solana })
    }

    /// Puts everything on the disk and ends the chains.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.server.abort();
        self.chains.stop().await;
    }
}

/// The contracts on play chains that run in another process.
pub(crate) async fn find_contracts(catalog: &Catalog, rpc: &str) -> anyhow::Result<Deployments> {
    let roles = Roles::new()?;
    let clients = Clients::connect(catalog, Some(rpc), &[])?;
    let evm = Contracts::play(&roles)?.find_everywhere(&clients, roles.deployer.address).await?;
    let solana = match &clients.solana {
        Some(rpc) => find_program(rpc, EscrowProgram::new(SANDBOX_PROGRAM)).await?,
        None => None,
    };
    Ok(Deployments { evm, solana })
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
