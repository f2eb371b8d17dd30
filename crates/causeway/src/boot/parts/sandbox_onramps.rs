use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_catalog::Catalog;
use causeway_domain::ports::{OnRamp, TxSender};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token, TokenId};
use causeway_evm::Signer;
use causeway_evm::orders::EvmTxSender;
use causeway_http::ConnectionLimits;
use causeway_onramps::sandbox::{PaymentDelays, SandboxRamps, SandboxSettings};
use causeway_sandbox::genesis::Roles;
use causeway_solana::SolanaKey;
use causeway_solana::orders::SolanaTxSender;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Mode, ServerConfig};
use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::chain_policy::{SANDBOX_SEND_POLICY, SOLANA_SENDING};
use crate::boot::parts::http_server::DRAIN_TIMEOUT;

/// Where the sandbox on-ramps deliver, besides Solana.
const EVM_CHAINS: [u64; 2] = [1, 8453];

/// The coin they sell besides the native ones.
const STABLECOIN: &str = "usd-coin";

/// How long the background tasks may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The sandbox's on-ramps, which run inside the process on their own web origin.
#[derive(Default)]
pub(crate) struct SandboxOnRamps {
    /// The adapters the service calls.
    pub(crate) providers: Vec<Arc<dyn OnRamp>>,
    at_work: Option<(SandboxRamps, TcpListener)>,
    tasks: JoinSet<()>,
}

impl SandboxOnRamps {
    /// Opens the on-ramps for the service that listens on `bound`; none outside the sandbox.
    pub(crate) async fn open(context: &AppContext<'_>, bound: SocketAddr) -> anyhow::Result<Self> {
        let config = context.config;
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
            assets: sold(context.catalog),
            prices: Arc::clone(&context.market.prices),
            tx_senders: tx_senders(context)?,
            payment_delays: PaymentDelays::default(),
        })?;
        Ok(Self { providers: ramps.on_ramps(), at_work: Some((ramps, listener)), tasks: JoinSet::new() })
    }

    /// Answers, delivers and sends webhooks until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        if let Some((ramps, listener)) = self.at_work.take() {
            self.tasks.spawn(causeway_http::serve(
                listener,
                ramps.routes(),
                ConnectionLimits::NONE,
                stop.clone(),
                DRAIN_TIMEOUT,
            ));
            self.tasks.spawn(ramps.run(stop.clone()));
        }
    }

    /// Waits until all tasks have stopped.
    pub(crate) async fn wait_stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!(
                "sandbox on-ramps did not stop in time; open purchases continue at the next start"
            );
        }
    }
}

/// Binds the configured address, else the service's with the next port, else any free port.
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
    TcpListener::bind(SocketAddr::new(bound.ip(), 0))
        .await
        .context("no port is free for the sandbox on-ramps")
}

/// Scheme, host and port of a URL.
fn origin_of(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let host = rest.split('/').next().unwrap_or_default();
    format!("{scheme}://{host}")
}

/// The stablecoin and the native coin of each chain.
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

/// The on-ramps' transaction senders by chain.
fn tx_senders(context: &AppContext<'_>) -> anyhow::Result<HashMap<ChainId, Arc<dyn TxSender>>> {
    let roles = Roles::new()?;
    let mut tx_senders: HashMap<ChainId, Arc<dyn TxSender>> = HashMap::new();
    for client in EVM_CHAINS.into_iter().filter_map(|id| context.clients.evm(ChainId::new(id)?)) {
        let signer = Signer::from_bytes(&roles.ramps.key.0)?;
        let tx_sender =
            EvmTxSender::new(client.clone(), signer, context.store.clone(), SANDBOX_SEND_POLICY, Vec::new());
        tx_senders.insert(client.chain_id(), Arc::new(tx_sender));
    }
    if let Some(rpc) = &context.clients.solana {
        let key = SolanaKey::from_seed(roles.solana_ramps.seed.0);
        let tx_sender = SolanaTxSender::new(rpc.clone(), key, context.store.clone(), SOLANA_SENDING, &[]);
        tx_senders.insert(SOLANA_CHAIN_ID, Arc::new(tx_sender));
    }
    Ok(tx_senders)
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
