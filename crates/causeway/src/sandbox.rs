use std::path::Path;

use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::Chain;
use causeway_domain::ports::PriceFeed;
use causeway_sandbox::{ChainSpec, Sandbox, SandboxOptions, TokenSpec};

/// Opens the play chains: every enabled chain of the catalog with its well-known tokens.
pub(crate) fn open(
    catalog: &Catalog,
    prices: &dyn PriceFeed,
    data_dir: &Path,
    fresh: bool,
) -> anyhow::Result<Sandbox> {
    let snapshot = catalog.snapshot();
    let chains = snapshot.chains().iter().filter(|chain| chain.enabled);
    let chains: Vec<ChainSpec> = chains.map(|chain| spec(&snapshot, chain, prices)).collect();
    let options = SandboxOptions { data_dir: Some(data_dir.join("sandbox")), fresh };
    Ok(Sandbox::open(&chains, &options)?)
}

fn spec(snapshot: &Snapshot, chain: &Chain, prices: &dyn PriceFeed) -> ChainSpec {
    let top = snapshot.top(&[chain.id]);
    let tokens = top.into_iter().map(|listed| listed.token).filter(|token| !token.id.is_native());
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
