use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::ports::BalanceReader;
use causeway_domain::{Chain, ChainId, Family, SOLANA_CHAIN_ID};
use causeway_engine::Ticker;
use causeway_evm::{EndpointStatus, EvmClient, EvmConfig, Http, PoolConfig};
use causeway_http::Metrics;
use causeway_sandbox::FeeModel;
use causeway_solana::{RpcConfig, RpcUrl, SolanaRpc};
use tokio_util::sync::CancellationToken;

use crate::boot::config::EndpointsConfig;

/// How often the head of each endpoint is read, so that lagging endpoints are used last.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);

/// How often a sent transaction is checked on a sandbox Solana.
const SANDBOX_LOOK_EVERY: Duration = Duration::from_millis(800);

/// Registers the state of the RPC endpoints.
pub(crate) fn watch_endpoints(metrics: &Metrics, clients: &ChainClients) {
    let gauges = |read: fn(&EndpointStatus) -> Option<i64>| {
        let clients = clients.clone();
        move || {
            let gauge = |(chain, endpoint): (ChainId, EndpointStatus)| {
                let value = read(&endpoint)?;
                Some(([chain.to_string(), endpoint.address], value))
            };
            clients.endpoints().into_iter().filter_map(gauge).collect()
        }
    };
    let up = gauges(|endpoint| {
        let is_up = endpoint.penalty == 0 && !endpoint.lagging && endpoint.serves_chain != Some(false);
        Some(i64::from(is_up))
    });
    let help = "Whether an endpoint answers without faults, serves the chain and keeps up";
    metrics.register_gauges("rpc_endpoint_up", help, ["chain", "endpoint"], up);
    let head = gauges(|endpoint| i64::try_from(endpoint.head?).ok());
    let help = "The newest block that an endpoint had when it was last probed";
    metrics.register_gauges("rpc_endpoint_head", help, ["chain", "endpoint"], head);
}

/// The endpoints of a chain: the sandbox's addresses if one runs, else the configured ones, else the catalog's.
pub(crate) fn rpc_urls(chain: &Chain, sandbox_rpc: Option<&str>, own: &[EndpointsConfig]) -> Vec<String> {
    match (sandbox_rpc, own.iter().find(|own| own.chain == chain.id.get())) {
        (Some(bases), _) => bases.split(',').map(|base| format!("{base}/{}", chain.id)).collect(),
        (None, Some(own)) => own.rpc.iter().map(|rpc| rpc.0.expose().to_owned()).collect(),
        (None, None) => chain.rpc.clone(),
    }
}

/// A client for every enabled chain that has an RPC address.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainClients {
    pub(crate) evm: Vec<EvmClient>,
    pub(crate) solana: Option<SolanaRpc>,
}

impl ChainClients {
    /// Uses the sandbox's addresses if one runs (its nodes separated by commas), else the configured endpoints, else the
    /// catalog's public ones. Sends nothing yet.
    pub(crate) fn connect(
        catalog: &Catalog,
        sandbox_rpc: Option<&str>,
        fees: FeeModel,
        own: &[EndpointsConfig],
    ) -> anyhow::Result<Self> {
        let http = Http::new()?;
        let snapshot = catalog.snapshot();
        let mut clients = Self::default();
        for chain in snapshot.chains().iter().filter(|chain| chain.is_read()) {
            let urls = rpc_urls(chain, sandbox_rpc, own);
            let own = own.iter().find(|own| own.chain == chain.id.get());
            // The sandbox's only node is our own; several stand for nodes of other operators.
            let trusted = match sandbox_rpc {
                Some(_) => urls.len() == 1,
                None => own.is_some_and(|own| own.trusted),
            };
            if !urls.is_empty() {
                let added = clients.add(chain, &urls, &http, (sandbox_rpc.map(|_| fees), trusted));
                added.with_context(|| format!("chain {} ({}) cannot be used", chain.id, chain.name))?;
            }
        }
        Ok(clients)
    }

    fn add(
        &mut self,
        chain: &Chain,
        urls: &[String],
        http: &Http,
        (sandbox, trusted): (Option<FeeModel>, bool),
    ) -> anyhow::Result<()> {
        match chain.family() {
            Family::Evm => {
                let urls: Vec<_> = urls.iter().map(|url| url.parse()).collect::<Result<_, _>>()?;
                let evm = chain.policy.evm.context("it has no policy of an EVM chain")?;
                let mut config = EvmConfig { multicall: evm.multicall3, ..EvmConfig::new(urls) };
                config.fees.min_priority_fee = evm.min_priority_fee;
                config.fees.gas_factor = evm.gas_factor;
                if let Some(fees) = sandbox {
                    // What idle chains suggest. With less, the first transaction would raise the gas price, and small orders
                    // quoted before would be refunded.
                    config.fees.min_priority_fee = config.fees.min_priority_fee.max(fees.tip(chain.id));
                }
                trust(&mut config.pool, trusted);
                self.evm.push(EvmClient::with_http(chain.id, config, http)?);
            }
            Family::Solana => {
                let urls = urls.iter().map(|url| url.parse()).collect::<Result<_, _>>()?;
                let mut config = solana_config(urls, sandbox.is_some());
                trust(&mut config.pool, trusted);
                self.solana = Some(SolanaRpc::new(config)?);
            }
            Family::Bitcoin | Family::Tron => {
                bail!("the service does not read this chain: remove its [[endpoints]]")
            }
        }
        Ok(())
    }

