//! The chains: the bundled file, configured overrides, and icons.

mod file;
mod icon;
mod overrides;
mod placeholder_icon;
mod policy;

pub use icon::Icon;
pub use overrides::{ChainOverride, CurrencyConfig, ExplorerConfig};

#[cfg(test)]
pub(crate) use file::parse;
pub(crate) use icon::Icons;
#[cfg(test)]
use overrides::apply;
pub(crate) use placeholder_icon::{ink_on, stroke};

use causeway_domain::{Chain, ChainId};

use crate::{CatalogError, data};

/// The bundled chains with the configured changes, ordered by id, without those that swaps only begin on.
pub fn load_chains(overrides: &[ChainOverride]) -> Result<Vec<Chain>, CatalogError> {
    load_with_sources(overrides, &[])
}

/// The same with these of the chains that swaps only begin on.
pub(crate) fn load_with_sources(
    overrides: &[ChainOverride],
    sources: &[ChainId],
) -> Result<Vec<Chain>, CatalogError> {
    let mut chains = overrides::apply(file::parse(data::CHAINS)?, overrides)?;
    chains.retain(|chain| !chain.family().is_source_only() || sources.contains(&chain.id));
    Ok(chains)
}
