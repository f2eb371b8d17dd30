use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_catalog::Catalog;
use causeway_domain::ports::{Carrier, OnRamp};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token, TokenId};
use causeway_evm::Signer;
use causeway_evm::orders::EvmCarrier;
use causeway_onramps::sandbox::{Pace, SandboxRamps, SandboxSettings};
use causeway_sandbox::genesis::Roles;
use causeway_solana::SolanaKey;
use causeway_solana::orders::SolanaCarrier;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::commands::serve::DRAIN;
use crate::config::{Mode, ServerConfig};
use crate::orders::Surroundings;
use crate::trust::{PLAY_SENDING, SOLANA_SENDING};

/// Where the play on-ramps deliver, beside Solana.
const EVM_CHAINS: [u64; 2] = [1, 8453];

/// The coin that they sell beside the chains' own.
const STABLECOIN: &str = "usd-coin";

/// How long what runs for them may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// The on-ramps of the sandbox: services of their own, on an origin of their own, inside the process.
#[derive(Default)]
pub(crate) struct PlayRamps {
    /// The service's side of them.
    pub(crate) providers: Vec<Arc<dyn OnRamp>>,
    at_work: Option<(SandboxRamps, TcpListener)>,
    tasks: JoinSet<()>,
}

impl PlayRamps {
    /// Opens them for the service that listens on `bound`; there are none outside of the sandbox.
    pub(crate) async fn open(around: &Surroundings<'_>, bound: SocketAddr) -> anyhow::Result<Self> {
        let config = around.config;
        if config.mode != Mode::Sandbox || !config.sandbox.enabled {
            return Ok(Self::default());
        }
        let folder = config.data_dir.join("sandbox").join("onramps");
        if config.sandbox.fresh && folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let listener = listen(config.sandbox.onramps_listen, bound).await?;
        let ramps = SandboxRamps::open(SandboxSettings {
            folder,
            origin: ServerConfig::local_url(listener.local_addr()?),
            webhooks: format!("{}/v1/fiat/webhook", ServerConfig::local_url(bound)),
            embedders: vec![origin_of(&config.server.public_url(bound))],
            assets: sold(around.catalog),
            prices: Arc::clone(&around.market.prices),
            carriers: carriers(around)?,
            pace: Pace::default(),
        })?;
        Ok(Self { providers: ramps.on_ramps(), at_work: Some((ramps, listener)), tasks: JoinSet::new() })
    }

    /// Lets them answer, deliver and send webhooks, until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        if let Some((ramps, listener)) = self.at_work.take() {
            self.tasks.spawn(causeway_http::serve(listener, ramps.routes(), stop.clone(), DRAIN));
            self.tasks.spawn(ramps.run(stop.clone()));
        }
    }

    /// Waits until all of it has stopped.
    pub(crate) async fn stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, all).await.is_err() {
            tracing::warn!(
                "the play on-ramps did not stop in time; what was begun is gone on with at the next start"
            );
        }
    }
}

/// The configured address, or the service's with the next port, or with any that is free.
async fn listen(configured: Option<SocketAddr>, bound: SocketAddr) -> anyhow::Result<TcpListener> {
    if let Some(address) = configured {
        return TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address}: choose another address in sandbox.onramps_listen")
        });
    }
    let next = bound.port().checked_add(1).unwrap_or_default();
    if let Ok(listener) = TcpListener::bind(SocketAddr::new(bound.ip(), next)).await {
        return Ok(listener);
    }
    TcpListener::bind(SocketAddr::new(bound.ip(), 0)).await.context("no port is free for the play on-ramps")
}

/// Scheme, host and port of an address.
fn origin_of(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let host = rest.split('/').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

/// The stablecoin and the own coin of each chain.
fn sold(catalog: &Catalog) -> Vec<Token> {
    let snapshot = catalog.snapshot();
    let chains = EVM_CHAINS.into_iter().filter_map(ChainId::new).chain([SOLANA_CHAIN_ID]);
    let chains: Vec<ChainId> =
        chains.filter(|id| snapshot.chain(*id).is_some_and(|chain| chain.enabled)).collect();
    let stable = snapshot.assets().iter().filter(|asset| asset.coin == STABLECOIN);
    let stable =
        stable.flat_map(|asset| asset.tokens.iter().copied()).filter(|id| chains.contains(&id.chain()));
    let native = chains.iter().map(|chain| TokenId::native(*chain));
    stable.chain(native).filter_map(|id| Some(snapshot.token(&id)?.token.clone())).collect()
}

/// Their own keys' hands on the chains.
fn carriers(around: &Surroundings<'_>) -> anyhow::Result<HashMap<ChainId, Arc<dyn Carrier>>> {
    let roles = Roles::new()?;
    let mut carriers: HashMap<ChainId, Arc<dyn Carrier>> = HashMap::new();
    for client in EVM_CHAINS.into_iter().filter_map(|id| around.clients.evm(ChainId::new(id)?)) {
        let signer = Signer::from_bytes(&roles.ramps.key.0)?;
        let carrier = EvmCarrier::new(client.clone(), signer, around.store.clone(), PLAY_SENDING, Vec::new());
        carriers.insert(client.chain_id(), Arc::new(carrier));
    }
    if let Some(rpc) = &around.clients.solana {
        let key = SolanaKey::from_seed(roles.solana_ramps.seed.0);
        let carrier = SolanaCarrier::new(rpc.clone(), key, around.store.clone(), SOLANA_SENDING, &[]);
        carriers.insert(SOLANA_CHAIN_ID, Arc::new(carrier));
    }
    Ok(carriers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_an_address_without_its_path() {
        assert_eq!(origin_of("https://swap.example/base"), "https://swap.example");
        assert_eq!(origin_of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
    }
}
