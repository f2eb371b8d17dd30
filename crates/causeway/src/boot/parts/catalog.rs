use causeway_catalog::{Catalog, CatalogOptions, OwnToken};
use causeway_sandbox::genesis::Roles;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::deployments::{Contracts, Records};
use crate::boot::parts::hub;

/// The bundled catalog with the configured chains and token lists.
pub(crate) fn load_catalog(config: &Config) -> anyhow::Result<Catalog> {
    Ok(Catalog::load(&CatalogOptions {
        chains: config.chains.clone(),
        sources: config.liquidity.sources(),
        lists: config.tokens.lists.clone(),
        own: own_tokens(config)?,
        cache_dir: Some(config.data_dir.join("token-lists")),
    })?)
}

/// The vault shares of our contracts; in the sandbox also the assets of the hub's vaults.
fn own_tokens(config: &Config) -> anyhow::Result<Vec<OwnToken>> {
    match config.mode {
        Mode::Sandbox => {
            let mut own = hub::sandbox_tokens();
            let contracts = Contracts::sandbox(&Roles::new()?, ChainPolicies::load(config)?)?;
            own.extend(hub::share_tokens(&contracts.hub()?));
            Ok(own)
        }
        Mode::Production => {
            let deployments = Records::of(config).read()?;
            Ok(deployments.evm.iter().flat_map(hub::share_tokens).collect())
        }
    }
}
