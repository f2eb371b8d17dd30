use std::sync::Arc;

use anyhow::Context as _;
use causeway_catalog::Catalog;
use causeway_domain::ports::BalanceReader;
use causeway_domain::{Chain, Family};
use causeway_evm::{EvmClient, EvmConfig, Http};
use causeway_solana::{RpcConfig, SolanaRpc};

/// A client for every enabled chain that has an RPC address: the sandbox's where one runs, else the catalog's.
pub(crate) fn connect(
    catalog: &Catalog,
    sandbox_rpc: Option<&str>,
) -> anyhow::Result<Vec<Arc<dyn BalanceReader>>> {
    let http = Http::new()?;
    let snapshot = catalog.snapshot();
    let mut readers: Vec<Arc<dyn BalanceReader>> = Vec::new();
    for chain in snapshot.chains().iter().filter(|chain| chain.enabled) {
        let urls = match sandbox_rpc {
            Some(base) => vec![format!("{base}/{}", chain.id)],
            None => chain.rpc.clone(),
        };
        if !urls.is_empty() {
            let reader = connect_one(chain, &urls, &http);
            readers
                .push(reader.with_context(|| format!("chain {} ({}) cannot be used", chain.id, chain.name))?);
        }
    }
    Ok(readers)
}

fn connect_one(chain: &Chain, urls: &[String], http: &Http) -> anyhow::Result<Arc<dyn BalanceReader>> {
    Ok(match chain.family() {
        Family::Evm => {
            let urls: Vec<_> = urls.iter().map(|url| url.parse()).collect::<Result<_, _>>()?;
            Arc::new(EvmClient::with_http(chain.id, EvmConfig::for_chain(chain.id, urls), http)?)
        }
        Family::Solana => {
            let urls = urls.iter().map(|url| url.parse()).collect::<Result<_, _>>()?;
            Arc::new(SolanaRpc::new(RpcConfig::new(urls))?)
        }
    })
}