    pub(crate) fn evm(&self, chain: ChainId) -> Option<&EvmClient> {
        self.evm.iter().find(|client| client.chain_id() == chain)
    }

    /// The chains with a single endpoint that is not trusted (rule 27).
    pub(crate) fn resting_on_one_endpoint(&self) -> HashSet<ChainId> {
        let evm = self.evm.iter().filter(|client| client.rests_on_one_endpoint()).map(EvmClient::chain_id);
        let solana = self.solana.iter().filter(|rpc| rpc.rests_on_one_endpoint()).map(|_| SOLANA_CHAIN_ID);
        evm.chain(solana).collect()
    }

    /// The endpoints of every chain, as they were when they were last used.
    pub(crate) fn endpoints(&self) -> Vec<(ChainId, EndpointStatus)> {
        let evm = self.evm.iter().flat_map(|client| {
            let chain = client.chain_id();
            client.endpoints().into_iter().map(move |endpoint| (chain, endpoint))
        });
        let solana = self.solana.iter().flat_map(SolanaRpc::endpoints);
        evm.chain(solana.map(|endpoint| (SOLANA_CHAIN_ID, endpoint))).collect()
    }

    pub(crate) fn readers(&self) -> Vec<Arc<dyn BalanceReader>> {
        let evm = self.evm.iter().map(|client| Arc::new(client.clone()) as Arc<dyn BalanceReader>);
        evm.chain(self.solana.iter().map(|rpc| Arc::new(rpc.clone()) as Arc<dyn BalanceReader>)).collect()
    }

    /// What our own accounts hold, which no endpoint says alone (rule 27).
    pub(crate) fn own_balances(&self) -> Vec<Arc<dyn BalanceReader>> {
        let evm = self.evm.iter().cloned();
        let evm =
            evm.map(|client| Arc::new(causeway_evm::OwnBalances::new(client)) as Arc<dyn BalanceReader>);
        let solana = self.solana.iter().cloned();
        let solana =
            solana.map(|rpc| Arc::new(causeway_solana::OwnBalances::new(rpc)) as Arc<dyn BalanceReader>);
        evm.chain(solana).collect()
    }

    /// Probes the endpoints of every chain that has several, until `stop`.
    pub(crate) async fn probe_endpoints(self, stop: CancellationToken) {
        let several: Vec<_> = self.evm.into_iter().filter(|client| client.endpoints().len() > 1).collect();
        let solana = self.solana.filter(|rpc| rpc.endpoints().len() > 1);
        if several.is_empty() && solana.is_none() {
            return;
        }
        let mut ticker = Ticker::new(PROBE_INTERVAL, stop);
        while ticker.next().await {
            let evm = futures::future::join_all(several.iter().map(EvmClient::probe));
            futures::join!(evm, futures::future::join_all(solana.iter().map(SolanaRpc::probe)));
        }
    }
}

fn trust(pool: &mut PoolConfig, trusted: bool) {
    for endpoint in &mut pool.endpoints {
        endpoint.trusted = trusted;
    }
}

/// Sandbox chains have no call limits.
fn solana_config(urls: Vec<RpcUrl>, sandbox: bool) -> RpcConfig {
    let mut config = RpcConfig::new(urls);
    if sandbox {
        config.poll_interval = SANDBOX_LOOK_EVERY;
        for endpoint in &mut config.pool.endpoints {
            endpoint.calls_per_second = None;
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::post;
    use serde_json::{Value, json};

    use super::*;

    /// A node of chain 10 whose newest block is `head`.
    async fn node(head: u64) -> String {
        let answer = move |body: String| async move {
            let one = |call: &Value| {
                let result =
                    if call["method"] == "eth_chainId" { "0xa".to_owned() } else { format!("{head:#x}") };
                json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
            };
            match serde_json::from_str::<Value>(&body) {
                Ok(Value::Array(calls)) => Value::from(calls.iter().map(one).collect::<Vec<_>>()).to_string(),
                call => one(&call.unwrap_or_default()).to_string(),
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().route("/", post(answer));
        tokio::spawn(causeway_http::serve(
            listener,
            routes,
            causeway_http::ConnectionLimits::NONE,
            CancellationToken::new(),
            Duration::ZERO,
        ));
        url
    }

    #[tokio::test]
    async fn lagging_endpoint_is_detected_by_probing() {
        let urls = [node(100).await, node(900).await, node(901).await].map(|url| url.parse().unwrap());
        let chain = ChainId::new(10).unwrap();
        let client = EvmClient::new(chain, EvmConfig::new(urls)).unwrap();
        let clients = ChainClients { evm: vec![client.clone()], solana: None };
        let stop = CancellationToken::new();
        let probing = tokio::spawn(clients.probe_endpoints(stop.clone()));
        while client.endpoints().iter().any(|endpoint| endpoint.head.is_none()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let lagging: Vec<bool> = client.endpoints().iter().map(|endpoint| endpoint.lagging).collect();
        assert_eq!(lagging, [true, false, false]);
        stop.cancel();
        probing.await.unwrap();
    }
}
